"""Fields of archives that follow from a deflate stream beside them, and where a stream is likely to begin (FORMAT.md,
View)."""
import zlib

from zip_directory import Directory

LOCAL_HEAD, LOCAL_HEAD_BYTES = b"PK\3\4", 30
DESCRIPTOR, DESCRIPTOR_BYTES = b"PK\7\10", 16
HAS_DESCRIPTOR = 8
MAX_GZIP_NAME = 1024
GZIP_CHECK, GZIP_EXTRA, GZIP_NAME, GZIP_COMMENT = 2, 4, 8, 16
GZIP_TRAILER_BYTES, ZLIB_TRAILER_BYTES = 8, 4
LOOKED_AT = 1024  # bytes in front of a stream
MAX_CHECKED = 1048576  # packed bytes of a stream whose checksum is left out
CHECK, PACKED, RAW, ADLER = range(4)


def u16(data, at):
    return int.from_bytes(data[at:at + 2], "little")


def local_head_end(file, pos):
    """None if no header of a member stands at `pos`."""
    if file[pos:pos + 4] != LOCAL_HEAD or pos + LOCAL_HEAD_BYTES > len(file):
        return None
    return pos + LOCAL_HEAD_BYTES + u16(file, pos + 26) + u16(file, pos + 28)


def gzip_head_end(source, pos):
    """Where the head of a gzip member at `pos` ends, or None if there is none (RFC 1952)."""
    head = source[pos:pos + 10]
    if len(head) < 10 or head[:3] != b"\x1f\x8b\x08" or head[3] & 0xe0:
        return None
    flags, pos = head[3], pos + 10
    if flags & GZIP_EXTRA:
        if pos + 2 > len(source):
            return None
        pos += 2 + u16(source, pos)
    for flag in (GZIP_NAME, GZIP_COMMENT):
        if flags & flag:
            zero = source.find(b"\0", pos, pos + MAX_GZIP_NAME + 1)
            if zero < 0:
                return None
            pos = zero + 1
    if flags & GZIP_CHECK:
        pos += 2
    return pos if pos < len(source) else None


def likely_place(source, end):
    """Where a stream begins behind one that ended at `end`."""
    places = [local_head_end(source, end + d) for d in (0, 12, 16, 20, 24)]
    places += [gzip_head_end(source, end + d) for d in (0, 8)]
    return next((place for place in places if place is not None), end)


def fields_of(file, before, stream, behind):
    """[(position, which value)] of the fields of one stream. `before` is where the stream before ended, or 0; `behind` is
    where what is behind this one ends."""
    stream_end = stream.pos + stream.packed_bytes
    for pos in range(max(before, stream.pos - LOOKED_AT), stream.pos - LOCAL_HEAD_BYTES + 1):
        if local_head_end(file, pos) == stream.pos:
            return fields_of_member(file, pos, stream, behind)
    head = bytes(file[max(before, stream.pos - LOOKED_AT):stream.pos + 1])
    if any(gzip_head_end(head, at) == len(head) - 1 for at in range(len(head)) if head[at] == 0x1f):
        return [(stream_end, CHECK), (stream_end + 4, RAW)] if stream_end + GZIP_TRAILER_BYTES <= behind else []
    if is_zlib_head(file[max(before, stream.pos - 2):stream.pos]) and stream_end + ZLIB_TRAILER_BYTES <= behind:
        return [(stream_end, ADLER)]
    return []


def is_zlib_head(head):
    return (len(head) == 2 and head[0] & 15 == 8 and head[0] >> 4 <= 7 and not head[1] & 32 and
            int.from_bytes(head, "big") % 31 == 0)


def fields_of_member(file, pos, stream, behind):
    stream_end = stream.pos + stream.packed_bytes
    if not u16(file, pos + 6) & HAS_DESCRIPTOR:
        return [(pos + 14, CHECK), (pos + 18, PACKED), (pos + 22, RAW)]
    if stream_end + DESCRIPTOR_BYTES <= behind and file[stream_end:stream_end + 4] == DESCRIPTOR:
        return [(stream_end + 4, CHECK), (stream_end + 8, PACKED), (stream_end + 12, RAW)]
    return []


def all_fields(file, parts):
    """(stream, position, which value) of each field, in the order of what is replaced, streams and directories. `file` may
    change in between, at fields."""
    before = 0
    ends = [part.pos for part in parts[1:]] + [len(file)]
    for part, behind in zip(parts, ends):
        if not isinstance(part, Directory):
            for pos, which in fields_of(file, before, part, behind):
                if which not in (CHECK, ADLER) or part.packed_bytes <= MAX_CHECKED:
                    yield part, pos, which
        before = part.pos + part.packed_bytes


def swap(file, pos, right, order="little"):
    """Between file and view."""
    right = (right & 0xffffffff).to_bytes(4, order)
    if file[pos:pos + 4] in (right, bytes(4)):
        file[pos:pos + 4] = bytes(4) if file[pos:pos + 4] == right else right


def without_fields(source, parts):
    """OLD with its fields as its view has them."""
    changed = bytearray(source)
    for stream, pos, which in all_fields(source, parts):
        if which in (CHECK, ADLER):
            changed[pos:pos + 4] = bytes(4)
        else:
            swap(changed, pos, stream.packed_bytes if which == PACKED else stream.raw_bytes)
    return bytes(changed)


def set_fields(new, parts):
    """`new` has its streams, and fields as its view has them."""
    for stream, pos, which in all_fields(new, parts):
        if which == ADLER:
            swap(new, pos, zlib.adler32(stream.text), "big")
        else:
            swap(new, pos, (zlib.crc32(stream.text) if which == CHECK else
                            stream.packed_bytes if which == PACKED else stream.raw_bytes))
