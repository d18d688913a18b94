"""Blocks of a deflate stream: where those by rule end, of what type they are, and their bits (DEFLATE.md, 2.1)."""
from cursor import require
from deflate_recipe import BLOCKS, GO, LAZY, LITERALS, TWO
from deflate_trees import (PLAIN, DISTANCE_SYMBOL, DISTANCE_SYMBOLS, DISTANCES, END_OF_BLOCK, FIXED_DISTANCES, FIXED_LITERALS,
                           LENGTH_SYMBOL, LENGTHS, LITERAL_SYMBOLS, codes, tree_by_rule)

STORED, FIXED, DYNAMIC = range(3)
MAX_STORED = 65535
KNOWN_BY_ZLIB = 65274  # a window of 64 KiB less what is looked at ahead
GZIP_TOKENS = 4096
FIXED_CODES = codes(FIXED_LITERALS), codes(FIXED_DISTANCES)


class BitWriter:
    def __init__(self):
        self.value = self.count = 0
        self.bytes = bytearray()

    def put(self, value, count):
        self.value |= value << self.count
        self.count += count
        while self.count >= 8:
            self.bytes.append(self.value & 255)
            self.value >>= 8
            self.count -= 8

    def bit_count(self):
        return 8 * len(self.bytes) + self.count

    def align(self):
        self.put(0, -self.count % 8)


class Block:
    """The tokens of a block and the text they stand for."""

    def __init__(self, text, begin):
        self.text, self.begin, self.end = text, begin, begin
        self.tokens = []
        self.last_pos = begin  # of the last token
        self.full = False
        self.matches = self.gzip_bits = 0

    def add(self, token):
        length, distance = token
        self.tokens.append(token)
        self.last_pos = self.end
        self.end += length
        self.gzip_bits += 8
        if distance:
            self.matches += 1
            self.gzip_bits += 5 + DISTANCES[DISTANCE_SYMBOL[distance]][1]

    def frequencies(self, go=False):
        literals, distances = [0] * LITERAL_SYMBOLS, [0] * DISTANCE_SYMBOLS
        literals[END_OF_BLOCK] = 1
        pos = self.begin
        for length, distance in self.tokens:
            if distance:
                literals[257 + LENGTH_SYMBOL[length]] += 1
                distances[DISTANCE_SYMBOL[distance]] += 1
            else:
                literals[self.text[pos]] += 1
            pos += length
        if go and not any(distances):
            distances[0] = 1
        return literals, distances

    def tree(self, given, ends):
        """`ends`: the segment ends with it."""
        go = given["hash"] in (GO, TWO)
        of_two = given["block_end"] if given["hash"] == TWO else 0
        says_all = of_two == 1 and not ends and any(distance for _, distance in self.tokens)
        return tree_by_rule(*self.frequencies(go), PLAIN if of_two == 2 else go, says_all)

    def last_is_match(self):
        return bool(self.tokens) and self.tokens[-1][1] > 0


def counted_in_bytes(given):
    return given["hash"] == TWO or given["hash"] == GO and given["search"] in (LITERALS, BLOCKS)


def ends_by_rule(block, given):
    """Whether the block is full with the token added last."""
    if counted_in_bytes(given):
        return block.end - block.begin >= MAX_STORED
    count, lazy = len(block.tokens), given["search"] == LAZY
    if count == given["block_tokens"]:
        return True
    if not given["block_end"] or not (lazy or given["chain"] >= 32) or count % GZIP_TOKENS:
        return False
    in_bytes = block.last_pos - block.begin + lazy
    return block.matches < count // 2 and block.gzip_bits // 8 < in_bytes // 2


def last_by_rule(block, given, text_ends):
    """`text_ends`: the block ends with the text, and no joint is left."""
    if given["hash"] in (GO, TWO):
        return text_ends and not block.tokens
    ends_with_literal = given["search"] == LAZY and bool(block.tokens) and not block.last_is_match()
    return text_ends and (not block.full or ends_with_literal)


def bits_of(frequencies, lengths):
    """What symbols take with codes of these lengths, with their extra bits."""
    literals, distances = frequencies
    bits = sum(count * lengths[0][symbol] for symbol, count in enumerate(literals) if count)
    bits += sum(count * lengths[1][symbol] for symbol, count in enumerate(distances) if count)
    bits += sum(count * LENGTHS[n][1] for n, count in enumerate(literals[257:]))
    return bits + sum(count * DISTANCES[n][1] for n, count in enumerate(distances))


