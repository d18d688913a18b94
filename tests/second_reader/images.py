"""Images of programs inside a file: their sections, and what is asked of them (sections 3 and 3.2)."""
from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from bytes_of_file import MASK64, fits

ELF, PE, MACHO, TOY = range(4)
MACHINE_NONE, X86_64, X86_32, ARM64, ARM32, MACHINE_TOY = range(6)
CODE, DATA, UNBACKED = range(3)

MAX_SECTIONS = 4096  # of an image
MAX_ALL_SECTIONS = 266240  # of all images of a patch in OLD, or in NEW
BYTES_PER_IMAGE = 256  # of decoder memory


@dataclass
class Section:
    kind: int
    pos: int
    size: int  # in the file
    address: int
    memory: int  # bytes in memory

    def file_pos(self, address):
        """The file position of an address inside the section, or None if it has no byte in the file."""
        distance = address - self.address
        return self.pos + distance if distance < self.size else None


@dataclass
class Image:
    format: int
    machine: int
    wide: bool
    pos: int
    size: int
    base: int
    sections: list
    about: dict = field(default_factory=dict)  # what the readers of tables need of the headers

    @property
    def word_bytes(self):
        return 8 if self.wide else 4

    @cached_property
    def by_address(self):
        return sorted(self.sections, key=lambda section: section.address)

    @cached_property
    def addresses(self):
        return [section.address for section in self.by_address]

    def section_of(self, address):
        number = bisect_right(self.addresses, address) - 1
        if number < 0:
            return None
        section = self.by_address[number]
        return section if address < section.address + section.memory else None

    def is_mapped(self, address):
        return self.section_of(address) is not None or address != 0 and self.section_of(address - 1) is not None

    def file_pos(self, address):
        section = self.section_of(address & MASK64)
        return section.file_pos(address & MASK64) if section else None

    def address_of(self, pos):
        for section in self.sections:
            if section.pos <= pos < section.pos + section.size:
                return section.address + pos - section.pos
        return None

    @property
    def low(self):
        return self.by_address[0].address

    @property
    def high(self):
        return self.by_address[-1].address + self.by_address[-1].memory


def is_sound(section, begin, image_end):
    if section.memory == 0 or section.address + section.memory > MASK64:
        return False
    if section.kind == UNBACKED:
        return section.size == 0
    return 1 <= section.size <= section.memory and section.pos >= begin and fits(section.pos, section.size, image_end)


def drop_overlaps(sections, start, length):
    """Of two that overlap the one with the lower number stays. `start` and `length` give the stretch of a section."""
    dropped, kept = set(), None
    for number in sorted(range(len(sections)), key=lambda n: (start(sections[n]), n)):
        section = sections[number]
        if length(section) == 0:
            continue
        if kept is not None and start(section) < start(sections[kept]) + length(sections[kept]):
            dropped.add(max(number, kept))
            if number > kept:
                continue
        kept = number
    return [section for number, section in enumerate(sections) if number not in dropped]


def settle(sections, begin, image_end):
    sections = [section for section in sections if is_sound(section, begin, image_end)]
    sections = drop_overlaps(sections, lambda s: s.pos, lambda s: s.size)
    sections = drop_overlaps(sections, lambda s: s.address, lambda s: s.memory)
    backed = sorted((s for s in sections if s.kind != UNBACKED), key=lambda s: s.pos)
    return backed + sorted((s for s in sections if s.kind == UNBACKED), key=lambda s: s.address)
