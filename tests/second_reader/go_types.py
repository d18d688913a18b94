"""Fields in what the Go linker's moduledata leads to: data of functions, their lookup, types (section 8.9)."""
from bytes_of_file import sext
from fields import GO_TABLE
from go_parts import NONE, Part, bytes_between, offset32, part_at, pointer, records

PAGE_BYTES, LOOKUP_BYTES = 4096, 20
STACK_OBJECTS, INLINED_CALLS = 2, 3  # numbers of a function's tables
(ARRAY, CHANNEL, FUNCTION, INTERFACE, MAP, POINTER, SLICE, STRUCT) = 17, 18, 19, 20, 21, 22, 23, 25
MAX_KIND = 26
WORDS_OF_KIND = {ARRAY: 3, CHANNEL: 2, INTERFACE: 4, STRUCT: 4, FUNCTION: 1, POINTER: 1, SLICE: 1}
MASK32 = (1 << 32) - 1


def read_more_go_tables(reader, table, module, words, text, types, collector):
    """`words`: of moduledata; None without it, and if the table is not new."""
    read_only = part_at(reader, module, words.read_only) if words else None
    if collector:
        for q, a, b in records(reader, table):
            read_function_data(reader, table, q + table.record_bytes, a, b, collector, read_only, text)
    if words:
        read_lookup(reader, table, module)
    if types:
        end = pointer(reader, module + words.types_end * reader.image.word_bytes)
        read_types(reader, types, end - types.address, text)


def read_lookup(reader, table, module):
    lookup = part_at(reader, module, 19)
    if not lookup:
        return
    for i in reader.steps(range(bytes_between(reader, module, 20, 21) // PAGE_BYTES + 1)):
        reader.entry32(lookup.pos + LOOKUP_BYTES * i, (table.functions.pos, 8 * table.count), 8, GO_TABLE)


def read_function_data(reader, table, words, a, b, collector, read_only, text):
    """`words`: where the record has its a numbers of programs, and then its b offsets of tables."""
    file, w = reader.file, reader.image.word_bytes

    def table_pos(j):
        offset = file.u32(words + 4 * a + 4 * j) if j < b else NONE
        return 0 if offset == NONE else collector.pos + offset

    p, program = table_pos(INLINED_CALLS), file.u32(words + 8) if a > 2 else 0
    if p and program:
        count = largest_value(reader, table.programs.pos + program) + 1
        for i in reader.steps(range(count)):
            offset32(reader, p + 4 + 16 * i, table.names, GO_TABLE)
        if text:
            e = file.u32(words - table.record_bytes)
            for i in reader.steps(range(count)):
                offset32(reader, p + 8 + 16 * i, Part(text.pos + e, text.address + e), GO_TABLE)
    p = table_pos(STACK_OBJECTS)
    if p and read_only:
        for i in reader.steps(range(reader.word(p))):
            offset32(reader, p + w + 12 + 16 * i, read_only, GO_TABLE)


def largest_value(reader, p):
    value = largest = -1
    first = True
    while reader.step():
        d, p = short_uleb(reader, p)
        if d == 0 and not first:
            break
        first = False
        value = signed32(value + (-(d // 2) - 1 if d % 2 else d // 2))
        largest = max(largest, value)
        _, p = short_uleb(reader, p)
    return largest


def short_uleb(reader, p):
    """A number of at most five bytes, and where it ends."""
    number = 0
    for i in range(5):
        byte = reader.file.u8(p + i)
        number |= (byte & 127) << 7 * i
        if byte < 128:
            break
    return number & MASK32, p + i + 1


def signed32(number):
    number &= MASK32
    return number - (1 << 32) if number >> 31 else number


def read_types(reader, types, size, text):
    section, w = reader.image.section_of(types.address), reader.image.word_bytes
    if size < 0 or types.pos + size > section.pos + section.size:
        return
    for p in range(types.pos, types.pos + size - (4 * w + 16) + 1, w):
        if is_type(reader, p, types, size) and reader.step():
            read_type(reader, p, types, text)


def is_type(reader, p, types, size):
    file, w = reader.file, reader.image.word_bytes
    f = p + 2 * w + 4
    alignment, name = file.u8(f + 1), file.u32(p + 4 * w + 8)
    return (1 <= file.u8(f + 3) % 32 <= MAX_KIND and file.u8(f) <= 63
            and alignment in (1, 2, 4, 8) and file.u8(f + 2) == alignment
            and reader.word(p + w) <= reader.word(p) and reader.word(p) % alignment == 0
            and 0 < name < size and file.u8(types.pos + name) <= 15
            and is_empty_or_mapped(reader, p + 2 * w + 8) and is_empty_or_mapped(reader, p + 3 * w + 8))


def is_empty_or_mapped(reader, p):
    return reader.word(p) == 0 or reader.image.is_mapped(pointer(reader, p))


def read_type(reader, p, types, text):
    file, w = reader.file, reader.image.word_bytes
    f = p + 2 * w + 4
    kind = file.u8(f + 3) % 32
    add(reader, p + 4 * w + 8, types)
    add(reader, p + 4 * w + 12, types)
    e = p + 4 * w + 16
    methods = reader.image.file_pos(pointer(reader, e + w)) if kind == INTERFACE else None
    if methods is not None:
        for i in reader.steps(range(reader.word(e + 2 * w))):
            add(reader, methods + 8 * i, types)
            add(reader, methods + 8 * i + 4, types)
    if file.u8(f) % 2 and kind != MAP:
        read_named_type(reader, e + WORDS_OF_KIND.get(kind, 0) * w, types, text)


def read_named_type(reader, u, types, text):
    """What follows a type that has a name: its package and its methods."""
    file = reader.file
    add(reader, u, types)
    if file.u32(u + 8) < 16:
        return
    for i in reader.steps(range(file.u16(u + 4))):
        m = u + file.u32(u + 8) + 16 * i
        add(reader, m, types)
        add(reader, m + 4, types)
        for code in (m + 8, m + 12):
            if text and file.u32(code) != NONE:
                add(reader, code, text)


def add(reader, p, base):
    if reader.file.u32(p):
        offset32(reader, p, base, GO_TABLE)
