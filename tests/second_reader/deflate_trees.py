"""Trees of deflate blocks, made as zlib and Go make them, and the ops that tell them (DEFLATE.md, 2.2 and 2.3)."""
import deflate_go
from cursor import require

ORDER = (16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15)
END_OF_BLOCK = 256
LITERAL_SYMBOLS, DISTANCE_SYMBOLS, LENGTH_SYMBOLS = 286, 30, 19
FIXED_LITERALS = [8] * 144 + [9] * 112 + [7] * 24 + [8] * 8
FIXED_DISTANCES = [5] * 30
RUN_OF = {16: (3, 2), 17: (3, 3), 18: (11, 7)}  # the least run of an op, and the bits that tell it


def steps(first, extra_bits):
    """(base, extra bits) of symbols whose bases begin at `first`."""
    found, base = [], first
    for extra in extra_bits:
        found.append((base, extra))
        base += 1 << extra
    return found


LENGTHS = steps(3, [max(n // 4 - 1, 0) for n in range(28)]) + [(258, 0)]
DISTANCES = steps(1, [max(n // 2 - 1, 0) for n in range(30)])


def symbols_of(pairs, least, most):
    table = [0] * (most + 1)
    for symbol, (base, extra) in enumerate(pairs):
        for value in range(base, min(base + (1 << extra), most + 1)):
            table[value] = symbol
    return table


LENGTH_SYMBOL = symbols_of(LENGTHS, 3, 258)
DISTANCE_SYMBOL = symbols_of(DISTANCES, 1, 32768)


class Taking:
    """The heap of elements from which the two rarest are taken until one is left."""

    def __init__(self, frequencies):
        self.frequency = dict(enumerate(frequencies))
        self.depth = {}
        self.heap = [None] + [symbol for symbol, frequency in enumerate(frequencies) if frequency]
        self.fill()

    def fill(self):
        """Two symbols at the least."""
        last = self.heap[-1] if len(self.heap) > 1 else -1
        while len(self.heap) < 3:
            added = 0
            if last < 2:
                last = added = last + 1
            self.frequency[added] = 1
            self.heap.append(added)

    def before(self, a, b):
        return (self.frequency[a], self.depth.get(a, 0)) <= (self.frequency[b], self.depth.get(b, 0))

    def sift(self, i):
        moved = self.heap[i]
        while 2 * i < len(self.heap):
            child = 2 * i
            if child + 1 < len(self.heap) and self.before(self.heap[child + 1], self.heap[child]):
                child += 1
            if self.before(moved, self.heap[child]):
                break
            self.heap[i] = self.heap[child]
            i = child
        self.heap[i] = moved

    def take_all(self):
        """All elements as they are taken, and each one's parent."""
        for i in range((len(self.heap) - 1) // 2, 0, -1):
            self.sift(i)
        taken, parents, node = [], {}, len(self.frequency)
        while len(self.heap) > 2:
            first = self.heap[1]
            last = self.heap.pop()
            self.heap[1] = last
            self.sift(1)
            second = self.heap[1]
            taken += [first, second]
            self.frequency[node] = self.frequency[first] + self.frequency[second]
            self.depth[node] = max(self.depth.get(first, 0), self.depth.get(second, 0)) + 1
            parents[first] = parents[second] = node
            self.heap[1] = node
            self.sift(1)
            node += 1
        return taken + [self.heap[1]], parents


def code_lengths(frequencies, most):
    """The length of each symbol's code, 0 of those without."""
    count = len(frequencies)
    taken, parents = Taking(frequencies).take_all()
    lengths, by_length, cut = {}, [0] * (most + 1), 0
    for element in reversed(taken):
        length = lengths[parents[element]] + 1 if element in parents else 0
        if length > most:
            length, cut = most, cut + 1
        lengths[element] = length
        by_length[length] += element < count
    if cut:
        shorten(by_length, most, cut)
        given = iter([length for length in range(most, 0, -1) for _ in range(by_length[length])])
        for element in taken:
            if element < count:
                lengths[element] = next(given)
    return [lengths.get(symbol, 0) for symbol in range(count)]


def shorten(by_length, most, cut):
    for _ in range((cut + 1) // 2):
        b = max(length for length in range(most) if by_length[length])
        by_length[b] -= 1
        by_length[b + 1] += 2
        by_length[most] -= 1


def told_count(lengths, least):
    return max([symbol + 1 for symbol, length in enumerate(lengths) if length] + [least])


def codes(lengths):
    """Symbol -> (its bits as deflate writes them, lowest first; how many), as RFC 1951, 3.2.2 says."""
    code, found = 0, {}
    for length in range(1, 16):
        for symbol, own in enumerate(lengths):
            if own == length:
                found[symbol] = int(format(code, f"0{length}b")[::-1], 2), length
                code += 1
        code <<= 1
    return found


def op_by_rule(lengths, i):
    """(symbol, run) at place i of one list of lengths."""
    c, most = lengths[i], 6 if lengths[i] else 138
    run = 1
    while run < most and i + run < len(lengths) and lengths[i + run] == c:
        run += 1
    if c == 0 and run >= 3:
        return (17 if run <= 10 else 18), run
    if run >= 3 and i > 0 and lengths[i - 1] == c:
        return 16, run
    return c, 1


def ops_by_rule(lengths):
    ops, i = [], 0
    while i < len(lengths):
        ops.append(op_by_rule(lengths, i))
        i += ops[-1][1]
    return ops


class Tree:
    """What the head of a dynamic block says."""

    def __init__(self, literals, distances, ops=None, order=None, go=False):
        self.literals, self.distances, self.go = literals, distances, go
        if ops is None:
            ops = ops_by_rule(literals + distances) if go else ops_by_rule(literals) + ops_by_rule(distances)
        self.ops = ops
        self.order = self.order_by_rule() if order is None else order  # lengths of the code of lengths, as they are told

    def order_by_rule(self):
        frequencies = [0] * LENGTH_SYMBOLS
        for symbol, _ in self.ops:
            frequencies[symbol] += 1
        lengths = lengths_by(self.go)(frequencies, 7)
        told = [lengths[symbol] for symbol in ORDER]
        return told[:told_count(told, 4)]

    def length_codes(self):
        lengths = [0] * LENGTH_SYMBOLS
        for symbol, length in zip(ORDER, self.order):
            lengths[symbol] = length
        return codes(lengths)

    def head_bits(self):
        own = self.length_codes()
        return 14 + 3 * len(self.order) + sum(own[symbol][1] + RUN_OF.get(symbol, (0, 0))[1] for symbol, _ in self.ops)

    def write(self, bits):
        bits.put(len(self.literals) - 257, 5)
        bits.put(len(self.distances) - 1, 5)
        bits.put(len(self.order) - 4, 4)
        for length in self.order:
            bits.put(length, 3)
        own = self.length_codes()
        for symbol, run in self.ops:
            require(symbol in own, "an op of a tree has no code")
            bits.put(*own[symbol])
            if symbol in RUN_OF:
                least, count = RUN_OF[symbol]
                bits.put(run - least, count)


PLAIN = 2  # in the place of True: Huffman's trees first


def lengths_by(go):
    if go == PLAIN:
        return deflate_go.plain_lengths
    return deflate_go.code_lengths if go else code_lengths


def tree_by_rule(literal_frequencies, distance_frequencies, go, says_all=False):
    literals, distances = lengths_by(go)(literal_frequencies, 15), lengths_by(go)(distance_frequencies, 15)
    if says_all:
        return Tree(literals, distances, go=go)
    return Tree(literals[:told_count(literals, 257)], distances[:told_count(distances, 1)], go=go)
