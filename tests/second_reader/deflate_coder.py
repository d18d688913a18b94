"""The coder of recipes: bits under models, plain bits, numbers (DEFLATE.md, 4)."""
from cursor import require

MAX_ONES = 62
TOP = 1 << 24


class Model:
    """The probability of a 1, as two numbers that learn at two speeds."""
    __slots__ = ("fast", "slow")

    def __init__(self):
        self.fast = self.slow = 32768

    def one(self):
        return max((self.fast + self.slow) >> 2, 1)

    def learn(self, bit):
        if bit:
            self.fast += (65535 - self.fast) >> 4
            self.slow += (65535 - self.slow) >> 7
        else:
            self.fast -= self.fast >> 4
            self.slow -= self.slow >> 7


class Models(dict):
    """A model for each key, fresh when it is first asked for."""

    def __missing__(self, key):
        return self.setdefault(key, Model())


class BitDecoder:
    """Bits of `code`; behind its end come zeros."""

    def __init__(self, code):
        self.code_bytes = code
        self.pos = 4
        self.range = (1 << 32) - 1
        self.code = int.from_bytes(code[:4].ljust(4, b"\0"), "big")

    def bit(self, model):
        bit = self.split((self.range >> 15) * model.one())
        model.learn(bit)
        return bit

    def split(self, share):
        if self.code < share:
            bit, self.range = 1, share
        else:
            bit = 0
            self.code -= share
            self.range -= share
        while self.range < TOP:
            self.range = self.range << 8 & 0xffffffff
            self.code = (self.code << 8 | self.next_byte()) & 0xffffffff
        return bit

    def next_byte(self):
        self.pos += 1
        return self.code_bytes[self.pos - 1] if self.pos <= len(self.code_bytes) else 0

    def plain(self, count):
        value = 0
        for _ in range(count):
            value = value << 1 | self.split(self.range >> 1)
        return value

    def tree(self, count, models):
        """`count` bits, the highest first, each under the model of those before."""
        node = 1
        for _ in range(count):
            node = node << 1 | self.bit(models[node])
        return node - (1 << count)

    def finish(self):
        require(len(self.code_bytes) <= self.pos, "a code of recipes has bytes that are not taken")


class NumberModel:
    def __init__(self):
        self.ones = Models()
        self.below = Models()  # by k, and by k and the first bit

    def decode(self, decoder):
        k = 0
        while k < MAX_ONES and decoder.bit(self.ones[k]):
            k += 1
        number = 1
        if k >= 1:
            number = number << 1 | decoder.bit(self.below[k])
        if k >= 2:
            number = number << 1 | decoder.bit(self.below[k, number & 1])
        if k > 2:
            number = number << k - 2 | decoder.plain(k - 2)
        return number - 1
