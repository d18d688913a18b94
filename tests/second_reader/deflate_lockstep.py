"""What is read of a stream beside its text: tokens that are coded densely, and trees (DEFLATE.md, 6)."""
from cursor import require
from deflate_coder import BitDecoder, Models, NumberModel
from deflate_matcher import LITERAL
from deflate_trees import RUN_OF, Tree, op_by_rule

MATCH, UNTAKEN, OTHER = range(3)


def class_of(length):
    return sum(length >= bound for bound in (3, 4, 8, 32))


class Lockstep:
    def __init__(self, code):
        self.decoder = BitDecoder(code)
        self.bits = Models()
        self.numbers = {}
        self.missed = 0  # the last three bits
        self.last_length = 0  # of a tree: as by the rule, greater, less

    def bit(self, *key):
        return self.decoder.bit(self.bits[key])

    def number(self, *key):
        return self.numbers.setdefault(key, NumberModel()).decode(self.decoder)

    def tree(self, count, *key):
        node = 1
        for _ in range(count):
            node = node << 1 | self.bit(*key, node)
        return node - (1 << count)

    def token(self, matcher, pos, foreseen, untaken):
        """The token at `pos`."""
        known = foreseen if foreseen[1] else untaken
        kind = MATCH if foreseen[1] else UNTAKEN if untaken else OTHER
        length_class = class_of(known[0]) if known else 0
        missed = self.bit("missed", kind, length_class, self.missed)
        self.missed = (self.missed << 1 | missed) & 7
        if not missed:
            return foreseen
        if kind == MATCH and self.bit("literal", length_class):
            return LITERAL
        if kind == UNTAKEN and self.bit("untaken"):
            return untaken
        change = self.number("length", known is not None)
        length = (known[0] if known else 3) + (change >> 1 ^ -(change & 1))
        require(3 <= length <= matcher.most(pos), "a match of no length")
        return length, self.distance(matcher, pos, length, known is not None)

    def distance(self, matcher, pos, length, known):
        if self.bit("candidate", known):
            nearer = self.number("nearer", known)
            for index, distance in enumerate(matcher.candidates_alike(pos, length)):
                if index == nearer:
                    return distance
            require(False, "a match of a candidate that is not there")
        return self.decoder.plain(15) + 1

    def own_tree(self, rule):
        """Beside the tree by rule."""
        counts = self.count("literals", len(rule.literals), 257, 286), self.count("distances", len(rule.distances), 1, 30)
        literals, distances = self.lengths(counts[0], rule.literals), self.lengths(counts[1], rule.distances)
        ops = self.ops(literals, distances, rule.go)
        tree = Tree(literals, distances, ops, None if ops else [], rule.go)
        if self.bit("other order"):
            count = self.decoder.plain(4) + 4
            tree.order = [self.decoder.plain(3) for _ in range(count)]
        return tree

    def count(self, name, by_rule, least, most):
        if not self.bit("other count", name):
            return by_rule
        count = least + self.decoder.plain(5)
        require(count <= most, "a tree of too many symbols")
        return count

    def lengths(self, count, by_rule):
        lengths = []
        for symbol in range(count):
            length = rule = by_rule[symbol] if symbol < len(by_rule) else 0
            if self.bit("other length", self.last_length):
                length = self.tree(4, "length", rule)
            self.last_length = (length > rule) + 2 * (length < rule)
            lengths.append(length)
        return lengths

    def ops(self, literals, distances, go):
        both, ops, i, other = literals + distances, [], 0, 0
        while i < len(both):
            own, at = (literals, i) if i < len(literals) else (distances, i - len(literals))
            if go:
                own, at = both, i
            op = op_by_rule(own, at)
            other = self.bit("other op", other, op[0] >= 16)
            if other:
                symbol = (both[i], 16, 17, 18)[self.tree(2, "op")]
                least, bits = RUN_OF.get(symbol, (1, 0))
                op = symbol, least + self.decoder.plain(bits)
                repeated = (both[i - 1] if i else None) if symbol == 16 else 0
                require(symbol < 16 or both[i:i + op[1]] == [repeated] * op[1], "an op that says other lengths")
            ops.append(op)
            i += op[1]
        return ops

    def finish(self):
        self.decoder.finish()
