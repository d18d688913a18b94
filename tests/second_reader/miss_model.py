"""The model of copied bytes that change, and into what (src/model/MODELLED_BYTES.md, section 6).

Most bytes of a copy cost one bit together: those of a stretch of which the changes so far let none expect one.
"""
from byte_model import ByteModel
from coder import H, MASK, Table
from miss_state import MissState
from mixing import Mix, Sets, WideSlot, said_by_wide, spread
from models import NumberModel, class_of

FLAG_CONTEXTS = 8
MOST_SEEN = 127  # by a slot, but for those of stretches
WARM = 60
SURE = 6  # a guess that has been right so often is asked about


class MissModel(MissState):
    def __init__(self, log):
        super().__init__(log)
        self.heats = Heats()
        self.due_by_gaps, self.due_by_values = [0] * 8192, [0] * 8192
        self.gaps_key = self.values_key = 0
        self.by_gap = Sets([19660] * (FLAG_CONTEXTS + 1))
        self.by_byte = Sets([0] * (FLAG_CONTEXTS + 1))
        self.by_heat = Sets([0] * (FLAG_CONTEXTS + 1))
        self.unchanged_bytes = 0
        self.unchanged_slots = Table(11, WideSlot)
        self.change_places = NumberModel(2, 8)
        self.guesses = ValueGuesses(log)
        self.byte_model = ByteModel(log - 2)

    def decode_copy(self, decoder, target_pos, piece):
        """What the bytes of a copy become."""
        around = (self.behind & 0xffff).to_bytes(2, "big") + piece + bytes(3)  # byte i of the copy stands at i + 2
        made = bytearray()
        while len(made) < len(piece):
            changes = None  # not known
            if self.run == 0:
                stayed, changes = self.decode_unchanged(decoder, around, len(made))
                made += stayed
            if len(made) < len(piece):
                made.append(self.decode_byte(decoder, target_pos, around, len(made), changes))
        return bytes(made)

    def decode_unchanged(self, decoder, around, begin):
        """The bytes that stay in front of the next flag, and True if the one behind them changes without a flag."""
        length = self.heats.first_warm(around, begin, self.due_end(around, begin)) - begin
        if length == 0:
            return b"", None
        size = class_of(length)
        slot = self.unchanged_slots.at(16 * size + min(self.unchanged_bytes.bit_length() // 2, 15))
        changes = decoder.bit(max(1, min(65535, slot.p >> 6)))
        slot.learn(changes)
        if changes:
            self.unchanged_bytes = 0
            contexts = H(1, size), H(2, size, class_of(self.gap))
            length = min(self.change_places.decode(decoder, contexts), length - 1)
        else:
            self.unchanged_bytes += length
        stretch = around[begin + 2:begin + 2 + length]
        self.stay_all(stretch)
        return stretch, True if changes else None

    def due_end(self, around, begin):
        """Where the first byte stands that is due, or the copy's end."""
        dues = self.gaps[0], self.due_by_gaps[self.gaps_key], self.due_by_values[self.values_key]
        return min([len(around) - 5] + [begin + due - self.gap for due in dues if due >= self.gap])

    def stay_all(self, stretch):
        """What `stay` does for each byte, as none of an unchanged stretch ends a run."""
        self.gap += len(stretch)
        self.changed = self.changed << min(len(stretch), 32) & MASK
        last = stretch[-4:]
        for byte in last:
            self.take(byte, byte)

    def decode_byte(self, decoder, target_pos, around, i, changes):
        copied, ahead = around[i + 2], int.from_bytes(around[i + 2:i + 6], "big")
        places = heat_places(*around[i:i + 6])
        heat = self.heats.at(places)
        slots = self.flag_slots(self.flag_hashes(target_pos + i, copied, ahead, heat))
        if changes is None:
            changes = self.decode_flag(decoder, slots, copied, heat)
        for slot in slots:
            slot.learn(changes, MOST_SEEN)
        if changes:
            self.heats.grow(places)
            return self.change(copied, self.decode_value(decoder, copied, ahead))
        self.heats.fall(places)
        self.stay(copied)
        return copied

    def decode_flag(self, decoder, slots, copied, heat):
        heat_set = tuple(h >> 6 for h in heat[:3])
        mix = Mix(said_by_wide(slots) + [-256], self.by_gap.at(self.gap_sets()), self.by_byte.at(copied),
                  self.by_heat.at(heat_set))
        flag = decoder.bit(max(16, min(65520, mix.mixed)))
        mix.learn(flag, 14 if self.flags < 4096 else 15)
        self.flags += 1
        return flag

    def flag_hashes(self, pos, c, ahead, heat):
        g, a, r, h1 = min(self.gap, 4095), pos % 4, self.changed % 16, self.changed % 2
        pair, triple, following, before = heat
        return (H(1, c, self.behind & 255, r), H(2, ahead, h1),
                H(3, pair >> 4, triple >> 4, following >> 5, before >> 5),
                H(4, g, self.run_before, self.gaps[0]), H(5, g, a, self.values & 0xffff),
                H(6, self.changed & 0xffff, a), H(7, min(g, 40), c, self.values & 255),
                H(8, c, self.behind & 0xffff))

    def end_run(self):
        super().end_run()
        self.gaps_key = H(1, self.gaps[0], self.gaps[1], self.run_before) >> 19
        self.values_key = H(2, self.gaps[0], self.values & 0xffff) >> 19

    def begin_run(self):
        super().begin_run()
        self.due_by_gaps[self.gaps_key] = self.due_by_values[self.values_key] = self.gaps[0]

    def decode_value(self, decoder, copied, ahead):
        if self.run == 0:
            self.begin_run()
        k1, n1, v1 = self.behind & 255, ahead & 0xff0000, self.values & 255
        place, q = self.place(), self.earlier_values()
        pair = self.guesses.pair(H(1, copied, n1, q & 255, place), H(2, copied, n1, k1, v1))
        value = self.guesses.decode(decoder, pair, copied, place)
        if value is None:
            value = self.byte_model.decode(decoder, copied, self.value_hashes(copied, ahead), place, v1)
        for guess in pair:
            guess.learn(value)
        return value

    def value_hashes(self, c, ahead):
        place, q, made = self.place(), self.earlier_values(), self.after
        n1 = ahead & 0xff0000
        return (H(1, place, self.values & 0xffffff), H(2, place, c), H(3, c, self.behind & 255, q), H(4, ahead),
                H(5, self.gaps[0], place, q), H(6, self.first, place, q), H(7, c, n1, q & 255, place),
                H(8, made & 0xffff), H(9, made & 255, n1))


class Heats:
    """How often bytes changed of late that had the same neighbours: the one before, both, the three behind, the two
    before."""

    def __init__(self):
        self.tables = tuple(bytearray(1 << 16) for _ in range(4))

    def at(self, places):
        return [table[place] for table, place in zip(self.tables, places)]

    def grow(self, places):
        for table, place in zip(self.tables, places):
            table[place] = min(table[place] + 80, 255)

    def fall(self, places):
        for table, place in zip(self.tables, places):
            heat = table[place]
            if heat:
                table[place] = heat - max(1, heat >> 2)

    def first_warm(self, around, begin, end):
        """The first warm byte from `begin` on, or `end`. Goes over nearly all copied bytes, hence all in one place."""
        pair, triple, following, before = self.tables
        view = memoryview(around)
        neighbours = zip(*(view[begin + i:end + i] for i in range(6)))
        for i, (k2, k1, c, n1, n2, n3) in enumerate(neighbours, begin):
            two = k1 << 8 | c
            if (pair[two] >= WARM or triple[spread16(two << 8 | n1)] >= WARM or
                    following[spread16(c << 24 | n1 << 16 | n2 << 8 | n3)] >= WARM or
                    before[spread16(k2 << 16 | two)] >= WARM):
                return i
        return end


def spread16(h):
    return (h * 0x9e3779b1 & MASK) >> 16


def heat_places(k2, k1, c, n1, n2, n3):
    return (k1 << 8 | c, spread16(k1 << 16 | c << 8 | n1), spread16(c << 24 | n1 << 16 | n2 << 8 | n3),
            spread16(k2 << 16 | k1 << 8 | c))


class ValueGuess:
    """What was added in a context before, and how often."""
    __slots__ = ("value", "count")

    def __init__(self):
        self.value = self.count = 0

    def learn(self, v):
        if v == self.value:
            self.count = min(self.count + 1, 255)
        elif self.count > 3:
            self.count //= 4
        else:
            self.value, self.count = v, 1


class ValueGuesses:
    """Says "it is as in the same context before", so that a value that is certain costs next to nothing."""

    def __init__(self, log):
        self.log = log
        self.by_next, self.by_before = Table(log, ValueGuess), Table(log, ValueGuess)
        self.by_counts, self.by_value = Table(10, WideSlot), Table(12, WideSlot)
        self.weights = Sets([26214] * 2)

    def pair(self, next_hash, before_hash):
        return self.by_next.at(spread(next_hash, self.log)), self.by_before.at(spread(before_hash, self.log))

    def decode(self, decoder, pair, copied, place):
        """The value; None if it is not as guessed."""
        a, b = pair
        best = b if b.count > a.count else a
        if best.count < SURE:
            return None
        kind = (2 if best is b else 0) + (1 if a.value == b.value else 0)
        slots = (self.by_counts.at(256 * kind + 16 * min(a.count, 15) + min(b.count, 15)),
                 self.by_value.at(H(best.value, copied, place) >> 20))
        mix = Mix(said_by_wide(slots), self.weights.at(kind))
        right = decoder.bit(max(16, min(65520, mix.mixed)))
        mix.learn(right, 14)
        for slot in slots:
            slot.learn(right, MOST_SEEN)
        return best.value if right else None
