"""The records of a patch behind its header: each in an envelope of tag, length, and a body in pieces with checksums."""
import struct

from cursor import MIB, Cursor, check32, require

END, DIGESTS, VIEW, TREES, FILLS, MOVED_NUMBERS, SUBSTITUTIONS, GLOBAL, COVERS, GROUP = 0, 1, 2, 4, 8, 10, 12, 14, 16, 32
KNOWN = (END, DIGESTS, TREES, VIEW, FILLS, MOVED_NUMBERS, SUBSTITUTIONS, GLOBAL, COVERS, GROUP)


class Records:
    """`cursor` stands behind the header."""

    def __init__(self, cursor):
        self.cursor = cursor
        self.starts = []  # of all records behind the list of digests, for that list
        self.end = None
        self.opened = None  # (tag, body) of the next record
        self.last_tag = END
        self.piece_counts = {}  # of records so far, by tag

    def next_tag(self):
        """Records that are not known and may be skipped are passed over."""
        while self.opened is None:
            start = self.cursor.pos
            tag = self.cursor.byte()
            require(tag in KNOWN or tag & 1, f"record tag {tag} is not known")
            body = b"" if tag == END else self.read_body(tag, start)
            if tag != DIGESTS:
                self.starts.append(start)
            if tag in KNOWN:
                self.opened = tag, body
        return self.opened[0]

    def take(self, tag, what):
        """A cursor over the body of the record that comes next, which has to be of this tag."""
        require(self.next_tag() == tag, f"{what} is missing")
        body, self.opened = self.opened[1], None
        repeats = tag in (COVERS, GROUP)
        place = lambda known: 1.5 if known == TREES else known  # in front of views
        require(place(tag) > place(self.last_tag) or repeats and tag == self.last_tag or tag == END,
                f"a record of tag {tag} stands behind one of tag {self.last_tag}")
        self.last_tag = tag
        return Cursor(body, what=what)

    def record_fields(self, tag, most, what):
        body = self.take(tag, what)
        require(body.left() <= most, f"{what} has {body.left()} bytes; {most} at most")
        return body

    def finish(self):
        self.take(END, "the end record")
        self.cursor.finish()

    def read_body(self, tag, start):
        """The cursor stands behind the tag of the record that begins at `start`."""
        cursor = self.cursor
        left = cursor.varint()
        head = bytes(cursor.data[start:cursor.pos])
        body = bytearray()
        while True:
            number = self.piece_counts.get(tag, 0)
            self.piece_counts[tag] = number + 1
            piece = cursor.take(min(left, MIB))
            require(cursor.u32() == check32(head + struct.pack("<I", number) + piece), f"the record at {start} is damaged")
            body += piece
            left -= len(piece)
            if not left:
                return bytes(body)
