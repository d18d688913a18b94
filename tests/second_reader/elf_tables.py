"""Fields in the tables of ELF images (section 8.2)."""
from arm_unwind import read_arm_unwind_index
from bytes_of_file import MASK64
from eh_frame import read_eh_frame, read_eh_frame_hdr
from fields import (DEBUG_ADDRESS, DYNAMIC_TABLE, HEADER, POINTER, RELOCATION_ADDEND, RELOCATION_OFFSET, SYMBOL_INDEX,
                    SYMBOL_NAME, SYMBOL_SIZE, SYMBOL_VALUE)
from images import ARM32, ARM64, CODE, X86_32, X86_64
from tables import read_fixed_pointers

TYPE_DYNAMIC, TYPE_EH_FRAME_HDR, TYPE_ARM_EXIDX = 2, 0x6474e550, 0x70000001
SYMBOL_SECTIONS = (2, 11)
PROGBITS, HASH, NO_BITS, GNU_HASH = 1, 5, 8, 0x6ffffff6
ALLOCATED = 2
NO_TABLE = (0, 0)
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
    if image.machine == ARM32:
        for segment in image.about["segments"]:
            if segment.type == TYPE_ARM_EXIDX:
                read_arm_unwind_index(reader, segment)
    for header in image.about["headers"]:
        linked = linked_table(image, header.link)
        if header.type in SYMBOL_SECTIONS:
            read_symbols(reader, header.pos, header.size, linked)
        if header.type == HASH:
            words = reader.file.u32(header.pos) + reader.file.u32(header.pos + 4) if header.size >= 8 else (
                reader.file.u32(header.pos) if header.size >= 4 else 0)
            read_numbers(reader, header, 2, words, linked)
        if header.type == GNU_HASH:
            filters = reader.file.u32(header.pos + 8) if header.size >= 12 else 0
            words = reader.file.u32(header.pos) if header.size >= 4 else 0
            read_numbers(reader, header, 4 + image.word_bytes // 4 * filters, words, linked)
    if image.wide:
        read_unloaded_words(reader)
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

    symbols = table_at(reader.image, value(6))
    read_relocations(reader, value(7), value(8), True, symbols)
    read_relocations(reader, value(17), value(18), False, symbols)
    read_relocations(reader, value(23), value(2), value(20) == 7, symbols)
    read_packed_relocations(reader, value(36), value(35))
    add_pointer_at(reader, value(3))


def add_pointer_at(reader, address):
    pos = reader.image.file_pos(address)
    if pos is not None:
        reader.abs(pos, POINTER)


def table_at(image, address):
    """(file position, bytes up to the end of the section) of a table in memory."""
    section = image.section_of(address)
    pos = section.file_pos(address) if section else None
    return NO_TABLE if pos is None else (pos, section.size - (address - section.address))


def linked_table(image, number):
    for header in image.about["headers"]:
        if header.number == number and header.type != NO_BITS:
            return header.pos, header.size
    return NO_TABLE


def symbol_bytes(image):
    return 24 if image.wide else 16


def read_numbers(reader, header, begin, count, symbols):
    for i in reader.steps(range(begin, min(header.size // 4, begin + count))):
        reader.entry32(header.pos + 4 * i, symbols, symbol_bytes(reader.image), SYMBOL_INDEX)


def read_unloaded_words(reader):
    image, left = reader.image, reader.image.size
    for header in image.about["headers"]:
        if header.type != PROGBITS or header.flags & ALLOCATED:
            continue
        if header.size > left:
            return
        left -= header.size
        pos = header.pos
        while pos + 8 <= header.pos + header.size:
            word = reader.file.u64(pos)
            section = image.section_of(word) if image.low <= word < image.high else None
            if section and section.kind == CODE:
                reader.abs64(pos, DEBUG_ADDRESS)
                pos += 7
            pos += 1


def read_relocations(reader, address, size, with_addends, symbols):
    b = reader.pos_of_address(address)
    if b is None:
        return
    image, w = reader.image, reader.image.word_bytes
    entry_bytes = (3 if with_addends else 2) * w
    entries = range(b, b + min(size, reader.file.size - b) // entry_bytes * entry_bytes, entry_bytes)
    for e in reader.steps(entries):
        reader.abs(e, RELOCATION_OFFSET)
        if image.wide:
            reader.entry32(e + 12, symbols, symbol_bytes(image), SYMBOL_INDEX)
        else:
            reader.entry24(e + 4, symbols, symbol_bytes(image), SYMBOL_INDEX)
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
            reader.abs(p, RELOCATION_OFFSET)
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


def read_symbols(reader, b, size, names):
    wide, file = reader.image.wide, reader.file
    entry_bytes = symbol_bytes(reader.image)
    type_at, section_at, value_at, size_at = (4, 6, 8, 16) if wide else (12, 14, 4, 8)
    for i in reader.steps(range(1, size // entry_bytes)):
        e = b + i * entry_bytes
        reader.entry32(e, names, 1, SYMBOL_NAME)
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
