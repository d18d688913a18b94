"""Mach-O images: commands, segments, sections, extent (section 3.6)."""
from dataclasses import dataclass

from bytes_of_file import MASK64, fits
from images import ARM64, CODE, DATA, MACHO, MAX_SECTIONS, UNBACKED, X86_64, Image, Section, settle

MAGIC = b"\xcf\xfa"
MACHINES = {0x01000007: X86_64, 0x0100000c: ARM64}
COMMAND_SEGMENT = 0x19


@dataclass
class Segment:
    address: int
    memory: int
    pos: int
    size: int


@dataclass
class Entry:
    """A section entry as it stands in its command."""
    name: bytes
    address: int
    size: int
    pos: int
    flags: int


def detect(file, pos):
    return (fits(pos, 32, file.size) and file.starts(pos, b"\xcf\xfa\xed\xfe") and file.u32(pos + 4) in MACHINES
            and file.u32(pos + 12) in (2, 6, 7, 8, 11))


def parse(file, pos):
    commands = read_commands(file, pos)
    if commands is None:
        return None
    header_bytes = (commands[-1][2] if commands else pos + 32) - pos
    segments, entries = [], []
    for type_, c, end in commands:
        if type_ == COMMAND_SEGMENT and end - c >= 72:
            segments.append(read_segment(file, pos, c))
            entries += read_entries(file, pos, c, end - c, MAX_SECTIONS - len(entries))
    size = max([header_bytes] + [segment.pos + segment.size - pos for segment in segments])
    sections = settle([section_of(entry) for entry in entries], pos, pos + size)
    if not sections:
        return None
    base = 0
    for segment in segments:
        if segment.pos == pos and segment.size:
            base = segment.address
            sections = settle(sections + [Section(DATA, pos, header_bytes, base, header_bytes)], pos, pos + size)
            break
    return Image(MACHO, MACHINES[file.u32(pos + 4)], True, pos, size, base, sections,
                 {"commands": commands, "segments": segments, "entries": entries})


def read_commands(file, pos):
    """[(type, position, end)], or None if they are not sound."""
    count, all_bytes = file.u32(pos + 16), file.u32(pos + 20)
    if count > MAX_SECTIONS or not fits(pos + 32, all_bytes, file.size):
        return None
    commands, c, end = [], pos + 32, pos + 32 + all_bytes
    for _ in range(count):
        size = file.u32(c + 4)
        if end - c < 8 or not 8 <= size <= end - c:
            return None
        commands.append((file.u32(c), c, c + size))
        c += size
    return commands


def read_segment(file, pos, c):
    start, size = pos + file.u64(c + 40), file.u64(c + 48)
    if start > MASK64 or not fits(start, size, file.size):
        start, size = pos, 0
    return Segment(file.u64(c + 24), file.u64(c + 32), start, size)


def read_entries(file, pos, c, size, room):
    count = min(file.u32(c + 64), (size - 72) // 80, room)
    return [Entry(file.data[e:e + 16], file.u64(e + 32), file.u64(e + 40), pos + file.u32(e + 48), file.u32(e + 64))
            for e in range(c + 72, c + 72 + 80 * count, 80)]


def entry_named(image, name):
    """The first section entry of that name, or None."""
    return next((entry for entry in image.about["entries"] if entry.name == name.ljust(16, b"\0")), None)


def section_of(entry):
    if entry.flags & 0xff in (1, 12, 18):
        return Section(UNBACKED, 0, 0, entry.address, entry.size)
    kind = CODE if entry.flags & 0x80000400 else DATA
    return Section(kind, entry.pos, entry.size, entry.address, entry.size)
