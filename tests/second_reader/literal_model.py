"""The model of coded literals (src/model/CONTENTS.md, section 5)."""
from coder import H, STRETCH, step
from literal_history import PART, History, Match
from mixing import (FIRST_CORRECTIONS, FIRST_MEANINGS, FRESH, Correction, Lines, Mix, Sets, learn_small, meaning_of,
                    move, said_by)

CONTEXTS = 11
INPUTS = 14
NO_GUESS = 256
BELIED = 10  # the place of weights where a bit has belied the match


class Context:
    """The bytes in front of a place."""

    def start(self, position, data):
        self.recent = 0  # eight bytes, the latest lowest
        self.word = self.word_before = 0
        self.position = position - len(data)
        for byte in data:
            self.take(byte)

    def take(self, byte):
        self.recent = (self.recent << 8 | byte) & (1 << 64) - 1
        self.position += 1
        if byte >= 128 or chr(byte).isalnum() or byte == ord("_"):
            self.word = step(self.word, byte + 32 if 65 <= byte <= 90 else byte)
        elif self.word:
            self.word_before, self.word = self.word, 0

    def hashes(self, by_match, by_source):
        low, high, a = self.recent & 0xffffffff, self.recent >> 32, self.position & 3
        b1, b4, b8 = low & 255, low & 0xff000000, high & 0xff000000
        return (H(1, b1), H(2, low & 0xffff), H(3, low & 0xffffff), H(4, low), H(5, low, high & 0xffff),
                H(6, self.word, b1), H(7, self.word, self.word_before), H(8, low & 0xff00ff00, a), H(9, b8, b4, a),
                H(10, b8, b1, a), H(11, 65536 * by_match + by_source, 256 if by_match < 256 else b1))


class KnownByte:
    """In place of the decoder where the model is trained: gives the bits of a byte that is known."""

    def __init__(self, byte):
        self.bits = iter(f"{byte:08b}")

    def bit(self, _):
        return int(next(self.bits))


class LiteralModel:
    def __init__(self, log, source, run_matches):
        self.source = source
        self.run_matches = run_matches  # may begin inside of runs
        self.history = History(log, source)
        self.match = Match(self.history)
        self.lines = Lines(log)
        self.context = Context()
        self.meanings = [list(FIRST_MEANINGS) for _ in range(CONTEXTS)]
        self.plain = [FRESH] * 256
        self.match_slots = [FRESH] * (11 * 16)
        self.source_slots = [FRESH] * (4 * 16)
        self.by_place = Sets([18350] * INPUTS)
        self.by_node = Sets([0] * INPUTS)
        self.corrections = Sets(FIRST_CORRECTIONS)
        self.source_place = 0
        self.in_run = 0
        self.bits = self.coded = self.trained = self.brought = 0

    def decode_run(self, decoder, length, target_pos, source_before, source_after, before):
        """The bytes of a run; `before` are the eight in front of it."""
        self.coded += length
        self.prepare(source_before)
        self.prepare(source_after)
        known = before[8 - min(8, target_pos):]
        self.context.start(target_pos, known)
        for byte in known:
            self.history.append(byte)
        self.in_run = 0
        self.match.seek(self.history.ring_at)
        self.source_place = self.history.place(source_before)
        return bytes(self.decode_byte(decoder) for _ in range(length))

    def decode_byte(self, decoder):
        byte = self.code(decoder)
        self.history.append(byte)
        if self.run_matches:
            self.match.seek_if_none(self.history.ring_at)
        self.history.remember()
        return byte

    def prepare(self, pos):
        if pos is None:
            return
        start = max(pos - PART, 0)
        for q in (start, start + PART, start + 2 * PART):
            if q >= len(self.source) or q > pos + PART:
                return
            if self.history.place(q) == 0:
                missing = self.history.block_bytes(q)
                if self.brought + missing > 4194304 + 16 * self.coded:
                    return
                self.brought += missing
                self.history.bring(q)
            self.train(q)

    def train(self, q):
        if self.trained + PART > min(65536 + 16 * self.coded, 262144) or not self.history.mark(q):
            return
        begin = q - q % PART
        data = self.source[begin:begin + PART]
        self.trained += len(data)
        self.context.start(begin, b"")
        self.match.length = 0
        self.source_place = 0
        for place, byte in enumerate(data, self.history.place(begin)):
            self.code(KnownByte(byte))
            self.match.seek_if_none(place + 1)

    def code(self, decoder):
        state = self.match.state()
        by_match = self.match.guess()
        by_source = self.history.bytes[self.source_place] if self.source_place else NO_GUESS
        hashes = self.context.hashes(by_match, by_source)
        node = 1
        for left in range(8, 0, -1):
            if left in (8, 4):
                lines = [self.lines.find(step(h, node)) for h in hashes]
                order = max(j if lines[j].known() else 0 for j in range(5))
                inner = 1
            extra = [(self.plain, node)]  # slots beside those of the lines; None where a guess says nothing
            extra.append(guess_slot(by_match, node, left, self.match_slots, state))
            extra.append(guess_slot(by_source, node, left, self.source_slots, min(self.in_run, 3)))
            place = state if extra[1] else BELIED if state else 0
            bit = self.code_bit(decoder, lines, inner, extra, (place, order), node)
            inner = 2 * inner + bit
            node = 2 * node + bit
        byte = node - 256
        self.context.take(byte)
        self.in_run += 1
        if self.source_place:
            self.source_place = (self.source_place + 1) % self.history.end
        self.match.note(byte)
        return byte

    def code_bit(self, decoder, lines, inner, extra, place, node):
        inputs = [said_by(line, inner, meanings) for line, meanings in zip(lines, self.meanings)]
        inputs += [STRETCH[slot[0][slot[1]] >> 4] if slot else 0 for slot in extra]
        used = [meaning_of(line.slots[inner]) for line in lines]
        mix = Mix(inputs, self.by_place.at(place), self.by_node.at(node))
        correction = Correction(self.corrections.at(H(self.context.recent & 255, node) >> 22), mix.x)
        bit = decoder.bit(max(32, min(65504, (mix.mixed + correction.corrected) // 2)))

        mix.learn(bit, 14 if self.bits < 2048 else 15)
        self.bits += 1
        for line, meanings, meaning in zip(lines, self.meanings, used):
            move(meanings, meaning, bit, 7)
            learn_small(line.slots, inner, bit)
        for slot in extra:
            if slot:
                learn_small(*slot, bit)
        correction.learn_both(bit)
        return bit


def guess_slot(guess, node, left, slots, number):
    """(slots, index) through which a guess speaks, or None if the bits so far belie it or there is none."""
    if guess == NO_GUESS or (256 + guess) >> left != node:
        return None
    return slots, 16 * number + 8 * (guess >> left - 1 & 1) + left - 1
