"""Adding the fields of tables, the steps that bound that, and fixed pointers (sections 7.1, 7.2 and 8.1)."""
from bytes_of_file import MASK64, File, fits, sext
from fields import (ABS32, ABS64, BACK32, CHAINED, FILE_OFFSET24, FILE_OFFSET32, FILE_SPACE, FILE_ULEB21, FILE_ULEB28,
                    OFFSET24, OFFSET32, POINTER, PREL31, RVA32, SIZE32, SIZE64, SIZES, ULEB21, ULEB28, Field,
                    read_number)
from images import DATA

FIRST_STEPS = 4096
ULEBS, FILE_ULEBS = {3: ULEB21, 4: ULEB28}, {3: FILE_ULEB21, 4: FILE_ULEB28}  # bytes -> form


class TableReader:
    """Collects the fields of one image's tables, in the order in which they are added."""

    def __init__(self, file: File, image):
        self.file = file
        self.image = image
        self.fields = []
        self.steps_left = image.size // 2 + FIRST_STEPS

    def step(self):
        if self.steps_left == 0:
            return False
        self.steps_left -= 1
        return True

    def steps(self, numbers):
        """The numbers, as long as there are steps; none is taken where there is no number."""
        for number in numbers:
            if not self.step():
                return
            yield number

    def word(self, pos):
        return self.file.u64(pos) if self.image.wide else self.file.u32(pos)

    def has_bytes(self, pos, count):
        return pos >= 0 and fits(pos, count, self.file.size)

    def pos_of_rva(self, rva):
        return self.image.file_pos(self.image.base + rva) if rva else None

    def pos_of_address(self, address):
        """File position of an address other than 0."""
        return self.image.file_pos(address) if address else None

    def add(self, pos, form, kind, target, base_pos=None, trailing=0):
        image, size = self.image, SIZES.get(form, 4)
        target &= MASK64
        if not self._in_image(pos, size):
            return
        if target == 0 or not image.is_mapped(target) or not image.wide and target >> 32:
            return
        self.fields.append(Field(pos, form, kind, target, trailing, base_pos))

    def abs32(self, pos, kind):
        self.add(pos, ABS32, kind, self.file.u32(pos))

    def abs64(self, pos, kind):
        self.add(pos, ABS64, kind, self.file.u64(pos))

    def abs(self, pos, kind):
        (self.abs64 if self.image.wide else self.abs32)(pos, kind)

    def rva32(self, pos, kind):
        if self.file.u32(pos):
            self.add(pos, RVA32, kind, self.image.base + self.file.u32(pos))

    def _is_base(self, pos, base_pos, address):
        return near(pos, base_pos) and self.image.address_of(base_pos) == address

    def offset32(self, pos, base_pos, address, kind):
        if self._is_base(pos, base_pos, address):
            self.add(pos, OFFSET32, kind, address + sext(self.file.u32(pos), 32), base_pos)

    def offset24(self, pos, base_pos, address, kind):
        if self._is_base(pos, base_pos, address):
            self.add(pos, OFFSET24, kind, address + (self.file.u32(pos) & 0xffffff), base_pos)

    def _in_image(self, pos, count):
        image = self.image
        return image.pos <= pos and pos + count <= image.pos + image.size and self.has_bytes(pos, count)

    def entry32(self, pos, table, entry_bytes, kind):
        """An entry of a table (file position, bytes) by its number; 0 is none."""
        self._entry(pos, FILE_OFFSET32, table, self.file.u32(pos) * entry_bytes, entry_bytes, kind)

    def entry24(self, pos, table, entry_bytes, kind):
        """As entry32, by a number in the upper three of four bytes."""
        self._entry(pos, FILE_OFFSET24, table, (self.file.u32(pos) >> 8) * entry_bytes, entry_bytes, kind)

    def uleb_entry(self, pos, count, table, kind):
        """A byte of a table (file position, bytes) by its offset, a uleb of `count` bytes; 0 is none."""
        if count in FILE_ULEBS:
            self._entry(pos, FILE_ULEBS[count], table, self._uleb(pos, count), 1, kind)

    def _entry(self, pos, form, table, offset, entry_bytes, kind):
        table_pos, table_bytes = table
        if offset == 0 or offset >= table_bytes or not near(pos, table_pos):
            return
        if self._in_image(pos, SIZES.get(form, 4)) and self._in_image(table_pos, table_bytes):
            self.fields.append(Field(pos, form, kind, FILE_SPACE + table_pos + offset, entry_bytes, table_pos))

    def _uleb(self, pos, count):
        return read_number(ULEBS[count], 0, self.file.number(pos, count))

    def uleb_rva(self, pos, count, kind):
        if count in ULEBS:
            self.add(pos, ULEBS[count], kind, self.image.base + self._uleb(pos, count))

    def self32(self, pos, kind):
        own = self.image.address_of(pos)
        if own is not None and self.file.u32(pos):
            self.add(pos, OFFSET32, kind, own + sext(self.file.u32(pos), 32), pos)

    def self64(self, pos, kind):
        """Of a number of 8 bytes only the lower 4 are a field: the upper ones are but its sign."""
        if self._in_image(pos, 8) and self.file.u64(pos) == sext(self.file.u32(pos), 32):
            self.self32(pos, kind)

    def prel31(self, pos, kind):
        own = self.image.address_of(pos)
        if own is not None:
            self.add(pos, PREL31, kind, own + sext(self.file.u32(pos), 31))

    def back32(self, pos, kind):
        own = self.image.address_of(pos)
        if own is not None:
            self.add(pos, BACK32, kind, own - self.file.u32(pos))

    def _size(self, pos, form, number, start, kind):
        base_pos = self.image.file_pos(start)
        if number and start + number <= MASK64 and base_pos is not None and near(pos, base_pos):
            self.add(pos, form, kind, start + number, base_pos)

    def size32(self, pos, start, kind):
        self._size(pos, SIZE32, self.file.u32(pos), start, kind)

    def size64(self, pos, start, kind):
        self._size(pos, SIZE64, self.file.u64(pos), start, kind)

    def size(self, pos, start, kind):
        (self.size64 if self.image.wide else self.size32)(pos, start, kind)

    def chained(self, pos, bits, from_base, kind):
        number = self.file.u64(pos) & ((1 << bits) - 1)
        if number:
            target = number + (self.image.base if from_base else 0)
            self.add(pos, CHAINED, kind, target, trailing=bits + 128 * from_base)


def near(pos, base_pos):
    return -(1 << 31) <= pos - base_pos < 1 << 31


def read_fixed_pointers(reader):
    image = reader.image
    w, low, high = image.word_bytes, image.low, image.high
    for section in image.sections:
        if section.kind != DATA:
            continue
        for pos in range(section.pos + -section.address % w, section.pos + section.size - w + 1, w):
            if low <= reader.word(pos) < high:
                reader.abs(pos, POINTER)
