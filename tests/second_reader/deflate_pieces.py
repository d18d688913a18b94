"""Go's later versions: M with hashes of four bytes and of seven, and what becomes of pieces (DEFLATE.md, 2.4 and 3.8)."""
from deflate_go import PIECE, BlockMatcher
from deflate_matcher import MOST, WINDOW, alike
from deflate_trees import (DISTANCE_SYMBOLS, DISTANCES, END_OF_BLOCK, FIXED_DISTANCES, FIXED_LITERALS, LENGTHS, LITERAL_SYMBOLS)

STORED, FIXED, DYNAMIC = range(3)
NONE = -1 << 40  # a position that is near nothing


class PieceMatcher(BlockMatcher):
    def __init__(self, text, given):
        super().__init__(text, given)
        self.fours, self.sevens = {}, {}
        self.base, self.six, self.keeps_short = 0, given["chain"] == 6, given["block_end"] == 2

    def join(self, pos, kind):
        if kind or not self.keeps_short and self.piece_end - self.piece < 128:
            self.fours, self.sevens = {}, {}
            self.base = max(pos - 16384, 0) if kind == 2 else pos
            self.piece, self.piece_end = self.base, pos
            self.go_over()
        self.piece_end = pos

    def begin_piece(self, pos):
        self.piece, self.piece_end, self.lost = pos, min(pos + PIECE, self.end), False
        self.go_over()
        size = self.piece_end - pos
        token_count = size - sum(length - 1 for length, _ in self.tokens.values())
        if token_count > size - size // 16:
            self.tokens = {}

    def go_over(self):
        self.tokens = {}
        if self.piece_end - self.base > 327675:
            self.base = self.piece - WINDOW
        least = 13 if self.keeps_short and self.base < self.piece else 128
        if self.piece_end - self.piece >= least:
            self.find_matches()

    def four(self, x):
        return (int.from_bytes(self.text[x:x + 4], "little") * 2654435761 & 0xffffffff) >> 17

    def seven(self, x):
        return ((int.from_bytes(self.text[x:x + 7], "little") << 8) * 58295818150454627 & (1 << 64) - 1) >> 49

    def two_of(self, x):
        return self.sevens.get(self.seven(x), (NONE, NONE))

    def note_four(self, x):
        self.fours[self.four(x)] = x

    def note_seven(self, x):
        key = self.seven(x)
        self.sevens[key] = x, self.sevens.get(key, (NONE, NONE))[0]

    def note(self, x):
        self.note_four(x)
        self.note_seven(x)

    def good(self, x, c):
        return x - c < WINDOW and self.text[c:c + 4] == self.text[x:x + 4]

    def longer(self, match, x, c):
        """The match at x from c if that is longer than `match`."""
        length = alike(self.text, x, c, min(MOST, self.piece_end - x))
        return (x, c, length) if match is None or length > match[2] else match

    def find_matches(self):
        following = behind = self.piece
        self.repeat, limit = 1, self.piece_end - 11
        while True:
            match = None
            while match is None:
                x = following
                following = x + 1 + (x - behind) // (128 if self.six else 64)
                if following > limit:
                    return
                match = self.look_up(x, following)
            p, c, length = self.extended(match, behind, limit)
            self.add(p, p - c, length)
            self.repeat = p - c
            looked_up, behind = following, p + length
            following = max(behind, looked_up + 1)
            self.note_within(looked_up, following, length, following >= limit)
            if following >= limit:
                return

    def look_up(self, x, following):
        q, (latest, before) = self.fours.get(self.four(x), NONE), self.two_of(x)
        self.note(x)
        good = [c for c in (latest, before) if x - latest < WINDOW and self.good(x, c)]
        if good:
            self.note(following)
            match = None
            for c in good:
                match = self.longer(match, x, c)
            return match
        if not self.good(x, q):
            return None
        match = self.longer(None, x, q)
        latest, before = self.two_of(following)
        self.note(following)
        if self.six and self.good(x + 1, x + 1 - self.repeat):
            other = self.longer(match, x + 1, x + 1 - self.repeat)
            if other != match:
                return other
        if following - latest < WINDOW:
            if self.good(following, latest):
                other = self.longer(match, following, latest)
                if other != match and not self.six:
                    return other
                match = other
            if self.good(following, before):
                match = self.longer(match, following, before)
        return match

    def extended(self, match, behind, limit):
        p, c, length = match
        if length == MOST:
            length = alike(self.text, p, c, self.piece_end - p)
        if p + length < limit and (self.six or length < 30):
            p, c, length = self.by_end(p, c, length)
        while p > behind and c > self.base and self.text[p - 1] == self.text[c - 1]:
            p, c, length = p - 1, c - 1, length + 1
        return p, c, length

    def by_end(self, p, c, length):
        start, first, (latest, before) = p + 2, length, self.two_of(p + length)
        end = p + length
        if end - latest >= WINDOW:
            return p, c, length
        for other in (latest, before) if self.six else (latest,):
            distance = end - other + length - first
            if 0 < distance < WINDOW and start - distance >= self.base:
                count = alike(self.text, start, start - distance, self.piece_end - start)
                if count > length:
                    p, c, length = start, start - distance, count
        return p, c, length

    def add(self, p, distance, length):
        while length:
            part = length if length <= MOST else MOST if length > 261 else 255
            self.tokens[p] = part, distance
            p, length = p + part, length - part

    def note_within(self, looked_up, following, length, at_end):
        if self.six:
            for i in range(looked_up + 1, self.piece_end - 8 if at_end else following - 1, 2):
                self.note(i)
                if not at_end:
                    self.note_seven(i + 1)
        elif not at_end:
            i = following - length + 1
            if i < following - 1:
                self.note(i)
                self.note_seven(i + 1)
                self.note_four(i + 2)
                for i in range(i + 4, following - 1, 3):
                    self.note_seven(i)
                    self.note_four(i + 1)
            self.note(following - 1)


