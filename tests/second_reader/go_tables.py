"""Fields in the tables that the Go linker writes: pclntab and moduledata (section 8.8)."""
from dataclasses import dataclass

from bytes_of_file import MASK64, fits
from fields import FUNCTION_START, GO_TABLE
from images import DATA, PE

MAGICS = (0xfffffff0, 0xfffffff1)
HEAD_BYTES = 72
NONE = 0xffffffff


@dataclass
class Part:
    pos: int
    address: int


@dataclass
class Table:
    """The pclntab."""
    start: Part
    size: int  # what is left of its section
    new: bool
    count: int  # functions
    names: Part
    units: Part
    files: Part
    programs: Part
    functions: Part


def read_go_tables(reader):
    table = find_table(reader)
    if table is None:
        return
    text = types = collector = None
    module = find_module(reader, table)
    if module:
        text = part_at(reader, module, 22)
        for j in (1, 7, 10, 13):
            start = pointer(reader, module + 8 * j)
            reader.size64(module + 8 * (j + 1), start, GO_TABLE)
            reader.size64(module + 8 * (j + 2), start, GO_TABLE)
        if table.new:
            types, collector = part_at(reader, module, 37), part_at(reader, module, 40)
            read_type_links(reader, module, types)
    read_table(reader, table, text, collector)


def find_table(reader):
    image = reader.image
    for section in image.sections:
        if section.kind != DATA or section.size < HEAD_BYTES:
            continue
        k = -section.address % 8
        offsets = range(k, section.size - HEAD_BYTES + 1, 8)
        if image.format != PE and len(image.sections) > 8:
            offsets = (k,)
        for i in offsets:
            if reader.file.u32(section.pos + i) in MAGICS:
                table = table_at(reader, Part(section.pos + i, section.address + i), section.size - i)
                if table:
                    return table
    return None


def table_at(reader, start, size):
    file, h = reader.file, start.pos
    offsets = [file.u64(h + at) for at in (32, 40, 48, 56, 64)]
    count = file.u64(h + 8)
    if (file.u16(h + 4) or file.u8(h + 6) not in (1, 2, 4) or file.u8(h + 7) != 8 or size < HEAD_BYTES
            or sorted(offsets) != offsets or offsets[-1] > size or not 1 <= count <= (size - offsets[-1]) // 8):
        return None
    parts = [Part(h + offset, start.address + offset) for offset in offsets]
    return Table(start, size, file.u32(h) == MAGICS[1], count, *parts)


def pointer(reader, p):
    v, image = reader.file.u64(p), reader.image
    if image.is_place(v):
        return v
    low = v & (1 << 36) - 1
    return low if image.is_place(low) else low + image.base & MASK64


def part_at(reader, module, j):
    address = pointer(reader, module + 8 * j)
    pos = reader.image.file_pos(address)
    return Part(pos, address) if pos else None


def find_module(reader, table):
    """File position of moduledata, or None."""
    file, address = reader.file, table.start.address
    firsts = (address & 0xffffffff, address - reader.image.base & 0xffffffff)
    for section in reader.image.sections:
        if section.kind != DATA:
            continue
        for p in range(section.pos, section.pos + section.size - 15, 8):
            if (file.u32(p) in firsts and pointer(reader, p) == address
                    and pointer(reader, p + 8) == table.names.address):
                return p
    return None


def is_slice(reader, module, j):
    length = reader.file.u64(module + 8 * (j + 1))
    return 0 < length < reader.file.size and length == reader.file.u64(module + 8 * (j + 2))


def read_type_links(reader, module, types):
    for j in (41, 42):
        if types and is_slice(reader, module, j) and is_slice(reader, module, j + 3):
            links = part_at(reader, module, j + 3)
            if links:
                read_list(reader, links.pos, reader.file.u64(module + 8 * (j + 4)), types, None)
            return


def read_list(reader, p, count, base, none):
    for i in reader.steps(range(count)):
        if reader.file.u32(p + 4 * i) != none:
            offset32(reader, p + 4 * i, base, GO_TABLE)


def offset32(reader, p, base, kind):
    reader.offset32(p, base.pos, base.address, kind)


def read_table(reader, table, text, collector):
    file, functions = reader.file, table.functions
    read_list(reader, table.units.pos, (table.files.pos - table.units.pos) // 4, table.files, NONE)
    for i in reader.steps(range(table.count + 1)):
        e = functions.pos + 8 * i
        if text:
            offset32(reader, e, text, FUNCTION_START)
        if i < table.count:
            offset32(reader, e + 4, functions, GO_TABLE)
    record_bytes = 44 if table.new else 40
    room = table.start.pos + table.size - functions.pos
    for i in reader.steps(range(table.count)):
        r = file.u32(functions.pos + 8 * i + 4)
        if fits(r, record_bytes, room):
            read_record(reader, table, functions.pos + r, record_bytes, text, collector)


def read_record(reader, table, q, record_bytes, text, collector):
    file = reader.file
    if text:
        offset32(reader, q, text, FUNCTION_START)
    offset32(reader, q + 4, table.names, GO_TABLE)
    read_list(reader, q + 16, 3, table.programs, 0)
    a, b = file.u32(q + 28), file.u8(q + record_bytes - 1)
    if a > 64 or b > 64:
        return
    read_list(reader, q + record_bytes, a, table.programs, 0)
    if collector:
        read_list(reader, q + record_bytes + 4 * a, b, collector, NONE)
