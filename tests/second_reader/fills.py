"""Bytes of NEW that follow from others: rules for them read from the record, and filled in once the rest is there."""
import base64
import hashlib
from dataclasses import dataclass, field

from cursor import require
from records import FILLS

MAX_RECORD_BYTES = 2 << 20
MAX_RANGES = 1 << 17
MAX_INPUTS = 8  # bytes for each of NEW
WHOLE, PAGES, TAR_HEADERS = range(3)
BLOCK = 512
HELD_BYTES = 256
MAX_STRETCH = 1 << 24


def sha256(data):
    return hashlib.sha256(data).digest()


def base64_sha256(data):
    return base64.urlsafe_b64encode(sha256(data)).rstrip(b"=")


def padded_sha256(data):
    return base64.b64encode(sha256(data))


def tar_checksum(form):
    return lambda data: form.format(sum(data) + 256).encode()


# By function, encoding and shape: what gives the bytes of the place, and how many these are.
KINDS = {(0, 0, PAGES): (sha256, 32), (0, 1, WHOLE): (base64_sha256, 43), (0, 5, WHOLE): (padded_sha256, 44),
         (1, 2, TAR_HEADERS): (tar_checksum("{:06o}\0 "), 8), (1, 3, TAR_HEADERS): (tar_checksum("{:06o} \0"), 8),
         (1, 4, TAR_HEADERS): (tar_checksum("{:07o}\0"), 8)}


@dataclass
class Range:
    """Bytes of NEW and where their results stand, one of each part; headers have places of their own."""
    begin: int
    end: int
    place: int = 0
    place_end: int = 0


@dataclass
class Rule:
    shape: int
    compute: object
    result_bytes: int
    page_bytes: int = 0
    ranges: list = field(default_factory=list)

    def parts(self, found):
        step = self.page_bytes or found.end - found.begin
        return [(pos, min(pos + step, found.end)) for pos in range(found.begin, found.end, step)]

    def part_count(self, found):
        return -(-(found.end - found.begin) // (self.page_bytes or found.end - found.begin))


def read_fills(cursor, header):
    fields = cursor.record_fields(FILLS, MAX_RECORD_BYTES, "the record of fills")
    rules = []
    while not rules or not fields.at_end():
        rules.append(read_rule(fields, header.target_bytes))
    check(rules, header)
    return rules


def read_rule(fields, target_bytes):
    function, encoding, shape = fields.varint(), fields.varint(), fields.varint()
    if shape & 1:
        require(fields.varint() == fields.varint() == 0, "a space of fills that is reserved")
    shape >>= 1
    require((function, encoding, shape) in KINDS, f"fills of function {function}, encoding {encoding}, shape {shape}")
    unit_log = fields.byte()
    require(unit_log <= 16, f"units of 2^{unit_log} bytes")
    rule = Rule(shape, *KINDS[function, encoding, shape])
    if shape == PAGES:
        page_log = fields.byte()
        require(12 <= page_log <= 16, f"pages of 2^{page_log} bytes")
        rule.page_bytes = 1 << page_log
    end, place_end = 0, None
    for _ in range(fields.varint(least=1, most=MAX_RANGES, name="ranges of fills")):
        unit = 1 << unit_log
        begin = -(-end // unit) * unit + fields.varint() * unit
        end = begin + fields.varint(least=1, name="size of a range") * (BLOCK if shape == TAR_HEADERS else 1)
        require(end <= target_bytes, "a range of fills reaches out of NEW")
        found = Range(begin, end)
        if shape != TAR_HEADERS:
            found.place = (end if place_end is None else place_end) + fields.zigzag()
            found.place_end = place_end = found.place + rule.part_count(found) * rule.result_bytes
            require(0 <= found.place and place_end <= target_bytes, "a place of a fill out of NEW")
            require(end <= found.place or place_end <= begin, "a place of a fill in its range")
        rule.ranges.append(found)
    return rule


def check(rules, header):
    told = [(rule, found) for rule in rules for found in rule.ranges if rule.shape != TAR_HEADERS]
    headers = [found for rule in rules if rule.shape == TAR_HEADERS for found in rule.ranges]
    require(len(told) + len(headers) <= MAX_RANGES, "too many ranges of fills")
    inputs = sum(found.end - found.begin for _, found in told)
    require(inputs <= MAX_INPUTS * header.target_bytes, "fills of too many bytes")
    require_apart([(found.place, found.place_end) for _, found in told], "places of fills")
    require_apart([(found.begin, found.end) for found in headers], "ranges of tar headers")
    held = sum(rule.part_count(found) * (rule.result_bytes + 1) for rule, found in told)
    held += HELD_BYTES * (len(told) + len(headers))
    stretches = join_stretches([(found.place, found.end) for _, found in told if found.place < found.begin])
    longest = max((end - begin for begin, end in stretches), default=0)
    require(longest <= MAX_STRETCH, "fills hold back too many bytes")
    require(not any(meets(Range(*stretch), [(found.begin, found.end) for found in headers]) for stretch in stretches),
            "fills hold back tar headers")
    header.memory.hold(held + longest, "fills")
    require_order([(rule.shape, found) for rule in rules for found in rule.ranges])


def require_apart(stretches, what):
    stretches = sorted(stretches)
    require(all(one[1] <= other[0] for one, other in zip(stretches, stretches[1:])), f"{what} share bytes")


def join_stretches(stretches):
    joined = []
    for begin, end in sorted(stretches):
        if joined and begin < joined[-1][1]:
            joined[-1][1] = max(joined[-1][1], end)
        else:
            joined.append([begin, end])
    return joined


def require_order(listed):
    """No input holds a byte that its own fill or a later one fills."""
    later = []
    for shape, found in reversed(listed):
        later.append((found.begin, found.end) if shape == TAR_HEADERS else (found.place, found.place_end))
        if shape != TAR_HEADERS:
            require(not meets(found, later), "a fill of bytes that are filled later")


def meets(found, stretches):
    return any(begin < found.end and found.begin < end for begin, end in stretches)


def fill_in(target, rules):
    """`target` is whole, but for the fills, and changed."""
    places = [(found.place, found.place_end) for rule in rules for found in rule.ranges if rule.shape != TAR_HEADERS]
    for rule in rules:
        for found in rule.ranges:
            if rule.shape == TAR_HEADERS:
                fill_headers(target, rule, found, places)
            else:
                parts = (bytes(target[begin:end]) for begin, end in rule.parts(found))
                target[found.place:found.place_end] = b"".join(map(rule.compute, parts))


def fill_headers(target, rule, found, places):
    for pos in range(found.begin, found.end, BLOCK):
        if target[pos + 257:pos + 262] == b"ustar" and not meets(Range(pos, pos + BLOCK), places):
            target[pos + 148:pos + 156] = rule.compute(bytes(target[pos:pos + 148] + target[pos + 156:pos + BLOCK]))
