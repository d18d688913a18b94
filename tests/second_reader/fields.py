"""Fields: stretches of OLD that hold an address, and how an address is written into one (section 6)."""
from dataclasses import dataclass

from bytes_of_file import MASK64, sext

(REL8, REL32, ABS32, ABS64, RVA32, OFFSET32, BRANCH26, BRANCH19, BRANCH14, ADR, PAGE, LOW12, LOW12_SCALED, SIZE32,
 SIZE64, CHAINED, BACK32, OFFSET24, FILE_OFFSET32, ARM32_BRANCH, PREL31, ULEB21, ULEB28, FILE_ULEB21,
 FILE_ULEB28, THUMB_BRANCH, THUMB_CONDITION, FILE_OFFSET24) = range(28)
FILE_SPACE = 1 << 63  # where file positions stand among addresses

SIZES = {REL8: 1, ABS64: 8, SIZE64: 8, CHAINED: 8, ULEB21: 3, FILE_ULEB21: 3}  # all others have 4 bytes
SIGNED = {REL8, REL32, OFFSET32, BRANCH26, BRANCH19, BRANCH14, ADR, PAGE, ARM32_BRANCH, PREL31, THUMB_BRANCH,
          THUMB_CONDITION}
FILE_FORMS = {FILE_OFFSET32, FILE_ULEB21, FILE_ULEB28, FILE_OFFSET24}  # they lead to a byte of the file
WITH_BASE_BYTE = {OFFSET32, SIZE32, SIZE64, OFFSET24} | FILE_FORMS
SEVENS = tuple((low, 7) for low in (0, 8, 16, 24))
# form -> stretches of bits (lowest bit, count), the lowest bits of the number first; others fill their bytes.
BITS = {BRANCH26: ((0, 26),), BRANCH19: ((5, 19),), BRANCH14: ((5, 14),), ADR: ((29, 2), (5, 19)),
        PAGE: ((29, 2), (5, 19)), LOW12: ((10, 12),), LOW12_SCALED: ((10, 12),), OFFSET24: ((0, 24),),
        ARM32_BRANCH: ((0, 24),), PREL31: ((0, 31),), ULEB21: SEVENS[:3], FILE_ULEB21: SEVENS[:3], ULEB28: SEVENS,
        FILE_ULEB28: SEVENS, THUMB_BRANCH: ((16, 11), (0, 10), (27, 1), (29, 1), (10, 1)),
        THUMB_CONDITION: ((16, 11), (0, 6), (29, 1), (27, 1), (10, 1)), FILE_OFFSET24: ((8, 24),)}
THUMB_SIGN, THUMB_TURNED = 1 << 10, 1 << 27 | 1 << 29  # of a thumb branch: the others mean their opposites without it

(CALL, JUMP, BRANCH, SHORT_BRANCH, DATA_REFERENCE, PAGE_REFERENCE, PAGE_OFFSET, JUMP_TABLE, POINTER, RELOCATION_OFFSET,
 RELOCATION_ADDEND, SYMBOL_VALUE, SYMBOL_SIZE, DYNAMIC_TABLE, UNWIND_HEADER, UNWIND_START, UNWIND_SIZE, EXCEPTION_TABLE,
 PE_FUNCTION, IMPORT_EXPORT, FUNCTION_START, GO_TABLE, HEADER, OTHER, UNWIND_ENTRY, CODE_POINTER, SYMBOL_NAME,
 SYMBOL_INDEX, DEBUG_ADDRESS) = range(29)
KNOWN_KINDS = (1 << 29) - 1


@dataclass
class Field:
    pos: int
    form: int
    kind: int
    target: int  # the address that it holds
    trailing: int = 0
    base_pos: int = None  # of the base byte in OLD; forms WITH_BASE_BYTE
    image: int = 0

    @property
    def size(self):
        return SIZES.get(self.form, 4)

    @property
    def end(self):
        return self.pos + self.size


def stretches(form, trailing):
    if form == CHAINED:
        return ((0, trailing % 128),)
    return BITS.get(form) or ((0, 8 * SIZES.get(form, 4)),)


def turned_round(form, value):
    """From the bits of a field to those that its number is made of, and back."""
    return value ^ THUMB_TURNED if form == THUMB_BRANCH and not value & THUMB_SIGN else value


def read_number(form, trailing, value):
    """The number in the bits of a field, sign-extended to 64 bits where the form is signed."""
    value = turned_round(form, value)
    number = shift = 0
    for low, count in stretches(form, trailing):
        number |= (value >> low & ((1 << count) - 1)) << shift
        shift += count
    return sext(number, shift) if form in SIGNED else number


def thumb_origin(form, trailing, own):
    """The address that a branch of Thumb counts from; one to code of words counts from a word."""
    return own + 4 & (~3 if form == THUMB_BRANCH and trailing else ~0) & MASK64


def number_for(field, address, own, base, wide):
    """The number that stands for an address, modulo 2^64; None where it has none."""
    form, t = field.form, field.trailing
    distance = (address - own) & MASK64
    if form == REL8:
        return distance - 1 - t & MASK64
    if form == REL32:
        return distance - 4 - t & MASK64
    if form in (ABS32, ABS64):
        return address
    if form in (RVA32, OFFSET32, SIZE32, SIZE64, OFFSET24, ULEB21, ULEB28):
        return address - base & MASK64
    if form in (BRANCH26, BRANCH19, BRANCH14):
        return None if distance & 3 else sext(distance >> 2, 62)
    if form == ARM32_BRANCH:
        from_reader = sext(distance - 8, 64 if wide else 32)
        return None if distance & 3 else sext(from_reader >> 2, 62)
    if form in (THUMB_BRANCH, THUMB_CONDITION):
        distance = sext(address - thumb_origin(form, t, own), 64 if wide else 32)
        return None if distance & (3 if t else 1) else sext(distance >> 1, 63)
    if form in (ADR, PREL31):
        return distance
    if form == PAGE:
        return sext((address >> 12) - (own >> 12), 52)
    if form == LOW12:
        return address & 4095
    if form == LOW12_SCALED:
        return None if address & ((1 << t) - 1) else (address & 4095) >> t
    if form == CHAINED:
        return address - (base if t >= 128 else 0) & MASK64
    if form in FILE_FORMS:
        distance = address - base & MASK64
        return None if distance % t else distance // t
    return own - address & MASK64


def write_address(field, value, address, own, base, wide):
    """The field's bytes as an integer with `address` in them; `value` as it is where that is refused."""
    if not wide and address >> 32:
        return value
    number = number_for(field, address, own, base, wide)
    if number is None:
        return value
    signed = field.form in SIGNED
    if not wide:
        number = sext(number, 32) if signed else number & 0xffffffff
    parts = stretches(field.form, field.trailing)
    bits = sum(count for _, count in parts)
    if (sext(number, bits) != number) if signed else number >> bits:
        return value
    for low, count in parts:
        mask = (1 << count) - 1
        value = value & ~(mask << low) | (number & mask) << low
        number >>= count
    return turned_round(field.form, value)
