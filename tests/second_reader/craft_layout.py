"""What random programs with tables that a linker sorts are made of, and where it stands in an image.

Functions and data change places, grow, come and go, and are copied twice from one version to the next; so tables are worth
rebuilding. Some tables are damaged; what is wrong with each is said here, what that means by craft_sorted_pe and
craft_sorted_elf.
"""
import random
import struct
from dataclasses import dataclass, replace

PE_KINDS = {"pe32": (0x14c, False), "pe64": (0x8664, True), "pe-arm64": (0xaa64, True)}
ELF_KINDS = {"elf64": (62, True, 8), "elf-arm64": (183, True, 1027), "elf32": (3, False, 8), "elf-arm32": (40, False, 23)}
PAGE, TABLES_MEMORY, CIE_BYTES = 0x1000, 0x10000, 24
TABLES = 3  # which region they are
CIE = struct.pack("<IIB3sBBBBB", CIE_BYTES - 4, 0, 1, b"zR\0", 1, 0x78, 16, 1, 0x1b).ljust(CIE_BYTES, b"\0")


@dataclass(eq=False)
class Piece:
    """A function, or data."""
    key: int  # what pointers know it by
    body: bytes
    pointers: tuple  # (offset, key of the piece that it leads to)
    info: bytes  # of a function: unwind information
    odd: int  # from 0 to 99: what is unusual about it


@dataclass
class Image:
    kind: str
    base: int
    code: list
    data: list
    shift: int  # of addresses
    split: int  # how many functions stand in front of the tables
    damages: dict  # of a kind of table, if any
    at: float  # where in the table the damage is, 0 to 1
    order: int  # of the regions in the file; 0 is that of addresses
    hidden: int = None  # number of a region that is in no section
    high: bool = False  # whether the last data stands at the end of 2^32 bytes, and beyond
    calls: bool = False  # whether calls stand before the table of functions, the last one reaching into it
    memory: int = 0  # where these lead to


@dataclass
class Region:
    """What is a section of PE, a segment of ELF"""
    address: int
    content: bytes
    is_code: bool = False


# --- Pieces, and what becomes of them ---


class Pieces:
    def __init__(self, rng):
        self.rng = rng
        self.keys = 0

    def new(self, is_code, has_pointers):
        rng = self.rng
        self.keys += 1
        body, pointers = rng.randbytes(rng.randrange(24, 130)), []
        if has_pointers:
            body = b""
            for _ in range(rng.randrange(1, 5)):
                body += rng.randbytes(rng.randrange(14, 30))
                pointers.append((len(body), max(1, self.keys + rng.randrange(-40, 40))))
                body += bytes(8)
        info = rng.randbytes(rng.randrange(3, 7) * 4) if is_code else b""
        return Piece(self.keys, body, tuple(pointers), info, rng.randrange(100))

    def changed(self, pieces, double):
        """The pieces of a later version, in another order. `double`: many of them are there twice."""
        rng, later = self.rng, []
        for piece in pieces:
            what = rng.random()
            if what < 0.04:
                continue
            if what < 0.14:
                piece = self.grown(piece)
            elif what < 0.18:
                piece = replace(piece, body=rng.randbytes(len(piece.body)))
            elif what < 0.22:
                piece = replace(piece, info=rng.randbytes(len(piece.info)))
            elif what < 0.26:
                later.append(self.new(bool(piece.info), bool(piece.pointers)))
            later.append(piece)
        copies = [piece for piece in pieces if rng.random() < (0.7 if double else 0.03)]
        for piece in copies:
            self.keys += 1
            later.append(replace(piece, key=self.keys))
        return self.moved(later)

    def grown(self, piece):
        """With bytes put in somewhere, or taken out."""
        at, count = self.rng.randrange(len(piece.body)), self.rng.randrange(1, 40)
        if any(offset < at < offset + 8 for offset, _ in piece.pointers):
            at = 0
        body = piece.body[:at] + self.rng.randbytes(count) + piece.body[at:]
        pointers = tuple((offset + count if offset >= at else offset, key) for offset, key in piece.pointers)
        if not pointers and self.rng.random() < 0.3:
            body = piece.body[:at] + piece.body[at + count:] or piece.body
        return replace(piece, body=body, pointers=pointers)

    def moved(self, pieces):
        runs = []
        while pieces:
            count = self.rng.randrange(1, 14)
            runs.append(pieces[:count])
            pieces = pieces[count:]
        for _ in range(self.rng.randrange(0, 4) if runs else 0):
            runs.insert(self.rng.randrange(len(runs)), runs.pop(self.rng.randrange(len(runs))))
        return [piece for run in runs for piece in run]


