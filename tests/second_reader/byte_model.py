"""What is added to a copied byte that changes (src/model/MODELLED_BYTES.md, section 6.4)."""
from coder import H, STRETCH, join
from mixing import (FIRST_CORRECTIONS, FIRST_MEANINGS, FRESH, Correction, Lines, Mix, Sets, learn_small, meaning_of,
                    move, said_by)

CONTEXTS = 9
# The first contexts tell what is added, the others the byte that is made. Two more inputs tell one each.
TELL_MADE = [False] * 7 + [True] * 2 + [False, True]


class ByteModel:
    """Bits from the lowest on: so the carry is known, and with it what each bit makes."""

    def __init__(self, log):
        self.lines = Lines(log)
        self.meanings = [list(FIRST_MEANINGS) for _ in range(CONTEXTS)]
        self.added = [FRESH] * (8 * 256)
        self.made = [FRESH] * (8 * 256)
        self.by_place = Sets([18350] * (CONTEXTS + 2))
        self.by_node = Sets([0] * (CONTEXTS + 2))
        self.corrections = Sets(FIRST_CORRECTIONS)
        self.bits = 0

    def decode(self, decoder, copied, hashes, place, earlier):
        nodes = [1, 1]  # of what is added and of what is made
        carry = value = 0
        for j in range(8):
            if j in (0, 4):
                lines = [self.lines.find(join(h, nodes[tells])) for h, tells in zip(hashes, TELL_MADE)]
                known = sum(1 for line in lines if line.known())
                inner = [1, 1]
            own = copied >> j & 1
            flip = own ^ carry
            slots = [(line.slots, inner[tells]) for line, tells in zip(lines, TELL_MADE)]
            slots += [(self.added, 256 * place + nodes[0]), (self.made, 256 * place + nodes[1])]
            inputs = [said_by(line, slot[1], meanings) for line, slot, meanings in zip(lines, slots, self.meanings)]
            inputs += [STRETCH[table[index] >> 4] for table, index in slots[CONTEXTS:]]
            mix = Mix([-t if flip and tells else t for t, tells in zip(inputs, TELL_MADE)],
                      self.by_place.at(4 * place + 3 * known // CONTEXTS), self.by_node.at(nodes[0]))
            correction = Correction(self.corrections.at(H(earlier, nodes[0], place) >> 22), mix.x)
            bit = decoder.bit(max(32, min(65504, (mix.mixed + correction.corrected) // 2)))
            self.learn(mix, correction, slots, bit, flip)
            carry = 1 if own + bit + carry >= 2 else 0
            for tree in (nodes, inner):
                tree[:] = 2 * tree[0] + bit, 2 * tree[1] + (bit ^ flip)
            value |= bit << j
        return value

    def learn(self, mix, correction, slots, bit, flip):
        mix.learn(bit, 14 if self.bits < 2048 else 15)
        self.bits += 1
        used = [meaning_of(table[index]) for table, index in slots[:CONTEXTS]]
        for i, (table, index) in enumerate(slots):
            seen = bit ^ flip if TELL_MADE[i] else bit
            if i < CONTEXTS:
                move(self.meanings[i], used[i], seen, 7)
            learn_small(table, index, seen)
        correction.learn(bit)
