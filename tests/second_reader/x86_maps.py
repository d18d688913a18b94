"""What follows the opcodes of x86 (section 9.2): whether a ModRM byte does, and the class of the immediate.

An entry is None for an invalid opcode, else (ModRM, class, kind of a relative immediate). ModRM is False, True, or
"one" for a single byte whatever it holds.
"""
from fields import BRANCH, CALL, JUMP, SHORT_BRANCH

NOTHING = (False, "0", None)


def fill(table, opcodes, entry):
    for opcode in opcodes:
        table[opcode] = entry


def make_one_byte_map(mode64):
    table = [NOTHING] * 256
    for x in range(0x00, 0x40, 8):
        fill(table, range(x, x + 4), (True, "0", None))
        table[x + 4] = (False, "1", None)
        table[x + 5] = (False, "z", None)
    fill(table, (0x62, 0x63, *range(0x84, 0x90), 0xc4, 0xc5, *range(0xd0, 0xd4), *range(0xd8, 0xe0), 0xfe, 0xff),
         (True, "0", None))
    fill(table, (0x6b, 0x80, 0x82, 0x83, 0xc0, 0xc1, 0xc6), (True, "1", None))
    fill(table, (0x69, 0x81, 0xc7), (True, "z", None))
    fill(table, (0x6a, 0xa8, *range(0xb0, 0xb8), 0xcd, 0xd4, 0xd5, *range(0xe4, 0xe8)), (False, "1", None))
    fill(table, (0x68, 0xa9), (False, "z", None))
    fill(table, (*range(0x70, 0x80), *range(0xe0, 0xe4), 0xeb), (False, "b", SHORT_BRANCH))
    fill(table, (0x9a, 0xea), (False, "p", None))
    fill(table, range(0xa0, 0xa4), (False, "a", None))
    fill(table, range(0xb8, 0xc0), (False, "v", None))
    fill(table, (0xc2, 0xca), (False, "2", None))
    table[0xc8] = (False, "3", None)
    table[0xe8] = (False, "r", CALL)
    table[0xe9] = (False, "r", JUMP)
    table[0xf6] = (True, "1?", None)
    table[0xf7] = (True, "z?", None)
    if mode64:
        fill(table, (0x06, 0x07, 0x0e, 0x16, 0x17, 0x1e, 0x1f, 0x27, 0x2f, 0x37, 0x3f, 0x60, 0x61, 0x62, 0x82, 0x9a,
                     0xc4, 0xc5, 0xce, 0xd4, 0xd5, 0xd6, 0xea), None)
    return table


INVALID_0F = (0x04, 0x0a, 0x0c, *range(0x24, 0x28), 0x36, 0x39, *range(0x3b, 0x40), 0x7a, 0x7b)


def make_map_0f():
    table = [(True, "0", None)] * 256
    fill(table, INVALID_0F, None)
    fill(table, (*range(0x05, 0x0a), 0x0b, 0x0e, *range(0x30, 0x36), 0x37, 0x77, *range(0xa0, 0xa3), *range(0xa8, 0xab),
                 *range(0xc8, 0xd0)), NOTHING)
    fill(table, range(0x20, 0x24), ("one", "0", None))
    fill(table, (0x0f, *range(0x70, 0x74), 0xa4, 0xac, 0xba, 0xc2, *range(0xc4, 0xc7)), (True, "1", None))
    table[0x78] = (True, "q", None)
    fill(table, range(0x80, 0x90), (False, "r", BRANCH))
    return table


def make_vector_map_1(evex):
    table = make_map_0f()
    fill(table, (*INVALID_0F, *range(0x20, 0x24), 0x38, 0x3a, 0x78, *range(0x80, 0x90)), (True, "0", None))
    if evex:
        table[0x77] = (True, "0", None)
    return table


ONE_BYTE = {True: make_one_byte_map(True), False: make_one_byte_map(False)}
MAP_0F = make_map_0f()
PLAIN_MODRM = [(True, "0", None)] * 256  # map 0F38 among others
MODRM_AND_1 = [(True, "1", None)] * 256
MODRM_AND_4 = [(True, "4", None)] * 256

VECTOR_MAPS = {
    "vex": {1: make_vector_map_1(False), 2: PLAIN_MODRM, 3: MODRM_AND_1},
    "evex": {1: make_vector_map_1(True), 2: PLAIN_MODRM, 3: MODRM_AND_1, 5: PLAIN_MODRM, 6: PLAIN_MODRM},
    "xop": {8: MODRM_AND_1, 9: PLAIN_MODRM, 10: MODRM_AND_4},
}
