"""Random Mach-O programs with tables that a linker sorts: function starts, and the pages of __unwind_info.

They are of the pieces of craft_layout, and laid out as ELF images of the same machine are, with a __eh_frame that unwind
pages lead into. Tables are damaged in ways that a reader may overlook: what stands there would be a fine table but for the
one rule that it breaks.
"""
import random
import struct
from dataclasses import dataclass, replace

from craft_layout import TABLES, Damage, Image, Layout, Pieces, Region
from craft_sorted import change_places, files_of, later_image

MACHINES = {"elf64": (0x01000007, 4), "elf-arm64": (0x0100000c, 3)}  # kind: (machine, mode that leads to __eh_frame)
INFOS = 1  # which region is __eh_frame
SEGMENT, FUNCTION_STARTS = 0x19, 0x26
PAGE, PAGE_ENTRIES = 4096, 511
STARTS_DAMAGES = ("long form", "tail", "beyond 32 bits", "zero first", "cut", "long", "no command", "two commands", "out",
                  "inside pages", "before pages")
PAGES_DAMAGES = ("510", "12", "kind", "unsorted", "equal", "less", "more", "no frames", "no address", "two frames", "last 0",
                 "last 512", "cut", "index cut", "out", "two sections", "name")
DAMAGES = {"starts": STARTS_DAMAGES, "pages": PAGES_DAMAGES}
# Last steps from RVA 0 that are, but for the first one, too large: of a place, of 32 bits, of 64 bits.
LARGE_STEPS = (0xffffffff, 1 << 32, 1 << 64, (1 << 64) + 2, 1 << 70)


@dataclass
class MachoImage(Image):
    type: int = 2  # a program, or a library
    index_last: bool = False  # whether the index of unwind pages stands behind them
    origin: int = None  # number of the function that RVAs count from, instead of the header


class MachoLayout(Layout):
    """`base` is what RVAs count from."""

    def __init__(self, image):
        super().__init__(image)
        self.base = image.base if image.origin is None else self.starts[image.code[image.origin].key]

    def outside(self, count):
        """Addresses behind all functions, where no section is."""
        return range(self.end + 16, self.end + 16 + count)


# --- Tables ---


def uleb(number):
    low, rest = number & 0x7f, number >> 7
    return bytes([low | 0x80]) + uleb(rest) if rest else bytes([low])


def starts_table(layout, damage):
    """What else is listed than functions may come to lie anywhere."""
    image, what = layout.image, damage.of("starts")
    listed = [piece for piece in image.code if piece.odd < 97] + [piece for piece in image.data if piece.odd < 20]
    addresses = [*(layout.starts[piece.key] for piece in listed), *layout.outside(len(listed) % 3)]
    rvas = sorted(rva for address in addresses if 0 < (rva := address - layout.base) < 1 << 32)
    steps = [uleb(rva - before) for before, rva in zip([0] + rvas, rvas)]
    if what == "long form":
        i = damage.number(len(steps))
        steps[i] = steps[i][:-1] + bytes([steps[i][-1] | 0x80, 0])
    if what == "beyond 32 bits":
        steps.append(uleb(LARGE_STEPS[damage.number(len(LARGE_STEPS))] - rvas[-1]))
    table = b"".join(steps)
    if what == "zero first":
        return bytes(len(table)) if image.at < 0.5 else b"\0" + table
    if what in ("before pages", "out") or what is None and image.at < 0.15:
        return table  # without an end
    padding = bytes(1 + -(len(table) + 1) % 8)
    return table + (padding + b"\1" if what == "tail" else padding)


