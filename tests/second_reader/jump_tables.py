"""Jump tables: entries of 4 bytes, each the distance of code from the table's start (section 12)."""
from bytes_of_file import MASK64, sext
from fields import DATA_REFERENCE, JUMP_TABLE, LOW12, REL32
from images import ARM64, CODE, DATA, X86_64

REACH = 1 << 20  # of an entry, from the code that loads the table's address


def read_jump_tables(reader, code_fields):
    """The fields of the tables that `code_fields` lead to, ascending."""
    first_fields = len(reader.fields)
    candidates = find_candidates(reader, code_fields)
    image, file = reader.image, reader.file
    for i, (table, code_address) in enumerate(candidates):
        section = image.section_of(table)
        p = section.file_pos(table)
        if p is None:
            continue
        room = section.pos + section.size - p
        if i + 1 < len(candidates):
            room = min(room, candidates[i + 1][0] - table)
        count = 0
        while 4 * (count + 1) <= room:
            target = (table + sext(file.u32(p + 4 * count), 32)) & MASK64
            inside = image.section_of(target)
            if (target - code_address + REACH) & MASK64 > 2 * REACH or inside is None or inside.kind != CODE:
                break
            count += 1
        for entry in range(count if count >= 2 else 0):
            reader.offset32(p + 4 * entry, p, table, JUMP_TABLE)
    fields = reader.fields[first_fields:]
    del reader.fields[first_fields:]
    return sorted(fields, key=lambda field: field.pos)


def find_candidates(reader, code_fields):
    """[(address of a possible table, least address of code that takes it)], ascending."""
    image, file, found = reader.image, reader.file, {}
    for field in code_fields:
        if image.machine == ARM64:
            takes_address = field.form == LOW12
        else:
            takes_address = (field.form == REL32 and field.kind == DATA_REFERENCE and field.pos >= reader.image.pos + 2
                             and file.u8(field.pos - 2) == 0x8d)
        if not takes_address or field.target % 4:
            continue
        section = image.section_of(field.target)
        if section is None or section.kind != DATA:
            continue
        own = image.address_of(field.pos)
        found[field.target] = min(own, found.get(field.target, own))
    return sorted(found.items())


def may_have_jump_tables(image):
    return image.machine in (X86_64, ARM64)
