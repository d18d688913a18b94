"""The bytes that modelled literals may repeat (src/model/MODELLED_BYTES.md, section 5.1)."""
MARGIN = 32
BLOCK = 16384
PART = 4096
KEY = 5
BLOCKS = 24
RING_BEGIN = MARGIN + BLOCKS * BLOCK


class Buffer:
    def __init__(self, source):
        self.source = source
        self.end = 1_048_608
        self.bytes = bytearray(self.end)
        self.ring_at = RING_BEGIN
        self.blocks = {}  # block slot -> the block it holds
        self.marked = {}  # block slot -> parts of it that are marked
        self.heads = {}

    def place(self, pos):
        """Where a byte of the source stands, or 0."""
        if pos is None or pos >= len(self.source):
            return 0
        slot = pos // BLOCK % BLOCKS
        return MARGIN + slot * BLOCK + pos % BLOCK if self.blocks.get(slot) == pos // BLOCK else 0

    def block_bytes(self, pos):
        return min(BLOCK, len(self.source) - pos // BLOCK * BLOCK)

    def bring(self, pos):
        block, length = pos // BLOCK, self.block_bytes(pos)
        slot = block % BLOCKS
        self.blocks[slot], self.marked[slot] = block, set()
        begin = MARGIN + slot * BLOCK
        self.bytes[begin:begin + length] = self.source[block * BLOCK:block * BLOCK + length]
        for place in range(begin + KEY, begin + length, 2):
            self.heads[self.head_of(place)] = place

    def mark(self, pos):
        """False if the part was marked before."""
        parts, part = self.marked[pos // BLOCK % BLOCKS], pos % BLOCK // PART
        fresh = part not in parts
        parts.add(part)
        return fresh

    def head_of(self, place):
        key = int.from_bytes(self.bytes[place - KEY:place], "little")
        return (key * 0x9e3779b97f4a7c15 & (1 << 64) - 1) >> 47

    def append(self, byte):
        self.bytes[self.ring_at] = byte
        self.ring_at += 1
        if self.ring_at == self.end:
            self.bytes[RING_BEGIN:RING_BEGIN + MARGIN] = self.bytes[self.end - MARGIN:]
            self.ring_at = RING_BEGIN + MARGIN

    def remember(self):
        self.heads[self.head_of(self.ring_at)] = self.ring_at

    def find(self, place):
        """(place, length) of a match; the length is 0 if there is none."""
        head = self.heads.get(self.head_of(place), 0)
        if head in (0, place):
            return 0, 0
        length = 0
        while length < MARGIN and self.bytes[head - 1 - length] == self.bytes[place - 1 - length]:
            length += 1
        return (head, length) if length >= KEY else (0, 0)


class Match:
    """The place that is followed by what may come next, and how far it may be believed."""

    def __init__(self, buffer):
        self.buffer = buffer
        self.place = self.length = 0

    def seek(self):
        self.place, self.length = self.buffer.find(self.buffer.ring_at)

    def guess(self):
        return self.buffer.bytes[self.place] if self.length else 256

    def state(self):
        return sum(self.length >= limit for limit in (1, 8, 12, 16, 32))

    def note(self, byte):
        if self.length == 0:
            return
        self.length = min(self.length + 1, 65535) if self.buffer.bytes[self.place] == byte else 0
        self.place += 1
        if self.place == self.buffer.end:
            self.length = 0
