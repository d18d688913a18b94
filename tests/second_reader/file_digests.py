"""Digests that NEW has of its own files and that a patch leaves out: their places read from the record, and computed."""
import base64
import hashlib
from dataclasses import dataclass

from cursor import require

RECORD_TYPE = 0x08
MAX_RECORD_BYTES = 1 << 20
MAX_DIGESTS = 1 << 16
SHA256_BASE64 = 0
MAX_UNIT_LOG = 16
TEXT_BYTES = 43
HELD_BYTES = 80


@dataclass
class FileDigest:
    data_pos: int
    data_end: int
    text_pos: int

    @property
    def text_end(self):
        return self.text_pos + TEXT_BYTES


def read_file_digests(cursor, header):
    """In the order of their texts."""
    fields = cursor.record_fields(RECORD_TYPE, MAX_RECORD_BYTES, "the record of file digests")
    kind = fields.varint()
    require(kind == SHA256_BASE64, f"kind {kind} of file digests is not known")
    unit = 1 << fields.varint(most=MAX_UNIT_LOG, name="unit log")
    digests, data_end, text_end = [], 0, 0
    for _ in range(fields.varint(least=1, most=MAX_DIGESTS, name="file digests")):
        data_pos = -(-data_end // unit) * unit + fields.varint() * unit
        data_end = data_pos + fields.varint(least=1, name="data bytes")
        digest = FileDigest(data_pos, data_end, text_end + fields.zigzag())
        text_end = digest.text_end
        require(data_end <= digest.text_pos, "a digest stands in front of the end of its data")
        require(text_end <= header.target_bytes, "a digest reaches out of NEW")
        digests.append(digest)
    fields.finish()
    require(len(digests) * HELD_BYTES <= header.decoder_memory, "the file digests pass decoder memory")
    digests.sort(key=lambda digest: digest.text_pos)
    for before, digest in zip(digests, digests[1:]):
        require(before.text_end <= digest.text_pos, "two digests share bytes")
    return digests


def fill_digests(target, digests):
    """`target` is whole, but for the digests."""
    for digest in digests:
        made = hashlib.sha256(bytes(target[digest.data_pos:digest.data_end])).digest()
        target[digest.text_pos:digest.text_end] = base64.urlsafe_b64encode(made).rstrip(b"=")
