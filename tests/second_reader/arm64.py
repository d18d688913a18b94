"""Fields in arm64 code (section 10)."""
from bytes_of_file import MASK64
from fields import (ADR, BRANCH, BRANCH14, BRANCH19, BRANCH26, CALL, DATA_REFERENCE, JUMP, LOW12, LOW12_SCALED, PAGE,
                    PAGE_OFFSET, PAGE_REFERENCE, SHORT_BRANCH, Field, read_number)

ROW_WORDS = 16
ADRP, ADD, ACCESS, ACCESS16 = "adrp", "add", "access", "access of 16 bytes"
# (bits looked at, their value, form, kind): fields that stand alone.
ALONE = ((0xfc000000, 0x14000000, BRANCH26, JUMP), (0xfc000000, 0x94000000, BRANCH26, CALL),
         (0xff000000, 0x54000000, BRANCH19, BRANCH), (0x7e000000, 0x34000000, BRANCH19, BRANCH),
         (0x7e000000, 0x36000000, BRANCH14, SHORT_BRANCH), (0x3b000000, 0x18000000, BRANCH19, DATA_REFERENCE),
         (0x9f000000, 0x10000000, ADR, DATA_REFERENCE))


def alone(w):
    """(form, kind), or None."""
    for mask, value, form, kind in ALONE:
        if w & mask == value:
            return None if mask == 0x3b000000 and w & 0xc4000000 == 0xc4000000 else (form, kind)
    return None


def part_of_pair(w):
    if w & 0x9f000000 == 0x90000000:
        return ADRP
    if w & 0xffc00000 == 0x91000000:
        return ADD
    if w & 0x3b000000 == 0x39000000 and w & 0x04800000 != 0x04800000:
        return ACCESS
    if w & 0xff800000 == 0x3d800000:
        return ACCESS16
    return None


def writes_rd(w):
    if w & 0x1c000000 == 0x10000000:
        return True
    if w & 0x0e000000 == 0x0a000000:
        return w & 0x1fe00000 != 0x1a400000
    if w & 1 << 25 or not w & 1 << 27:
        return False
    if w & 1 << 26:
        return False
    if w & 0x38000000 == 0x38000000:
        return bool(w & 3 << 22)
    if w & 0x39000000 == 0x18000000:
        return True
    return bool(w & 1 << 22)


class Search:
    """Looks for fields in the blocks of one code section."""

    def __init__(self, file, section, low, high):
        self.file = file
        self.section = section
        self.low, self.high = low, high
        self.word_count = section.size // 4

    def word(self, i):
        return self.file.u32(self.section.pos + 4 * i)

    def own(self, i):
        return self.section.address + 4 * i

    def block(self, begin, end):
        first, last = begin // 4, end // 4
        fields = []
        for i in range(first, last):
            found = alone(self.word(i))
            if found:
                self.add_alone(i, *found, fields)
        pairs = self.find_pairs(max(0, first - ROW_WORDS), min(self.word_count, last + ROW_WORDS))
        self.add_pairs(pairs, first, last, fields)
        return sorted(fields, key=lambda field: field.pos)

    def add_alone(self, i, form, kind, fields):
        number = read_number(form, 0, self.word(i))
        target = self.own(i) + (number if form == ADR else 4 * number) & MASK64
        if self.low <= target < self.high:
            fields.append(Field(self.section.pos + 4 * i, form, kind, target))

    def find_pairs(self, begin, end):
        """{word of an ADRP: the words, in order, whose first part it is}."""
        pairs, last_adrp = {}, {}
        older, newer = set(), set()
        for i in range(begin, end):
            if (i - begin) % ROW_WORDS == 0:
                older, newer = newer, set()
            w = self.word(i)
            part, rd, rn = part_of_pair(w), w & 31, w >> 5 & 31
            if part in (ADD, ACCESS, ACCESS16) and (rn in older or rn in newer):
                pairs[last_adrp[rn]].append((i, part))
            if writes_rd(w):
                older.discard(rd)
                newer.discard(rd)
            if part == ADRP:
                newer.add(rd)
                last_adrp[rd] = i
                pairs[i] = []
        return pairs

    def add_pairs(self, pairs, first, last, fields):
        for adrp, seconds in pairs.items():
            number = read_number(PAGE, 0, self.word(adrp))
            page = ((self.own(adrp) & ~4095) + 4096 * number) & MASK64
            target_of_adrp = None
            for i, part in seconds:
                form, shift, target = self.second_target(i, part, page)
                if not self.low <= target < self.high or target - page & MASK64 > 4095:
                    continue
                if target_of_adrp is None:
                    target_of_adrp = target
                if first <= i < last:
                    fields.append(Field(self.section.pos + 4 * i, form, PAGE_OFFSET, target, shift))
            if first <= adrp < last and page < self.high and (page + 4095) & MASK64 >= self.low:
                target = page if target_of_adrp is None else target_of_adrp
                fields.append(Field(self.section.pos + 4 * adrp, PAGE, PAGE_REFERENCE, target))

    def second_target(self, i, part, page):
        w = self.word(i)
        form, shift = (LOW12, 0) if part == ADD else (LOW12_SCALED, 4 if part == ACCESS16 else w >> 30)
        return form, shift, page + ((w >> 10 & 4095) << shift) & MASK64