def coded(frequencies, tree):
    """Bits of all symbols, or None if one has no code."""
    bits = 0
    for counts, lengths in zip(frequencies, (tree.literals, tree.distances)):
        for symbol, count in enumerate(counts):
            length = lengths[symbol] if symbol < len(lengths) else 0
            if count and not length:
                return None
            bits += count * length
    return bits


def cost(f, total):
    if f in (0, total):
        return f << 30
    e = 0
    while f << e < total:
        e += 1
    m = (f << e + 20) // total
    p = ((2173968328 - (370278182 * m >> 20)) * m >> 20) - 724644294
    return f * min(max((1 + e << 30) - p, 1 << 30), 15 << 30)


class Pieces:
    """Whether a block is open, and what becomes of the next piece."""

    def __init__(self, given):
        self.stored_bytes = 12 if given["block_end"] == 2 else 32
        self.open = None  # the trees
        self.of_literals = False
        self.first = True

    def choose(self, block, tree, ends):
        """(type, whether it joins)."""
        raw = block.end - block.begin
        frequencies = block.frequencies()
        if raw == 0:
            return FIXED, False
        if ends and raw <= (32 if self.first else self.stored_bytes):
            return STORED, False
        if not any(frequencies[1]):
            return self.choose_of_literals(frequencies, tree, raw)
        return self.choose_of_tokens(frequencies, tree, raw, len(block.tokens) + ends)

    def choose_of_literals(self, frequencies, tree, raw):
        unevenness = sum((256 * count - raw) ** 2 for count in frequencies[0][:256])
        if raw > 1024 and unevenness >> 16 < 2 * raw:
            return STORED, False
        n = coded(frequencies, tree) + (3 + self.open.head_bits() if self.open else 560)
        n += n // 128
        if 8 * (raw + 5) <= n:
            return STORED, False
        joined = coded(frequencies, self.open) if self.open else None
        return DYNAMIC, joined is not None and joined - self.open.literals[END_OF_BLOCK] <= n

    def choose_of_tokens(self, frequencies, tree, raw, count):
        extra = sum(f * LENGTHS[n][1] for n, f in enumerate(frequencies[0][257:]))
        extra += sum(f * DISTANCES[n][1] for n, f in enumerate(frequencies[1]))
        fixed = 3 + extra + sum(f * l for f, l in zip(frequencies[0], FIXED_LITERALS)) + 5 * sum(frequencies[1])
        fixed = fixed if count < 250 else 1 << 62
        stored = 8 * (raw + 5) if raw <= 65535 else 1 << 62
        joined = coded(frequencies, self.open) if self.open and not self.of_literals else None
        if joined is not None:
            joined += extra
            n = 3 + self.open.head_bits() + self.estimate(frequencies, count) + extra
            n += n // 128 + self.open.literals[END_OF_BLOCK]
            m = min(joined, n)
            if stored <= m:
                return STORED, False
            if fixed + 7 < m:
                return FIXED, False
            if joined <= n:
                return DYNAMIC, True
        own = 3 + tree.head_bits() + coded(frequencies, tree) + extra
        if stored <= min(own, fixed):
            return STORED, False
        return FIXED if fixed <= own else DYNAMIC, False

    @staticmethod
    def estimate(frequencies, count):
        literals = frequencies[0][:END_OF_BLOCK] + frequencies[0][END_OF_BLOCK + 1:]
        matches = sum(frequencies[1])
        return 15 + (sum(cost(f, count) for f in literals) + sum(cost(f, matches) for f in frequencies[1]) >> 30)

    def take(self, block, kind, joins, tree, ends):
        """That is what became of the piece; `tree` is its own."""
        self.first = False
        if not joins:
            self.open = tree if kind == DYNAMIC else None
            self.of_literals = not any(distance for _, distance in block.tokens)
        if ends:
            self.open = None
