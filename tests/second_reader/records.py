"""The records of a patch behind its header: each in an envelope of type, length, and a body in pieces with checksums."""
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
        self.opened = None  # (type, body) of the next record
        self.last_type = END
        self.piece_counts = {}  # of records so far, by type

    def next_type(self):
        """Records that are not known and may be skipped are passed over."""
        while self.opened is None:
            start = self.cursor.pos
            record_type = self.cursor.byte()
            require(record_type in KNOWN or record_type & 1, f"record tag {record_type} is not known")
            body = b"" if record_type == END else self.read_body(record_type, start)
            if record_type != DIGESTS:
                self.starts.append(start)
            if record_type in KNOWN:
                self.opened = record_type, body
        return self.opened[0]

    def take(self, record_type, what):
        """A cursor over the body of the record that comes next, which has to be of this type."""
        require(self.next_type() == record_type, f"{what} is missing")
        body, self.opened = self.opened[1], None
        repeats = record_type in (COVERS, GROUP)
        place = lambda known: 1.5 if known == TREES else known  # in front of views
        require(place(record_type) > place(self.last_type) or repeats and record_type == self.last_type or record_type == END,
                f"a record of type {record_type} stands behind one of type {self.last_type}")
        self.last_type = record_type
        return Cursor(body, what=what)

    def record_fields(self, record_type, most, what):
        body = self.take(record_type, what)
        require(body.left() <= most, f"{what} has {body.left()} bytes; {most} at most")
        return body

    def finish(self):
        self.take(END, "the end record")
        self.cursor.finish()

    def read_body(self, record_type, start):
        """The cursor stands behind the type of the record that begins at `start`."""
        cursor = self.cursor
        left = cursor.varint()
        head = bytes(cursor.data[start:cursor.pos])
        body = bytearray()
        while True:
            number = self.piece_counts.get(record_type, 0)
            self.piece_counts[record_type] = number + 1
            piece = cursor.take(min(left, MIB))
            require(cursor.u32() == check32(head + struct.pack("<I", number) + piece), f"the record at {start} is damaged")
            body += piece
            left -= len(piece)
            if not left:
                return bytes(body)
