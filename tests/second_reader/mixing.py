"""Parts that the models of modelled bytes are made of (src/model/MODELLED_BYTES.md, section 4)."""
from functools import partial, reduce
from operator import add, mul

from coder import MASK, STRETCH, squash

HALF = 1 << 31  # numbers of 32 bits with a sign wrap from here to its negative
FRESH = 16 * 2048  # a small slot: 16 times its probability of 12 bits, and how many bits it has seen
SMALL_RATE = [131072 // (2 * n + 3) for n in range(10)]
WIDE_RATE = [131072 // (2 * n + 3) for n in range(256)]
STEPS = 33
FIRST_CORRECTIONS = [squash(max(-2047, min(2047, 128 * (j - 16)))) for j in range(STEPS)]
FIRST_MEANINGS = [1024 * (j >> 4) + 512 for j in range(1024)]


def taught(slot, bit):
    p, n = slot >> 4, min(slot & 15, 9)
    goal = 4095 if bit else 0
    p += (goal - p) * SMALL_RATE[n] + 16 * goal >> 16
    return 16 * p + min(n + 1, 9)


TAUGHT = [[taught(slot, bit) for slot in range(1 << 16)] for bit in (0, 1)]


def learn_small(slots, index, bit):
    slots[index] = TAUGHT[bit][slots[index]]


class WideSlot:
    __slots__ = ("p", "n")

    def __init__(self):
        self.p = 1 << 21  # 22 bits
        self.n = 0

    def learn(self, bit, most=255):
        goal = (1 << 22) - 1 if bit else 0
        self.p += (goal - self.p) * WIDE_RATE[self.n] >> 16
        self.n = min(self.n + 1, most)


def said_by_wide(slots):
    """What wide slots give to the mixer."""
    return [STRETCH[slot.p >> 10] if slot.n else 0 for slot in slots]


def move(numbers, index, bit, slowness):
    number = numbers[index]
    numbers[index] = number + ((65535 if bit else 0) - number >> slowness)


def spread(h, bits):
    return (h * 0x2c1b3c6d & MASK) >> 32 - bits


class Line:
    __slots__ = ("check", "slots")

    def __init__(self):
        self.check = 0
        self.slots = [FRESH] * 16  # from 1 on

    def known(self):
        return self.slots[1] & 15


class Lines:
    """Lines found by a hash. They stay where they are: one that is taken anew changes for all who hold it."""

    def __init__(self, log):
        self.log = log
        self.lines = {}  # made when first looked at

    def line_at(self, place):
        line = self.lines.get(place)
        if line is None:
            line = self.lines[place] = Line()
        return line

    def find(self, h):
        place, check = spread(h, self.log), (h | 1) & 0xffff
        first, second = self.line_at(place), self.line_at(place ^ 1)
        for line in (first, second):
            if line.check == check:
                return line
        line = first if first.known() <= second.known() else second
        line.check = check
        line.slots[:] = [FRESH] * 16
        return line


def meaning_of(slot):
    return 16 * (slot >> 10) + (slot & 15)


def said_by(line, index, meanings):
    """What a slot of a line gives to the mixer."""
    slot = line.slots[index]
    return STRETCH[meanings[meaning_of(slot)] >> 4] if slot & 15 else 0


class Sets:
    """Lists of numbers, each begun as a copy of `first` when it is first asked for."""

    def __init__(self, first):
        self.first = first
        self.sets = {}

    def at(self, key):
        numbers = self.sets.get(key)
        if numbers is None:
            numbers = self.sets[key] = list(self.first)
        return numbers


class Mix:
    """Inputs under sets of weights that are added up. `x` and `mixed` are what comes out."""

    def __init__(self, inputs, *sets):
        self.inputs, self.sets = inputs, sets
        total = sum(map(mul, inputs, reduce(partial(map, add), sets)))
        self.x = max(-2047, min(2047, total >> 16))
        self.mixed = squash(self.x)

    def learn(self, bit, slowness):
        error = 65536 * bit - self.mixed
        changes = [t * error >> slowness for t in self.inputs]
        for weights in self.sets:
            weights[:] = [(weight + change + HALF & MASK) - HALF for weight, change in zip(weights, changes)]


def wrapped(number):
    return (number + HALF & MASK) - HALF


class Correction:
    """How outcomes like `x` did before, by one set of corrections."""

    def __init__(self, numbers, x):
        self.numbers = numbers
        self.left, self.share = x + 2048 >> 7, x + 2048 & 127
        self.corrected = numbers[self.left] * (128 - self.share) + numbers[self.left + 1] * self.share >> 7

    def learn(self, bit):
        move(self.numbers, self.left, bit, 6)
        move(self.numbers, self.left + 1, bit, 6)