# --- Images ---


class Layout:
    """Where the pieces of an image are. All but the tables, which need to know: they have memory kept free."""

    def __init__(self, image):
        self.image = image
        self.wide = {**PE_KINDS, **ELF_KINDS}[image.kind][1]
        self.starts, self.infos = {}, {}
        self.places = []  # of pointers: (address, address that it leads to, piece)
        self.parts = []  # (address, pieces, whether they are code); without pieces it is unwind information
        self.next = image.base + PAGE + image.shift
        third = len(image.data) // 3
        self.add(image.code[:image.split], True)
        self.infos_address = self.add_infos()
        self.add(image.data[:third])
        self.tables_address = self.next
        self.next += TABLES_MEMORY
        self.add(image.code[image.split:], True)
        self.add(image.data[third:2 * third])
        self.end = self.next
        if image.high:
            self.next = image.base + (1 << 32) - 400
        self.add(image.data[2 * third:])

    def add(self, pieces, is_code=False):
        self.parts.append((self.next, pieces, is_code))
        for piece in pieces:
            self.starts[piece.key] = self.next
            self.next += len(piece.body)
        self.next = -(-self.next // PAGE) * PAGE

    def add_infos(self):
        """Unwind information of all functions."""
        address = self.next
        self.next += CIE_BYTES
        for piece in self.image.code:
            self.infos[piece.key] = self.next
            self.next += len(piece.info) + (20 if self.image.kind in ELF_KINDS else 0)
        self.parts.append((address, None, False))
        self.next = -(-self.next // PAGE) * PAGE
        return address

    def info_of(self, piece):
        """Address of the unwind information of a function; some have that of the first one."""
        codes = self.image.code
        return self.infos[codes[0].key if piece.odd < 10 else piece.key]

    def regions(self):
        """All but the tables; notes the places of pointers."""
        return [Region(address, self.infos_bytes() if pieces is None else b"".join(map(self.bytes_of, pieces)), is_code)
                for address, pieces, is_code in self.parts]

    def arranged(self, regions, tables):
        """The regions in the order of the file, and which of them are in a section."""
        regions = regions[:TABLES] + [tables] + regions[TABLES:]
        hidden = regions[self.image.hidden] if self.image.hidden is not None else None
        if self.image.order:
            random.Random(self.image.order).shuffle(regions)
        if self.image.damages.get("places") == "beyond":
            regions = [region for region in regions if region is not tables] + [tables]
        regions = [region for region in regions if region.content]
        return regions, [region for region in regions if region is not hidden]

    def bytes_of(self, piece):
        body = bytearray(piece.body)
        for offset, key in piece.pointers:
            target = self.starts.get(key)
            if target is not None:
                width = 8 if self.wide else 4
                body[offset:offset + width] = target.to_bytes(width, "little")
                self.places.append((self.starts[piece.key] + offset, target, piece))
        return bytes(body)

    def infos_bytes(self):
        if self.image.kind in PE_KINDS:
            return bytes(CIE_BYTES) + b"".join(piece.info for piece in self.image.code)
        content = CIE
        for piece in self.image.code:
            content += struct.pack("<IIiIi", 16 + len(piece.info), len(content) + 4,
                                   self.starts[piece.key] - self.infos[piece.key] - 8, len(piece.body), 0) + piece.info
        return content


class Damage:
    """What is wrong with the tables of an image."""

    def __init__(self, image):
        self.image = image

    def of(self, table):
        return self.image.damages.get(table)

    def number(self, count):
        return min(int(self.image.at * count), count - 1)

    def disorder(self, table, entries):
        """Entries (tuples that begin with a start), two of them exchanged or with the same start."""
        if len(entries) > 1 and self.of(table) in ("unsorted", "equal"):
            i = self.number(len(entries) - 1)
            if self.of(table) == "unsorted":
                entries[i], entries[i + 1] = entries[i + 1], entries[i]
            else:
                entries[i + 1] = entries[i][:1] + entries[i + 1][1:]
        return entries

    def size(self, table, size):
        """Of a directory"""
        more = {"cut": -1 - self.number(30), "long": 1 + self.number(20), "beyond": 4 + self.number(60)}
        return max(0, size + more.get(self.of(table), 0))
