"""Toy images: programs as text, for tests (section 3.3)."""
import re

from images import CODE, DATA, MACHINE_TOY, MAX_SECTIONS, TOY, UNBACKED, Image, Section, settle

MAGIC = b"~t"
FIRST_LINE = b"~toy-image\n"
LINE = re.compile(rb"(code|data|unbacked) ([0-9A-Fa-f]+) ([0-9A-Fa-f]+) ?")
KINDS = {b"code": CODE, b"data": DATA, b"unbacked": UNBACKED}


def detect(file, pos):
    return file.starts(pos, FIRST_LINE)


def parse(file, start):
    sections, pos = [], start + len(FIRST_LINE)
    while True:
        end = file.data.find(b"\n", pos, pos + 64)
        if end < 0:
            return None
        line, pos = file.data[pos:end], end + 1
        if line == b"end":
            break
        match = LINE.fullmatch(line)
        if not match or len(sections) == MAX_SECTIONS:
            return None
        address, size = int(match[2], 16), int(match[3], 16)
        if address >> 64 or size >> 64:
            return None
        sections.append(Section(KINDS[match[1]], 0, 0, address, size))
    for section in sections:
        if section.kind != UNBACKED:
            section.pos, section.size = pos, section.memory
            pos += section.size
    settled = settle(sections, start, pos)
    if not sections or pos > file.size or len(settled) != len(sections):
        return None
    return Image(TOY, MACHINE_TOY, True, start, pos - start, 0, settled)
