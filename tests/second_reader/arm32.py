"""Fields in 32-bit ARM code of words (section 11.2)."""
from bytes_of_file import sext
from fields import ABS32, ARM32_BRANCH, BRANCH, CALL, CODE_POINTER, DATA_REFERENCE, JUMP, OFFSET32, Field

MASK32 = (1 << 32) - 1
AROUND = 4224  # bytes that are read before and behind a block
REACH = 128  # bytes from a load to a use, at most one word less
ALWAYS, NEVER = 14, 15  # conditions


class Search:
    """Looks for fields in the blocks of one code section. Positions are those in the section."""

    def __init__(self, file, section, low, high, fixed):
        self.file = file
        self.section = section
        self.low, self.high = low, high
        self.fixed = fixed

    def word(self, p):
        return self.file.u32(self.section.pos + p)

    def block(self, begin, end):
        literals = self.find_literals(begin, end)
        fields = []
        for p in range(begin, end - 3, 4):
            w = self.word(p)
            if p in literals:
                found = self.literal(w, literals[p])
            elif w & 0x0e000000 == 0x0a000000:
                found = self.branch(p, w)
            else:
                continue
            if found and self.low <= found[2] < self.high:
                form, kind, target, origin = found
                base_pos = None if origin is None else self.section.pos + origin
                fields.append(Field(self.section.pos + p, form, kind, target, base_pos=base_pos))
        return fields

    def find_literals(self, begin, end):
        """{literal: what it counts from, or None}."""
        literals, loads = {}, {}  # loads: register -> (position of the load, literal)
        for p in range(max(0, begin - AROUND), min(self.section.size, end + AROUND) - 3, 4):
            w = self.word(p)
            if w >> 28 == NEVER:
                continue
            if w & 0x0fff0ff0 in (0x008f0000, 0x079f0000):
                load, literal = loads.get(w & 15, (None, None))
                if load is not None and p - load < REACH:
                    del loads[w & 15]
                    if literals[literal] is None and p + 8 < self.section.size:
                        literals[literal] = p + 8
            elif w & 0x0f7f0000 == 0x051f0000:
                register, distance = w >> 12 & 15, w & 4095
                loads.pop(register, None)
                literal = p + 8 + (distance if w >> 23 & 1 else -distance)
                if distance % 4 == 0 and begin <= literal and literal + 4 <= end:
                    literals.setdefault(literal)
                    loads[register] = p, literal
        return literals

    def literal(self, w, origin):
        """(form, kind, target, position of the base) or None."""
        if origin is not None:
            return OFFSET32, DATA_REFERENCE, self.section.address + origin + w & MASK32, origin
        return (ABS32, CODE_POINTER, w, None) if self.fixed else None

    def branch(self, p, w):
        target = self.section.address + p + 8 + 4 * sext(w, 24) & MASK32
        condition = w >> 28
        if w >> 24 & 1 or condition == NEVER:
            kind = CALL
        else:
            kind = JUMP if condition == ALWAYS else BRANCH
        return ARM32_BRANCH, kind, target, None
