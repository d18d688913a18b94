"""Substitutions, read from their record and made in the bytes of one copy."""
from cursor import MIB, Cursor, require
from streams import read_whole_stream
from records import SUBSTITUTIONS

MAX_RECORD_BYTES = 32 * MIB
PATTERN_BYTES = 4
MAX_RUNS = 64
MAX_SUBSTITUTIONS = 1 << 20
FIXED_BYTES = 4096
BYTES_PER_SUBSTITUTION = 48
BYTES_PER_SPAN = 16
UNIT_BYTES = 16384


class SubstitutionTable:
    """`changes`: each pattern and what it becomes, by rank. `spans`: [(begin, end)] of NEW; None for all."""

    def __init__(self, changes, spans=None):
        self.spans = spans
        self.ranks = {before: rank for rank, (before, _) in enumerate(changes)}
        self.made = [after for _, after in changes]
        require(len(self.ranks) == len(changes), "a pattern is there twice")

    def replaced_at(self, target_pos, piece):
        """The same of a copy to target_pos, as far as it lies in spans."""
        if self.spans is None:
            return self.replaced(piece)
        made, target_end = bytearray(piece), target_pos + len(piece)
        for begin, end in self.spans:
            begin, end = max(begin, target_pos) - target_pos, min(end, target_end) - target_pos
            if begin < end:
                made[begin:end] = self.replaced(piece[begin:end])
        return bytes(made)

    def replaced(self, piece):
        """What one copy gives, of which `piece` are the bytes before substitutions are made."""
        best = {}  # position -> (rank, byte)
        for pos in range(len(piece) - PATTERN_BYTES + 1):
            rank = self.ranks.get(bytes(piece[pos:pos + PATTERN_BYTES]))
            if rank is not None:
                for at, byte in enumerate(self.made[rank], pos):
                    if at not in best or rank < best[at][0]:
                        best[at] = rank, byte
        made = bytearray(piece)
        for at, (_, byte) in best.items():
            made[at] = byte
        return bytes(made)


def read_substitutions(cursor, header):
    fields = cursor.record_fields(SUBSTITUTIONS, MAX_RECORD_BYTES, "the record of substitutions")
    length = fields.left()
    counts = [fields.varint(least=1, most=MAX_SUBSTITUTIONS, name="substitutions of a run")
              for _ in range(fields.varint(least=1, most=MAX_RUNS, name="runs of substitutions"))]
    require(sum(counts) <= MAX_SUBSTITUTIONS, f"{sum(counts)} substitutions, {MAX_SUBSTITUTIONS} at most")
    raw_bytes = fields.varint()
    header.memory.hold(FIXED_BYTES + BYTES_PER_SUBSTITUTION * sum(counts) + length, "substitutions")
    raw, codec_bytes = read_whole_stream(fields, raw_bytes, header.memory)
    header.memory.hold(raw_bytes + codec_bytes, "the columns of substitutions")
    spans = read_spans(fields, header) if fields.left() else None
    fields.finish()
    columns = Cursor(raw, what="the columns of substitutions")
    changes = []
    for key in list(read_keys(columns, counts, 256 ** PATTERN_BYTES - 1)):
        before = key.to_bytes(PATTERN_BYTES, "big")
        changes.append((before, bytes(a + b & 255 for a, b in zip(before, columns.take(PATTERN_BYTES)))))
    columns.finish()
    return SubstitutionTable(changes, spans)


def read_spans(fields, header):
    units, end, spans = -(-header.target_bytes // UNIT_BYTES), 0, []
    count = fields.varint(least=1, name="spans of substitutions")
    header.memory.hold(BYTES_PER_SPAN * count, "spans of substitutions")
    for i in range(count):
        begin = end + fields.varint(least=min(i, 1), most=units - end, name="gap of a span")
        end = begin + fields.varint(least=1, most=units - begin, name="length of a span")
        spans.append((begin * UNIT_BYTES, end * UNIT_BYTES))
    return spans


def read_keys(columns, counts, most):
    for count in counts:
        key = 0
        for i in range(count):
            key += columns.varint(least=min(i, 1), most=most - key, name="gap to the next pattern")
            yield key
