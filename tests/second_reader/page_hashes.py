"""Lists of page digests that a patch leaves out: read from their record, and computed once NEW is there but for them."""
import hashlib
from dataclasses import dataclass

from cursor import require

RECORD_TYPE = 0x05
SHA256 = 0
HASH_BYTES = 32
MAX_RECORD_BYTES = 16 * 1024
MAX_LISTS = 255


@dataclass
class PageList:
    data_pos: int
    data_bytes: int
    list_pos: int
    page_bytes: int

    @property
    def pages(self):
        end = self.data_pos + self.data_bytes
        return [(pos, min(pos + self.page_bytes, end)) for pos in range(self.data_pos, end, self.page_bytes)]

    @property
    def page_count(self):
        return -(-self.data_bytes // self.page_bytes)

    @property
    def list_end(self):
        return self.list_pos + self.page_count * HASH_BYTES


def read_page_lists(cursor, header):
    fields = cursor.record_fields(RECORD_TYPE, MAX_RECORD_BYTES, "the record of page digests")
    lists, end = [], 0
    for _ in range(fields.varint(least=1, most=MAX_LISTS, name="lists of page digests")):
        digest = fields.varint()
        require(digest == SHA256, f"page digest {digest} is not known")
        page_log = fields.byte()
        require(12 <= page_log <= 16, f"pages of 2^{page_log} bytes")
        data_pos = end + fields.varint()
        data_bytes = fields.varint(least=1, name="bytes of the pages")
        found = PageList(data_pos, data_bytes, data_pos + data_bytes + fields.varint(), 1 << page_log)
        require(found.list_end <= header.target_bytes, "a list of page digests reaches out of NEW")
        end = found.list_end
        lists.append(found)
    fields.finish()
    require(sum(found.list_end - found.list_pos for found in lists) <= header.decoder_memory,
            "the lists of page digests pass decoder memory")
    return lists


def fill_in(target, lists):
    """`target` is whole, but for the lists; each has all its pages in front of it, so their order is that of NEW."""
    for found in lists:
        digests = b"".join(hashlib.sha256(bytes(target[start:end])).digest() for start, end in found.pages)
        target[found.list_pos:found.list_end] = digests
