"""Bounds of the specification, met and passed by one; second_reader_test.py runs these."""
import struct
import unittest

import xxhash

from apply import apply_patch
from cursor import MIB, PatchError, check32, zigzag


def varint(number):
    head = bytearray()
    while number > 127:
        head.append(number & 127 | 128)
        number >>= 7
    return bytes(head) + bytes([number])


def header(old, new, features=0):
    fields = b"".join(map(varint, (features, 0, len(old), len(new)))) + xxhash.xxh3_128_digest(old) + xxhash.xxh3_128_digest(new)
    fields += b"".join(map(varint, (8 * MIB, 1 << 30, 1 << 26)))
    head = b"BDT\2\0\4" + varint(len(fields)) + fields
    return head + struct.pack("<I", check32(head))


def record(tag, body):
    head = bytes([tag]) + varint(len(body))
    pieces = [body[i:i + MIB] for i in range(0, len(body), MIB)]
    return head + b"".join(piece + struct.pack("<I", check32(head + struct.pack("<I", i) + piece)) for i, piece in enumerate(pieces))


def window(new, kind):
    return varint(16 * len(new) + 1 + kind) + struct.pack("<I", check32(new))


def group(target_bytes, head, frames):
    return varint(target_bytes) + varint(len(head)) + head + frames


def frames_of(stream, data):
    """Stored."""
    return b"".join(bytes([stream]) + varint(len(data[i:i + MIB])) + data[i:i + MIB] for i in range(0, len(data), MIB))


def patch_of_literals(new, coded):
    """One frame of zstd has them all."""
    head = b"\0\1" + window(new, 0) + b"\0\x40" + varint(len(new)) + b"\1"
    frame = b"\6" + varint(len(coded)) + varint(len(new)) + coded
    return header(b"", new) + record(32, group(len(new), head, frame)) + b"\0"


def zstd_frame(raw, empty_blocks):
    """An empty block has 3 bytes."""
    return b"\x28\xb5\x2f\xfd\0\x10" + bytes(3 * empty_blocks) + struct.pack("<I", len(raw) << 3 | 1)[:3] + raw


def patch_of_covers(old, count, codec=0):
    """NEW, and a patch to it with one predicted window. Each cover copies one byte, behind a literal. The codec is that of
    the global record."""
    new, windows, streams, diagonal = b"", b"", [b"", b"", b""], 0
    for first in range(0, count, 65536):
        covers = range(first, min(first + 65536, count))
        own = [b"\1" * len(covers), b"\1" * len(covers), bytearray()]
        for i in covers:
            own[2] += varint(zigzag(i % 2 * 2 - 2 * i - 1 - diagonal))
            diagonal = i % 2 * 2 - 2 * i - 1
        sizes = b"".join(varint(len(stream)) for stream in own)
        windows += varint(16 * 2 * len(covers) + 1 + 8) + varint(len(covers)) + b"\7" + sizes
        streams = [before + stream for before, stream in zip(streams, own)]
        new += b"".join(b"x" + old[i % 2 * 2:i % 2 * 2 + 1] for i in covers)
    frames = b"".join(frames_of(i, bytes(stream)) for i, stream in enumerate(streams))
    covers = group(len(new), b"\0" + varint(-(-count // 65536)) + windows + bytes(3), frames)
    head = b"\0\1" + window(new, 2) + b"\x40" + varint(count) + b"\0"
    told = b"\1\0\2\1" + bytes([codec]) + b"\3\3\0\0\0"
    records = record(14, told) + record(16, covers) + record(32, group(len(new), head, frames_of(6, b"x" * count)))
    return new, header(old, new, features=1) + records + b"\0"


class Bounds(unittest.TestCase):
    def test_coded_bytes_of_a_frame(self):
        new = b"literals"
        most = (MIB + MIB // 8 - len(zstd_frame(new, 0))) // 3
        self.assertEqual(apply_patch(b"", patch_of_literals(new, zstd_frame(new, most))), new)
        with self.assertRaisesRegex(PatchError, "coded bytes of a frame"):
            apply_patch(b"", patch_of_literals(new, zstd_frame(new, most + 1)))

    def test_codec_of_a_record(self):
        new, patch = patch_of_covers(b"abcd", 2)
        self.assertEqual(apply_patch(b"abcd", patch), new)
        with self.assertRaisesRegex(PatchError, "has a window log"):
            apply_patch(b"abcd", patch_of_covers(b"abcd", 2, codec=0x10)[1])

    def test_copies_of_a_predicted_window(self):
        new, patch = patch_of_covers(b"abcd", 65536)
        self.assertEqual(apply_patch(b"abcd", patch), new)
        with self.assertRaisesRegex(PatchError, "copies in a predicted window"):
            apply_patch(b"abcd", patch_of_covers(b"abcd", 65537)[1])


if __name__ == "__main__":
    unittest.main()
