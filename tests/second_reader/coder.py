"""Bits of the context coder: the range decoder, slots, mixing, hashes, and lines of slots addressed as trees.

Every number is an unsigned one of 32 bits that wraps unless the specification says otherwise; Python's do not, hence
the masks.
"""
from cursor import require

MASK = 0xffffffff

PACE = (3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 24, 30, 36, 40, 48, 56)
RATE = tuple(131072 // pace for pace in PACE)

POINTS = (22, 36, 60, 98, 162, 267, 439, 720, 1179, 1921, 3108, 4971, 7812, 11955, 17625, 24743, 32768, 40793, 47911,
          53581, 57724, 60565, 62428, 63615, 64357, 64816, 65097, 65269, 65374, 65438, 65476, 65500, 65514)


def squash(x):
    y = x + 2048
    low, high = POINTS[y >> 7], POINTS[(y >> 7) + 1]
    return low + ((high - low) * (y & 127) >> 7)


def make_stretch():
    table, x = [], -2047
    for q in range(4096):
        while x < 2047 and squash(x) < 16 * q + 8:
            x += 1
        table.append(x)
    return table


STRETCH = make_stretch()


def join(h, v):
    g = ((h ^ v) * 0x9e3779b1) & MASK
    return g ^ (g >> 15)


def H(*arguments):
    h = 0x5bd1e995
    for argument in arguments:
        h = join(h, (argument ^ (argument >> 32)) & MASK)
    return h


class BitDecoder:
    """`next_byte` gives the code byte by byte, and 0 behind its end."""

    def __init__(self, next_byte):
        self.next_byte = next_byte
        self.range = MASK
        self.code = 0
        self.last_bytes = 0  # the last four bytes taken, as a number
        for _ in range(4):
            self._take_byte()

    def _take_byte(self):
        byte = self.next_byte()
        self.code = (self.code << 8 | byte) & MASK
        self.last_bytes = (self.last_bytes << 8 | byte) & MASK

    def bit(self, one):
        """A bit whose probability to be 1 is `one` in 65536ths."""
        share = (self.range >> 16) * one
        if self.code < share:
            self.range = share
            bit = 1
        else:
            self.range -= share
            self.code -= share
            bit = 0
        while self.range < 1 << 24:
            self.range <<= 8
            self._take_byte()
        return bit

    def finish(self):
        """Refuses a code that is not the one that a writer chooses for the same numbers."""
        least = (self.last_bytes - self.code) & MASK
        for zeros in range(31, -1, -1):
            number = (least + (1 << zeros) - 1) >> zeros << zeros
            if number < least + self.range:
                require(number & MASK == self.last_bytes, "the code does not end as it has to")
                return


class Slot:
    __slots__ = ("p", "n")

    def __init__(self):
        self.p = 2048  # probability of a 1, 12 bits
        self.n = 0  # bits seen, up to 15

    def learn(self, bit):
        if bit:
            self.p += (4095 - self.p) * RATE[self.n] + 32768 >> 16
        else:
            self.p -= self.p * RATE[self.n] + 32768 >> 16
        self.n = min(self.n + 1, 15)


def slot_bit(decoder, slot):
    bit = decoder.bit(16 * slot.p + 8)
    slot.learn(bit)
    return bit


class Weights:
    """Weight sets of N weights each, made when first used: there are as many as keys are asked for."""

    def __init__(self, count):
        self.first = [81920 // count] * count
        self.sets = {}

    def at(self, key):
        return self.sets.setdefault(key, list(self.first))


def mixed_bit(decoder, slots, weights):
    inputs = [STRETCH[slot.p] for slot in slots]
    total = sum(s * weight for s, weight in zip(inputs, weights)) >> 16
    one = squash(max(-2047, min(2047, total)))
    bit = decoder.bit(one)
    error = 65536 * bit - one
    for i, s in enumerate(inputs):
        weights[i] += s * error >> 14
    for slot in slots:
        slot.learn(bit)
    return bit


class Table:
    """2^log entries that are made when first used."""

    def __init__(self, log, make):
        self.mask = (1 << log) - 1
        self.make = make
        self.entries = {}

    def at(self, index):
        index &= self.mask
        entry = self.entries.get(index)
        if entry is None:
            entry = self.entries[index] = self.make()
        return entry


def make_line():
    return [Slot() for _ in range(16)]


def lines_of(table, contexts, salt):
    return [table.at(join(context, 16 * salt + i)) for i, context in enumerate(contexts)]


def tree(decoder, lines, bits, weights, key=()):
    """A symbol of so many bits, highest first. `key` tells this tree's weight sets from those of others."""
    node = 1
    for _ in range(bits):
        node = 2 * node + mixed_bit(decoder, [line[node] for line in lines], weights.at((key, node)))
    return node - (1 << bits)
