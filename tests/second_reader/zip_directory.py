"""Central directories of zip archives, of which views have what the headers of members do not tell (FORMAT.md, Directories
of archives)."""
from dataclasses import dataclass, field

from cursor import Cursor, require, zigzag

LOCAL, DESCRIPTOR, ENTRY = b"PK\3\4", b"PK\7\10", b"PK\1\2"
LOCAL_BYTES, DESCRIPTOR_BYTES, ENTRY_BYTES = 30, 16, 46
HAS_DESCRIPTOR = 8  # of the flags
AS_IT_IS, OTHER_NUMBER, OTHER_ATTRIBUTES, OTHER_FIELDS = 1, 2, 4, 8
FIELD_BYTES = 22


def u16(data, at):
    return int.from_bytes(data[at:at + 2], "little")


def u32(data, at):
    return int.from_bytes(data[at:at + 4], "little")


@dataclass
class Directory:
    """Where the entries of one are in its file, and where its archive begins."""
    pos: int
    packed_bytes: int
    archive: int
    raw_bytes: int = None  # of its description
    text: bytes = None

    @property
    def end(self):
        return self.pos + self.packed_bytes


MAX_ARCHIVES = 4  # one in another
FIELDS = 5  # of a directory in the geometry, the last one only of NEW
MODULUS = 1 << 64


@dataclass
class Places:
    """Goes through the directories of a file, each of which is given by numbers and what stands in front of it."""
    file_bytes: int
    left_entries: int
    left_archives: int = None
    last_end: int = 0

    def place(self, numbers, end):
        """`end` of what is replaced in front of it."""
        if self.left_archives is None:
            self.left_archives = MAX_ARCHIVES * self.file_bytes
        _, gap, size, archive_step, *told = numbers
        directory = Directory(end + gap, size, (self.last_end + archive_step) % MODULUS, *told)
        require(0 < size <= self.left_entries, "directories of more bytes than the patch says, or of none")
        require(directory.archive <= directory.pos and directory.end <= self.file_bytes, "a directory is not in its file")
        self.left_entries -= size
        self.left_archives -= directory.pos - directory.archive
        require(self.left_archives >= 0, "too many archives in each other")
        self.last_end = directory.end
        return directory


def read_numbers(geometry, like, count):
    return [(number + geometry.zigzag()) % MODULUS for number in like[:count]]


def numbers_of(parts):
    """Of each directory among what is replaced of a file, in order."""
    all_numbers, step, end, last_end = [], 0, 0, 0
    for part in parts:
        if isinstance(part, Directory):
            all_numbers.append([step, part.pos - end, part.packed_bytes, part.archive - last_end, part.raw_bytes])
            step, last_end = 0, part.end
        else:
            step += 1
        end = part.pos + part.packed_bytes
    return all_numbers


