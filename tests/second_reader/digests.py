"""The list of digests that may stand behind the header: each of the records that follow has to be what it says."""
import hashlib

from cursor import require

RECORD_TYPE = 0x04
DIGEST_BYTES = 32


class Digests:
    def __init__(self, cursor):
        require(cursor.byte() == RECORD_TYPE, "the list of digests is missing")
        count = cursor.varint(least=1, most=cursor.left() // DIGEST_BYTES)
        self.listed = [cursor.take(DIGEST_BYTES) for _ in range(count)]

    def check(self, cursor):
        """Once all has been read: the records that `cursor` passed are those of the list."""
        starts = cursor.record_starts
        require(len(starts) == len(self.listed), f"{len(starts)} records, and digests of {len(self.listed)}")
        for start, end, listed in zip(starts, starts[1:] + [cursor.end], self.listed):
            digest = hashlib.sha256(bytes(cursor.data[start:end])).digest()
            require(digest == listed, f"the record at {start} is not what the list of digests says")
