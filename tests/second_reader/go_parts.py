"""Where the tables of the Go linker are: pclntab and moduledata, and their parts (section 8.9)."""
from dataclasses import dataclass

from bytes_of_file import MASK64, fits
from images import DATA, PE

MAGICS = (0xfffffff0, 0xfffffff1)
NONE = 0xffffffff
MAX_RECORD_WORDS = 64


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

    @property
    def record_bytes(self):
        return 44 if self.new else 40


@dataclass(frozen=True)
class Words:
    """Numbers of words of moduledata that are not the same for each version of Go."""
    types_end: int
    read_only: int
    collector: int
    has_links: bool  # whether there is a list of types


BEFORE_1_27, GO_1_27 = Words(38, 39, 40, True), Words(39, 42, 43, False)


def head_bytes(reader):
    return 8 + 8 * reader.image.word_bytes


def find_table(reader):
    image, w = reader.image, reader.image.word_bytes
    for section in image.sections:
        if section.kind != DATA or section.size < head_bytes(reader):
            continue
        k = -section.address % w
        offsets = range(k, section.size - head_bytes(reader) + 1, w)
        if image.format != PE and len(image.sections) > 8:
            offsets = (k,)
        for i in offsets:
            if reader.file.u32(section.pos + i) in MAGICS:
                table = table_at(reader, Part(section.pos + i, section.address + i), section.size - i)
                if table:
                    return table
    return None


def table_at(reader, start, size):
    file, h, w = reader.file, start.pos, reader.image.word_bytes
    offsets = [reader.word(h + 8 + j * w) for j in range(3, 8)]
    count = reader.word(h + 8)
    if (file.u16(h + 4) or file.u8(h + 6) not in (1, 2, 4) or file.u8(h + 7) != w or size < head_bytes(reader)
            or sorted(offsets) != offsets or offsets[-1] > size or not 1 <= count <= (size - offsets[-1]) // 8):
        return None
    parts = [Part(h + offset, start.address + offset) for offset in offsets]
    return Table(start, size, file.u32(h) == MAGICS[1], count, *parts)


def pointer(reader, p):
    v, image = reader.word(p), reader.image
    if image.is_mapped(v):
        return v
    low = v & (1 << 36) - 1
    return low if image.is_mapped(low) else low + image.base & MASK64


def part_at(reader, module, j):
    address = pointer(reader, module + reader.image.word_bytes * j)
    pos = reader.image.file_pos(address)
    return Part(pos, address) if pos else None


def find_module(reader, table):
    """File position of moduledata, or None."""
    file, address, w = reader.file, table.start.address, reader.image.word_bytes
    firsts = (address & 0xffffffff, address - reader.image.base & 0xffffffff)
    for section in reader.image.sections:
        if section.kind != DATA:
            continue
        for p in range(section.pos, section.pos + section.size - 2 * w + 1, w):
            if (file.u32(p) in firsts and pointer(reader, p) == address
                    and pointer(reader, p + w) == table.names.address):
                return p
    return None


def words_of(reader, module):
    """Of moduledata for a table that is new."""
    if is_slice(reader, module, 41) or is_slice(reader, module, 42) or not is_slice(reader, module, 45):
        return BEFORE_1_27
    w = reader.image.word_bytes
    return GO_1_27 if reader.word(module + 38 * w) <= bytes_between(reader, module, 37, 39) else BEFORE_1_27


def is_slice(reader, module, j):
    w = reader.image.word_bytes
    length = reader.word(module + w * (j + 1))
    return 0 < length < reader.file.size and length == reader.word(module + w * (j + 2))


def bytes_between(reader, module, j, k):
    """From where word j of moduledata points to where word k does."""
    w = reader.image.word_bytes
    return pointer(reader, module + k * w) - pointer(reader, module + j * w) & MASK64


def records(reader, table):
    """Of each function's record: position, count of numbers of programs, count of offsets of tables."""
    file, functions, size = reader.file, table.functions, table.record_bytes
    room = table.start.pos + table.size - functions.pos
    for i in reader.steps(range(table.count)):
        r = file.u32(functions.pos + 8 * i + 4)
        if fits(r, size, room):
            q = functions.pos + r
            a, b = file.u32(q + 28), file.u8(q + size - 1)
            yield (q, 0, 0) if a > MAX_RECORD_WORDS or b > MAX_RECORD_WORDS else (q, a, b)


def offset32(reader, p, base, kind):
    reader.offset32(p, base.pos, base.address, kind)
