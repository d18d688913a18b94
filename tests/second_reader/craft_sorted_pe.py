"""PE images with base relocations and a table of functions, of the pieces of craft_layout."""
import struct

from craft_layout import PAGE, PE_KINDS, Damage, Layout, Region

CALLED, CALLED_MEMORY = 0x8000000, 0x300000
PLACE_DAMAGES = ("unsorted", "odd", "zero in the middle", "two zeros", "zero first", "zero last", "page", "far page",
                 "page twice", "empty", "no bytes", "tail", "zero tail", "beyond", "cut", "long", "twice", "types",
                 "unsorted types")
FUNCTION_DAMAGES = ("unsorted", "equal", "cut", "long", "overlap", "same place", "short")


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
