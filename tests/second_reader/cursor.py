"""Bytes read in order, with the integer forms of the format. Whatever is wrong with a patch ends as a PatchError."""
import xxhash

MIB = 1 << 20


class PatchError(Exception):
    """The patch is not one that the specification allows, or does not fit to OLD."""


def require(condition, message):
    if not condition:
        raise PatchError(message)


def check32(data):
    return xxhash.xxh3_64_intdigest(bytes(data)) & 0xffffffff


def unzigzag(number):
    return (number >> 1) ^ -(number & 1)


def zigzag(number):
    return number << 1 if number >= 0 else (-number << 1) - 1


class Cursor:
    """Reads `data` from `pos` up to `end`; reading beyond is an error that names `what` the bytes are."""

    def __init__(self, data, pos=0, end=None, what="the patch"):
        self.data = data
        self.pos = pos
        self.end = len(data) if end is None else end
        self.what = what

    def left(self):
        return self.end - self.pos

    def at_end(self):
        return self.pos == self.end

    def peek(self):
        """The next byte, or None at the end."""
        return None if self.at_end() else self.data[self.pos]

    def take(self, count):
        require(count <= self.left(), f"{self.what} ends at byte {self.end}; {count} bytes wanted at {self.pos}")
        self.pos += count
        return bytes(self.data[self.pos - count:self.pos])

    def part(self, count, what):
        """A cursor over the next `count` bytes, which this one passes over."""
        require(count <= self.left(), f"{what} of {count} bytes does not fit into {self.what}, {self.left()} are left")
        self.pos += count
        return Cursor(self.data, self.pos - count, self.pos, what)

    def byte(self):
        return self.take(1)[0]

    def u16(self):
        return int.from_bytes(self.take(2), "little")

    def u32(self):
        return int.from_bytes(self.take(4), "little")

    def varint(self, least=0, most=(1 << 64) - 1, name="a number"):
        start, number = self.pos, 0
        for shift in range(0, 70, 7):
            byte = self.byte()
            number |= (byte & 127) << shift
            if byte < 128:
                require(byte != 0 or shift == 0, f"varint at {start} is not in its shortest form")
                require(number < 1 << 64, f"varint at {start} has more than 64 bits")
                require(least <= number <= most, f"{name} at {start} is {number}; {least} to {most} expected")
                return number
        raise PatchError(f"varint at {start} has more than ten bytes")

    def zigzag(self):
        return unzigzag(self.varint())

    def finish(self):
        require(self.at_end(), f"{self.left()} bytes are left over in {self.what}")
