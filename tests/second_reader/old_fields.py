"""All fields of OLD: those of tables, of jump tables and of code, made disjoint (sections 7.3 and 7.4)."""
from bisect import bisect_right

import mixed_arm
from arm64 import Search
from bytes_of_file import File
from elf_tables import read_elf_tables
from go_tables import read_go_tables
from images import ARM32, ARM64, CODE, ELF, MACHO, PE, TOY, X86_32, X86_64
from jump_tables import may_have_jump_tables, read_jump_tables
from macho_tables import read_macho_tables
from pe_tables import read_pe_tables
from tables import TableReader, read_fixed_pointers
from x86 import Sweep

BLOCK_BYTES = 1 << 20


def find_fields(data, images):
    """The fields of all images, ascending."""
    fields = []
    for number, image in enumerate(images):
        if not image.sections:
            continue
        for field in fields_of_image(File(data[:image.pos + image.size]), image):
            field.image = number
            fields.append(field)
    return sorted(fields, key=lambda field: field.pos)


def fields_of_image(file, image):
    reader = TableReader(file, image)
    read_tables(reader)
    fields = drop_overlapping(sorted(reader.fields, key=lambda field: field.pos))
    code_fields = find_code_fields(file, image)
    if may_have_jump_tables(image):
        entries = read_jump_tables(reader, code_fields)
        # The sort is stable: a table's field stays in front of a jump table's at the same position.
        fields = drop_overlapping(sorted(fields + entries, key=lambda field: field.pos))
    return fields + without_overlaps(code_fields, fields)


def read_tables(reader):
    image = reader.image
    if not image.wide and image.format != TOY:
        read_go_tables(reader)
    {ELF: read_elf_tables, PE: read_pe_tables, MACHO: read_macho_tables, TOY: read_fixed_pointers}[image.format](reader)
    if image.format != TOY and image.wide:
        read_go_tables(reader)


def drop_overlapping(fields):
    kept = []
    for field in fields:
        if not kept or field.pos >= kept[-1].end:
            kept.append(field)
    return kept


def without_overlaps(code_fields, table_fields):
    positions = [field.pos for field in table_fields]

    def is_free(field):
        before = bisect_right(positions, field.end - 1) - 1
        return before < 0 or table_fields[before].end <= field.pos

    return [field for field in code_fields if is_free(field)]


def find_code_fields(file, image):
    fields = []
    for section in image.sections:
        if section.kind != CODE or section.pos + section.size > image.pos + image.size:
            continue
        search = make_search(file, image, section)
        if search is None:
            break
        for begin in range(0, section.size, BLOCK_BYTES):
            fields += search(begin, min(begin + BLOCK_BYTES, section.size))
    return fields


def make_search(file, image, section):
    """What gives the fields of a block of the section; None for machines whose code is not looked at."""
    fixed = image.format == ELF and file.u16(image.pos + 16) != 3
    if image.machine in (X86_64, X86_32):
        return Sweep(file.data, section, image.machine == X86_64, image.low, image.high, fixed).block
    if image.machine == ARM64:
        return Search(file, section, image.low, image.high).block
    if image.machine == ARM32:
        return mixed_arm.Search(file, section, image.low, image.high, fixed).block
    return None
