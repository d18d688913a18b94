"""From the numbers of a window to copies and residual runs, and from those to bytes."""
from dataclasses import dataclass

from coder import BitDecoder
from cursor import Cursor, require, zigzag
from group import COPY_LENGTHS, DIAGONALS, GAPS, LITERAL_LENGTHS, MAX_RUNS, RUN_LENGTHS, VALUES
from packed import OpCoder, RunCoder


class Given:
    """The numbers of one window that stand in streams. next(stream) is None for what the code holds."""

    def __init__(self, group, raw):
        self.group = group
        self.cursors = {stream: Cursor(data, what=f"a window's stream {stream}") for stream, data in raw.items()}

    def has(self, stream):
        return stream in self.cursors and not self.cursors[stream].at_end()

    def next(self, stream):
        if self.group.in_scope(stream):
            return None
        require(stream in self.cursors, f"a window needs stream {stream}, which has no bytes for it")
        return self.cursors[stream].byte() if stream == VALUES else self.cursors[stream].varint()

    def finish(self):
        for cursor in self.cursors.values():
            cursor.finish()


class GroupNumbers:
    """The numbers of one group, window by window, from streams and from the code."""

    def __init__(self, group, next_code_byte):
        self.group = group
        self.next_code_byte = next_code_byte
        self.decoder = None  # begins with the first coded window
        self.ops = OpCoder(group.table_log)
        self.runs = RunCoder(group.table_log)

    def begin_window(self):
        if self.group.packed and self.decoder is None:
            self.decoder = BitDecoder(self.next_code_byte)

    def finish(self):
        if self.decoder is not None:
            self.decoder.finish()

    def copies(self, window, given, diagonal, group_pos):
        """[(literal length, length, diagonal)] of a window behind one that ended on `diagonal`."""
        copies, target_bytes = [], 0
        for _ in range(window.copy_count):
            numbers = {stream: given.next(stream) for stream in (LITERAL_LENGTHS, COPY_LENGTHS, DIAGONALS)}
            literals, length, diagonal = self.ops.decode_copy(self.decoder, numbers, diagonal, group_pos + target_bytes)
            target_bytes += literals + length
            require(length >= 1 and target_bytes <= window.target_bytes, "a copy does not fit into its window")
            copies.append((literals, length, diagonal))
        return copies

    def pass_copies(self, copies, diagonal, group_pos):
        """Copies that are known take part all the same."""
        position = group_pos
        for literals, length, copy_diagonal in copies:
            numbers = {LITERAL_LENGTHS: literals, COPY_LENGTHS: length, DIAGONALS: zigzag(copy_diagonal - diagonal)}
            self.ops.decode_copy(self.decoder, numbers, diagonal, position)
            position += literals + length
            diagonal = copy_diagonal

    def residual(self, window, given, copies, group_pos):
        """[(offset among the copied bytes, values)]. `group_pos`: where the window begins in its group."""
        places = CopyPlaces(copies, group_pos)
        at_hand = CopyAtHand(places)
        runs, offset = [], 0
        while len(runs) < window.run_count if self.group.packed else given.has(GAPS):
            require(len(runs) < MAX_RUNS, "too many residual runs in a window")
            gap = given.next(GAPS)
            passed = self._pass_copies(at_hand, offset, gap)
            offset += passed
            if gap is None:
                gap = self.runs.decode_distance(self.decoder, *at_hand.place(offset), at_hand.here)
            else:
                gap -= passed
            require(gap < places.copied_bytes - offset, "a residual run begins behind the copied bytes")
            offset += gap
            at_hand.go_to(offset)
            at_hand.here += 1
            values = self._run(given, gap, at_hand.place(offset)[0], places.copied_bytes - offset)
            runs.append((offset, values))
            offset += len(values)
            at_hand.go_to(offset)
        return runs

    def _pass_copies(self, at_hand, offset, gap):
        """Over the copies in front of the one where the next run begins. Gives how many of their bytes that were."""
        passed = 0
        while at_hand.has_next():
            left = at_hand.left(offset + passed)
            if left > 0 and gap is None:
                passes = self.runs.decode_pass(self.decoder, left, at_hand.here, at_hand.before)
            else:
                passes = left == 0 or gap - passed >= left
            if not passes:
                break
            passed += left
            at_hand.next()
        return passed

    def _run(self, given, gap, position, bytes_left):
        less_one = given.next(RUN_LENGTHS)
        if less_one is None:
            less_one = self.runs.decode_length(self.decoder, gap, position)
        length = less_one + 1
        require(length <= bytes_left, "a residual run ends behind the copied bytes")
        values = bytearray()
        for i in range(length):
            value = given.next(VALUES)
            if value is None:
                value = self.runs.decode_value(self.decoder, i, length, gap)
            self.runs.note_value(value)
            values.append(value)
        self.runs.note_run(gap, length, values[0])
        return bytes(values)


