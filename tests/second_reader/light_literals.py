"""The light model of coded literals (src/model/CONTENTS.md, section 5.6)."""
from coder import STRETCH, squash, step
from literal_history import PART, Match
from literal_model import NO_GUESS, LiteralModel, guess_slot
from mixing import FRESH, Sets, learn_small, wrapped

CONTEXTS_USED = (1, 2, 3, 4, 6, 7)
INPUTS = 9


class LightMatch(Match):
    def state(self):
        return sum(self.length >= limit for limit in (1, 8, 12, 16, 32))

    def note(self, byte):
        if self.length == 0:
            return
        self.length = min(self.length + 1, 65535) if self.history.bytes[self.place] == byte else 0
        self.place += 1
        if self.place == self.history.end:
            self.length = 0


class LightLiteralModel(LiteralModel):
    def __init__(self, source):
        super().__init__(16, source, True)
        self.match = LightMatch(self.history)
        self.plain = [FRESH] * 256
        self.match_slots = [FRESH] * (6 * 16)
        self.weights = Sets([16384] * INPUTS)

    def hashes(self):
        all_hashes = self.context.hashes(NO_GUESS, NO_GUESS)
        return [all_hashes[number - 1] for number in CONTEXTS_USED]

    def train(self, q):
        if self.trained + PART > min(32768 + self.coded, 131072) or not self.history.mark(q):
            return
        begin = q - q % PART
        data = self.source[begin:begin + PART]
        self.trained += len(data)
        self.context.start(begin, b"")
        for byte in data:
            for h in self.hashes():
                show(self.lines.find(step(h, 1)), byte >> 4)
                show(self.lines.find(step(h, 16 + (byte >> 4))), byte & 15)
            self.context.take(byte)

    def code(self, decoder):
        state = self.match.state()
        by_match = self.match.guess()
        by_source = self.history.bytes[self.source_place] if self.source_place else NO_GUESS
        hashes = self.hashes()
        node = 1
        for left in range(8, 0, -1):
            if left in (8, 4):
                lines = [self.lines.find(step(h, node)) for h in hashes]
                order = max(j if lines[j].known() else 0 for j in range(5))
                inner = 1
            slots = [(line.slots, inner) for line in lines]
            slots.append((self.plain, node))
            slots.append(guess_slot(by_match, node, left, self.match_slots, state))
            slots.append(guess_slot(by_source, node, left, self.source_slots, min(self.in_run, 3)))
            bit = code_bit(decoder, slots, self.weights.at((state if slots[7] else 0, order)))
            inner = 2 * inner + bit
            node = 2 * node + bit
        byte = node - 256
        self.context.take(byte)
        self.in_run += 1
        if self.source_place:
            self.source_place = (self.source_place + 1) % self.history.end
        self.match.note(byte)
        return byte


def show(line, bits):
    inner = 1
    for shift in (3, 2, 1, 0):
        bit = bits >> shift & 1
        learn_small(line.slots, inner, bit)
        inner = 2 * inner + bit


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
