"""A deflate stream made again from its text and its recipe (DEFLATE.md)."""
from cursor import require
from deflate_blocks import (DYNAMIC, FIXED, STORED, BitWriter, Block, ends_by_rule, last_by_rule, type_by_rule, write_coded,
                            write_marker, write_stored)
from deflate_lockstep import Lockstep
from deflate_matcher import LITERAL
from deflate_ng import matcher_of
from deflate_pieces import Pieces
from deflate_recipe import TWO


class Rebuilder:
    def __init__(self, text, stream):
        self.text, self.stream, self.given = text, stream, stream.parameters
        self.matcher = matcher_of(text, self.given)
        self.lockstep = Lockstep(stream.lockstep)
        self.pieces = Pieces(self.given) if self.given["hash"] == TWO else None
        self.corrections = list(stream.corrections)
        self.joints, self.deviations = list(stream.joints), list(stream.deviations)
        self.blocks_since = 0
        self.bits = BitWriter()
        self.pos = 0

    def segment_end(self):
        return self.joints[0][0] if self.joints else len(self.text)

    def rebuild(self):
        packed = self.pack()
        require(len(packed) == self.stream.packed_bytes,
                f"a stream has {len(packed)} packed bytes, the patch says {self.stream.packed_bytes}")
        return packed

    def pack(self):
        """The stream, of whatever size."""
        self.matcher.begin_segment(self.segment_end())
        while not self.block():
            if self.joints and self.joints[0][0] == self.pos:
                self.join(*self.joints.pop(0))
        require(self.pos == len(self.text) and not self.joints, "a last block before the text ends")
        require(not self.corrections and not self.deviations, "corrections or deviations of a stream are left over")
        self.lockstep.finish()
        self.bits.align()
        return bytes(self.bits.bytes)

    def join(self, pos, kind, marker):
        write_marker(self.bits, marker)
        self.matcher.join(pos, kind)
        self.matcher.begin_segment(self.segment_end())

    def next_deviation(self):
        if self.deviations and self.deviations[0].blocks_before == self.blocks_since:
            self.blocks_since = 0
            return self.deviations.pop(0)
        self.blocks_since += 1
        return None

    def block(self):
        """Whether it is the last one."""
        require(self.bits.bit_count() <= 8 * self.stream.packed_bytes, "a stream has more than its packed bytes")
        deviation = self.next_deviation()
        if deviation and deviation.stored and deviation.size is not None:
            return self.stored_by_size(deviation)
        block = Block(self.text, self.pos)
        if deviation and deviation.size is not None:
            for _ in range(deviation.size):
                require(self.pos < self.segment_end(), "a block has fewer tokens than said")
                block.add(self.token())
        else:
            while self.pos < self.segment_end() and not block.full:
                block.add(self.token())
                block.full = ends_by_rule(block, self.given)
        if self.pieces:
            return self.piece(block, deviation)
        if deviation:
            last, kind = deviation.last, STORED if deviation.stored else FIXED if deviation.fixed else DYNAMIC
        else:
            last = last_by_rule(block, self.given, self.pos == len(self.text) and not self.joints)
            kind = type_by_rule(block, self.given, self.matcher.buckets.begin)
        self.write(block, kind, last, deviation and deviation.own_tree)
        return last

    def piece(self, block, deviation):
        ends = self.pos == self.segment_end()
        tree = block.tree(self.given, ends)
        if deviation:
            last, joins = deviation.last, deviation.joins
            kind = STORED if deviation.stored else FIXED if deviation.fixed else DYNAMIC
            tree = self.lockstep.own_tree(tree) if deviation.own_tree else tree
        else:
            last = last_by_rule(block, self.given, self.pos == len(self.text) and not self.joints)
            kind, joins = self.pieces.choose(block, tree, ends)
        require(not joins or self.pieces.open, "a piece joins no block")
        if not joins:
            self.end_open_block()
        if kind == DYNAMIC:
            write_coded(self.bits, block, last, self.pieces.open if joins else tree, not joins, ends or last)
        else:
            self.write(block, kind, last, False)
        self.pieces.take(block, kind, joins, tree, ends)
        return last

    def end_open_block(self):
        if self.pieces and self.pieces.open:
            write_coded(self.bits, Block(self.text, self.pos), False, self.pieces.open, head=False)
            self.pieces.open = None

    def write(self, block, kind, last, own_tree):
        if kind == STORED:
            write_stored(self.bits, self.text[block.begin:block.end], last)
        elif kind == FIXED:
            write_coded(self.bits, block, last, None)
        else:
            tree = block.tree(self.given, False)
            write_coded(self.bits, block, last, self.lockstep.own_tree(tree) if own_tree else tree)

    def stored_by_size(self, deviation):
        begin, end = self.pos, self.pos + deviation.size
        require(end <= self.segment_end(), "a stored block beyond its segment")
        while self.pos < end:
            require(not self.corrected(), "a correction in a stored block")
            (length, distance), _ = self.matcher.foresee(self.pos)
            self.advance((length, distance) if self.pos + length <= end else LITERAL)
        self.end_open_block()
        write_stored(self.bits, self.text[begin:end], deviation.last)
        if self.pieces:
            self.pieces.first = False
        return deviation.last

    def corrected(self):
        require(not self.corrections or self.corrections[0][0] >= self.pos, "a correction inside of a match")
        return bool(self.corrections) and self.corrections[0][0] == self.pos

    def token(self):
        foreseen, untaken = self.matcher.foresee(self.pos)
        if self.stream.dense:
            token = self.lockstep.token(self.matcher, self.pos, foreseen, untaken)
        else:
            token = self.corrections.pop(0)[1:] if self.corrected() else foreseen
        if token != foreseen and token[1]:
            self.check_match(*token)
        self.advance(token)
        return token

    def check_match(self, length, distance):
        pos = self.pos
        require(distance <= pos and pos + length <= self.segment_end(), "a match out of its segment")
        require(all(self.text[i] == self.text[i - distance] for i in range(pos, pos + length)), "a match that is none")

    def advance(self, token):
        self.matcher.take(self.pos, token)
        self.pos += token[0]


def rebuild_stream(text, stream):
    """The packed bytes."""
    return Rebuilder(text, stream).rebuild()