def unwind_entries(layout, damage):
    """[(start, encoding)]: of functions some lead to __eh_frame, with flags; one of the other machine's modes does not."""
    image, entries = layout.image, []
    mode = MACHINES[image.kind][1]
    for piece in image.code:
        place = layout.info_of(piece) - layout.infos_address if piece.odd < 48 else 0xffe000 + 64 * piece.odd
        encoding = ((piece.odd % 16) << 4 | mode) << 24 | place
        if piece.odd >= 50:
            encoding = (piece.odd // 4 % 2 << 6 | (1, 2, 7 - mode, 8 | mode)[piece.odd % 4]) << 24 | piece.info[0] % 8 << 12
        entries.append((layout.starts[piece.key], encoding))
    entries += [(layout.starts[piece.key], 0x01000000) for piece in image.data if piece.odd < 10]
    missing = -len(entries) % PAGE_ENTRIES if damage.of("pages") == "last 512" else len(entries) % 3
    entries += [(address, 0x02000000) for address in layout.outside(missing)]
    entries = damage.disorder("pages", sorted(entries))
    if damage.of("starts") == "inside pages":
        entries[-1] = (entries[-1][0], 0x21)  # also the step to a place in the header
    return [(start - layout.base & 0xffffffff, encoding) for start, encoding in entries]


def unwind_info(layout, damage, between):
    """(bytes, where pages begin, where they end), with `between` in front of the pages."""
    image, what, entries = layout.image, damage.of("pages"), unwind_entries(layout, damage)
    parts = [entries[i:i + PAGE_ENTRIES] for i in range(0, len(entries), PAGE_ENTRIES)]
    index_bytes = 12 * len(parts) + 12
    first = 28 + (0 if image.index_last else index_bytes) + len(between)
    pages, damaged = b"", damage.number(len(parts))
    for i, part in enumerate(parts):
        kind, at, count = 2, 8, len(part)
        if i == damaged:
            kind, at = 3 if what == "kind" else kind, 12 if what == "12" else at
            count = 510 if what == "510" and count == PAGE_ENTRIES else count
        if i == len(parts) - 1:
            count = {"last 0": 0, "last 512": 512}.get(what, count)
        pages += struct.pack("<IHH", kind, at, count) + b"".join(struct.pack("<II", *entry) for entry in part)
        pages += bytes(-len(pages) % PAGE) if i < len(parts) - 1 else b""
    pages_end = first + len(pages)
    lists = pages_end + index_bytes if image.index_last else 28 + index_bytes
    index = b"".join(struct.pack("<3I", part[0][0], first + PAGE * i, lists) for i, part in enumerate(parts))
    index += struct.pack("<3I", layout.end - layout.base & 0xffffffff, 0, lists)
    count = len(parts) + 1 + {"less": -1, "more": 1}.get(what, 0)
    head = struct.pack("<7I", 1, 28, 0, 28, 0, pages_end if image.index_last else 28, count)
    content = head + between + pages + index if image.index_last else head + index + between + pages
    return content + (bytes(8) if what == "last 512" else b""), first, pages_end


# --- Files ---


def section(name, address, size, pos, flags=0):
    return struct.pack("<16s16sQQI12xI12x", name, b"__TEXT", address, size, pos, flags)


def segment(name, address, pos, size, sections=()):
    return struct.pack("<II16s4Q4I", SEGMENT, 72 + 80 * len(sections), name, address, size, pos, size, 7, 7, len(sections),
                       0) + b"".join(sections)


def macho_image(image):
    layout, damage = MachoLayout(image), Damage(image)
    regions = layout.regions()
    infos = regions[INFOS]
    starts, starts_damage, pages_damage = starts_table(layout, damage), damage.of("starts"), damage.of("pages")
    content, pages_at, pages_end = unwind_info(layout, damage, starts if starts_damage == "before pages" else b"")
    tables = Region(layout.tables_address, content)
    regions, known = layout.arranged(regions, tables)
    linkedit = Region(0, bytes(range(100, 164)) + starts + (b"" if starts_damage == "out" else bytes(range(200, 250))))
    parts = regions + [linkedit]
    if pages_damage == "out":
        parts = [linkedit] + [region for region in regions if region is not tables] + [tables]
    extra = {"two sections": b"__unwind_info", "two frames": b"__eh_frame"}.get(pages_damage)
    starts_commands = {"no command": 0, "two commands": 2}.get(starts_damage, 1)
    commands_bytes = 144 + 80 * (len(known) + (extra is not None)) + 16 * starts_commands
    at, pos = {}, 32 + commands_bytes
    for part in parts:
        at[id(part)] = pos
        pos += len(part.content)

    sections = []
    for region in known:
        name, size = b"__text" if region.is_code else b"__const", len(region.content)
        if region is tables:
            name = b"__unwind_info\0?" if pages_damage == "name" else b"__unwind_info"
            size -= {"cut": 8, "index cut": 4}.get(pages_damage, 0)
        if region is infos:
            name = b"__frames" if pages_damage == "no frames" else b"__eh_frame"
            size = 0 if pages_damage == "no address" else size
        sections.append(section(name, region.address, size, at[id(region)], 0x80000400 if region.is_code else 0))
    if extra:
        sections.insert(0 if image.at < 0.5 else len(sections), section(extra, 0, 0, at[id(parts[0])] + 40))
    place = {"before pages": (at[id(tables)] + pages_at - len(starts), len(starts) + 4),
             "inside pages": (at[id(tables)] + pages_end - 4, 4)}.get(starts_damage, (at[id(linkedit)] + 64, len(starts)))
    starts_size = damage.size("starts", place[1]) + 8 * (starts_damage == "out")
    commands = [struct.pack("<4I", FUNCTION_STARTS, 16, *each) for each in ((place[0], starts_size), (0, 0))]
    commands = commands[:starts_commands][::-1 if image.at < 0.5 else 1]
    end = pos - 8 if pages_damage == "out" else pos
    commands = [segment(b"__TEXT", layout.base, 0, min(at[id(linkedit)], end), sections),
                segment(b"__LINKEDIT", layout.base + (1 << 40), at[id(linkedit)], end - at[id(linkedit)]), *commands]
    machine, _ = MACHINES[image.kind]
    head = struct.pack("<4sI4xIII8x", b"\xcf\xfa\xed\xfe", machine, image.type, len(commands), commands_bytes)
    return head + b"".join(commands) + b"".join(part.content for part in parts)


def random_image(rng, pieces, kind, is_damaged):
    count = rng.choice((rng.randrange(500, 530), rng.randrange(1010, 1040))) if rng.random() < 0.3 else rng.randrange(12, 60)
    code = [pieces.new(True, False) for _ in range(count)]
    data = [pieces.new(False, False) for _ in range(rng.randrange(9, 30))]
    if rng.random() < 0.1:
        code[count // 3].info = rng.randbytes(4 * rng.randrange(400, 1500))
    damages = {table: rng.choice(DAMAGES[table]) for table in DAMAGES if is_damaged and rng.random() < 0.7}
    order = rng.randrange(1, 1 << 30) if rng.random() < 0.4 else 0
    image = MachoImage(kind, rng.choice((0, 0x400000, 1 << 32)), code, data, 0, rng.choice((count, count // 2)), damages,
                       rng.random(), order, type=rng.choice((2, 6)))
    image.index_last = rng.random() < 0.3 or damages.get("pages") == "index cut"
    if is_damaged and rng.random() < 0.1:
        image.hidden = rng.choice((INFOS, TABLES, rng.randrange(7)))
    return image


def later_macho(rng, pieces, image):
    later = later_image(rng, pieces, image)
    later.base += rng.choice((0, 0, 0x10000))
    later.high = rng.random() < 0.1
    if rng.random() < 0.15:
        later.origin = rng.choice((0, rng.randrange(len(later.code))))
    if rng.random() < 0.06:
        later.hidden = INFOS
    return later


def random_macho_pair(seed):
    """OLD and NEW. A quarter of the files have one image."""
    rng = random.Random(f"{seed} macho")
    pieces = Pieces(rng)
    kinds = [rng.choice(tuple(MACHINES))]
    kinds += [rng.choice((kinds[0], kinds[0], *MACHINES)) for _ in range(rng.choice((0, 1, 1, 2)))]
    images = [random_image(rng, pieces, kind, rng.random() < (0.7 if i else 0.1)) for i, kind in enumerate(kinds)]
    later = [later_macho(rng, pieces, image) for image in images]
    change_places(rng, later)
    if len(kinds) > 1 and rng.random() < 0.1:
        later[-2].code += later.pop().code
    return files_of(rng, images, later, macho_image)
