"""What the model of misses knows of the changes so far (src/model/MODELLED_BYTES.md, section 6)."""
from coder import MASK
from mixing import WideSlot, spread


class MissState:
    def __init__(self, log):
        self.log = log
        self.slots = {}  # (table, number) -> wide slot
        self.behind = self.after = self.changed = 0
        self.gap = self.run = self.run_before = 0
        self.gaps = [0, 0, 0]
        self.values = self.first = 0
        self.flags = 0

    def flag_slots(self, hashes):
        slots = []
        for key in enumerate(spread(h, self.log) for h in hashes):
            slot = self.slots.get(key)
            if slot is None:
                slot = self.slots[key] = WideSlot()
            slots.append(slot)
        return slots

    def gap_sets(self):
        """Which weights by gap belong to the flag at hand: the gap class, and the run before."""
        gap_class = self.gap if self.gap < 4 else min(self.gap.bit_length() + 1, 11)
        return gap_class, min(self.run_before, 3)

    def place(self):
        """Of the value at hand in its run."""
        return min(self.run, 7)

    def earlier_values(self):
        """Those of the run at hand, two at most."""
        return self.values & (0, 0xff, 0xffff)[min(self.run, 2)]

    def end_run(self):
        self.run_before, self.run = self.run, 0

    def begin_run(self):
        self.gaps = [min(self.gap, 65535)] + self.gaps[:2]

    def stay(self, copied):
        """A byte stays."""
        if self.gap == 0:
            self.end_run()
        self.gap += 1
        self.changed = 2 * self.changed & MASK
        self.take(copied, copied)

    def change(self, copied, value):
        """A byte has changed by a value. Gives what it has become."""
        if self.run == 0:
            self.first = value
        self.run += 1
        self.gap = 0
        self.values = (self.values << 8 | value) & MASK
        self.changed = (2 * self.changed + 1) & MASK
        byte = copied + value & 255
        self.take(copied, byte)
        return byte

    def take(self, copied, byte):
        self.after = (self.after << 8 | byte) & MASK
        self.behind = (self.behind << 8 | copied) & MASK
