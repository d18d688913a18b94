"""The searches that only zlib-ng has (DEFLATE.md, 3.4 and 3.5)."""
from dataclasses import dataclass

from deflate_go import BlockMatcher, GoGreedyMatcher, GoLazyMatcher
from deflate_matcher import LITERAL, MOST, WINDOW, GreedyMatcher, LazyMatcher, Matcher, RunMatcher, alike
from deflate_pieces import PieceMatcher
from deflate_recipe import BLOCKS, GO, GREEDY, LAZY, LITERALS, MEDIUM, RUNS, TWO

LEAST, LEAST_MEDIUM = 3, 4
LOOKAHEAD = 262
FULL = 2 * WINDOW - LOOKAHEAD
MOST_DISTANCE = WINDOW - LOOKAHEAD
EARLY_CHAIN = 32
LEAST_FEED = 300
BLOCK = 512  # of a tar archive
NOWHERE = 1 << 64


class FarMatcher(LazyMatcher):
    """Its search walks along the bucket of that piece of the text whose last place is the farthest away."""

    def search(self, pos, best):
        if not self.can_search(pos):
            return None
        self.buckets.remember_through(pos, self.end)
        most, given = self.most(pos), self.given
        at, offset = self.buckets.before[pos], 0
        if best >= most or at <= max(self.buckets.begin, pos - self.buckets.most_distance - 1):
            return None
        lowest = max(self.buckets.begin, pos - self.buckets.most_distance)
        chain = max(given["chain"] // 4, 1) if best >= given["good"] else given["chain"]
        if best >= LEAST:
            at, offset = self.farthest(((i, self.latest(pos + i)) for i in range(1, best - 1)), at, 0)
            if at <= lowest + offset:
                return None
        found = None
        while at < pos:
            start = at - offset
            length = alike(self.text, start, pos, most)
            if length > best:
                best, found = length, (length, pos - start)
                if length >= most or length >= given["nice"]:
                    return found
                if length > LEAST and start + length < pos:
                    at, offset = self.begin_anew(pos, start, length, lowest)
                    if at is None:
                        return found
                    continue
            chain -= 1
            at = self.buckets.before[at]
            if chain == 0 or at <= lowest + offset:
                return found
        return found

    def latest(self, pos):
        """The last position that is remembered in the bucket of the bytes at `pos`."""
        return self.buckets.heads.get(self.buckets.bucket(pos, None), -1)

    @staticmethod
    def farthest(pieces, at, offset):
        for i, place in pieces:
            if place < at:
                at, offset = place, i
        return at, offset

    def begin_anew(self, pos, start, length, lowest):
        """Where to go on once a match is found, and how far that is from the start of a match; (None, 0) if nowhere."""
        at, offset = start, 0
        for i in range(length - LEAST + 1):
            place = self.buckets.before[start + i]
            if place < at:
                if place <= lowest + i:
                    return None, 0
                at, offset = place, i
        at, offset = self.farthest([(length - 4, self.latest(pos + length - 4))], at, offset)
        return (None, 0) if at <= lowest + offset else (at, offset)


@dataclass
class Match:
    """Or a literal, then of length 1."""
    pos: int
    length: int = 1
    source: int = 0
    searched_at: int = 0  # where it began before it grew


class MediumMatcher(Matcher):
    """Knows two matches at a time, and lets the second one grow into the first."""

    def __init__(self, text, given):
        super().__init__(text, given)
        self.early = given["chain"] < EARLY_CHAIN
        self.begin_anew(0, 0)

    def begin_anew(self, begin, pos):
        self.buckets.begin_anew(begin)
        self.base, self.fed, self.cursor = begin, pos, pos
        self.content, self.content_end, self.entry_end = pos, pos, pos  # of a tar archive that is fed
        self.drop()

    def drop(self):
        """What was foreseen."""
        self.waiting, self.next = None, None

    def foresee(self, pos):
        while self.waiting is None:
            self.foresee_match()
        return self.waiting, None

    def take(self, pos, token):
        if token != self.waiting:
            self.cursor, self.next = pos + token[0], None
        self.waiting = None

    def join(self, pos, kind):
        self.drop()
        if kind:
            self.begin_anew(pos if kind == 1 else max(pos - WINDOW, 0), pos)

    def foresee_match(self):
        if self.fed - self.cursor < LOOKAHEAD:
            self.feed()
            self.next = None
        current, self.next = self.next, None
        if self.early or current is None:
            current = self.look_up(self.cursor, self.fed - self.cursor >= LEAST_MEDIUM)
        self.remember(current)
        behind = current.pos + current.length
        if not self.early and self.fed - self.cursor > LOOKAHEAD and behind - self.base < FULL:
            self.next = self.look_up(behind, True)
            if self.next.length > 1:
                self.grow(current, self.next)
        if current.length:
            self.waiting = (current.length, current.pos - current.source) if current.length > 1 else LITERAL
        self.cursor += current.length

    def feed(self):
        """Text comes in, as much as the window takes, or as its caller gives it."""
        if self.cursor - self.base >= FULL:
            self.base += WINDOW
        while self.fed - self.cursor < LOOKAHEAD and self.fed < self.end:
            self.fed = min(self.end, self.base + 2 * WINDOW, self.piece_end(self.fed))
            if self.given["ng"] == 2 and self.fed - self.cursor >= LEAST and self.cursor > self.base:
                self.insert(self.cursor - 1)

    def piece_end(self, pos):
        step = self.given["feed_bytes"]
        if step == 0:
            return NOWHERE
        if step >= LEAST_FEED:
            return (pos // step + 1) * step
        if pos == self.entry_end:
            self.begin_entry(pos)
        if pos < self.content:
            return self.content
        if pos >= self.content_end:
            return self.entry_end
        step *= 1024
        return min(self.content_end, self.content + ((pos - self.content) // step + 1) * step)

    def begin_entry(self, pos):
        header = self.text[pos:min(pos + BLOCK, self.end)]
        self.content = self.content_end = self.entry_end = NOWHERE
        digits = header[124:135]
        if len(header) == BLOCK and header[0] and all(digit in b"01234567" for digit in digits):
            self.content = pos + BLOCK
            self.content_end = self.content + int(digits, 8)
            self.entry_end = self.content + (int(digits, 8) + BLOCK - 1) // BLOCK * BLOCK

    def insert(self, pos):
        """The position that was the latest of its bucket until now."""
        bucket = self.buckets.bucket(pos, None)
        before = self.buckets.heads.get(bucket, -1)
        if before != pos:
            self.buckets.before[pos] = before
            self.buckets.heads[bucket] = pos
        return before

    def remember(self, match):
        if match.length == 1 or self.fed - self.cursor <= match.length + LEAST_MEDIUM:
            return
        end = match.pos + match.length
        first = end - 1 if match.length > 16 * self.given["lazy"] else match.searched_at + 1
        for pos in range(first, end):
            self.insert(pos)

    def look_up(self, pos, may_insert):
        match = Match(pos, searched_at=pos)
        at = self.insert(pos) if may_insert else -1
        if self.base < at < pos and pos - at <= MOST_DISTANCE:
            length, source = self.longest(pos, at)
            if length >= LEAST_MEDIUM:
                match.length, match.source = length, source
        return match

    def longest(self, pos, at):
        left = self.fed - self.cursor
        limit = max(self.base, pos - MOST_DISTANCE)
        best, source, chain = 2, 0, self.given["chain"]
        while at < pos:
            length = alike(self.text, at, pos, self.most(pos))
            if length > best:
                best, source = min(length, left), at
                if length >= left or length >= self.given["nice"]:
                    break
            elif self.early and length >= 8 and self.same_eight(pos + best - 7, at + best - 7):
                break
            chain -= 1
            at = self.buckets.before[at]
            if chain == 0 or at <= limit:
                break
        return best, source

    def same_eight(self, one, other):
        return self.text[one:one + 8] == self.text[other:other + 8]

    def grow(self, current, following):
        """The second one takes over bytes of the first, if that leaves no more than one."""
        most = min(current.length, MOST - 2 - following.length, following.source - self.base - 1)
        grown = 0
        while grown < most and self.text[following.source - grown - 1] == self.text[following.pos - grown - 1]:
            grown += 1
        if current.length == 1 or grown < current.length - 1:
            return
        current.length -= grown
        following.pos -= grown
        following.source -= grown
        following.length += grown


def matcher_of(text, given):
    lazy = FarMatcher if given["hash"] == 0 and given["ng"] else LazyMatcher
    greedy = GreedyMatcher
    if given["hash"] == TWO:
        return PieceMatcher(text, given)
    if given["hash"] == GO:
        greedy, lazy = GoGreedyMatcher, GoLazyMatcher
    kinds = {GREEDY: greedy, LAZY: lazy, LITERALS: Matcher, RUNS: RunMatcher, MEDIUM: MediumMatcher, BLOCKS: BlockMatcher}
    return kinds[given["search"]](text, given)
