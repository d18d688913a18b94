"""Modelled bytes of a group: the form's bytes about them, and the lanes that decode them (src/model/MODELLED_BYTES.md,
section 3)."""
from dataclasses import dataclass

from coder import BitDecoder
from cursor import require
from literal_model import LiteralModel
from miss_model import MissModel

GAPS, RUN_LENGTHS, VALUES, LITERALS = 3, 4, 5, 6


@dataclass(frozen=True)
class ModelledScope:
    literals: bool
    misses: bool
    miss_log: int
    lanes: int

    @property
    def streams(self):
        """Those in whose place the code of a window stands."""
        return ({GAPS, RUN_LENGTHS, VALUES} if self.misses else set()) | ({LITERALS} if self.literals else set())

    def memory(self):
        literals = 4194304 if self.literals else 0
        misses = 524288 + (64 << self.miss_log) if self.misses else 0
        return self.lanes * (4096 + literals + misses)


def read_modelled_scope(head, header):
    form = head.byte()
    literals, misses, lanes = bool(form & 1), bool(form & 2), 2 if form & 4 else 1
    require(form < 8, f"bits of the byte about modelled bytes that are not known: {form}")
    require(literals or misses, "a group has modelled bytes of which nothing is coded")
    require(not literals or head.byte() == 1, "the literal model is not known")
    require(not literals or header.may_have_literal_model, "modelled literals without their feature")
    require(not misses or head.byte() == 1, "the miss model is not known")
    require(not misses or header.may_have_miss_model, "modelled misses without their feature")
    miss_log = head.byte() if misses else 12
    require(12 <= miss_log <= 18, f"log of the miss model's slots {miss_log}; 12 to 18 expected")
    return ModelledScope(literals, misses, miss_log, lanes)


@dataclass(frozen=True)
class Op:
    begin: int  # in its window
    end: int
    source_pos: int = None  # None: a literal


def ops_of(window_bytes, window_pos, copies):
    ops, at = [], 0
    for literals, length, diagonal in copies:
        if literals:
            ops.append(Op(at, at + literals))
        at += literals
        ops.append(Op(at, at + length, window_pos + at + diagonal))
        at += length
    if at < window_bytes:
        ops.append(Op(at, window_bytes))
    return ops


def source_end(ops, source_bytes):
    """Behind what the last op copied of the source; None if it copied nothing there."""
    last = ops[-1]
    return None if last.source_pos is None or last.source_pos >= source_bytes else last.source_pos + last.end - last.begin


class Lane:
    def __init__(self, scope, source):
        self.source = source
        self.literals = LiteralModel(source) if scope.literals else None
        self.misses = MissModel(scope.miss_log) if scope.misses else None
        self.decoder = None  # begins with the first window
        self.code = b""  # of the window at hand
        self.taken = 0  # of it
        self.ended = False

    def code_byte(self):
        if self.taken == len(self.code):
            self.ended = True
        if self.ended:
            return 0
        self.taken += 1
        return self.code[self.taken - 1]

    def decode(self, code, window, window_pos, ops, source_before):
        """`window` as it is before its modelled bytes are decoded, a bytearray, becomes what it is in the end."""
        require(not (self.ended and code), "code of a window behind the end of its lane's code")
        self.code, self.taken = code, 0
        if self.decoder is None:
            self.decoder = BitDecoder(self.code_byte)
        before = bytes(8)
        if self.literals and source_before is not None:
            before = (before + self.source[max(source_before - 8, 0):source_before])[-8:]
        for op, after in zip(ops, ops[1:] + [Op(0, 0)]):
            if op.source_pos is not None:
                source_before = op.source_pos + op.end - op.begin
                if self.misses:
                    piece = bytes(window[op.begin:op.end])
                    window[op.begin:op.end] = self.misses.decode_copy(self.decoder, window_pos + op.begin, piece)
            elif self.literals:
                window[op.begin:op.end] = self.literals.decode_run(
                    self.decoder, op.end - op.begin, window_pos + op.begin, source_before, after.source_pos, before)
            before = (before + window[op.begin:op.end])[-8:]
        require(self.taken == len(self.code), "a window has code that it does not need")

    def finish(self):
        if self.decoder is not None:
            self.decoder.finish()


class Lanes:
    def __init__(self, scope, source):
        self.lanes = [Lane(scope, source) for _ in range(scope.lanes)]
        self.number = 0  # of the next modelled window

    def decode(self, code, window, window_pos, ops, source_before):
        window = bytearray(window)
        self.lanes[self.number % len(self.lanes)].decode(code, window, window_pos, ops, source_before)
        self.number += 1
        return bytes(window)

    def finish(self):
        for lane in self.lanes:
            lane.finish()
