"""M, the encoder that foresees tokens (DEFLATE.md, 3). A token is (length, distance); a literal is (1, 0)."""
LITERAL = (1, 0)
MOST = 258
WINDOW = 32768


def crc_of(value):
    for _ in range(32):
        value = value >> 1 ^ (2197175160 if value & 1 else 0)
    return value


# What each value of each of four bytes adds to their CRC.
CRC_SHARES = [[crc_of(byte << 8 * i) for byte in range(256)] for i in range(4)]


class Buckets:
    """The positions of a text by their hashes, the nearest first."""

    def __init__(self, text, given):
        self.text = text
        self.hash, self.hash_bits, self.ng = given["hash"], given["hash_bits"], given["ng"]
        self.most_distance = (1 << given["window_bits"]) - 262
        self.heads = {}
        self.before = [-1] * len(text)
        self.next_pos = 0  # the first to be remembered next
        self.begin = 0  # f of the specification

    def bucket(self, pos, end):
        """`end` is that of the segment if `pos` is searched, None if it is only remembered."""
        at = self.text[pos:pos + 4].ljust(4, b"\0")
        mask = (1 << self.hash_bits) - 1
        if self.hash == 0:
            shift = (self.hash_bits + 2) // 3
            return (at[0] << 2 * shift ^ at[1] << shift ^ at[2]) & mask
        if self.hash in (1, 6) and end is not None and pos == end - 3:
            at = at[:3] + (b"\0" if pos <= 65274 else self.text[end - WINDOW:end - WINDOW + 1])
        v = int.from_bytes(at, "little")
        if self.hash == 1:
            return ((v * 66521 + 66521) & 0xffffffff) >> 16 & mask
        if self.hash in (5, 6):
            crc = 0
            for i in range(3 if self.hash == 5 else 4):
                crc ^= CRC_SHARES[i][at[i]]
            return crc & mask
        return (v * 2654435761 & 0xffffffff) >> 16

    def remember(self, pos, end=None):
        bucket = self.bucket(pos, end)
        self.before[pos] = self.heads.get(bucket, -1)
        self.heads[bucket] = pos

    def remember_through(self, pos, end):
        """`pos`, which is searched, and all before it."""
        for one in range(self.next_pos, pos + 1):
            self.remember(one, end if one == pos else None)
        self.pass_over(pos + 1)

    def pass_over(self, pos):
        """What is not remembered yet of the positions before is not to be."""
        self.next_pos = max(self.next_pos, pos)

    def candidates(self, pos, most_count, nearer):
        """Positions in the bucket of `pos`, all but the first by `nearer` less far away than the most distance."""
        at = self.before[pos]
        limit = max(self.begin, pos - self.most_distance - 1)
        while most_count and at > limit:
            yield at
            most_count -= 1
            at = self.before[at]
            limit = max(self.begin, pos - self.most_distance - 1 + nearer)

    def begin_anew(self, begin):
        self.heads.clear()
        self.begin = self.next_pos = begin


def alike(text, one, other, most):
    """How many bytes from `one` and from `other` on are the same."""
    if text[one:one + most] == text[other:other + most]:
        return most
    count = 0
    while text[one + count] == text[other + count]:
        count += 1
    return count


class Matcher:
    """Foresees the token at each position in turn. `foresee`, then `take` with the token that really is there."""
    searches = False

    def __init__(self, text, given):
        self.text, self.given = text, given
        self.buckets = Buckets(text, given)
        self.end = 0  # of the segment

    def begin_segment(self, end):
        self.end = end

    def most(self, pos):
        return min(MOST, self.end - pos)

    def can_search(self, pos):
        return self.end - pos >= 3 + self.given["ng"]

    def search(self, pos, best):
        """The longest candidate of more than `best` bytes, or None."""
        if not self.can_search(pos):
            return None
        self.buckets.remember_through(pos, self.end)
        most, chain, found = self.most(pos), self.given["chain"], None
        if best >= most:
            return None
        if best >= self.given["good"]:
            chain = max(chain // 4, 1)
        enough = min(self.given["nice"], most)
        for at in self.buckets.candidates(pos, chain, 1):
            if self.text[at + best] != self.text[pos + best]:
                continue
            length = alike(self.text, at, pos, most)
            if length > best:
                best, found = length, (length, pos - at)
                if length >= enough:
                    break
        return found

    def candidates_alike(self, pos, length):
        """For dense tokens: the distances of candidates with so many bytes alike, the nearest first. None of matchers
        without buckets; others have remembered `pos` when they foresaw its token."""
        if not self.searches or not self.can_search(pos):
            return
        for at in self.buckets.candidates(pos, 4096, 0):
            if self.text[at:at + length] == self.text[pos:pos + length]:
                yield pos - at

    def foresee(self, pos):
        """The token, and the match that was not taken for the sake of a longer one, or None."""
        return LITERAL, None

    def take(self, pos, token):
        """The token at `pos` is this one."""

    def join(self, pos, kind):
        """A joint is at `pos`, and the last segment ends there."""
        if kind == 1:
            self.buckets.begin = pos
        if kind == 2:
            self.buckets.begin_anew(max(pos - WINDOW, 0))


class RunMatcher(Matcher):
    def foresee(self, pos):
        most, token = self.most(pos), LITERAL
        if pos > self.buckets.begin:
            length = 0
            while length < most and self.text[pos + length] == self.text[pos - 1]:
                length += 1
            if length >= 3:
                token = length, 1
        return token, None


class GreedyMatcher(Matcher):
    searches = True

    def foresee(self, pos):
        return self.search(pos, 2) or LITERAL, None

    def take(self, pos, token):
        length, distance = token
        if distance and (length > self.given["lazy"] or self.end - pos - length < 3):
            self.buckets.pass_over(pos + length)

    def join(self, pos, kind):
        self.buckets.next_pos = min(self.buckets.next_pos, max(pos - 2, self.buckets.begin))
        super().join(pos, kind)


class LazyMatcher(Matcher):
    searches = True

    def __init__(self, text, given):
        super().__init__(text, given)
        self.carried = None
        self.foreseen = None

    def kept(self, match):
        if match is None:
            return None
        length, distance = match
        dropped = self.given["filtered"] and length <= 5 or length == 3 and distance > 4096 and not self.given["ng"]
        return None if dropped else match

    def foresee(self, pos):
        match = self.carried or self.kept(self.search(pos, 2))
        self.carried = None
        self.foreseen = match or LITERAL, None
        if match and match[0] < self.given["lazy"] and pos + 1 < self.end:
            self.carried = self.kept(self.search(pos + 1, match[0]))
            if self.carried:
                self.foreseen = LITERAL, match
        return self.foreseen

    def take(self, pos, token):
        if token != self.foreseen[0]:
            self.carried = None

    def join(self, pos, kind):
        self.carried = None
        super().join(pos, kind)


