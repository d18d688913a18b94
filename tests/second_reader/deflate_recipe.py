"""What a recipe says of its streams before any text is there (DEFLATE.md, 5)."""
from dataclasses import dataclass, field

from cursor import Cursor, require, unzigzag
from deflate_coder import BitDecoder, Model, NumberModel

GREEDY, LAZY, LITERALS, RUNS, MEDIUM, BLOCKS = range(6)
GO, TWO = 3, 4  # hashes
NAMES = ("search", "hash", "hash_bits", "window_bits", "filtered", "block_end", "ng", "good", "lazy", "nice", "chain",
         "block_tokens", "feed_bytes")
FIRST = (LAZY, 0, 15, 15, 0, 0, 0, 8, 16, 128, 128, 16383, 0)
RANGES = ((0, 5), (0, 6), (8, 17), (9, 15), (0, 1), (0, 2), (0, 2), (0, 258), (0, 258), (0, 258), (0, 4096), (1, 32767),
          (0, 1 << 24))
MAX_TOLD = 4 << 20  # joints, corrections and deviations of a recipe
PLACE_BYTES, DEVIATION_BYTES = 32, 80  # that a joint or a correction takes, and a deviation
MAX_STORED = 65535
MAX_TOKENS = 4 << 20


@dataclass
class Deviation:
    blocks_before: int  # by rule, since the deviation before
    stored: bool
    fixed: bool = False
    size: int = None  # raw bytes if stored, else tokens
    last: bool = False
    own_tree: bool = False
    joins: bool = False  # a piece that goes on with the trees before it


@dataclass
class Description:
    """How one stream is made."""
    raw_bytes: int
    packed_bytes: int
    parameters: dict
    joints: list = field(default_factory=list)  # (position, kind, marker)
    dense: bool = False
    corrections: list = field(default_factory=list)  # (position, length, distance); a literal has length 1
    deviations: list = field(default_factory=list)
    lockstep_bytes: int = 0
    lockstep: bytes = b""
    lends: bool = False  # tokens of OLD's streams may be taken

    def held_bytes(self):
        places = len(self.joints) + len(self.corrections)
        return PLACE_BYTES * places + DEVIATION_BYTES * len(self.deviations) + self.lockstep_bytes


