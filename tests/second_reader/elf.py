"""ELF images: headers, sections, extent (section 3.4)."""
from dataclasses import dataclass

from bytes_of_file import MASK64, fits
from images import (ARM32, ARM64, CODE, DATA, ELF, MACHINE_NONE, MAX_SECTIONS, UNBACKED, X86_32, X86_64, Image, Section,
                    settle)

MAGIC = b"\x7fE"
MACHINES = {(62, True): X86_64, (183, True): ARM64, (3, False): X86_32, (40, False): ARM32}
TYPE_LOAD, TYPE_NO_BITS = 1, 8
FLAG_ALLOCATED, FLAG_EXECUTABLE, FLAG_THREAD_LOCAL = 2, 4, 0x400


@dataclass
class Segment:
    type: int
    flags: int
    pos: int
    address: int
    size: int
    memory: int


@dataclass
class SectionHeader:
    number: int  # in the table
    type: int
    flags: int
    address: int
    pos: int
    size: int
    link: int  # the number of a section that belongs to it


def detect(file, pos):
    return (fits(pos, 52, file.size) and file.starts(pos, b"\x7fELF") and file.u8(pos + 4) in (1, 2)
            and file.u8(pos + 5) == 1 and file.u8(pos + 6) == 1 and file.u16(pos + 16) in (2, 3))


def parse(file, pos):
    wide = file.u8(pos + 4) == 2
    own_bytes = 64 if wide else 52
    if not fits(pos, own_bytes, file.size) or file.u32(pos + 20) != 1:
        return None
    ends = []
    segments, header_bytes = read_segments(file, pos, wide, own_bytes, ends)
    headers = read_section_headers(file, pos, wide, ends)
    ends += [pos + header_bytes]
    ends += [header.pos + header.size for header in headers if header.type != TYPE_NO_BITS]
    ends += [segment.pos + segment.size for segment in segments]
    sections = make_sections(pos, header_bytes, segments, headers, max(ends))
    if not sections:
        return None
    machine = MACHINES.get((file.u16(pos + 18), wide), MACHINE_NONE)
    return Image(ELF, machine, wide, pos, max(ends) - pos, 0, sections, {"segments": segments, "headers": headers})


def read_segments(file, pos, wide, own_bytes, ends):
    """(segments, header bytes); the end of the table goes into `ends`."""
    def word(p):
        return file.u64(p) if wide else file.u32(p)

    offset = word(pos + (32 if wide else 28))
    count = file.u16(pos + (56 if wide else 44))
    entry_bytes = 56 if wide else 32
    table = pos + offset
    if (count == 0 or count > MAX_SECTIONS or file.u16(pos + (54 if wide else 42)) != entry_bytes or table > MASK64
            or not fits(table, count * entry_bytes, file.size)):
        return [], own_bytes
    segments = []
    for e in range(table, table + count * entry_bytes, entry_bytes):
        if wide:
            numbers = file.u32(e + 4), pos + word(e + 8), word(e + 16), word(e + 32), word(e + 40)
        else:
            numbers = file.u32(e + 24), pos + word(e + 4), word(e + 8), word(e + 16), word(e + 20)
        segment = Segment(file.u32(e), *numbers)
        if segment.pos <= MASK64 and fits(segment.pos, segment.size, file.size):
            segments.append(segment)
    ends.append(table + count * entry_bytes)
    return segments, own_bytes + (count * entry_bytes if offset == own_bytes else 0)


def read_section_headers(file, pos, wide, ends):
    def word(p):
        return file.u64(p) if wide else file.u32(p)

    offset = word(pos + (40 if wide else 32))
    count = file.u16(pos + (60 if wide else 48))
    entry_bytes = 64 if wide else 40
    table = pos + offset
    if (offset == 0 or file.u16(pos + (58 if wide else 46)) != entry_bytes or table > MASK64
            or not fits(table, entry_bytes, file.size)):
        return []
    if count == 0:
        count = word(table + (32 if wide else 20))
    if count > MAX_SECTIONS or not fits(table, count * entry_bytes, file.size):
        return []
    ends.append(table + count * entry_bytes)
    headers = []
    for number in range(1, count):
        e = table + number * entry_bytes
        if wide:
            numbers = word(e + 8), word(e + 16), pos + word(e + 24), word(e + 32), file.u32(e + 40)
        else:
            numbers = word(e + 8), word(e + 12), pos + word(e + 16), word(e + 20), file.u32(e + 24)
        header = SectionHeader(number, file.u32(e + 4), *numbers)
        if header.type != 0 and header.pos <= MASK64 and (
                header.type == TYPE_NO_BITS or fits(header.pos, header.size, file.size)):
            headers.append(header)
    return headers


def make_sections(pos, header_bytes, segments, headers, image_end):
    sections = settle(sections_of_headers(headers), pos, image_end)
    if not sections:
        sections = settle(sections_of_segments(segments), pos, image_end)
    if not sections:
        return []
    for segment in segments:
        if segment.type == TYPE_LOAD and segment.pos == pos and segment.size >= header_bytes:
            sections = sections + [Section(DATA, pos, header_bytes, segment.address, header_bytes)]
            break
    return settle(sections, pos, image_end)


def sections_of_headers(headers):
    sections = []
    for header in headers:
        if not header.flags & FLAG_ALLOCATED:
            continue
        if header.type != TYPE_NO_BITS:
            kind = CODE if header.flags & FLAG_EXECUTABLE else DATA
            sections.append(Section(kind, header.pos, header.size, header.address, header.size))
        elif not header.flags & FLAG_THREAD_LOCAL:
            sections.append(Section(UNBACKED, 0, 0, header.address, header.size))
    return sections


def sections_of_segments(segments):
    sections = []
    for segment in segments:
        if segment.type != TYPE_LOAD:
            continue
        memory = max(segment.memory, segment.size)
        if segment.size == 0:
            sections.append(Section(UNBACKED, 0, 0, segment.address, memory))
        else:
            kind = CODE if segment.flags & 1 else DATA
            sections.append(Section(kind, segment.pos, segment.size, segment.address, memory))
    return sections
