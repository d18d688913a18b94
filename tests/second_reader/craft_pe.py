"""PE images whose tables of functions, exceptions and volatile accesses are random: mostly sound, often cut by the end of
their section, overlapping, or nonsense.

A pair of them differs in where the sections are, and in the fields that this reader finds. A patch between the two is
small, and applies, only if the library and this reader find the same fields.
"""
import random
import struct

from fields import write_address
from old_fields import find_fields
from scan import find_images

BASE, TEXT, RDATA, UNBACKED = 0x140000000, 0x1000, 0x10000, 0x10000000
TEXT_BYTES, RDATA_MEMORY, RAW = 0x800, 0x4000000, 0x400
SHIFTS = (0x123000, 0x457000)  # of the data and of the memory behind it
FUNCTIONS, CONFIGURATION = 3, 10  # directories
CONFIGURATION_BYTES = 320


class RandomTables:
    """The bytes of a data section. Each method that makes a table gives its position in it."""

    def __init__(self, seed, arm64):
        self.rng = random.Random(seed)
        self.arm64 = arm64
        self.size = self.rng.choice((6000, 20_000))
        self.data = bytearray(self.size)
        self.end = 0  # of what was placed

    def place(self, content):
        where = self.rng.random()
        if where < 0.04:
            pos = self.rng.randrange(self.size)  # over something else
        elif where < 0.1:
            pos = self.size - self.rng.randrange(1, len(content) + 8)  # cut by the end
        else:
            pos = min(self.end + self.rng.choice((0, 0, 1, 2, 3)), self.size)
            self.end = pos + len(content)
        content = content[:max(self.size - pos, 0)]
        self.data[pos:pos + len(content)] = content
        return pos

    def rva(self):
        return struct.pack("<I", self.rng.choice((
            self.rng.randrange(UNBACKED, 0xf0000000), self.rng.randrange(UNBACKED, 0xf0000000),
            RDATA + self.rng.randrange(RDATA_MEMORY), RDATA + self.rng.randrange(self.size),
            TEXT + self.rng.randrange(TEXT_BYTES), self.rng.randrange(300), 0, self.rng.getrandbits(32))))

    def rvas(self, count):
        return b"".join(self.rva() for _ in range(count))

    def rva_of(self, pos):
        return struct.pack("<I", RDATA + pos) if self.rng.random() < 0.95 else self.rva()

    def count(self, number):
        return number + self.rng.choice((0, 0, 0, 0, 1, 3, 17, self.size // 20))

    # --- the wide form ---

    def wide_list(self, make_entry):
        entries = [make_entry() for _ in range(self.rng.randrange(6))]
        return struct.pack("<I", self.count(len(entries))) + self.rva_of(self.place(b"".join(entries)))

    def wide_table(self):
        magic = self.rng.choice((0x1993051f, 0x19930520, 0x19930521, 0x19930522, 0x19930522, 0x19930523))
        return self.place(struct.pack("<I", magic | self.rng.randrange(8) << 29) +
                          self.wide_list(lambda: self.rvas(2)) +
                          self.wide_list(lambda: self.rvas(3) + self.wide_list(lambda: self.rvas(5))) +
                          self.wide_list(lambda: self.rvas(2)) + self.rvas(3))

    # --- the packed form ---

    def number(self, value=None):
        value = self.rng.choice((self.rng.randrange(100), self.rng.getrandbits(32))) if value is None else value
        more = self.rng.choice([k for k in range(4) if value < 1 << 7 * (k + 1)] + [4])
        if more == 4:
            return bytes([self.rng.randrange(16) << 4 | 15]) + struct.pack("<I", value)
        return (value << more + 1 | (1 << more) - 1).to_bytes(more + 1, "little")

    def packed_list(self, make_entry):
        entries = [make_entry() for _ in range(self.rng.randrange(7))]
        return self.rva_of(self.place(self.number(self.count(len(entries))) + b"".join(entries)))

    def packed_state(self):
        kind = self.rng.randrange(1 << 14)
        return (self.number(kind) + (self.rva() if kind % 4 else b"") + (self.number() if kind % 4 in (1, 2) else b""))

    def packed_handler(self):
        flags = self.rng.randrange(256)
        parts = [bytes([flags]), self.number() if flags & 1 else b"", self.rva() if flags & 2 else b"",
                 self.number() if flags & 4 else b"", self.rva()]
        return b"".join(parts + [self.rva() if flags & 8 else self.number() for _ in range(flags >> 4 & 3)])

    def packed_try(self):
        return self.number() + self.number() + self.number() + self.packed_list(self.packed_handler)

    def packed_table(self):
        flags = self.rng.choice((8, 16, 24, 24)) | self.rng.choice((0, 2)) | self.rng.choice((0, 4)) | 1
        content = bytes([flags if self.rng.random() < 0.95 else self.rng.randrange(256)])
        content += self.number() if flags & 4 else b""
        content += self.packed_list(self.packed_state) if flags & 8 else b""
        content += self.packed_list(self.packed_try) if flags & 16 else b""
        return self.place(content + (self.packed_list(lambda: self.rvas(2)) if flags & 2 else self.rva_of(self.end)))

    # --- what leads to them ---

    def handler_data(self, tables):
        if self.rng.random() < 0.8:
            return self.rva_of(self.rng.choice(tables))
        count = self.rng.randrange(1, 5)
        begins = [TEXT + self.rng.randrange(0x700) for _ in range(count)]
        scopes = [struct.pack("<II", begin, begin + self.rng.randrange(40)) + self.rva() + self.rva() for begin in begins]
        return struct.pack("<I", self.rng.choice((count, count, 0, 256 + count))) + b"".join(scopes)

    def unwind_information(self, tables):
        if self.arm64:
            ends, codes = self.rng.choice(((0, 0), (self.rng.randrange(32), self.rng.randrange(32))))
            one_end, head = self.rng.randrange(2), self.rng.randrange(1 << 18) | self.rng.choice((0, 1, 1, 1)) << 20
            content = struct.pack("<I", head | one_end << 21 | ends << 22 | codes << 27)
            if ends == codes == 0:
                ends, codes = self.rng.randrange(40), self.rng.randrange(40)
                content += struct.pack("<HBB", ends, codes, 0)
            content += self.rng.randbytes(4 * ((0 if one_end else ends) + codes))
            self.end = -(-self.end // 4) * 4
        else:
            codes, flags = self.rng.randrange(20), self.rng.choice((1, 2, 3, 3, 4, 0))
            content = bytes([self.rng.choice((1, 1, 2, 3, 0)) | flags << 3, 0, codes, 0])
            content += self.rng.randbytes(2 * (codes + 1 & ~1))
        return self.place(content + self.rva() + self.handler_data(tables))

    def functions(self, cut):
        """Position and bytes of directory 3. `cut`: its last entry reaches beyond the end."""
        tables = []
        while self.end < self.size // 2:
            tables.append(self.rng.choice((self.wide_table, self.packed_table))())
        infos = [self.unwind_information(tables) for _ in range(self.rng.randrange(10, 50))]
        content = b"".join(self.rva() + (b"" if self.arm64 else self.rva()) + self.rva_of(info) for info in infos)
        if not cut:
            return self.place(content), len(content)
        pos = self.size - len(content) + self.rng.randrange(4, 12)
        self.data[pos:] = content[:self.size - pos]
        return pos, len(content)

    def configuration(self):
        """Position of directory 10, with accesses to volatile memory."""
        lists = []
        for entry_bytes in (4, 8):
            content = self.rvas(self.rng.randrange(30) * entry_bytes // 4)
            lists.append(self.rva_of(self.place(content)) + struct.pack("<I", len(content) + self.rng.choice((0, 0, 3, 9))))
        metadata = self.place(bytes(8) + b"".join(lists))
        return self.place(bytes(256) + struct.pack("<Q", BASE + RDATA + metadata) + bytes(CONFIGURATION_BYTES - 264))


def pe_image(tables, directories, shifts):
    optional = struct.pack("<H14xI4xQ76xI", 0x20b, TEXT, BASE, 16)
    optional += b"".join(struct.pack("<II", *directories.get(number, (0, 0))) for number in range(16))
    sections = ((TEXT_BYTES, TEXT, TEXT_BYTES, RAW, 0x60000020),
                (RDATA_MEMORY, RDATA + shifts[0], tables.size, RAW + TEXT_BYTES, 0x40000040),
                (0xe0000000, UNBACKED + shifts[1], 0, 0, 0xc0000080))
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I", 64) + b"PE\0\0"
    head += struct.pack("<HH12xHH", 0xaa64 if tables.arm64 else 0x8664, len(sections), len(optional), 0x22) + optional
    head += b"".join(struct.pack("<8x4I12xI", *section) for section in sections)
    return head.ljust(RAW, b"\0") + bytes(TEXT_BYTES) + bytes(tables.data)


def random_pe_pair(seed, arm64):
    """OLD, NEW, and how many fields differ. Odd seeds have bytes behind the image, into which the table of functions
    seems to reach."""
    tables = RandomTables(seed, arm64)
    functions, function_bytes = tables.functions(cut=seed % 2)
    directories = {FUNCTIONS: (RDATA + functions, function_bytes),
                   CONFIGURATION: (RDATA + tables.configuration(), CONFIGURATION_BYTES)}
    tail = tables.rng.randbytes(5000 * (seed % 2))
    old, new = (bytearray(pe_image(tables, directories, shifts) + tail) for shifts in ((0, 0), SHIFTS))
    image, new_image = find_images(bytes(old))[0], find_images(bytes(new))[0]
    count = 0
    for field in find_fields(bytes(old), [image]):
        section = image.section_of(field.target) or image.section_of(field.target - 1)
        moved = new_image.sections[image.sections.index(section)] if section else None
        if moved is None or moved.address == section.address:
            continue
        base = new_image.base if field.base_pos is None else new_image.address_of(field.base_pos)
        value = write_address(field, int.from_bytes(old[field.pos:field.end], "little"),
                              field.target - section.address + moved.address, new_image.address_of(field.pos) or 0, base, True)
        new[field.pos:field.end] = value.to_bytes(field.size, "little")
        count += 1
    return bytes(old), bytes(new), count
