"""ELF images with an index of unwind information and relative relocations, of the pieces of craft_layout."""
import struct

from craft_layout import ELF_KINDS, Damage, Layout, Region

INDEX_DAMAGES = ("unsorted", "equal", "version", "form of count", "encoding", "count", "less", "cut", "two segments")
RELATIVE_DAMAGES = ("unsorted", "equal", "cut", "long", "type", "high type", "tag twice", "end", "no tag", "inside",
                    "two segments")


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
