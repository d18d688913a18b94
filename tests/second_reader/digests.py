"""The list of digests that may stand behind the header: each of the records that follow has to be what it says."""
import hashlib

from cursor import require
from records import DIGESTS

DIGEST_BYTES = 32


class Digests:
    def __init__(self, records):
        body = records.take(DIGESTS, "the list of digests")
        require(body.left() % DIGEST_BYTES == 0, "the list of digests has an impossible size")
        self.listed = [body.take(DIGEST_BYTES) for _ in range(body.left() // DIGEST_BYTES)]

    def check(self, records):
        """Once all has been read."""
        starts, cursor = records.starts, records.cursor
        require(len(starts) == len(self.listed), f"{len(starts)} records, and digests of {len(self.listed)}")
        for start, end, listed in zip(starts, starts[1:] + [cursor.end], self.listed):
            digest = hashlib.sha256(bytes(cursor.data[start:end])).digest()
            require(digest == listed, f"the record at {start} is not what the list of digests says")