class CopyPlaces:
    """Where in its group the copied bytes of a window stand."""

    def __init__(self, copies, group_pos):
        self.copied_bytes = 0
        self.first = group_pos + (copies[0][0] if copies else 0)
        self.ends = []  # of each copy: how many bytes are copied up to there, and the position
        self.end_positions = []
        position = group_pos
        for literals, length, _ in copies:
            position += literals + length
            self.copied_bytes += length
            self.ends.append(self.copied_bytes)
            self.end_positions.append(position)


class CopyAtHand:
    """Which copy of a window its residual has come to, and how many runs began in it and in the one before."""

    def __init__(self, places):
        self.places = places
        self.copy, self.here, self.before = 0, 0, 0

    def has_next(self):
        return self.copy + 1 < len(self.places.ends)

    def next(self):
        self.copy, self.here, self.before = self.copy + 1, 0, self.here

    def left(self, offset):
        return self.places.ends[self.copy] - offset if self.places.ends else 0

    def go_to(self, offset):
        while self.left(offset) < 0:
            self.next()

    def place(self, offset):
        """(position, bytes left of the copy)"""
        left = self.left(offset)
        return (self.places.end_positions[self.copy] - left if self.places.ends else self.places.first), left


def literal_bytes_of(window, copies):
    return window.target_bytes - sum(length for _, length, _ in copies)


@dataclass
class TargetCopy:
    """In place of a copy's bytes: where in the target they stand once the copy's turn has come."""
    target_pos: int


def pieces_of(source, header, window, copies, window_pos):
    """The bytes of each copy of a window that begins at target position `window_pos`, or a TargetCopy."""
    pieces, target_pos = [], window_pos
    for literals, length, diagonal in copies:
        target_pos += literals
        source_pos = target_pos + diagonal
        if header.copies_target and source_pos >= len(source):
            from_pos = source_pos - len(source)
            require(not window.modelled, "copies of NEW beside modelled bytes")
            require(from_pos + length <= target_pos, f"a copy of NEW at {target_pos} reaches into itself")
            require(from_pos >= window_pos - header.history, f"a copy of NEW at {target_pos} begins too far back")
            pieces.append(TargetCopy(from_pos))
        else:
            pieces.append(copied_bytes(source, source_pos, length))
        target_pos += length
    return pieces


def copied_bytes(source, source_pos, length):
    require(0 <= source_pos and source_pos + length <= len(source), f"a copy from {source_pos} reaches out of OLD")
    return source[source_pos:source_pos + length]


def execute(window, copies, pieces, runs, literals, earlier):
    """The target bytes of a coded window; `pieces` are what its copies give, `earlier` is the target in front of it."""
    target = bytearray()
    changes = Changes(runs)
    used = 0
    for (literal_length, length, _), piece in zip(copies, pieces):
        target += literals[used:used + literal_length]
        used += literal_length
        if isinstance(piece, TargetCopy):
            piece = target_bytes(earlier, target, piece.target_pos, length)
        target += changes.added_to(piece)
    target += literals[used:]
    require(len(target) == window.target_bytes, "the literals of a window do not fill it")
    return bytes(target)


def target_bytes(earlier, made, pos, length):
    """`earlier` and `made` stand one behind the other."""
    end = pos + length
    inside = max(0, pos - len(earlier)), max(0, end - len(earlier))
    return bytes(earlier[pos:end]) + bytes(made[inside[0]:inside[1]])


class Changes:
    """The residual of a window, added copy by copy."""

    def __init__(self, runs):
        self.values = [(offset + i, value) for offset, run in runs for i, value in enumerate(run)]
        self.values.reverse()
        self.copied_bytes = 0

    def added_to(self, piece):
        piece = bytearray(piece)
        while self.values and self.values[-1][0] < self.copied_bytes + len(piece):
            offset, value = self.values.pop()
            piece[offset - self.copied_bytes] = (piece[offset - self.copied_bytes] + value) & 255
        self.copied_bytes += len(piece)
        return piece
