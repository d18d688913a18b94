"""Fields in x86 code: how long instructions are, and the sweep that goes through a block of them (section 9)."""
from dataclasses import dataclass

from bytes_of_file import MASK64, sext
from fields import ABS32, CODE_POINTER, DATA_REFERENCE, REL8, REL32, SIZES, Field
from x86_maps import MAP_0F, MODRM_AND_1, ONE_BYTE, PLAIN_MODRM, VECTOR_MAPS

MAX_LENGTH = 15
PREFIXES = frozenset((0x26, 0x2e, 0x36, 0x3e, 0x64, 0x65, 0x66, 0x67, 0xf0, 0xf2, 0xf3))
FILLERS = {bytes([byte]) * 8 for byte in (0x00, 0x90, 0xcc)}


@dataclass
class Prefixes:
    count: int = 0
    rex: bool = False  # whether a REX prefix counts
    wide: bool = False  # its W
    has66: bool = False
    has67: bool = False
    has_f2: bool = False


def read_prefixes(code, at, mode64):
    """None after too many of them."""
    prefixes = Prefixes()
    while True:
        byte = code[at + prefixes.count]
        is_rex = mode64 and 0x40 <= byte <= 0x4f
        if not is_rex and byte not in PREFIXES:
            return prefixes
        prefixes.rex = is_rex
        prefixes.wide = is_rex and bool(byte & 8)
        prefixes.has66 |= byte == 0x66
        prefixes.has67 |= byte == 0x67
        prefixes.has_f2 |= byte == 0xf2
        prefixes.count += 1
        if prefixes.count == MAX_LENGTH:
            return None


def find_opcode(code, at, mode64, prefixes):
    """(bytes up to and with the opcode, its entry in its map, whether it is a vector instruction)"""
    u = at + prefixes.count
    first, second = code[u], code[u + 1]
    if first in (0xc4, 0xc5, 0x62) and (mode64 or second >= 0xc0) or first == 0x8f and second % 32 >= 8:
        return find_vector_opcode(code, u, first, second, prefixes)
    if first != 0x0f:
        return prefixes.count + 1, ONE_BYTE[mode64][first]
    if second in (0x38, 0x3a):
        return prefixes.count + 3, (PLAIN_MODRM if second == 0x38 else MODRM_AND_1)[code[u + 2]]
    return prefixes.count + 2, MAP_0F[second]


def find_vector_opcode(code, u, first, second, prefixes):
    if prefixes.rex or prefixes.has66 or prefixes.has_f2:
        return 0, None
    form, length, number = {0xc5: ("vex", 3, 1), 0xc4: ("vex", 4, second % 32), 0x62: ("evex", 5, second % 8),
                            0x8f: ("xop", 4, second % 32)}[first]
    table = VECTOR_MAPS[form].get(number)
    return prefixes.count + length, table[code[u + length - 1]] if table else None


def modrm_bytes(code, at, short_addresses):
    """Bytes of ModRM, SIB and displacement together."""
    modrm = code[at]
    mod, rm = modrm >> 6, modrm & 7
    if mod == 3:
        return 1
    if short_addresses:
        return (3 if rm == 6 else 1, 2, 3)[mod]
    has_sib = rm == 4
    displacement = (0, 1, 4)[mod]
    if mod == 0 and (rm == 5 or has_sib and code[at + 1] & 7 == 5):
        displacement = 4
    return 1 + has_sib + displacement


def immediate_bytes(immediate, prefixes, mode64, modrm):
    z = 2 if prefixes.has66 and not prefixes.wide else 4
    if immediate.endswith("?"):
        return 0 if modrm & 0x30 else 1 if immediate == "1?" else z
    if immediate == "a":
        return (4 if prefixes.has67 else 8) if mode64 else (2 if prefixes.has67 else 4)
    return {"z": z, "r": 4 if mode64 else z, "b": 1, "v": 8 if prefixes.wide else z,
            "p": 4 if prefixes.has66 else 6, "q": 2 if prefixes.has66 or prefixes.has_f2 else 0}.get(immediate) or (
                int(immediate) if immediate.isdigit() else 0)


def decode(code, at, mode64):
    """(length, fields) with fields as (offset in the instruction, form, kind, trailing bytes), those of form ABS32 being
    for fixed images only; None if there is no instruction."""
    prefixes = read_prefixes(code, at, mode64)
    if prefixes is None:
        return None
    u, entry = find_opcode(code, at, mode64, prefixes)
    if entry is None:
        return None
    has_modrm, immediate, kind = entry
    modrm = code[at + u] if has_modrm else 0
    modrm_size = 0
    if has_modrm == "one":
        u += 1
    elif has_modrm:
        displacement = u + 1
        modrm_size = modrm_bytes(code, at + u, not mode64 and prefixes.has67)
        u += modrm_size
    trailing = immediate_bytes(immediate, prefixes, mode64, modrm)
    length = u + trailing
    if length > MAX_LENGTH:
        return None
    if immediate == "b":
        return length, [(u, REL8, kind, 0)]
    if immediate == "r":
        return length, [(u, REL32, kind, 0)] if trailing == 4 else []
    fields = []
    if has_modrm is True and mode64 and modrm & 0xc7 == 5:
        fields.append((displacement, REL32, DATA_REFERENCE, trailing))
    elif modrm_size >= 5:
        fields.append((u - 4, ABS32, CODE_POINTER, 0))
    if trailing == 4:
        fields.append((length - 4, ABS32, CODE_POINTER, 0))
    return length, fields


class Sweep:
    """Goes through the blocks of one code section."""

    def __init__(self, data, section, mode64, low, high, fixed):
        self.code = bytes(data[section.pos:section.pos + section.size]) + bytes(32)  # zeros behind the end
        self.section = section
        self.mode64 = mode64
        self.low, self.high = low, high
        self.fixed = fixed  # loaded where it was linked for

    def block(self, begin, end):
        n = self.section.size
        fields = []
        at = max(0, begin - 512)
        stop = min(end, max(at, max(0, n - 32)))
        while at < stop:
            at = self.step(at, stop, begin, end, fields)
        if at < end:
            while at < n:
                at = self.step(at, n, begin, end, fields)
        return fields

    def step(self, at, limit, begin, end, fields):
        code = self.code
        if code[at:at + 8] in FILLERS:
            byte, filler = code[at], code[at:at + 8]
            at += 8
            while at < limit and code[at:at + 8] == filler:
                at += 8
            while at < limit and code[at] == byte:
                at += 1
            return at
        instruction = decode(code, at, self.mode64)
        if instruction is None:
            return at + 1
        length, found = instruction
        for offset, form, kind, trailing in found:
            if form != ABS32 or self.fixed:
                self.add(at + offset, form, kind, trailing, begin, end, fields)
        return at + length

    def add(self, offset, form, kind, trailing, begin, end, fields):
        size = SIZES.get(form, 4)
        if offset < begin or offset + size > end or offset + size + trailing > self.section.size:
            return
        number = int.from_bytes(self.code[offset:offset + size], "little")
        end = self.section.address + offset + size + trailing
        target = number if form == ABS32 else end + sext(number, 8 * size) & MASK64
        if not self.mode64:
            target &= 0xffffffff
        if self.low <= target < self.high:
            fields.append(Field(self.section.pos + offset, form, kind, target, trailing))
