"""The tables of OLD that a linker sorts (section 15)."""
import struct
from dataclasses import dataclass

from bytes_of_file import File, fits
from cursor import Cursor, PatchError
from images import ARM32, ARM64, ELF, MACHO, PE, X86_32, X86_64
from macho import entry_named
from mixed_pages import mixed_candidate, read_mixed_pages

ALL_KINDS = range(29, 36)  # kinds of table, bits of the set
RELOCATIONS, FUNCTIONS, UNWIND_INDEX, RELATIVE_RELOCATIONS, STARTS, UNWIND_PAGES, MIXED_PAGES = ALL_KINDS
SITE_KINDS = (RELOCATIONS, STARTS)
TABLE_KINDS = 0b1111111 << RELOCATIONS
DIRECTORIES = {RELOCATIONS: 5, FUNCTIONS: 3}
TYPE_DYNAMIC, TYPE_EH_FRAME_HDR = 2, 0x6474e550
RELATIVE_TYPE = {X86_64: 8, X86_32: 8, ARM64: 1027, ARM32: 23}
INDEX_HEAD = 12  # bytes of .eh_frame_hdr in front of its table
BLOCK_HEAD, PAGE = 8, 4096  # bytes in front of the numbers of a block of base relocations, and what it is about
COMMAND_STARTS = 0x26
UNWIND_PAGE, UNWIND_PAGE_HEAD, UNWIND_PAGE_ENTRIES = 4096, 8, 511


@dataclass
class SortedTable:
    kind: int
    image: int  # number in OLD
    pos: int
    size: int
    entries: list  # as they stand there: numbers from start to more; (RVA, type) of sites
    base_pos: int = None  # where that stands which the numbers of an unwind index or of unwind pages count from
    common: tuple = ()  # encodings that all mixed unwind pages share


def entry_format(kind, machine):
    """The numbers of an entry, from start to more. Those of an unwind index are signed."""
    if kind == FUNCTIONS:
        return "<3I" if machine == X86_64 else "<2I"
    if kind == UNWIND_INDEX:
        return "<2i"
    if kind == UNWIND_PAGES:
        return "<2I"
    return "<3Q" if machine in (X86_64, ARM64) else "<2I"


def find_sorted_tables(data, images):
    tables = []
    for number, image in enumerate(images):
        image_end, end_before = image.pos + image.size, image.pos
        file = File(data[:image_end])
        for pos, kind, size, base_pos in candidates(file, image):
            if size == 0 or not fits(pos, size, file.size) or pos < end_before:
                continue
            common = ()
            if kind == MIXED_PAGES:
                entries, common = read_mixed_pages(file, image)
            elif kind in SITE_KINDS:
                entries = (read_sites if kind == RELOCATIONS else read_starts)(file, pos, size)
            else:
                entries = read_entries(file, image, kind, pos, size)
            if entries:
                tables.append(SortedTable(kind, number, pos, size, entries, base_pos, common))
                end_before = pos + size
    return tables


def candidates(file, image):
    """[(position, kind, bytes, what numbers count from)], as they are taken: by position, of the same by kind."""
    found = []
    if image.format == PE:
        found.append(directory_candidate(image, RELOCATIONS, 4))
        if image.machine in (X86_64, ARM64):
            found.append(directory_candidate(image, FUNCTIONS, struct.calcsize(entry_format(FUNCTIONS, image.machine))))
    if image.format == ELF:
        found.append(index_candidate(file, image))
        if image.machine in RELATIVE_TYPE:
            found.append(relocations_candidate(file, image))
    if image.format == MACHO:
        pages = pages_candidate(file, image)
        if pages is None:
            pages = mixed_candidate(file, image, MIXED_PAGES)
        found += [starts_candidate(file, image), pages]
    return sorted(candidate for candidate in found if candidate)


def directory_candidate(image, kind, unit):
    rva, size = image.about["directories"][DIRECTORIES[kind]]
    pos = image.file_pos(image.base + rva) if rva else None
    return None if pos is None else (pos, kind, size - size % unit, None)


def first_segment(image, type_):
    return next((segment for segment in image.about["segments"] if segment.type == type_), None)


def index_candidate(file, image):
    segment = first_segment(image, TYPE_EH_FRAME_HDR)
    if segment is None or segment.size < INDEX_HEAD:
        return None
    h = segment.pos
    size = 8 * file.u32(h + 8)
    if (file.u8(h), file.u8(h + 2), file.u8(h + 3)) != (1, 3, 0x3b) or size > segment.size - INDEX_HEAD:
        return None
    return h + INDEX_HEAD, UNWIND_INDEX, size, h


