"""Fields in the tables that handlers of C++ exceptions read, of PE images (section 8.7)."""
from itertools import groupby

from fields import EXCEPTION_TABLE
from images import DATA

MAGICS = range(0x19930520, 0x19930523)


def read_cpp_tables(reader, noted):
    """`noted`: pairs of the RVA of what may be a table, and the position that holds it."""
    for n, pairs in groupby(sorted(noted, key=lambda pair: pair[0]), key=lambda pair: pair[0]):
        p = reader.pos_of_rva(n)
        if p is None or not reader.step():
            continue
        is_table = read_wide_table(reader, p) or PackedTable(reader, p).read()
        if is_table and n % 4:
            for _, h in pairs:
                reader.rva32(h, EXCEPTION_TABLE)


def read_wide_table(reader, p):
    """Whether there is one."""
    magic = reader.file.u32(p) % (1 << 29)
    if magic not in MAGICS:
        return False
    add_rvas(reader, p + 8, p + 16, p + 24)
    if magic != MAGICS[0]:
        add_rvas(reader, p + 32)
    for x in entries_of_list(reader, p + 4, 8):
        add_rvas(reader, x + 4)
    for x in entries_of_list(reader, p + 12, 20):
        add_rvas(reader, x + 16)
        for y in entries_of_list(reader, x + 12, 20):
            add_rvas(reader, y + 4, y + 12)
    for x in entries_of_list(reader, p + 20, 8):
        add_rvas(reader, x)
    return True


def add_rvas(reader, *positions):
    for pos in positions:
        reader.rva32(pos, EXCEPTION_TABLE)


def entries_of_list(reader, m, entry_bytes):
    """The positions of what a count at m and an RVA behind it tell of, with a step for each."""
    b = reader.pos_of_rva(reader.file.u32(m + 4))
    for i in reader.steps(range(reader.file.u32(m) if b is not None else 0)):
        yield b + entry_bytes * i


class PackedTable:
    def __init__(self, reader, p):
        self.reader = reader
        self.file = reader.file
        self.pos = p  # of the next byte

    def read(self):
        """Whether there is one."""
        flags = self.byte()
        if flags & 128 or flags & 24 == 0:
            return False
        if flags & 4:
            self.number()
        if not self._leads_to_data(1 + (flags & 8 != 0) + (flags & 16 != 0)):
            return False
        if flags & 8:
            self.list_at(self.rva(), self._action)
        if flags & 16:
            self.list_at(self.rva(), self._try_block)
        last = self.rva()
        if flags & 2:
            self.list_at(last, self._two_rvas)
        return True

    def _leads_to_data(self, count):
        """Whether each of the RVAs that are next lies in a data section."""
        image = self.reader.image
        sections = [image.section_of(image.base + self.file.u32(self.pos + 4 * i)) for i in range(count)]
        return all(section is not None and section.kind == DATA for section in sections)

    def byte(self):
        self.pos += 1
        return self.file.u8(self.pos - 1)

    def number(self):
        first = self.byte()
        k = 0
        while k < 4 and first >> k & 1:
            k += 1
        if k == 4:
            self.pos += 4
            return self.file.u32(self.pos - 4)
        behind = sum(self.byte() << 8 * i for i in range(k))
        return (behind << 8 | first) >> k + 1

    def rva(self):
        self.reader.rva32(self.pos, EXCEPTION_TABLE)
        self.pos += 4
        return self.file.u32(self.pos - 4)

    def list_at(self, rva, read_entry):
        """Reads the packed list elsewhere, and comes back."""
        p = self.reader.pos_of_rva(rva)
        if p is None:
            return
        back, self.pos = self.pos, p
        for _ in self.reader.steps(range(self.number())):
            read_entry()
        self.pos = back

    def _action(self):
        kind = self.number() % 4
        if kind:
            self.rva()
        if kind in (1, 2):
            self.number()

    def _try_block(self):
        for _ in range(3):
            self.number()
        self.list_at(self.rva(), self._handler)

    def _handler(self):
        flags = self.byte()
        if flags & 1:
            self.number()
        if flags & 2:
            self.rva()
        if flags & 4:
            self.number()
        self.rva()
        for _ in range(flags >> 4 & 3):
            (self.rva if flags & 8 else self.number)()

    def _two_rvas(self):
        self.rva()
        self.rva()