class HeadReader:
    def __init__(self, code):
        self.decoder = BitDecoder(code)
        self.bits = {name: Model() for name in (
            "plain", "same", "as_before", "dense", "stored", "fixed", "last", "joins", "own_tree", "stored_size", "tokens_size",
            "lends")}
        self.numbers = {name: NumberModel() for name in (
            "first", "rest", "joints", "joint_gap", "kind", "marker", "corrections", "correction_gap", "length",
            "deviations", "blocks", "stored_size", "tokens_size", "lockstep")}
        self.parameters = FIRST
        self.told = 0

    def bit(self, name):
        return self.decoder.bit(self.bits[name])

    def number(self, name):
        return self.numbers[name].decode(self.decoder)

    def count(self, name, most):
        count = self.number(name)
        self.told += count
        require(count <= most and self.told <= MAX_TOLD, f"a stream has {count} {name}")
        return count

    def read(self, raw_bytes, packed_bytes):
        """The description of the next stream."""
        stream = self.read_shape(raw_bytes, packed_bytes)
        go_on = stream.parameters["search"] == LAZY and stream.parameters["hash"] != GO and not stream.dense and not stream.joints
        if go_on and raw_bytes >= 65536:
            stream.lends = bool(self.bit("lends"))  # a reader that searches all tokens itself has no use for it
        return stream

    def read_shape(self, raw_bytes, packed_bytes):
        if self.bit("plain"):
            return Description(raw_bytes, packed_bytes, dict(zip(NAMES, self.parameters)))
        self.parameters = tuple(self.read_parameter(index) for index in range(len(NAMES)))
        parameters = dict(zip(NAMES, self.parameters))
        check_parameters(parameters)
        stream = Description(raw_bytes, packed_bytes, parameters)
        stream.joints = self.read_joints(stream)
        stream.dense = bool(self.bit("dense"))
        if not stream.dense:
            stream.corrections = self.read_corrections(stream)
        stream.deviations = self.read_deviations(stream)
        if stream.dense or any(deviation.own_tree for deviation in stream.deviations):
            stream.lockstep_bytes = self.number("lockstep")
        return stream

    def read_parameter(self, index):
        return self.parameters[index] if self.bit("same") else self.number("first" if index < 8 else "rest")

    def read_joints(self, stream):
        joints, pos, gap, how = [], 0, 0, (0, 0)
        for _ in range(self.count("joints", stream.packed_bytes * 8 // 10 + 1)):
            gap += unzigzag(self.number("joint_gap"))
            require(gap > 0 and pos + gap <= stream.raw_bytes, "joints of a stream do not rise to its end")
            pos += gap
            if not self.bit("as_before"):
                how = self.number("kind"), self.number("marker")
                require(how[0] <= 2 and how[1] <= 3, "a joint of a stream is of no known kind")
            joints.append((pos, *how))
        return joints

    def read_corrections(self, stream):
        corrections, pos = [], 0
        for _ in range(self.count("corrections", 64 + stream.raw_bytes // 400)):
            pos += self.number("correction_gap")
            length, distance = self.number("length"), 0
            length = length + 2 if length else 1
            if length > 1:
                distance = self.decoder.plain(15) + 1
            require(pos + length <= stream.raw_bytes and distance <= pos and length <= 258, "a correction out of its text")
            corrections.append((pos, length, distance))
        return corrections

    def read_deviations(self, stream):
        deviations = []
        for _ in range(self.count("deviations", stream.packed_bytes * 8 // 10 + 1)):
            one = Deviation(self.number("blocks"), bool(self.bit("stored")))
            one.fixed = not one.stored and bool(self.bit("fixed"))
            kind, most = ("stored_size", MAX_STORED) if one.stored else ("tokens_size", MAX_TOKENS)
            if self.bit(kind):
                one.size = self.number(kind)
                require(one.size <= min(most, stream.raw_bytes), "a block is larger than its text")
            one.last = bool(self.bit("last"))
            dynamic = not one.stored and not one.fixed
            one.joins = dynamic and not one.last and stream.parameters["hash"] == TWO and bool(self.bit("joins"))
            one.own_tree = dynamic and not one.joins and bool(self.bit("own_tree"))
            deviations.append(one)
        return deviations


def check_parameters(given):
    for name, (least, most) in zip(NAMES, RANGES):
        require(least <= given[name] <= most, f"{name} of a stream is {given[name]}")
    medium = given["search"] == MEDIUM
    require(given["chain"] or given["search"] in (LITERALS, RUNS, BLOCKS), "the chain of a stream is 0")
    require(given["hash"] != 2 or given["hash_bits"] == 16 and given["ng"], "a hash of other bits")
    require(given["hash"] or given["search"] or not given["ng"], "a greedy search with the hash of zlib and rules of zlib-ng")
    require(not medium or given["hash"] == 2 and given["window_bits"] == 15 and given["ng"], "a medium search of other kinds")
    require(given["hash"] < 5 or given["hash_bits"] == 15 and not given["ng"], "a hash by CRC of other bits or with other rules")
    go = given["hash"] == GO
    require((given["hash_bits"] == 17) == go, "a hash of Go's bits")
    require(not go or given["window_bits"] == 15 and not given["filtered"] and not given["block_end"] and not given["ng"]
            and given["search"] != RUNS, "rules of others with those of Go")
    two = given["hash"] == TWO
    require(go or two or given["search"] != BLOCKS, "a search block by block that is not Go's")
    require(two or given["block_end"] < 2, "trees of Go's with rules of others")
    require(not two or given["search"] == BLOCKS and given["chain"] in (5, 6) and given["hash_bits"] == 15
            and given["window_bits"] == 15 and not given["filtered"] and not given["ng"], "a level of Go's with rules of others")
    require(given["feed_bytes"] == 0 or medium and (given["feed_bytes"] >= 300 or given["ng"] == 2), "a search that is fed")
    require(medium or given["ng"] < 2, "rules of a medium search with another")


def read_recipe(data, sizes):
    """The streams of a recipe; `sizes` has (raw bytes, packed bytes) of each."""
    cursor = Cursor(data, what="the recipe")
    head = HeadReader(cursor.take(cursor.varint()))
    streams = [head.read(raw_bytes, packed_bytes) for raw_bytes, packed_bytes in sizes]
    head.decoder.finish()
    for stream in streams:
        stream.lockstep = cursor.take(stream.lockstep_bytes)
    cursor.finish()
    held = sum(stream.held_bytes() for stream in streams)
    require(held <= most_held_bytes(len(data)), f"descriptions of streams take {held} bytes, more than a recipe may")
    return streams


def most_held_bytes(recipe_bytes):
    return 16 * recipe_bytes + 4194304
