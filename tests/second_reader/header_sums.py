"""Checksums of archive headers that a patch leaves out: their stretches read from the record, and computed in the end."""
from dataclasses import dataclass

from cursor import require

RECORD_TYPE = 0x07
MAX_RECORD_BYTES = 65536
MAX_SPANS = 4096
BLOCK = 512
SUM = slice(148, 156)
FORMS = ("{:06o}\0 ", "{:06o} \0", "{:07o}\0")


@dataclass
class SumSpan:
    form: str
    begin: int
    end: int


def read_sum_spans(cursor, header):
    fields = cursor.record_fields(RECORD_TYPE, MAX_RECORD_BYTES, "the record of header sums")
    spans, end = [], 0
    for _ in range(fields.varint(least=1, most=MAX_SPANS, name="stretches with header sums")):
        form = fields.byte()
        require(form < len(FORMS), f"form {form} of header sums is not known")
        begin = end + BLOCK * fields.varint()
        end = begin + BLOCK * fields.varint(least=1, name="blocks of a stretch")
        require(end <= header.target_bytes, "a stretch with header sums reaches out of NEW")
        spans.append(SumSpan(FORMS[form], begin, end))
    fields.finish()
    return spans


def fill_sums(target, spans):
    """`target` is whole, but for the checksums."""
    for span in spans:
        for pos in range(span.begin, span.end, BLOCK):
            block = target[pos:pos + BLOCK]
            if block[257:262] == b"ustar":
                block[SUM] = b" " * 8
                target[pos + SUM.start:pos + SUM.stop] = span.form.format(sum(block)).encode()
