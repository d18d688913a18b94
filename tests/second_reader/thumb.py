"""Fields in Thumb code, whose instructions are one halfword or two (section 11.3)."""
import arm32
from arm32 import AROUND, MASK32, REACH
from fields import (ABS32, BRANCH, CALL, CODE_POINTER, DATA_REFERENCE, JUMP, OFFSET32, THUMB_BRANCH, THUMB_CONDITION,
                    Field, read_number, thumb_origin)

FIRST_LONG = 0xe800  # the least halfword that is the first one of two
LOAD = 0xf8df
# bits of the second halfword -> (form, t, kind)
BRANCHES = {0xd000: (THUMB_BRANCH, 0, CALL), 0xc000: (THUMB_BRANCH, 1, CALL), 0x9000: (THUMB_BRANCH, 0, JUMP),
            0x8000: (THUMB_CONDITION, 0, BRANCH)}
NO_CONDITIONS = (14, 15)


class Search(arm32.Search):
    def block(self, begin, end):
        return Walk(self, begin, end).fields()


class Walk:
    """Goes once through what is read for a block."""

    def __init__(self, search, begin, end):
        self.file = search.file
        self.section = search.section
        self.low, self.high = search.low, search.high
        self.fixed = search.fixed
        self.begin, self.end = begin, end
        self.literals, self.loads = {}, {}  # {literal: what it counts from, or None}, {register: (position, literal)}
        self.found = []

    def fields(self):
        p = max(0, self.begin - AROUND)
        while p + 2 <= self.end:
            f = self.halfword(p)
            if p in self.literals:
                self.literal(p)
                p += 4
            elif f < FIRST_LONG or p + 2 in self.literals:
                self.short(p, f)
                p += 2
            elif p + 4 > self.section.size:
                break
            else:
                self.long(p, f, self.halfword(p + 2))
                p += 4
        return self.found

    def halfword(self, p):
        return self.file.u16(self.section.pos + p)

    def short(self, p, f):
        if f & 0xff78 == 0x4478:
            self.use(p, (f >> 4 & 8) + (f & 7))
        elif f & 0xf800 == 0x4800:
            self.load(p, f >> 8 & 7, 4 * (f & 255))

    def long(self, p, f, g):
        if f == LOAD:
            self.load(p, g >> 12, g & 4095)
        elif self.begin <= p and p + 4 <= self.end and f & 0xf800 == 0xf000:
            self.branch(p, f, g)

    def use(self, p, register):
        load, literal = self.loads.get(register, (None, None))
        if load is not None and p - load < REACH:
            del self.loads[register]
            if self.literals[literal] is None:
                self.literals[literal] = p + 4

    def load(self, p, register, distance):
        self.loads.pop(register, None)
        literal = (p + 4 & ~3) + distance
        if literal % 4 == 0 and self.begin <= literal and literal + 4 <= self.end:
            self.literals.setdefault(literal)
            self.loads[register] = p, literal

    def literal(self, p):
        w, origin = self.file.u32(self.section.pos + p), self.literals[p]
        if origin is not None:
            self.add(p, OFFSET32, DATA_REFERENCE, self.section.address + origin + w, base_pos=self.section.pos + origin)
        elif self.fixed:
            self.add(p, ABS32, CODE_POINTER, w)

    def branch(self, p, f, g):
        form, t, kind = BRANCHES.get(g & 0xd000, (None, 0, None))
        if form is None or t and g & 1 or form == THUMB_CONDITION and f >> 6 & 15 in NO_CONDITIONS:
            return
        origin = thumb_origin(form, t, self.section.address + p)
        self.add(p, form, kind, origin + 2 * read_number(form, t, f | g << 16), trailing=t)

    def add(self, p, form, kind, target, trailing=0, base_pos=None):
        target &= MASK32
        if self.low <= target < self.high:
            self.found.append(Field(self.section.pos + p, form, kind, target, trailing, base_pos))
