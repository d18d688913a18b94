"""Unwind pages of Mach-O of either kind: those of OLD, where pages of NEW begin, and how they are written
(sections 4.2, 15 and 16)."""
import struct
from dataclasses import dataclass

from bytes_of_file import fits
from cursor import require
from macho import entry_named

REGULAR, COMPRESSED = 2, 3
HEADS = {REGULAR: 8, COMPRESSED: 12}  # bytes in front of the entries of a page
INFO_HEAD, INDEX_ENTRY = 28, 12
MAX_ENCODINGS = 256  # of a compressed page, with the common ones
MAX_INDEX = 65537
MAX_PAGES = 65536  # of all lists of page breaks


@dataclass
class Page:
    pos: int
    end: int
    start: int  # the RVA that its index entry names
    kind: int
    count: int  # entries
    own: int  # encodings of its own, at its end


@dataclass
class UnwindInfo:
    common: list  # encodings
    pages: list


def numbers_at(file, pos, count):
    return list(struct.unpack_from(f"<{count}I", file.data, pos))


def find_unwind_info(file, image):
    """The first __unwind_info, if it is as "Sorted tables of OLD" wants it; else None."""
    section = entry_named(image, b"__unwind_info")
    if section is None or section.size < INFO_HEAD or not fits(section.pos, section.size, file.size):
        return None
    b, z = section.pos, section.size
    c, m, x, n = (file.u32(b + at) for at in (4, 8, 20, 24))
    if m > MAX_ENCODINGS or c + 4 * m > z or not 2 <= n <= MAX_INDEX or x + INDEX_ENTRY * n > z:
        return None
    pages, end = [], 0
    for e in range(b + x, b + x + INDEX_ENTRY * (n - 1), INDEX_ENTRY):
        page = page_at(file, b + file.u32(e + 4), file.u32(e))
        if page is None or page.pos < end or page.end > b + z:
            return None
        pages.append(page)
        end = page.end
    return UnwindInfo(numbers_at(file, b + c, m), pages)


def page_at(file, h, start):
    """None if it is of neither kind."""
    kind, count = file.u32(h), file.u16(h + 6)
    if kind not in HEADS or file.u16(h + 4) != HEADS[kind] or count == 0:
        return None
    if kind == REGULAR:
        return Page(h, h + HEADS[kind] + 8 * count, start, kind, count, 0)
    own_at, own = file.u16(h + 8), file.u16(h + 10)
    return Page(h, h + own_at + 4 * own, start, kind, count, own) if own_at == HEADS[kind] + 4 * count else None


def mixed_candidate(file, image, kind):
    info, frames = find_unwind_info(file, image), entry_named(image, b"__eh_frame")
    if info is None:
        return None
    p = info.pages[0].pos
    return p, kind, info.pages[-1].end - p, frames.pos if frames else p


def read_mixed_pages(file, image):
    """(entries, common encodings) of what is a candidate; None instead of entries that are not in order."""
    info = find_unwind_info(file, image)
    entries = [entry for page in info.pages for entry in entries_of(file, page, info.common)]
    in_order = all(before[0] <= entry[0] for before, entry in zip(entries, entries[1:]))
    return entries if in_order else None, info.common


def entries_of(file, page, common):
    """[(RVA, encoding)]"""
    at = page.pos + HEADS[page.kind]
    if page.kind == REGULAR:
        numbers = numbers_at(file, at, 2 * page.count)
        return list(zip(numbers[::2], numbers[1::2]))
    encodings = common + numbers_at(file, page.end - 4 * page.own, page.own)
    entries = []
    for w in numbers_at(file, at, page.count):
        g = w >> 24
        entries.append((page.start + w % (1 << 24) & 0xffffffff, encodings[g] if g < len(encodings) else 0))
    return entries


def read_page_breaks(cursor):
    """{number of an image of NEW: [(start, whether the page is compressed)]} ("Page breaks")."""
    breaks, number, pages = {}, -1, 0
    for _ in range(cursor.varint(most=MAX_PAGES, name="lists of page breaks")):
        number += 1 + cursor.varint()
        require(number < 1 << 32, f"page breaks of image {number}")
        count = cursor.varint(least=1, most=MAX_PAGES - pages, name="pages of an image")
        pages += count
        breaks[number] = read_breaks(cursor, count)
    return breaks


def read_breaks(cursor, count):
    breaks, start = [], 0
    for _ in range(count):
        told = cursor.varint()
        start += told >> 1
        require(start < 1 << 32, f"a page of unwind information begins at {start}")
        breaks.append((start, told % 2 == 1))
    return breaks


def write_mixed_pages(entries, breaks, common, size):
    """`entries`, [(RVA, encoding)], ascend; as many pages as there is room for ("Rebuilding")."""
    table, ends = b"", [start for start, _ in breaks[1:]] + [1 << 32]
    for (start, compressed), end in zip(breaks, ends):
        of_page = [entry for entry in entries if start <= entry[0] < end]
        page = (compressed_page(of_page, start, common) if compressed else regular_page(of_page)) if of_page else b""
        if len(table) + len(page) > size:
            break
        table += page
    return table.ljust(size, b"\0")


def regular_page(entries):
    head = struct.pack("<IHH", REGULAR, HEADS[REGULAR], len(entries) & 0xffff)
    return head + b"".join(struct.pack("<2I", *entry) for entry in entries)


def compressed_page(entries, start, common):
    places, own, words = {}, [], []
    for g, encoding in enumerate(common):
        places.setdefault(encoding, g)
    for rva, encoding in entries:
        if encoding not in places and len(common) + len(own) < MAX_ENCODINGS:
            places[encoding] = len(common) + len(own)
            own.append(encoding)
        words.append(places.get(encoding, MAX_ENCODINGS - 1) << 24 | (rva - start) % (1 << 24))
    own_at = HEADS[COMPRESSED] + 4 * len(words)
    head = struct.pack("<I4H", COMPRESSED, HEADS[COMPRESSED], len(words) & 0xffff, own_at & 0xffff, len(own))
    return head + struct.pack(f"<{len(words) + len(own)}I", *words, *own)
