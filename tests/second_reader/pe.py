"""PE images: headers, sections, extent (section 3.5)."""
from bytes_of_file import MASK64, fits
from images import (ARM32, ARM64, CODE, DATA, MACHINE_NONE, MAX_SECTIONS, PE, UNBACKED, X86_32, X86_64, Image, Section,
                    settle)

MAGIC = b"MZ"
MACHINES = {0x8664: X86_64, 0x14c: X86_32, 0xaa64: ARM64, 0x1c4: ARM32}
SECTION_BYTES = 40
CERTIFICATES = 4  # the directory whose RVA is an offset in the file


def detect(file, pos):
    if not fits(pos, 64, file.size):
        return False
    s = pos + file.u32(pos + 60)
    return s >= pos + 4 and file.u32(s) == 0x4550


def parse(file, pos):
    s = pos + file.u32(pos + 60)
    count, b, o = file.u16(s + 6), file.u16(s + 20), s + 24
    magic = file.u16(o)
    if magic not in (0x20b, 0x10b):
        return None
    wide = magic == 0x20b
    base = file.u64(o + 24) if wide else file.u32(o + 28)
    d = 112 if wide else 96
    table = o + b
    if (b < d or count > MAX_SECTIONS or not fits(table, count * SECTION_BYTES, file.size)
            or base > MASK64 - (1 << 33)):
        return None
    directories = [(0, 0)] * 16
    for i in range(min(file.u32(o + d - 4), (b - d) // 8, 16)):
        directories[i] = (file.u32(o + d + 8 * i), file.u32(o + d + 8 * i + 4))
    header_bytes = table + count * SECTION_BYTES - pos
    entries = range(table, table + count * SECTION_BYTES, SECTION_BYTES)
    pieces = [(file.u32(e + 20), file.u32(e + 16)) for e in entries] + [directories[CERTIFICATES]]
    ends = [pos + offset + length for offset, length in pieces if offset and fits(pos + offset, length, file.size)]
    end = max([header_bytes + pos] + ends)
    sections = settle([read_section(file, pos, base, e) for e in entries], pos, end)
    # Whether the list is empty is asked before the header joins it.
    if not sections:
        return None
    sections = settle(sections + [Section(DATA, pos, header_bytes, base, header_bytes)], pos, end)
    machine = MACHINES.get(file.u16(s + 4), MACHINE_NONE)
    return Image(PE, machine, wide, pos, end - pos, base, sections,
                 {"optional": o, "directories": directories, "entries": entries})


def read_section(file, pos, base, e):
    memory = file.u32(e + 8) or file.u32(e + 16)
    size = min(file.u32(e + 16), memory) if file.u32(e + 20) else 0
    if size == 0:
        return Section(UNBACKED, 0, 0, base + file.u32(e + 12), memory)
    kind = CODE if file.u32(e + 36) & 0x20000020 else DATA
    return Section(kind, pos + file.u32(e + 20), size, base + file.u32(e + 12), memory)