def type_by_rule(block, given, known_from):
    """`known_from` is where the text begins that M knows of."""
    frequencies, tree = block.frequencies(given["hash"] == GO), block.tree(given, False)
    if given["hash"] == GO:
        return go_type_by_rule(block, given, known_from, frequencies, tree)
    dynamic = (3 + tree.head_bits() + bits_of(frequencies, (tree.literals, tree.distances)) + 7) // 8
    fixed = (3 + bits_of(frequencies, (FIXED_LITERALS, FIXED_DISTANCES)) + 7) // 8
    raw = block.end - block.begin
    if raw + 4 <= min(dynamic, fixed) and raw <= MAX_STORED and may_be_stored(block, given, known_from):
        return STORED
    return FIXED if fixed <= dynamic else DYNAMIC


def go_type_by_rule(block, given, known_from, frequencies, tree):
    raw, counted = block.end - block.begin, counted_in_bytes(given)
    if raw == 0 or raw <= 16 and given["search"] == BLOCKS:
        return STORED
    if counted:
        dynamic = 3 + tree.head_bits() + sum(count * lengths[n] for counts, lengths in zip(frequencies, (tree.literals, tree.distances))
                                             for n, count in enumerate(counts) if count)
        return STORED if 8 * (raw + 5) < dynamic + dynamic // 16 and raw <= MAX_STORED else DYNAMIC
    dynamic = 3 + tree.head_bits() + bits_of(frequencies, (tree.literals, tree.distances))
    fixed = 3 + bits_of(frequencies, (FIXED_LITERALS, FIXED_DISTANCES))
    if 8 * (raw + 5) < min(dynamic, fixed) and raw <= MAX_STORED and may_be_stored(block, given, known_from):
        return STORED
    return FIXED if fixed <= dynamic else DYNAMIC


def may_be_stored(block, given, known_from):
    go = given["hash"] == GO
    if not go and given["block_tokens"] <= 16383:
        return True
    q = block.last_pos + (given["search"] == LAZY and (go or block.last_is_match()))
    window = known_from
    if q > known_from + KNOWN_BY_ZLIB:
        window += 32768 * ((q - known_from - KNOWN_BY_ZLIB + 32767) // 32768)
    return block.begin >= window


def write_stored(bits, text, last):
    require(len(text) <= MAX_STORED, f"a stored block has {len(text)} bytes")
    bits.put(last, 3)
    bits.align()
    bits.put(len(text), 16)
    bits.put(len(text) ^ 0xffff, 16)
    bits.bytes += text


def write_coded(bits, block, last, tree, head=True, end=True):
    """`tree` is None for fixed ones. Without a head it is a piece that joins, without an end one that may be joined."""
    if head:
        bits.put(last | (2 if tree is None else 4), 3)
    if head and tree is not None:
        tree.write(bits)
    literals, distances = FIXED_CODES if tree is None else (codes(tree.literals), codes(tree.distances))
    pos = block.begin
    for length, distance in block.tokens:
        if distance:
            put(bits, literals, LENGTH_SYMBOL[length], LENGTHS, length, 257)
            put(bits, distances, DISTANCE_SYMBOL[distance], DISTANCES, distance, 0)
        else:
            require(block.text[pos] in literals, "a literal has no code")
            bits.put(*literals[block.text[pos]])
        pos += length
    require(END_OF_BLOCK in literals, "the end of a block has no code")
    if end:
        bits.put(*literals[END_OF_BLOCK])


def put(bits, own_codes, n, pairs, value, first):
    require(n + first in own_codes, "a match has no code")
    bits.put(*own_codes[n + first])
    base, extra = pairs[n]
    bits.put(value - base, extra)


def write_marker(bits, marker):
    """Empty blocks behind a joint."""
    if marker == 1 or marker == 3 and bits.bit_count() % 2:
        write_stored(bits, b"", False)
    elif marker == 2:
        bits.put(2, 10)
    elif marker == 3:
        while bits.bit_count() % 8:
            bits.put(2, 10)
