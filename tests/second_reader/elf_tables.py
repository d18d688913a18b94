"""Fields in the tables of ELF images (section 8.2)."""
from bytes_of_file import MASK64
from eh_frame import read_eh_frame, read_eh_frame_hdr
from fields import DYNAMIC_TABLE, HEADER, POINTER, RELOCATION_ADDEND, RELOCATION_PLACE, SYMBOL_SIZE, SYMBOL_VALUE
from images import ARM32, ARM64, X86_32, X86_64
from tables import read_fixed_pointers

TYPE_DYNAMIC, TYPE_EH_FRAME_HDR = 2, 0x6474e550
SYMBOL_SECTIONS = (2, 11)
EXECUTABLE = 2  # the type of a file; the only one besides 3
ADDRESS_TAGS = {3, 4, 5, 6, 7, 12, 13, 17, 23, 25, 26, 32, 36, 0x6ffffef5, 0x6ffffff0, 0x6ffffffc, 0x6ffffffe}
SIZE_TAGS = {8: 7, 18: 17, 2: 23, 35: 36, 10: 5, 27: 25, 28: 26}
RELATIVE = {X86_64: (8, 37), ARM64: (1027, 1032), X86_32: (8, 42), ARM32: (23, 160)}


def read_elf_tables(reader):
    image, file = reader.image, reader.file
    reader.abs(image.pos + 24, HEADER)
    for segment in image.about["segments"]:
        if segment.type == TYPE_DYNAMIC:
            read_dynamic_table(reader, segment)
    for segment in image.about["segments"]:
        if segment.type == TYPE_EH_FRAME_HDR:
            read_unwind_tables(reader, segment)
    for header in image.about["headers"]:
        if header.type in SYMBOL_SECTIONS:
            read_symbols(reader, header.pos, header.size)
    if file.u16(image.pos + 16) != 3:
        read_fixed_pointers(reader)


def read_dynamic_table(reader, segment):
    w = reader.image.word_bytes
    entries = range(segment.pos, segment.pos + segment.size // (2 * w) * 2 * w, 2 * w)
    values = {}
    for e in reader.steps(entries):
        if reader.word(e) == 0:
            break
        values[reader.word(e)] = reader.word(e + w)
    for e in reader.steps(entries):
        tag = reader.word(e)
        if tag == 0:
            break
        if tag in ADDRESS_TAGS:
            reader.abs(e + w, DYNAMIC_TABLE)
        start = values.get(SIZE_TAGS.get(tag), 0)
        if start:
            reader.size(e + w, start, DYNAMIC_TABLE)

    def value(tag):
        return values.get(tag, 0)

    read_relocations(reader, value(7), value(8), True)
    read_relocations(reader, value(17), value(18), False)
    read_relocations(reader, value(23), value(2), value(20) == 7)
    read_packed_relocations(reader, value(36), value(35))
    add_pointer_at(reader, value(3))


def add_pointer_at(reader, address):
    pos = reader.image.file_pos(address)
    if pos is not None:
        reader.abs(pos, POINTER)


def read_relocations(reader, address, size, with_addends):
    b = reader.pos_of_address(address)
    if b is None:
        return
    image, w = reader.image, reader.image.word_bytes
    entry_bytes = (3 if with_addends else 2) * w
    entries = range(b, b + min(size, reader.file.size - b) // entry_bytes * entry_bytes, entry_bytes)
    for e in reader.steps(entries):
        reader.abs(e, RELOCATION_PLACE)
        type_ = reader.word(e + w) & (0xffffffff if image.wide else 0xff)
        if with_addends and type_ in RELATIVE.get(image.machine, ()):
            reader.abs(e + 2 * w, RELOCATION_ADDEND)
    for e in reader.steps(entries):
        add_pointer_at(reader, reader.word(e))


def read_packed_relocations(reader, address, size):
    b = reader.pos_of_address(address)
    if b is None:
        return
    w = reader.image.word_bytes
    words = range(b, b + min(size, reader.file.size - b) // w * w, w)
    for p in reader.steps(words):
        if reader.word(p) % 2 == 0:
            reader.abs(p, RELOCATION_PLACE)
    place_after = 0
    for p in words:
        e = reader.word(p)
        if e % 2 == 0:
            if not reader.step():
                return
            add_pointer_at(reader, e)
            place_after = e + w
            continue
        bits, place = e >> 1, place_after
        while bits and reader.step():
            if bits & 1:
                add_pointer_at(reader, place & MASK64)
            bits, place = bits >> 1, place + w
        place_after += (8 * w - 1) * w


def read_symbols(reader, b, size):
    wide, file = reader.image.wide, reader.file
    entry_bytes, type_at, section_at, value_at, size_at = (24, 4, 6, 8, 16) if wide else (16, 12, 14, 4, 8)
    for i in reader.steps(range(1, size // entry_bytes)):
        e = b + i * entry_bytes
        section = file.u16(e + section_at)
        if file.u8(e + type_at) % 16 == 6 or section == 0 or section >= 0xff00:
            continue
        reader.abs(e + value_at, SYMBOL_VALUE)
        reader.size(e + size_at, reader.word(e + value_at), SYMBOL_SIZE)


def read_unwind_tables(reader, segment):
    address = read_eh_frame_hdr(reader, segment.pos, segment.size)
    section = reader.image.section_of(address) if address else None
    pos = section.file_pos(address) if section else None
    if pos is not None:
        read_eh_frame(reader, pos, section.pos + section.size - pos)
