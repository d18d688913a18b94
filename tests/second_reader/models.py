"""The models of numbers that the context coder is made of. Each decodes one kind of number and learns from it."""
from coder import H, Slot, Table, Weights, lines_of, make_line, mixed_bit, slot_bit, join, tree


def class_of(v):
    """Small numbers are classes of their own; of larger ones a class keeps the two highest bits."""
    if v < 4:
        return v
    t = v.bit_length() - 1
    return 2 * t + (v >> (t - 1) & 1)


class NumberModel:
    def __init__(self, count, log, mostly_small=False):
        self.mostly_small = mostly_small
        self.lines = Table(log, make_line)
        self.weights = Weights(count)
        self.open_lines = Table(9, make_line)

    def decode(self, decoder, contexts, alignment=0):
        return self._open_bits(decoder, self._decode_class(decoder, contexts), alignment)

    def decode_distance(self, decoder, contexts, start, places, key):
        """The number that leads from `start` to a place."""
        number_class = self._decode_class(decoder, contexts)
        open_count = number_class // 2 - 1
        if number_class < 4 or open_count < 5:
            return self._open_bits(decoder, number_class, start & 3)
        low_count = min(open_count - 3, 10)
        line = self.open_lines.at(4 * number_class)
        number, node = 2 | number_class & 1, 1
        for i in range(open_count - low_count):
            bit = slot_bit(decoder, line[node]) if i < 3 else decoder.bit(32768)
            node = 2 * node + bit
            number = 2 * number + bit
        low = places.decode(decoder, low_count, key) - start
        return number << low_count | low & (1 << low_count) - 1

    def _decode_class(self, decoder, contexts):
        def part(bits, salt):
            return tree(decoder, lines_of(self.lines, contexts, salt), bits, self.weights, salt)

        if self.mostly_small:
            small = part(4, 0)
            if small < 15:
                return small
        upper = part(4, 1)
        return 8 * upper + part(3, 2 + upper)

    def _open_bits(self, decoder, number_class, alignment):
        if number_class < 4:
            return number_class
        line = self.open_lines.at(4 * number_class + alignment)
        open_count = number_class // 2 - 1
        number, node = 2 | number_class & 1, 1
        for i in range(open_count):
            place = open_count - 1 - i  # of the bit in the number
            if i < 3:
                bit = slot_bit(decoder, line[node])
                node = 2 * node + bit
            elif place == 1:
                bit = slot_bit(decoder, line[9])
            elif place == 0:
                bit = slot_bit(decoder, line[10 + (number & 1)])
            else:
                bit = decoder.bit(32768)
            number = 2 * number + bit
        return number


class PositionModel:
    """The lowest bits of places, the lowest first."""

    def __init__(self):
        self.slots = Table(10, Slot)
        self.keyed = Table(13, Slot)
        self.weights = [[20480, 20480] for _ in range(10)]

    def decode(self, decoder, count, key):
        place, node = 0, 1
        for i in range(count):
            slots = [self.slots.at(node), self.keyed.at(H(key & 511, node) >> 19)]
            bit = mixed_bit(decoder, slots, self.weights[i])
            place |= bit << i
            node = 2 * node + bit
        return place


class CountModel:
    """Numbers that are 0 to 14 nearly always: "more than 0", "more than 1" and so on."""

    def __init__(self, count, log):
        self.lines = Table(log, make_line)
        self.weights = Weights(count)
        self.rest = NumberModel(1, 4)

    def decode(self, decoder, contexts):
        lines = lines_of(self.lines, contexts, 0)
        for i in range(15):
            if not mixed_bit(decoder, [line[i] for line in lines], self.weights.at(i)):
                return i
        return 15 + self.rest.decode(decoder, [0])


class ByteModel:
    def __init__(self, count, log):
        self.lines = Table(log, make_line)
        self.weights = Weights(count)

    def decode(self, decoder, contexts, weight_set):
        upper = tree(decoder, lines_of(self.lines, contexts, 0), 4, self.weights, (weight_set, 0))
        lower = tree(decoder, lines_of(self.lines, contexts, 1 + upper), 4, self.weights, (weight_set, 1 + upper))
        return 16 * upper + lower


class FourBitModel:
    def __init__(self, count, log):
        self.lines = Table(log, make_line)
        self.weights = Weights(count)

    def decode(self, decoder, contexts):
        return tree(decoder, lines_of(self.lines, contexts, 0), 4, self.weights)


class Guess:
    """What followed a context before, and how often it did."""
    __slots__ = ("value", "count")

    def __init__(self):
        self.value = 0  # of 24 bits
        self.count = 0  # up to 15

    def learn(self, v):
        if v == self.value:
            self.count = min(self.count + 1, 15)
        elif self.count > 1:
            self.count //= 2
        else:
            self.value = v & 0xffffff
            self.count = 0


class GuessModel:
    """Says "it is as after the same long context", so that what repeats costs next to nothing."""

    def __init__(self, log):
        self.guesses = Table(log, Guess)
        self.by_count = Table(10, Slot)
        self.by_short = Table(12, Slot)
        self.by_value = Table(12, Slot)
        self.weights = Weights(3)

    def decode(self, decoder, long_contexts, short_context, kind, decode_otherwise):
        """The number; decode_otherwise() gives it where it is not as guessed."""
        a, b = (self.guesses.at(context) for context in long_contexts)
        best = b if b.count > a.count else a
        v = None
        if best.count >= 5:
            which = 64 * best.count + kind
            slots = [self.by_count.at(which), self.by_short.at(join(short_context, best.count) >> 20),
                     self.by_value.at(H(best.value, best.count) >> 20)]
            if mixed_bit(decoder, slots, self.weights.at(which)):
                v = best.value
        if v is None:
            v = decode_otherwise()
        return v, (a, b)

    @staticmethod
    def learn(pair, v):
        for guess in pair:
            guess.learn(v)
