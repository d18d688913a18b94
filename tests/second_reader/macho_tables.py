"""Fields in the tables of Mach-O images (section 8.8)."""
from bytes_of_file import MASK64, LebCursor, fits
from eh_frame import read_eh_frame
from exception_tables import read_exception_tables
from fields import (EXCEPTION_TABLE, FUNCTION_START, HEADER, POINTER, RELOCATION_OFFSET, SYMBOL_INDEX, SYMBOL_NAME,
                    SYMBOL_VALUE, UNWIND_ENTRY, UNWIND_HEADER, UNWIND_START)
from macho import Segment, entry_named
from macho_exports import read_exports

MAIN, SYMBOLS, INDIRECT_SYMBOLS, CHAINED_FIXUPS, REBASES = 0x80000028, 2, 0xb, 0x80000034, (0x22, 0x80000022)
SYMBOL_BYTES = 16
# format -> (authenticated, bits of the number, from base, bits of the distance to the next, stride)
CHAINS = {1: (True, 43, False, 11, 8), 2: (False, 36, False, 12, 4), 6: (False, 36, True, 12, 4),
          7: (True, 43, True, 11, 4), 9: (True, 43, True, 11, 8), 12: (True, 43, True, 11, 8)}


def read_macho_tables(reader):
    for type_, c, _ in reader.image.about["commands"]:
        if type_ == MAIN:
            reader.rva32(c + 8, HEADER)
        elif type_ == SYMBOLS:
            read_symbols(reader, c)
        elif type_ == INDIRECT_SYMBOLS:
            read_indirect_symbols(reader, c)
        elif type_ == CHAINED_FIXUPS:
            read_chained_fixups(reader, c)
        elif type_ in REBASES:
            read_rebases(reader, c)
    read_exports(reader)
    read_exception_tables(reader, read_unwind_information(reader))
    eh_frame = entry_named(reader.image, b"__eh_frame")
    if eh_frame:
        read_eh_frame(reader, eh_frame.pos, eh_frame.size)


def read_symbols(reader, c):
    file = reader.file
    pos = reader.image.pos
    table, names = pos + file.u32(c + 8), (pos + file.u32(c + 16), file.u32(c + 20))
    for i in reader.steps(range(file.u32(c + 12))):
        e = table + SYMBOL_BYTES * i
        if not reader.has_bytes(e, SYMBOL_BYTES):
            break
        reader.entry32(e, names, 1, SYMBOL_NAME)
        t = file.u8(e + 4)
        if t & 0xe0 or t & 0x0e == 0x0e:
            reader.abs64(e + 8, SYMBOL_VALUE)


def read_indirect_symbols(reader, c):
    file, pos = reader.file, reader.image.pos
    tables = [d for type_, d, _ in reader.image.about["commands"] if type_ == SYMBOLS]
    if not tables:
        return
    symbols = pos + file.u32(tables[0] + 8), SYMBOL_BYTES * file.u32(tables[0] + 12)
    for i in reader.steps(range(file.u32(c + 60))):
        reader.entry32(pos + file.u32(c + 56) + 4 * i, symbols, SYMBOL_BYTES, SYMBOL_INDEX)


def read_chained_fixups(reader, c):
    file = reader.file
    x = reader.image.pos + file.u32(c + 8)
    y = x + file.u32(x + 4)
    for segment, i in zip(reader.image.about["segments"], range(file.u32(y))):
        o = file.u32(y + 4 + 4 * i)
        if o:
            read_chains(reader, y + o, segment)


