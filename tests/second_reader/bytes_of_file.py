"""A file looked at as little-endian numbers, and cursors over stretches of it, as prediction reads them."""

MASK64 = (1 << 64) - 1


def sext(value, bits):
    """The lowest `bits` of value, sign-extended to 64 bits (unsigned)."""
    value &= (1 << bits) - 1
    return (value - (1 << bits)) & MASK64 if value >> (bits - 1) else value


def fits(pos, count, size):
    """Whether [pos, pos + count) lies inside of `size` bytes."""
    return count <= size and pos <= size - count


class File:
    """Numbers that are not in the file as a whole are 0."""

    def __init__(self, data):
        self.data = data
        self.size = len(data)

    def number(self, pos, count):
        return int.from_bytes(self.data[pos:pos + count], "little") if fits(pos, count, self.size) else 0

    def u8(self, pos):
        return self.number(pos, 1)

    def u16(self, pos):
        return self.number(pos, 2)

    def u32(self, pos):
        return self.number(pos, 4)

    def u64(self, pos):
        return self.number(pos, 8)

    def starts(self, pos, magic):
        return self.data[pos:pos + len(magic)] == magic


class LebCursor:
    """Bytes and LEB128 numbers of [pos, end). Once it has failed it stands at the end, and all it gives is 0."""

    def __init__(self, file, pos, end):
        self.data = file.data
        self.pos = pos
        self.end = end
        self.failed = False

    def at_end(self):
        return self.pos >= self.end

    def _fail(self):
        self.failed = True
        self.pos = self.end

    def skip(self, count):
        if count > self.end - self.pos:
            self._fail()
        else:
            self.pos += count

    def number(self, count):
        start = self.pos
        self.skip(count)
        return 0 if self.failed else int.from_bytes(self.data[start:start + count], "little")

    def u8(self):
        return self.number(1)

    def uleb(self):
        return self._leb()[0]

    def sleb(self):
        value, shift, last = self._leb()
        return sext(value, shift) if not self.failed and last & 0x40 and shift < 64 else value

    def _leb(self):
        value, shift = 0, 0
        while True:
            byte = self.u8()
            if self.failed:
                return value & MASK64, shift, 0
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value & MASK64, shift, byte