def read_target_directories(geometry, old_parts, streams, count, file_bytes, entry_bytes):
    known, places, number, passed, directories = numbers_of(old_parts), Places(file_bytes, entry_bytes), -1, 0, []
    for _ in range(count):
        like = [0] * FIELDS
        if known:
            number += 1 + geometry.zigzag()
            require(0 <= number < len(known), "a directory has a counterpart that is none")
            like = known[number]
        numbers = read_numbers(geometry, like, FIELDS)
        passed += numbers[0]
        require(passed <= len(streams), "a directory stands behind more streams than there are")
        end = max(places.last_end, streams[passed - 1].pos + streams[passed - 1].packed_bytes if passed else 0)
        directories.append(places.place(numbers, end))
        require(passed == len(streams) or directories[-1].end <= streams[passed].pos, "a directory reaches into a stream")
        require(directories[-1].raw_bytes <= numbers[2] + numbers[2] // 8, "what is told of a directory is too long")
    return directories


@dataclass
class Header:
    pos: int
    name: bytes
    fields: bytearray  # bytes 4 to 25
    has_descriptor: bool
    data_pos: int


@dataclass
class Headers:
    """Those in front of a directory, in order."""
    file: bytes
    room: int
    found: list = field(default_factory=list)
    passed: int = 0  # nothing is looked for before

    def search(self, begin, end):
        """One range that lies in no stream. Whether the search goes on behind it."""
        pos = begin
        while pos < end:
            record = self.file[pos:min(pos + 4, end)]
            if pos < self.passed or record not in (LOCAL, DESCRIPTOR):
                pos += 1
                continue
            size = LOCAL_BYTES if record == LOCAL else DESCRIPTOR_BYTES
            if record == LOCAL and pos + size <= end:
                size += u16(self.file, pos + 26)
            if pos + size > end:
                return True
            if record == LOCAL:
                if not self.add(pos, size):
                    return False
                pos += size
            else:
                pos += size if self.describe(pos) else 1
        return True

    def add(self, pos, size):
        self.room -= ENTRY_BYTES + size - LOCAL_BYTES
        if self.room < 0:
            return False
        data_pos = pos + size + u16(self.file, pos + 28)
        later = bool(u16(self.file, pos + 6) & HAS_DESCRIPTOR)
        self.found.append(Header(pos, self.file[pos + LOCAL_BYTES:pos + size], bytearray(self.file[pos + 4:pos + 26]), later,
                                 data_pos))
        self.passed = data_pos + (0 if later else u32(self.file, pos + 18))
        return True

    def describe(self, pos):
        """Whether there is the descriptor of the last header at `pos`."""
        last = self.found[-1] if self.found else None
        if not last or not last.has_descriptor or u32(self.file, pos + 8) != pos - last.data_pos:
            return False
        last.has_descriptor = False
        last.fields[10:22] = self.file[pos + 4:pos + 16]
        return True


def find_headers(file, parts, directory):
    """`parts` are those that are replaced in front of the directory."""
    headers, begin = Headers(file, directory.packed_bytes), directory.archive
    for part in parts:
        if part.pos + part.packed_bytes > directory.archive:
            if not headers.search(begin, part.pos):
                return headers.found
            begin = part.pos + part.packed_bytes
    headers.search(begin, directory.pos)
    return headers.found


class Expected:
    """What goes on from entry to entry."""

    def __init__(self):
        self.number = 0
        self.attributes = bytes(14)


def tell(file, parts, place):
    """What OLD's view has in the place of the directory."""
    headers = find_headers(file, parts, place)
    numbers = {header.pos: number for number, header in enumerate(headers)}
    told, expected, pos = bytearray(), Expected(), place.pos
    while pos < place.end:
        require(file[pos:pos + 4] == ENTRY and pos + ENTRY_BYTES <= place.end, "a directory of OLD has other entries")
        end = pos + ENTRY_BYTES + u16(file, pos + 28) + u16(file, pos + 30) + u16(file, pos + 32)
        require(end <= place.end, "an entry reaches out of a directory of OLD")
        entry = file[pos:end]
        number = numbers.get(u32(entry, 42) + place.archive)
        name = entry[ENTRY_BYTES:ENTRY_BYTES + u16(entry, 28)]
        if number is None or headers[number].name != name:
            told += bytes([AS_IT_IS]) + entry
        else:
            told += tell_entry(entry, headers[number], number, expected)
        pos = end
    return bytes(told)


def tell_entry(entry, header, number, expected):
    kind, told = 0, bytearray()
    if number != expected.number:
        kind |= OTHER_NUMBER
        told += varint(zigzag(number - expected.number))
    attributes = entry[4:6] + entry[30:42]
    if attributes != expected.attributes:
        kind |= OTHER_ATTRIBUTES
        told += attributes
    other = bytes(a ^ b for a, b in zip(entry[6:28], header.fields))
    if any(other):
        kind |= OTHER_FIELDS
        told += other
    expected.number, expected.attributes = number + 1, attributes
    return bytes([kind]) + told + entry[ENTRY_BYTES + len(header.name):]


def varint(number):
    told = bytearray()
    while number > 127:
        told.append(number & 127 | 128)
        number >>= 7
    return bytes(told) + bytes([number])


def rebuild(told, file, parts, place):
    """The directory of NEW; `file` is what stands in front of it."""
    headers = find_headers(file, parts, place)
    fields, directory, expected = Cursor(told, what="what is told of a directory"), bytearray(), Expected()
    while len(directory) < place.packed_bytes:
        kind = fields.byte()
        if kind == AS_IT_IS:
            directory += read_whole(fields)
        else:
            require(kind & ~(OTHER_NUMBER | OTHER_ATTRIBUTES | OTHER_FIELDS) == 0, "an entry of a directory is told by more")
            directory += read_entry(fields, kind, headers, place, expected)
    require(len(directory) == place.packed_bytes, "the entries of a directory do not fill it")
    fields.finish()
    return bytes(directory)


def read_whole(fields):
    entry = fields.take(ENTRY_BYTES)
    require(entry[:4] == ENTRY, "an entry of a directory is none")
    return entry + fields.take(u16(entry, 28) + u16(entry, 30) + u16(entry, 32))


def read_entry(fields, kind, headers, place, expected):
    number = expected.number + (fields.zigzag() if kind & OTHER_NUMBER else 0)
    require(0 <= number < len(headers), "an entry of a directory is of a header that is not there")
    header = headers[number]
    attributes = fields.take(14) if kind & OTHER_ATTRIBUTES else expected.attributes
    other = fields.take(FIELD_BYTES) if kind & OTHER_FIELDS else bytes(FIELD_BYTES)
    expected.number, expected.attributes = number + 1, attributes
    pos = header.pos - place.archive
    require(0 <= pos < 1 << 32, "an entry of a directory is of a header where none can be")
    own = bytes(a ^ b for a, b in zip(header.fields, other))
    lengths = len(header.name).to_bytes(2, "little") + attributes[2:]
    behind = fields.take(u16(attributes, 2) + u16(attributes, 4))
    return ENTRY + attributes[:2] + own + lengths + pos.to_bytes(4, "little") + header.name + behind