def read_chains(reader, z, segment):
    file = reader.file
    page_bytes, format_, count = file.u16(z + 4), file.u16(z + 6), file.u16(z + 20)
    if page_bytes == 0 or format_ not in CHAINS:
        return
    pages = min(count, (segment.size + page_bytes - 1) // page_bytes)
    for i in reader.steps(range(pages)):
        s = file.u16(z + 22 + 2 * i)
        if s < 0x8000:
            begin = i * page_bytes
            room = min(page_bytes + 7, segment.size - begin)
            read_chain(reader, segment.pos + begin, s, room, CHAINS[format_])


def read_chain(reader, page, a, room, chain_format):
    authenticated, bits, from_base, next_bits, stride = chain_format
    while a + 8 <= room and reader.step():
        v = reader.file.u64(page + a)
        if not v >> (62 if authenticated else 63) & 1:
            if authenticated and v >> 63:
                reader.chained(page + a, 32, True, POINTER)
            else:
                reader.chained(page + a, bits, from_base, POINTER)
        distance = v >> 51 & (1 << next_bits) - 1
        if distance == 0:
            break
        a += distance * stride


class Rebases:
    """The state of the opcodes that name places of pointers."""

    def __init__(self, reader):
        self.reader = reader
        self.segment = Segment(0, 0, 0, 0)
        self.offset = 0

    def mark(self, count, skip):
        for _ in self.reader.steps(range(count)):
            if not fits(self.offset, 8, self.segment.size):
                break
            self.reader.abs64(self.segment.pos + self.offset, POINTER)
            self.offset = self.offset + 8 + skip & MASK64

    def enter(self, segment, cursor):
        """Where in the segment places begin is a field as well, even if it is cut."""
        begin = cursor.pos
        self.segment, self.offset = segment, cursor.uleb()
        self.reader.uleb_entry(begin, cursor.pos - begin, (segment.pos, segment.size), RELOCATION_OFFSET)

    def run(self, cursor, opcode, value):
        """False at the end."""
        segments = self.reader.image.about["segments"]
        if opcode == 0x10:
            pass
        elif opcode == 0x20 and value < len(segments):
            self.enter(segments[value], cursor)
        elif opcode == 0x30:
            self.offset = self.offset + cursor.uleb() & MASK64
        elif opcode == 0x40:
            self.offset = self.offset + 8 * value & MASK64
        elif opcode == 0x50:
            self.mark(value, 0)
        elif opcode == 0x60:
            self.mark(cursor.uleb(), 0)
        elif opcode == 0x70:
            self.mark(1, cursor.uleb())
        elif opcode == 0x80:
            count = cursor.uleb()
            self.mark(count, cursor.uleb())
        else:
            return False
        return True


def read_rebases(reader, c):
    file = reader.file
    begin, size = reader.image.pos + file.u32(c + 8), file.u32(c + 12)
    if not reader.has_bytes(begin, size):
        return
    cursor, rebases = LebCursor(file, begin, begin + size), Rebases(reader)
    while not cursor.at_end() and not cursor.failed and reader.step():
        b = cursor.u8()
        if not rebases.run(cursor, b & 0xf0, b & 15):
            break


def read_unwind_information(reader):
    """Adds the fields of __unwind_info; gives the addresses of exception tables."""
    entry = entry_named(reader.image, b"__unwind_info")
    if not entry or not reader.has_bytes(entry.pos, entry.size) or entry.size < 28:
        return []
    file, b, a = reader.file, entry.pos, entry.address
    x, n = b + file.u32(b + 20), file.u32(b + 24)
    if n == 0 or x + 12 * n > b + entry.size:
        return []
    for i in range(min(file.u32(b + 16), 4)):
        reader.rva32(b + file.u32(b + 12) + 4 * i, EXCEPTION_TABLE)
    for e in reader.steps(range(x, x + 12 * n, 12)):
        read_index_entry(reader, e, b, a)
    tables = []
    end = b + file.u32(x + 12 * (n - 1) + 8)
    for q in reader.steps(range(b + file.u32(x + 8), end - 7, 8)):
        reader.rva32(q, UNWIND_START)
        reader.rva32(q + 4, EXCEPTION_TABLE)
        tables.append(reader.image.base + file.u32(q + 4) & MASK64)
    return tables


def read_index_entry(reader, e, b, a):
    file, image = reader.file, reader.image
    g = file.u32(e + 4)
    reader.rva32(e, UNWIND_HEADER)
    if g:
        reader.offset32(e + 4, b, a, UNWIND_ENTRY)
    reader.offset32(e + 8, b, a, UNWIND_ENTRY)
    first_address = image.base + file.u32(e) & MASK64
    f = image.file_pos(first_address)
    if not g or f is None:
        return
    h = b + g
    entries = h + file.u16(h + 4)
    for j in reader.steps(range(file.u16(h + 6))):
        if file.u32(h) == 2:
            reader.rva32(entries + 8 * j, UNWIND_START)
        elif file.u32(h) == 3:
            reader.offset24(entries + 4 * j, f, first_address, FUNCTION_START)
