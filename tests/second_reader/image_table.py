"""The images of NEW, as the patch tells them by the images of OLD (section 4.3)."""
from bytes_of_file import MASK64
from cursor import Cursor, require, unzigzag
from images import DATA, ELF, MACHINE_NONE, MAX_ALL_SECTIONS, MAX_SECTIONS, UNBACKED, Image, Section, settle

NO_COUNTERPART = Image(ELF, MACHINE_NONE, True, 0, 0, 0, [])


class Table:
    """The bytes of the table, and how far the images told so far reach."""

    def __init__(self, data, old_images, target_bytes):
        self.cursor = Cursor(data, what="the table of images")
        self.old_images = old_images
        self.target_bytes = target_bytes
        self.next = 0  # number of the counterpart expected
        self.end = 0  # of the image before

    def number(self, expected):
        return (expected + self.cursor.zigzag()) & MASK64

    def read(self):
        count = self.number(len(self.old_images))
        images = [self.read_image() for _ in range(count)]
        self.cursor.finish()
        require(sum(len(image.sections) for image in images) <= MAX_ALL_SECTIONS, "the images of NEW have too many sections")
        return images

    def read_image(self):
        head = self.cursor.varint()
        counterpart_number = self.counterpart_number(head >> 2)
        counterpart, expected_pos = NO_COUNTERPART, self.end
        if counterpart_number < len(self.old_images):
            counterpart = self.old_images[counterpart_number]
            before = self.old_images[counterpart_number - 1] if counterpart_number else NO_COUNTERPART
            expected_pos = (self.end + counterpart.pos - (before.pos + before.size)) & MASK64
        pos = self.number(expected_pos) if head & 1 else expected_pos
        image = self.read_changed(counterpart, pos) if head & 2 else move_image(counterpart, pos)
        self.check(image)
        self.next = self.next + 1 if head >> 2 == 0 else counterpart_number + 1
        self.end = image.pos + image.size
        return image

    def counterpart_number(self, name):
        if name == 0:
            return self.next
        if name == 1:
            return len(self.old_images)
        require(name - 2 < len(self.old_images), f"OLD has no image {name - 2} to be a counterpart")
        return name - 2

    def read_changed(self, counterpart, pos):
        shape = self.number(counterpart.format + 4 * counterpart.machine + 32 * counterpart.wide)
        machine = shape >> 2 & 7
        require(shape < 64 and machine <= 5, f"shape {shape} of an image is not known")
        size = self.number(counterpart.size)
        base = self.number(counterpart.base)
        count = self.number(len(counterpart.sections))
        require(count <= MAX_SECTIONS, f"an image of {count} sections; {MAX_SECTIONS} at most")
        sections = Sections(self, counterpart, pos)
        return Image(shape & 3, machine, shape >= 32, pos, size, base, [sections.read() for _ in range(count)])

    def check(self, image):
        require(self.end <= image.pos and image.pos + image.size <= self.target_bytes,
                f"an image of NEW at {image.pos} of {image.size} bytes overlaps or reaches out of NEW")
        require(settle(image.sections, image.pos, image.pos + image.size) == image.sections,
                "the sections of an image of NEW are not settled")


class Sections:
    """Reads the sections of one image one after the other."""

    def __init__(self, table, counterpart, pos):
        self.table = table
        self.counterpart = counterpart
        self.expected = 0
        self.at, self.counterpart_at = pos, counterpart.pos
        self.address_at = self.counterpart_address_at = 0

    def read(self):
        head = self.table.cursor.varint()
        number = (self.expected + unzigzag(head >> 1)) & MASK64
        known = number < len(self.counterpart.sections)
        m = self.counterpart.sections[number] if known else Section(DATA, 0, 0, 0, 0)
        kind = self.table.cursor.byte() if head & 1 else m.kind
        require(kind <= UNBACKED, f"kind {kind} of a section is not known")
        size = self.table.number(m.size)
        pos = self.table.number(m.pos if m.kind == UNBACKED else self.at + m.pos - self.counterpart_at)
        if m.kind == UNBACKED:
            address = self.table.number(self.address_at + m.address - self.counterpart_address_at)
        else:
            address = self.table.number(pos + m.address - m.pos)
        memory = self.table.number(size + m.memory - m.size)
        self.expected = number + 1
        self.address_at, self.counterpart_address_at = address + memory, m.address + m.memory
        if kind != UNBACKED and m.kind != UNBACKED:
            self.at, self.counterpart_at = pos + size, m.pos + m.size
        return Section(kind, pos, size, address, memory)


def move_image(counterpart, pos):
    sections = [Section(s.kind, s.pos if s.kind == UNBACKED else (s.pos + pos - counterpart.pos) & MASK64, s.size, s.address,
                        s.memory) for s in counterpart.sections]
    return Image(counterpart.format, counterpart.machine, counterpart.wide, pos, counterpart.size, counterpart.base, sections)