def relocations_candidate(file, image):
    table_tag, size_tag = (7, 8) if image.wide else (17, 18)
    values = dynamic_values(file, image)
    pos = image.file_pos(values.get(table_tag, 0))  # address 0 may have one, too
    if pos is None:
        return None
    entry_bytes = struct.calcsize(entry_format(RELATIVE_RELOCATIONS, image.machine))
    room, size = min(values.get(size_tag, 0), image.pos + image.size - pos), 0
    while size + entry_bytes <= room and file.number(pos + size + image.word_bytes, image.word_bytes) == (
            RELATIVE_TYPE[image.machine]):
        size += entry_bytes
    return pos, RELATIVE_RELOCATIONS, size, None


def starts_candidate(file, image):
    c = next((c for type_, c, _ in image.about["commands"] if type_ == COMMAND_STARTS), None)
    return None if c is None else (image.pos + file.u32(c + 8), STARTS, file.u32(c + 12), None)


def pages_candidate(file, image):
    section, frames = entry_named(image, b"__unwind_info"), entry_named(image, b"__eh_frame")
    if section is None or frames is None or section.size < 28:
        return None
    b, z = section.pos, section.size
    x, n = file.u32(b + 20), file.u32(b + 24)
    if n < 2 or x + 12 * n > z:
        return None
    g = file.u32(b + x + 4)
    if g + UNWIND_PAGE * (n - 2) + UNWIND_PAGE_HEAD > z:
        return None
    counts = []
    for h in range(b + g, b + g + UNWIND_PAGE * (n - 1), UNWIND_PAGE):
        if (file.u32(h), file.u16(h + 4)) != (2, UNWIND_PAGE_HEAD):
            return None
        counts.append(file.u16(h + 6))
    if any(count != UNWIND_PAGE_ENTRIES for count in counts[:-1]) or not 1 <= counts[-1] <= UNWIND_PAGE_ENTRIES:
        return None
    size = UNWIND_PAGE * (n - 2) + UNWIND_PAGE_HEAD + 8 * counts[-1]
    return None if g + size > z else (b + g, UNWIND_PAGES, size, frames.pos)


def dynamic_values(file, image):
    """tag -> the value that stands last for it"""
    segment, w, values = first_segment(image, TYPE_DYNAMIC), image.word_bytes, {}
    for i in range(segment.size // (2 * w) if segment else 0):
        tag, value = (file.number(segment.pos + (2 * i + part) * w, w) for part in (0, 1))
        if tag == 0:
            break
        values[tag] = value
    return values


def read_entries(file, image, kind, pos, size):
    """None if they are not in order."""
    data, format_ = file.data[pos:pos + size], entry_format(kind, image.machine)
    if kind == UNWIND_PAGES:
        data = b"".join(data[h + UNWIND_PAGE_HEAD:h + UNWIND_PAGE] for h in range(0, size, UNWIND_PAGE))
    entries = list(struct.iter_unpack(format_, data))
    in_order = all(before[0] < entry[0] for before, entry in zip(entries, entries[1:]))
    return entries if in_order else None


def read_starts(file, pos, size):
    """[(RVA, 0)] of function starts, or None if they are not in order."""
    cursor, sites, rva = Cursor(file.data[pos:pos + size], what="function starts"), [], 0
    while cursor.pos < size:
        try:
            step = cursor.varint()
        except PatchError:
            return None
        if step == 0:
            break
        rva += step
        if rva >= 1 << 32:
            return None
        sites.append((rva, 0))
    return sites if sites and not any(file.data[pos + cursor.pos:pos + size]) else None


def read_sites(file, pos, size):
    """[(RVA, type)] of blocks of base relocations, or None if they are not in order."""
    sites, b, end, page = [], pos, pos + size, -PAGE
    while end - b > BLOCK_HEAD:
        page_before, page, n = page, file.u32(b), file.u32(b + 4)
        if n == 0:
            break
        if page % PAGE or page < page_before + PAGE or n <= BLOCK_HEAD or n % 4 or n > end - b:
            return None
        numbers = [x for x, in struct.iter_unpack("<H", file.data[b + BLOCK_HEAD:b + n])]
        if numbers[-1] == 0:
            numbers.pop()  # fills a block up
        of_block = [(page + x % PAGE, x >> 12) for x in numbers]
        if any(type_ == 0 for _, type_ in of_block) or of_block != sorted(of_block):
            return None
        sites += of_block
        b += n
    return sites if sites and not any(file.data[b:end]) else None
