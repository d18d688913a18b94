"""The model of copied bytes that change, and into what (src/model/CONTENTS.md, section 6)."""
from coder import H, STRETCH, step
from miss_state import MissState
from mixing import (FIRST_CORRECTIONS, FIRST_MEANINGS, FRESH, Correction, Lines, Mix, Sets, learn_small, meaning_of,
                    move, said_by, said_by_wide)

FLAG_CONTEXTS = 14
VALUE_CONTEXTS = 17
ADDED_CONTEXTS = 12


class MissModel(MissState):
    def __init__(self, log):
        super().__init__(log)
        self.flag_by_gap = Sets([19660] * (FLAG_CONTEXTS + 1))
        self.flag_by_byte = Sets([0] * (FLAG_CONTEXTS + 1))
        self.near = Sets(FIRST_CORRECTIONS)
        self.wide = Sets(FIRST_CORRECTIONS)
        self.byte_model = ByteModel(log - 2, VALUE_CONTEXTS, ADDED_CONTEXTS)

    def decode_copy(self, decoder, target_pos, piece):
        """What the bytes of a copy become."""
        made = bytearray()
        for i, copied in enumerate(piece):
            ahead = int.from_bytes(piece[i:i + 4].ljust(4, b"\0"), "big")
            if self.decode_flag(decoder, target_pos + i, copied, ahead):
                copied = self.change(copied, self.decode_value(decoder, copied, ahead))
            else:
                self.stay(copied)
            made.append(copied)
        return bytes(made)

    def decode_flag(self, decoder, pos, copied, ahead):
        slots = self.flag_slots(self.flag_hashes(pos, copied, ahead))
        gap_sets = self.gap_sets()
        mix = Mix(said_by_wide(slots) + [-256], self.flag_by_gap.at(gap_sets), self.flag_by_byte.at(copied))
        near = Correction(self.near.at(H(copied, self.behind & 255) >> 22), mix.x)
        wide = Correction(self.wide.at((gap_sets[0], min(self.gaps[0], 63))), mix.x)
        one = (3 * mix.mixed + 2 * near.corrected + 3 * wide.corrected) // 8
        flag = decoder.bit(max(1, min(65535, one)))

        mix.learn(flag, 14 if self.flags < 4096 else 15 if self.flags < 32768 else 16)
        self.flags += 1
        for slot in slots:
            slot.learn(flag)
        near.learn_nearer(flag)
        wide.learn_nearer(flag)
        return flag

    def flag_hashes(self, pos, c, ahead):
        g, a, r, h1 = min(self.gap, 4095), pos % 4, self.history % 16, self.history % 2
        back, made, values = self.behind, self.after, self.values
        k1, d1 = back & 255, made & 255
        return (H(1, c, k1, r), H(2, c, back & 0xffffff), H(3, ahead, h1), H(4, c, back & 0xffff, ahead & 0xff0000),
                H(5, c, k1, ahead & 0xffff00, h1), H(6, g, self.run_before, self.gaps[0]), H(7, g, a, values & 0xffff),
                H(8, self.history & 0xffff, a), H(9, made & 0xffff, c, r), H(10, g, *self.gaps), H(11, ahead, back),
                H(12, min(g, 40), c, values & 255), H(13, made, c), H(14, d1, ahead & 0xffff0000, r))

    def decode_value(self, decoder, copied, ahead):
        if self.run == 0:
            self.begin_run()
        hashes = self.value_hashes(copied, ahead)
        return self.byte_model.decode(decoder, copied, hashes, self.place(), self.values & 255)

    def value_hashes(self, c, ahead):
        v, back, made = self.values, self.behind, self.after
        place, q = self.place(), self.earlier_values()
        n1 = ahead & 0xff0000
        return (H(1, place, v & 0xff), H(2, place, v & 0xffff), H(3, place, v & 0xffffff), H(4, v), H(5, place, c),
                H(6, c, back & 0xff, q), H(7, ahead), H(8, c, back & 0xffffff), H(9, self.gaps[0], place, q),
                H(10, self.first, place, q), H(11, c, made & 0xffff), H(12, c, n1, q & 0xff, place),
                H(13, made & 0xff), H(14, made & 0xffff), H(15, made & 0xffffff), H(16, made),
                H(17, made & 0xff, n1))


class ByteModel:
    """What is added to a copied byte. Bits from the lowest on: so the carry is known, and with it what each bit makes."""

    def __init__(self, log, contexts, added_contexts):
        self.contexts = contexts
        # The first contexts tell what is added, the others the byte that is made. Two more inputs tell one each.
        self.tell_made = [i >= added_contexts for i in range(contexts)] + [False, True]
        self.lines = Lines(log)
        self.meanings = [list(FIRST_MEANINGS) for _ in range(contexts)]
        self.added = [FRESH] * (8 * 256)
        self.made = [FRESH] * (8 * 256)
        self.by_place = Sets([18350] * (contexts + 2))
        self.by_node = Sets([0] * (contexts + 2))
        self.corrections = Sets(FIRST_CORRECTIONS)
        self.bits = 0

    def decode(self, decoder, copied, hashes, place, earlier):
        nodes = [1, 1]  # of what is added and of what is made
        carry = value = 0
        for j in range(8):
            if j in (0, 4):
                lines = [self.lines.find(step(h, nodes[tells])) for h, tells in zip(hashes, self.tell_made)]
                known = sum(1 for line in lines if line.known())
                inner = [1, 1]
            own = copied >> j & 1
            flip = own ^ carry
            slots = [(line.slots, inner[tells]) for line, tells in zip(lines, self.tell_made)]
            slots += [(self.added, 256 * place + nodes[0]), (self.made, 256 * place + nodes[1])]
            inputs = [said_by(line, slot[1], meanings) for line, slot, meanings in zip(lines, slots, self.meanings)]
            inputs += [STRETCH[table[index] >> 4] for table, index in slots[self.contexts:]]
            mix = Mix([-t if flip and tells else t for t, tells in zip(inputs, self.tell_made)],
                      self.by_place.at(4 * place + 3 * known // self.contexts), self.by_node.at(nodes[0]))
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
        used = [meaning_of(table[index]) for table, index in slots[:self.contexts]]
        for i, (table, index) in enumerate(slots):
            seen = bit ^ flip if self.tell_made[i] else bit
            if i < self.contexts:
                move(self.meanings[i], used[i], seen, 7)
            learn_small(table, index, seen)
        correction.learn_both(bit)
