"""The model of modelled literals (src/model/MODELLED_BYTES.md, section 5)."""
from coder import H, STRETCH, squash, join
from literal_buffer import PART, Buffer, Match
from mixing import FRESH, Lines, Sets, learn_small, wrapped

INPUTS = 9
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

    def hashes(self):
        bytes_back = self.recent
        return (H(1, bytes_back & 255), H(2, bytes_back & 0xffff), H(3, bytes_back & 0xffffff), H(4, bytes_back),
                H(6, self.word, bytes_back & 255), H(7, self.word, self.word_before))


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
        self.weights = Sets([16384] * INPUTS)
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
        self.match.seek()
        self.source_place = self.buffer.place(source_before)
        return bytes(self.decode_byte(decoder) for _ in range(length))

    def decode_byte(self, decoder):
        byte = self.code(decoder)
        self.context.take(byte)
        self.in_run += 1
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
        for byte in data:
            for h in self.context.hashes():
                show(self.lines.find(join(h, 1)), byte >> 4)
                show(self.lines.find(join(h, 16 + (byte >> 4))), byte & 15)
            self.context.take(byte)

    def code(self, decoder):
        state = self.match.state()
        by_match = self.match.guess()
        by_source = self.buffer.bytes[self.source_place] if self.source_place else NO_GUESS
        hashes = self.context.hashes()
        node = 1
        for left in range(8, 0, -1):
            if left in (8, 4):
                lines = [self.lines.find(join(h, node)) for h in hashes]
                order = max(j if lines[j].known() else 0 for j in range(5))
                inner = 1
            slots = [(line.slots, inner) for line in lines]
            slots.append((self.plain, node))
            slots.append(guess_slot(by_match, node, left, self.match_slots, state))
            slots.append(guess_slot(by_source, node, left, self.source_slots, min(self.in_run, 3)))
            bit = code_bit(decoder, slots, self.weights.at((state if slots[7] else 0, order)))
            inner = 2 * inner + bit
            node = 2 * node + bit
        return node - 256


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


def code_bit(decoder, slots, weights):
    inputs = [STRETCH[slot[0][slot[1]] >> 4] if slot and slot[0][slot[1]] & 15 else 0 for slot in slots]
    total = sum(t * weight for t, weight in zip(inputs, weights))
    mixed = squash(max(-2047, min(2047, total >> 16)))
    bit = decoder.bit(max(32, min(65504, mixed)))
    for i, (slot, t) in enumerate(zip(slots, inputs)):
        weights[i] = wrapped(weights[i] + (t * (65536 * bit - mixed) >> 14))
        if slot:
            learn_small(*slot, bit)
    return bit
