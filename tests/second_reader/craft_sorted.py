"""Random programs with tables that a linker sorts: base relocations and functions of PE, unwind index and relative
relocations of ELF.

A pair of them has one to three images to a file, whose functions and data change places, grow, come and go, and are copied
twice; so tables are worth rebuilding. Some tables are damaged, mostly where another image of the file has a sound one: it
is for that one that the patch has the kind of table rebuilt, and then both readers have to refuse the same tables.
"""
import random
import struct
from dataclasses import dataclass, replace

PE_KINDS = {"pe32": (0x14c, False), "pe64": (0x8664, True), "pe-arm64": (0xaa64, True)}
ELF_KINDS = {"elf64": (62, True, 8), "elf-arm64": (183, True, 1027), "elf32": (3, False, 8), "elf-arm32": (40, False, 23)}
KINDS = (*PE_KINDS, *ELF_KINDS)
PAGE, TABLES_MEMORY, CIE_BYTES = 0x1000, 0x10000, 24
TABLES = 3  # which region they are
CALLED, CALLED_MEMORY = 0x8000000, 0x300000
CIE = struct.pack("<IIB3sBBBBB", CIE_BYTES - 4, 0, 1, b"zR\0", 1, 0x78, 16, 1, 0x1b).ljust(CIE_BYTES, b"\0")
PLACE_DAMAGES = ("unsorted", "odd", "zero in the middle", "two zeros", "zero first", "zero last", "page", "far page",
                 "page twice", "empty", "no bytes", "tail", "zero tail", "beyond", "cut", "long", "twice", "types",
                 "unsorted types")
FUNCTION_DAMAGES = ("unsorted", "equal", "cut", "long", "overlap", "same place", "short")
INDEX_DAMAGES = ("unsorted", "equal", "version", "form of count", "encoding", "count", "less", "cut", "two segments")
RELATIVE_DAMAGES = ("unsorted", "equal", "cut", "long", "type", "high type", "tag twice", "end", "no tag", "inside",
                    "two segments")
DAMAGES = {"places": PLACE_DAMAGES, "functions": FUNCTION_DAMAGES, "index": INDEX_DAMAGES, "relative": RELATIVE_DAMAGES}


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


# --- PE ---


def pe_image(image):
    layout, damage = Layout(image), Damage(image)
    regions = layout.regions()
    functions = functions_table(layout, damage) if image.kind != "pe32" else b""
    places = places_table(layout, damage)
    before = calls_of(layout, damage) if image.calls else bytes(range(100, 164))
    gap = b"" if damage.of("functions") in ("overlap", "cut") else bytes(range(50, 70))
    behind = b"" if damage.of("places") == "beyond" else bytes(range(200, 250))
    functions_at, functions_bytes = len(before), damage.size("functions", len(functions))
    places_at = functions_at + len(functions) + len(gap)
    if damage.of("functions") == "overlap":
        functions_bytes += 12
    if damage.of("functions") == "same place":
        functions_at, functions_bytes = places_at, max(12, damage.number(len(places)))
    tables = Region(layout.tables_address, before + functions + gap + places + behind, image.calls)
    rva = tables.address - image.base
    directories = {5: (rva + places_at, damage.size("places", len(places)))}
    if image.kind != "pe32":
        directories[3] = (rva + functions_at, functions_bytes)
    return pe_file(image, layout, tables, directories, regions)


