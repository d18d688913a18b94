"""The header of BDT version 2."""
from dataclasses import dataclass

from cursor import MIB, check32, require
from memory import Memory

DRAFT = 4
FEATURE_PREDICTION = 1 << 0
FEATURE_TARGET_COPIES = 1 << 1
FEATURE_VIEW = 1 << 2
FEATURE_TREES = 1 << 5
FEATURE_LITERAL_MODEL = 1 << 9
FEATURE_MISS_MODEL = 1 << 14
KNOWN_FEATURES = (FEATURE_PREDICTION | FEATURE_TARGET_COPIES | FEATURE_VIEW | FEATURE_TREES |
                  FEATURE_LITERAL_MODEL | FEATURE_MISS_MODEL)


@dataclass
class Header:
    required_features: int
    optional_features: int
    source_bytes: int
    target_bytes: int
    source_digest: bytes
    target_digest: bytes
    window_limit: int
    group_limit: int
    memory: Memory
    history: int = 0

    @property
    def predicted(self):
        return bool(self.required_features & FEATURE_PREDICTION)

    @property
    def copies_target(self):
        return bool(self.required_features & FEATURE_TARGET_COPIES)

    @property
    def has_views(self):
        return bool(self.required_features & FEATURE_VIEW)

    @property
    def has_trees(self):
        return bool(self.required_features & FEATURE_TREES)

    @property
    def may_have_literal_model(self):
        return bool(self.required_features & FEATURE_LITERAL_MODEL)

    @property
    def may_have_miss_model(self):
        return bool(self.required_features & FEATURE_MISS_MODEL)


def read_header(cursor):
    """`cursor` stands at the magic, and behind the checksum afterwards."""
    start = cursor.pos
    require(cursor.take(3) == b"BDT", "not a BDT patch")
    version, draft = cursor.u16(), cursor.byte()
    require(version == 2 and draft == DRAFT, f"version {version}, draft {draft}; 2, {DRAFT} expected")
    fields = cursor.part(cursor.varint(most=4096, name="length of the header"), "header")
    digested = cursor.data[start:cursor.pos]
    require(cursor.u32() == check32(digested), "the checksum of the header is wrong")
    required = fields.varint()
    for bit in range(64):
        require(not (required & ~KNOWN_FEATURES) >> bit & 1, f"required feature {bit} is not known")
    # What optional features append behind these fields is ignored.
    header = Header(required, fields.varint(), fields.varint(), fields.varint(), fields.take(16), fields.take(16),
                    fields.varint(most=8 * MIB, name="window limit"), fields.varint(), Memory(fields.varint()))
    if header.copies_target:
        header.history = fields.varint()
        header.memory.hold(header.history, "the history")
    return header
