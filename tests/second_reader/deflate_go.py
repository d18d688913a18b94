"""The searches of Go, and the code lengths of its trees (DEFLATE.md, 2.3, 3.6 and 3.7)."""
from deflate_matcher import LITERAL, MOST, WINDOW, Buckets, GreedyMatcher, LazyMatcher, Matcher, alike

FACTOR = 506832829
PIECE = 65535


class GoBuckets(Buckets):
    def __init__(self, text, given):
        super().__init__(text, given)
        self.base = 0

    def bucket(self, pos, end):
        return (int.from_bytes(self.text[pos:pos + 4].ljust(4, b"\0"), "big") * FACTOR & 0xffffffff) >> 15

    def candidates(self, pos, most_count, nearer):
        at = self.before[pos]
        while most_count and at >= max(self.base, pos - WINDOW):
            yield at
            most_count -= 1
            at = self.before[at]


class GoSearch:
    """What is the same for greedy and lazy searches."""

    def __init__(self, text, given):
        super().__init__(text, given)
        self.buckets = GoBuckets(text, given)

    def can_search(self, pos):
        return self.end - pos >= 4

    def search(self, pos, best):
        if self.can_search(pos) and pos >= self.buckets.base + 65275 and self.end > self.buckets.base + 65536:
            self.buckets.base += 32768
        return super().search(pos, max(best, 3))

    def kept(self, match):
        return None if match and match[0] == 4 and match[1] > 4096 else match

    def join(self, pos, kind):
        if kind == 0:
            for one in range(self.buckets.next_pos, pos - 3):
                self.buckets.remember(one)
            self.buckets.pass_over(pos)
        Matcher.join(self, pos, kind)
        if kind:
            self.buckets.base = self.buckets.begin


class GoGreedyMatcher(GoSearch, GreedyMatcher):
    def foresee(self, pos):
        return self.kept(self.search(pos, 3)) or LITERAL, None

    def take(self, pos, token):
        if token[1] and token[0] > self.given["lazy"]:
            self.buckets.pass_over(pos + token[0])


class GoLazyMatcher(GoSearch, LazyMatcher):
    def join(self, pos, kind):
        self.carried = None
        super().join(pos, kind)


class BlockMatcher(Matcher):
    def __init__(self, text, given):
        super().__init__(text, given)
        self.table = {}
        self.before = self.piece = self.piece_end = 0
        self.tokens = {}  # by position
        self.lost = False

    def foresee(self, pos):
        if pos >= self.piece_end:
            self.begin_piece(pos)
        return LITERAL if self.lost else self.tokens.get(pos, LITERAL), None

    def take(self, pos, token):
        self.lost = self.lost or token != self.tokens.get(pos, LITERAL)

    def join(self, pos, kind):
        if kind or self.piece_end - self.piece < 128:
            self.buckets.begin = pos
        self.piece_end = pos

    def begin_piece(self, pos):
        self.before, self.piece, self.piece_end = self.piece, pos, min(pos + PIECE, self.end)
        size = self.piece_end - pos
        self.tokens, self.lost = {}, False
        if size >= 128:
            self.find_matches()
        token_count = size - sum(length - 1 for length, _ in self.tokens.values())
        if token_count > size - size // 16:
            self.tokens = {}

    def find_matches(self):
        x, limit = self.piece, self.piece_end - 15
        while True:
            i = 32
            while x + i // 32 <= limit and not self.look_up(x):
                x, i = x + i // 32, i + i // 32
            if x + i // 32 > limit:
                return
            good = True
            while good:
                length = self.length(x, self.candidate)
                self.tokens[x] = length, x - self.candidate
                x += length
                if x >= limit:
                    return
                self.look_up(x - 1)
                good = self.look_up(x)
            x += 1

    def look_up(self, x):
        bytes_at_x = self.text[x:x + 4]
        key = (int.from_bytes(bytes_at_x, "little") * FACTOR & 0xffffffff) >> 18
        self.candidate = self.table.get(key, -1)
        self.table[key] = x
        return (self.candidate >= max(self.buckets.begin, x - WINDOW) and
                self.text[self.candidate:self.candidate + 4] == bytes_at_x)

    def length(self, x, candidate):
        if candidate + 4 < self.before:
            return 4
        return alike(self.text, x, candidate, min(MOST, self.piece_end - x))


def code_lengths(frequencies, most):
    """The length of each symbol's code, 0 of those without."""
    symbols = sorted((frequency, symbol) for symbol, frequency in enumerate(frequencies) if frequency)
    lengths = [0] * len(frequencies)
    if len(symbols) <= 2:
        for _, symbol in symbols:
            lengths[symbol] = 1
        return lengths
    own = [(frequency, 1) for frequency, _ in symbols]  # 1: not a sum
    rows = [own]
    for _ in range(min(most, len(symbols) - 1) - 1):
        last = rows[-1]
        sums = [(last[i][0] + last[i + 1][0], 0) for i in range(0, len(last) - 1, 2)]
        rows.append(sorted(own + sums))
    taken = 2 * len(symbols) - 2
    for row in reversed(rows):
        count = sum(is_own for _, is_own in row[:taken])
        for _, symbol in symbols[:count]:
            lengths[symbol] += 1
        taken = 2 * (taken - count)
    return lengths


def plain_lengths(frequencies, most):
    """Those of Huffman's tree, if none is above `most`."""
    symbols = sorted((frequency, symbol) for symbol, frequency in enumerate(frequencies) if frequency)
    if len(symbols) <= 2:
        return code_lengths(frequencies, most)
    own = [(frequency, [symbol]) for frequency, symbol in symbols]
    sums, depth = [], dict.fromkeys((symbol for _, symbol in symbols), 0)
    while len(own) + len(sums) > 1:
        parts = []
        for _ in range(2):
            parts.append(own.pop(0) if own and (not sums or own[0][0] <= sums[0][0]) else sums.pop(0))
        members = parts[0][1] + parts[1][1]
        for symbol in members:
            depth[symbol] += 1
        sums.append((parts[0][0] + parts[1][0], members))
    if max(depth.values()) > most:
        return code_lengths(frequencies, most)
    lengths = [0] * len(frequencies)
    for length, (_, symbol) in zip(sorted(depth.values()), reversed(symbols)):
        lengths[symbol] = length
    return lengths