def calls_of(layout, damage):
    """Calls into memory without bytes. The last one's distance has its upper half in the table behind."""
    image, content = layout.image, b"\x90" * 16
    for i in range(12):
        own = layout.tables_address - image.base + len(content)
        content += struct.pack("<Bi3s", 0xe8, image.memory + CALLED_MEMORY // 3 + 16 * i - own - 5, b"\x90" * 3)
    return content + b"\x90" * 8 + b"\xe8\x34" + bytes([image.memory >> 8 & 0xff])


def functions_table(layout, damage):
    image, entries = layout.image, []
    for piece in image.code:
        start = layout.starts[piece.key] - image.base
        more = layout.info_of(piece) - image.base
        if image.kind == "pe-arm64":
            entries.append((start, more & ~3 if piece.odd < 60 else piece.odd * 1024 | 1))
        else:
            entries.append((start, start + len(piece.body) - (piece.odd % 3 if piece.odd < 30 else 0), more))
    entries = damage.disorder("functions", sorted(entries))
    if image.calls:
        entries.insert(0, (CALLED >> 16,) + entries[0][1:])  # in no section, so that it is no field
    if damage.of("functions") == "short":
        entries = [entry[:1] + (entry[0] - 4,) * (len(entry) - 2) + entry[-1:] for entry in entries]
    if damage.of("functions") != "overlap":
        entries += [(layout.end - image.base + 16 + i,) + entries[0][1:] for i in range(len(entries) % 3)]  # outside
    return b"".join(struct.pack(f"<{len(entry)}I", *entry) for entry in entries)


def places_table(layout, damage):
    wide, what = layout.wide, damage.of("places")
    places = sorted({(address - layout.image.base, (10 if wide else 3) if piece.odd < 90 else piece.odd % 15 + 1)
                     for address, _, piece in layout.places if address - layout.image.base < 1 << 32})
    if what == "twice":
        places = sorted(places + places[damage.number(len(places)):][:3])
    if two_types(layout.image):
        places = sorted(places + [(rva, 1 + type_ % 15) for rva, type_ in places[::3]])
    if what == "unsorted types":
        places = sorted(places + [(rva, 15 - type_) for rva, type_ in places[::3]], key=lambda place: (place[0], -place[1]))
    blocks = []
    for page in sorted({rva // PAGE for rva, _ in places}):
        numbers = [type_ << 12 | rva % PAGE for rva, type_ in places if rva // PAGE == page]
        blocks.append([page * PAGE, numbers + [0] * (len(numbers) % 2)])
    if not blocks:
        return b""
    which = damage.number(len(blocks))
    damage_block(blocks, which, damage)
    content = b""
    for i, (page, numbers) in enumerate(blocks):
        n = 0 if i == which and what == "no bytes" else 8 + 2 * len(numbers)
        content += struct.pack(f"<II{len(numbers)}H", page, n, *numbers)
    return content + {"tail": b"\0\0\1\0", "odd": bytes(2), "zero tail": bytes(4 + 4 * damage.number(8))}.get(what, b"")


def two_types(image):
    """Whether many places are there with two types, which is no damage."""
    return image.damages.get("places") == "types" or "places" not in image.damages and image.at < 0.1


def damage_block(blocks, which, damage):
    page, numbers = blocks[which]
    i, what = damage.number(len(numbers) - 1), damage.of("places")
    if what == "unsorted":
        numbers[i], numbers[i + 1] = numbers[i + 1], numbers[i]
    elif what == "odd":
        numbers[-1:] = [] if len(numbers) % 4 else [numbers[-1]] * 2
    elif what == "zero in the middle":
        numbers[i] = 0
    elif what == "two zeros":
        numbers += [0, 0]
    elif what == "zero first":
        numbers[:] = [0, 0] if damage.image.at < 0.5 else [0] + numbers + [0]
    elif what == "zero last":
        numbers[-1] = 0  # instead of a place
    elif what == "page":
        blocks[which][0] = page + 16
    elif what == "far page":
        blocks[which][0] = page + (1 << 20)
    elif what == "empty":
        numbers.clear()
    elif what == "page twice" and len(numbers) > 2:
        half = len(numbers) // 4 * 2
        blocks[which][1] = numbers[:half] or numbers[:2]
        blocks.insert(which + 1, [page, numbers[half or 2:]])


def pe_file(image, layout, tables, directories, regions):
    machine, wide = PE_KINDS[image.kind]
    regions, known = layout.arranged(regions, tables)
    optional = struct.pack("<H22xQ" if wide else "<H26xI", 0x20b if wide else 0x10b, image.base)
    optional = optional.ljust(108 if wide else 92, b"\0") + struct.pack("<I", 16)
    optional += b"".join(struct.pack("<II", *directories.get(number, (0, 0))) for number in range(16))
    count = len(known) + image.calls
    head = b"MZ".ljust(60, b"\0") + struct.pack("<I4sHH12xHH", 64, b"PE\0\0", machine, count, len(optional), 0x22)
    head += optional
    pos, bodies = len(head) + 40 * count, b""
    for region in regions:
        if region in known:
            size, flags = len(region.content), 0x60000020 if region.is_code else 0x40000040
            head += struct.pack("<8x4I12xI", size, region.address - image.base, size, pos + len(bodies), flags)
        bodies += region.content
    if image.calls:
        head += struct.pack("<8x4I12xI", CALLED_MEMORY, image.memory, 0, 0, 0xc0000080)
    return head + bodies


# --- ELF ---


def elf_image(image):
    layout, damage = Layout(image), Damage(image)
    regions = layout.regions()
    before, between = bytes(range(100, 164)), bytes(range(50, 66))
    index, index_bytes = index_table(layout, damage, layout.tables_address + len(before))
    relative = relative_table(layout, damage)
    relative_at = len(before) + len(index) + len(between)
    dynamic = dynamic_table(layout, damage, layout.tables_address + relative_at, len(relative))
    content = before + index + between + relative + bytes(range(200, 250))
    special = [(0x6474e550, len(before), index_bytes), (2, len(content), len(dynamic))]
    for table, segment in (("index", (0x6474e550, 0, 64)), ("relative", (2, 8, 64))):
        if damage.of(table) == "two segments":
            special.insert(0 if image.at < 0.5 else 2, segment)
    tables = Region(layout.tables_address, content + dynamic)
    return elf_file(image, layout, tables, special, regions)


def dynamic_table(layout, damage, address, size):
    entry_bytes, tag = (24, 7) if layout.wide else (8, 17)
    at, what = address + (entry_bytes if damage.of("relative") == "inside" else 0), damage.of("relative")
    tags = [(5, layout.end), (tag, at), (tag + 1, damage.size("relative", size)), (30, 8), (0, 0), (tag, 77)]
    if what == "tag twice":
        tags.insert(2, (tag, at + entry_bytes * damage.number(5)))
    if what == "end":
        tags.insert(damage.number(3), (0, 0))
    if what == "no tag":
        del tags[1 + damage.number(2)]
    return b"".join(struct.pack("<2Q" if layout.wide else "<2I", *entry) for entry in tags)


def index_table(layout, damage, address):
    """(bytes, size of the segment)"""
    entries = sorted((layout.starts[piece.key] - address, layout.infos[piece.key] - address)
                     for piece in layout.image.code if piece.odd < 95)
    entries = damage.disorder("index", entries)
    count, what = len(entries), damage.of("index")
    count += {"count": 1, "less": -2}.get(what, 0)
    head = struct.pack("<4BiI", 2 if what == "version" else 1, 0x1b, 11 if what == "form of count" else 3,
                       0x1b if what == "encoding" else 0x3b, layout.infos_address - address - 4, max(count, 0))
    content = head + b"".join(struct.pack("<2i", *entry) for entry in entries)
    return content, len(content) - (1 if what == "cut" else 0)


def relative_table(layout, damage):
    w, type_ = "Q" if layout.wide else "I", ELF_KINDS[layout.image.kind][2]
    entries = [(place, type_) + ((target + (piece.odd % 4),) if layout.wide else ())
               for place, target, piece in layout.places]
    entries = damage.disorder("relative", sorted(entries))
    if entries and damage.of("relative") in ("type", "high type"):
        i = damage.number(len(entries))
        high = 1 << 32 if layout.wide else 256
        entries[i] = (entries[i][0], type_ + (1 if damage.of("relative") == "type" else high)) + entries[i][2:]
    others = [(place + 8, 7) + ((0,) if layout.wide else ()) for place, *_ in entries[-3:]]
    return b"".join(struct.pack(f"<{len(entry)}{w}", *entry) for entry in entries + others)


def elf_file(image, layout, tables, special, regions):
    machine, wide, _ = ELF_KINDS[image.kind]
    regions, known = layout.arranged(regions, tables)
    own, entry = (64, 56) if wide else (52, 32)
    count = len(known) + len(special) + 1
    pos = own + count * entry
    segments = [(1, 4, 0, image.base, pos)]
    bodies = b""
    for region in regions:
        at = pos + len(bodies)
        if region in known:
            segments.append((1, 5 if region.is_code else 6, at, region.address, len(region.content)))
        if region is tables:
            segments += [(type_, 4, at + begin, region.address + begin, size) for type_, begin, size in special]
        bodies += region.content
    if wide:
        header = struct.pack("<HHIQQQI6H", 3, machine, 1, layout.tables_address, own, 0, 0, own, entry, count, 0, 0, 0)
        table = b"".join(struct.pack("<II6Q", type_, flags, at, address, address, size, size, 8)
                         for type_, flags, at, address, size in segments)
    else:
        header = struct.pack("<HHIIIII6H", 3, machine, 1, layout.tables_address, own, 0, 0, own, entry, count, 0, 0, 0)
        table = b"".join(struct.pack("<8I", type_, at, address, address, size, size, flags, 8)
                         for type_, flags, at, address, size in segments)
    return b"\x7fELF" + bytes((2 if wide else 1, 1, 1)).ljust(12, b"\0") + header + table + bodies


# --- Files ---


def make(image):
    return pe_image(image) if image.kind in PE_KINDS else elf_image(image)


def random_image(rng, pieces, kind, is_damaged):
    has_code_pointers = kind in ("pe32", "elf32")
    most = 22 if is_damaged else 60
    code = [pieces.new(True, has_code_pointers and rng.random() < 0.3) for _ in range(rng.randrange(12, most))]
    data = [pieces.new(False, True) for _ in range(rng.randrange(9, most - 8))]
    if rng.random() < 0.15:
        code[len(code) // 3].info = rng.randbytes(4 * rng.randrange(400, 1500))
    tables = ("places", "functions") if kind in PE_KINDS else ("index", "relative")
    damages = {table: rng.choice(DAMAGES[table]) for table in tables if is_damaged and rng.random() < 0.7}
    base = rng.choice((0x400000, 0x10000000)) if kind in PE_KINDS else 0
    order = rng.randrange(1, 1 << 30) if rng.random() < 0.4 else 0
    image = Image(kind, base, code, data, 0, rng.choice((len(code), len(code) // 2)), damages, rng.random(), order)
    if is_damaged and rng.random() < 0.1:
        image.hidden = rng.choice((TABLES, TABLES, rng.randrange(7)))
    image.calls = kind == "pe64" and rng.random() < 0.2
    image.memory = CALLED
    return image


def later_image(rng, pieces, image):
    # With places of two types the room of the table may end between both.
    double = rng.random() < (0.7 if two_types(image) else 0.15)
    code, data = pieces.changed(image.code, double), pieces.changed(image.data, double)
    if any(len(piece.info) > 999 for piece in code) and rng.random() < 0.7:
        first = next(i for i, piece in enumerate(code) if len(piece.info) > 999)
        code[first:] = [replace(piece, info=rng.randbytes(len(piece.info))) for piece in code[first:]]
    later = replace(image, code=code, data=data, shift=PAGE * rng.choice((0, 0, 1, 3)),
                    split=len(code) if image.split == len(image.code) else len(code) // 2)
    later.base += rng.choice((0, 0, 0x10000)) if image.kind in PE_KINDS else 0
    later.memory += rng.choice((0, 0x10000, 0x20000))
    if rng.random() < 0.05:
        later.hidden = rng.choice((0, 2, 4, 5))
    later.high = image.kind in ("pe64", "pe-arm64") and rng.random() < 0.1
    return later


def exchange(rng, images):
    """Some functions and data of each image go into the next one."""
    given = []
    for image in images:
        code, data = rng.randrange(len(image.code)), rng.randrange(len(image.data))
        given.append((image.code[code:code + 8], image.data[data:data + 8]))
        del image.code[code:code + 8], image.data[data:data + 8]
    for (code, data), image in zip(given, images[1:] + images[:1]):
        image.code += code
        image.data += data


def change_places(rng, images):
    """Of functions and data between images, and of these."""
    if len(images) > 1 and rng.random() < 0.4:
        exchange(rng, images)
    if len(images) > 1 and rng.random() < 0.2:
        images.reverse()


def files_of(rng, images, later, make_image):
    """OLD and NEW, with other bytes in front of each image and behind the last one."""
    fillers = [rng.choice((rng.randbytes(rng.choice((0, 3, 100))), bytes(100))) for _ in images]
    return tuple(b"".join(filler + make_image(image) for filler, image in zip(fillers, version)) + fillers[-1]
                 for version in (images, later))


def random_kinds(rng, kind):
    """Of the images of a file. Mostly they are alike, or at least of one format."""
    family = tuple(PE_KINDS) if kind in PE_KINDS else tuple(ELF_KINDS)
    others = ((kind,), (kind,), family, KINDS)
    return [kind] + [rng.choice(rng.choice(others)) for _ in range(rng.choice((0, 0, 1, 1, 1, 2)))]


def random_sorted_pair(seed):
    """OLD and NEW. A third of the files have one image."""
    kind = KINDS[seed % len(KINDS)]
    rng = random.Random(f"{seed} {kind}")
    pieces = Pieces(rng)
    kinds = random_kinds(rng, kind)
    images = [random_image(rng, pieces, each, rng.random() < (0.7 if i else 0.04)) for i, each in enumerate(kinds)]
    later = [later_image(rng, pieces, image) for image in images]
    change_places(rng, later)
    return files_of(rng, images, later, make)
