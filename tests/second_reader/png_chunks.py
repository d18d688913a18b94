"""Image data of PNG files, which a view has without the chunks that it stands in (FORMAT.md, PNG chunks)."""
import zlib

from cursor import Cursor, require

TYPE = b"IDAT"
FRAME_BYTES = 12  # length, type, CRC-32
MAX_CHUNK = 0x7fffffff


def join_chunks(source, pos, largest):
    """The data of all chunks from `pos` on, and their bytes."""
    data, at = bytearray(), pos
    while at + FRAME_BYTES <= len(source) and source[at + 4:at + 8] == TYPE:
        size = int.from_bytes(source[at:at + 4], "big")
        if size > MAX_CHUNK or at + FRAME_BYTES + size > len(source):
            break
        data += source[at + 8:at + 8 + size]
        require(len(data) <= largest, f"chunks of OLD at {pos} have more data than the patch says")
        at += FRAME_BYTES + size
    require(at > pos, f"there are no chunks of image data in OLD at {pos}")
    return bytes(data), at - pos


def read_chunks(recipe, sizes):
    """For each run of NEW, of (data, packed) bytes, the sizes of its chunks."""
    fields = Cursor(recipe, what="the PNG chunks")
    runs = [read_run(fields, data_bytes, packed_bytes) for data_bytes, packed_bytes in sizes]
    fields.finish()
    return runs


def read_run(fields, data_bytes, packed_bytes):
    frames = packed_bytes - data_bytes
    require(frames > 0 and frames % FRAME_BYTES == 0, "PNG chunks have other sizes than their data")
    count = frames // FRAME_BYTES
    size = fields.varint() if count > 1 else 0
    if count > 1 and size:
        require((count - 1) * size <= data_bytes, "chunks of an image have more than its data")
        run = [size] * (count - 1)
    else:
        run = [fields.varint() for _ in range(count - 1)]
    run.append(data_bytes - sum(run))
    require(0 <= min(run) and max(run) <= MAX_CHUNK, "a chunk of an image of an impossible size")
    return run


def rebuild_chunks(data, sizes):
    made, at = bytearray(), 0
    for size in sizes:
        chunk = TYPE + data[at:at + size]
        made += size.to_bytes(4, "big") + chunk + zlib.crc32(chunk).to_bytes(4, "big")
        at += size
    return bytes(made)
