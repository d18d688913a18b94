"""The model of modelled literals (src/model/MODELLED_BYTES.md, section 5)."""
from coder import H, STRETCH, squash, join
from literal_buffer import PART, Buffer, Match
from mixing import (FIRST_CORRECTIONS, FIRST_MEANINGS, FRESH, Correction, Lines, Mix, Sets, learn_small, meaning_of, move,
                    said_by)

CONTEXTS = 9
INPUTS = CONTEXTS + 3
NO_GUESS = 256


class Context:
    """The bytes in front of a place."""

    def start(self, data):
        self.recent = 0  # four bytes, the latest lowest
        self.word = self.word_before = 0
        for byte in data:
            self.take(byte)

    def take(self, byte):
        self.recent = (self.recent << 8 | byte) & 0xffffffff
        if byte >= 128 or chr(byte).isalnum() or byte == ord("_"):
            self.word = join(self.word, byte + 32 if 65 <= byte <= 90 else byte)
        elif self.word:
            self.word_before, self.word = self.word, 0

    def hashes(self, pos):
        """All but the last one; pos is that of the byte that comes."""
        bytes_back = self.recent
        return (H(1, bytes_back & 255), H(2, bytes_back & 0xffff), H(3, bytes_back & 0xffffff), H(4, bytes_back),
                H(6, self.word, bytes_back & 255), H(7, self.word, self.word_before), H(8, bytes_back >> 8 & 255),
                H(9, pos % 4, bytes_back >> 24))


class LiteralModel:
    def __init__(self, source):
        self.source = source
        self.buffer = Buffer(source)
        self.match = Match(self.buffer)
        self.lines = Lines(16)
        self.context = Context()
        self.plain = [FRESH] * 256
        self.match_slots = [FRESH] * (6 * 16)
        self.source_slots = [FRESH] * (4 * 16)
        self.weights = Sets([13107] * INPUTS)
        self.by_node = Sets([0] * INPUTS)
        self.meanings = [list(FIRST_MEANINGS) for _ in range(CONTEXTS)]
        self.corrections = Sets(FIRST_CORRECTIONS)
        self.bits = 0
        self.pos = 0
        self.source_place = 0
        self.in_run = 0
        self.coded = self.trained = self.brought = 0

    def decode_run(self, decoder, length, target_pos, source_before, source_after, before):
        """The bytes of a run; `before` are the eight in front of it."""
        self.coded += length
        self.prepare(source_before)
        self.prepare(source_after)
        known = before[8 - min(8, target_pos):]
        self.context.start(known)
        for byte in known:
            self.buffer.append(byte)
        self.in_run = 0
        self.pos = target_pos
        self.match.seek()
        self.source_place = self.buffer.place(source_before)
        return bytes(self.decode_byte(decoder) for _ in range(length))

    def decode_byte(self, decoder):
        byte = self.code(decoder)
        self.context.take(byte)
        self.in_run += 1
        self.pos += 1
        if self.source_place:
            self.source_place = (self.source_place + 1) % self.buffer.end
        self.match.note(byte)
        self.buffer.append(byte)
        if self.match.length == 0:
            self.match.seek()
        self.buffer.remember()
        return byte

    def prepare(self, pos):
        if pos is None:
            return
        start = max(pos - PART, 0)
        for q in (start, start + PART, start + 2 * PART):
            if q >= len(self.source) or q > pos + PART:
                return
            if self.buffer.place(q) == 0:
                missing = self.buffer.block_bytes(q)
                if self.brought + missing > 4194304 + 16 * self.coded:
                    return
                self.brought += missing
                self.buffer.bring(q)
            self.train(q)

    def train(self, q):
        if self.trained + PART > min(32768 + self.coded, 131072) or not self.buffer.mark(q):
            return
        begin = q - q % PART
        data = self.source[begin:begin + PART]
        self.trained += len(data)
        self.context.start(b"")
        for pos, byte in enumerate(data, begin):
            for h in self.context.hashes(pos):
                show(self.lines.find(join(h, 1)), byte >> 4)
                show(self.lines.find(join(h, 16 + (byte >> 4))), byte & 15)
            self.context.take(byte)

    def code(self, decoder):
        state = self.match.state()
        by_match = self.match.guess()
        by_source = self.buffer.bytes[self.source_place] if self.source_place else NO_GUESS
        hashes = (*self.context.hashes(self.pos), H(10, by_source, by_match))
        node = 1
        for left in range(8, 0, -1):
            if left in (8, 4):
                lines = [self.lines.find(join(h, node)) for h in hashes]
                order = max(j if lines[j].known() else 0 for j in range(5))
                inner = 1
            slots = [(line.slots, inner) for line in lines]
            inputs = [said_by(line, inner, meanings) for line, meanings in zip(lines, self.meanings)]
            others = [(self.plain, node), guess_slot(by_match, node, left, self.match_slots, state),
                      guess_slot(by_source, node, left, self.source_slots, min(self.in_run, 3))]
            inputs += [STRETCH[slot[0][slot[1]] >> 4] if slot and slot[0][slot[1]] & 15 else 0 for slot in others]
            mix = Mix(inputs, self.weights.at((state if others[1] else 0, order)), self.by_node.at(node))
            correction = Correction(self.corrections.at(node), mix.x)
            bit = decoder.bit(max(32, min(65504, (mix.mixed + correction.corrected) // 2)))
            self.learn(mix, correction, slots, [slot for slot in others if slot], bit)
            inner = 2 * inner + bit
            node = 2 * node + bit
        return node - 256

    def learn(self, mix, correction, slots, others, bit):
        mix.learn(bit, 14 if self.bits < 4096 else 15)
        self.bits += 1
        used = [meaning_of(table[index]) for table, index in slots]
        for meanings, meaning in zip(self.meanings, used):
            move(meanings, meaning, bit, 7)
        for table, index in slots + others:
            learn_small(table, index, bit)
        correction.learn(bit)


def show(line, bits):
    inner = 1
    for shift in (3, 2, 1, 0):
        bit = bits >> shift & 1
        learn_small(line.slots, inner, bit)
        inner = 2 * inner + bit


def guess_slot(guess, node, left, slots, number):
    """(slots, index) through which a guess speaks, or None if the bits so far belie it or there is none."""
    if guess == NO_GUESS or (256 + guess) >> left != node:
        return None
    return slots, 16 * number + 8 * (guess >> left - 1 & 1) + left - 1

