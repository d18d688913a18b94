"""The head of a group: form, window table, stream table. The same reader serves both kinds of group there are."""
from dataclasses import dataclass, field

from modelled_bytes import ModelledScope, read_modelled_scope
import records
from cursor import MIB, PatchError, require
from records import GROUP

LITERAL_LENGTHS, COPY_LENGTHS, DIAGONALS, GAPS, RUN_LENGTHS, VALUES, LITERALS = range(7)
STREAM_COUNT = 7
STORE, ZSTD, LZMA = range(3)

MAX_WINDOWS = 16384
MAX_COPIES = 65536
MAX_RUNS = 262144


def codec_memory(codec, window_log):
    return {STORE: 0, ZSTD: (1 << window_log) + 524288, LZMA: (1 << window_log) + 131072}[codec]


@dataclass(frozen=True)
class Kind:
    """What groups of one kind have in their heads."""
    record_type: int
    streams: tuple
    has_ops_alone: bool  # windows that are nothing but ops, of any length, without kind and checksum


OP_STREAMS = (LITERAL_LENGTHS, COPY_LENGTHS, DIAGONALS)
WHOLE = Kind(GROUP, tuple(range(7)), False)
COVERS = Kind(records.COVERS, OP_STREAMS, True)


@dataclass
class Window:
    target_bytes: int
    coded: bool
    predicted: bool = False  # its ops are covers that stand apart
    diagonal_change: int = 0  # plain windows only
    checksum: int = None
    copy_count: int = 0
    run_count: int = None  # None where the streams tell
    sizes: dict = field(default_factory=dict)  # stream -> raw bytes; what a code holds is not in it
    code_bytes: int = 0  # of modelled bytes


@dataclass
class Group:
    kind: Kind
    target_bytes: int
    packed: bool = False
    has_literals: bool = False  # packed groups only
    table_log: int = 0
    scope: int = 0
    modelled: ModelledScope = None
    windows: list = field(default_factory=list)
    codecs: dict = field(default_factory=dict)  # stream -> (codec, window log)

    def in_scope(self, stream):
        return bool(self.scope >> stream & 1)

    def decoder_memory(self):
        total = 786432 + (32768 << self.table_log) if self.packed else 0
        total += self.modelled.memory() if self.modelled else 0
        for codec, window_log in self.codecs.values():
            total += codec_memory(codec, window_log)
        return total


def read_group_head(records, kind, header):
    """The group in the record that comes next, and a cursor over its frames."""
    body = records.record_fields(kind.record_type, header.group_limit, "a group")
    group = Group(kind, body.varint(least=1, name="target bytes of a group"))
    head = body.part(body.varint(most=MIB, name="head bytes of a group"), "head of a group")
    read_form(head, group, header)
    for _ in range(head.varint(most=MAX_WINDOWS, name="number of windows")):
        group.windows.append(read_window(head, group, header))
    require(sum(window.target_bytes for window in group.windows) == group.target_bytes,
            "the windows of a group do not add up to its target bytes")
    read_stream_table(head, group)
    head.finish()
    require(group.decoder_memory() <= header.decoder_memory,
            f"a group takes {group.decoder_memory()} bytes to decode, the header says {header.decoder_memory}")
    return group, body


def read_form(head, group, header):
    form = head.byte()
    group.packed = bool(form & 1)
    group.has_literals = bool(form & 2)
    group.table_log = form >> 4
    known = 0xf3 | (4 if header.may_model_bytes else 0)
    require(form & ~known == 0, "reserved bits of a group's form are set")
    require(group.packed or form & ~4 == 0, "a group that is not packed has a form of packed ones")
    require(group.table_log <= 10, f"table log {group.table_log}; 10 at most")
    if group.packed:
        group.scope = head.byte()
        codable = sum(1 << stream for stream in group.kind.streams if stream != LITERALS)
        require(group.scope & ~codable == 0, f"the code holds streams that this group does not have: {group.scope:#x}")
        require(not group.has_literals or LITERALS in group.kind.streams, "literals in a group of covers")
    if form & 4:
        require(LITERALS in group.kind.streams, "modelled bytes in a group of covers")
        group.modelled = read_modelled_scope(head, header)
        if group.modelled.misses:
            require(group.scope >> GAPS == 0, "the misses of a group are coded twice")
            require(not (group.modelled.literals and group.has_literals), "the literals of a group are coded twice")


def read_window(head, group, header):
    if group.kind.has_ops_alone:
        window = Window(head.varint(least=1, name="length of a window"), True)
    else:
        window = read_length_and_kind(head, header)
        if not window.coded:
            window.diagonal_change = head.zigzag()
            return window
        require(window.target_bytes <= header.window_limit,
                f"a window of {window.target_bytes} bytes; {header.window_limit} at most")
        window.checksum = head.u32()
    if not window.predicted:
        window.copy_count = head.varint(most=MAX_COPIES, name="number of copies")
    if group.packed:
        read_packed_sizes(head, group, window)
    else:
        read_sizes(head, group, window)
    if group.modelled:
        read_code_size(head, group, window)
    return window


def read_length_and_kind(head, header):
    number = head.varint()
    window = Window(number >> 2, True, bool(number & 2)) if number & 1 else Window(number >> 1, False)
    require(window.target_bytes, "a window of no bytes")
    require(header.predicted or not window.predicted, "a window is predicted in a patch without prediction")
    return window


def streams_of(group, window):
    return [stream for stream in group.kind.streams if not (window.predicted and stream in OP_STREAMS)]


def read_code_size(head, group, window):
    modelled = group.modelled
    window.code_bytes = head.varint() if group.packed else window.sizes.pop(modelled.code_stream, 0)
    most = window.target_bytes + window.target_bytes // 8 + 64
    require(window.code_bytes <= most, f"a window has {window.code_bytes} bytes of code; {most} at most")
    if modelled.misses:
        require(not window.run_count and not {GAPS, RUN_LENGTHS, VALUES} & set(window.sizes),
                "a window has residual runs where misses are coded")
    require(not (modelled.literals and LITERALS in window.sizes), "a window has literals where they are coded")


def read_sizes(head, group, window):
    present = head.byte()
    for stream in range(8):
        if present >> stream & 1:
            require(stream in streams_of(group, window), f"a window has bytes of stream {stream}, which is not here")
            window.sizes[stream] = head.varint(least=1, name=f"size of stream {stream}")


def read_packed_sizes(head, group, window):
    if not group.kind.has_ops_alone:
        window.run_count = head.varint(most=MAX_RUNS, name="number of runs")
    for stream in streams_of(group, window):
        count = window.copy_count if stream < GAPS else window.run_count
        if stream != LITERALS and not group.in_scope(stream) and count:
            window.sizes[stream] = head.varint(least=1, name=f"size of stream {stream}")


def read_stream_table(head, group):
    present = {stream for window in group.windows for stream in window.sizes}
    if group.modelled and any(window.code_bytes for window in group.windows):
        present.add(group.modelled.code_stream)
    if group.packed:  # there the form says it
        present = present - {LITERALS} | ({LITERALS} if group.has_literals else set())
    for stream in sorted(present):
        entry = head.byte()
        codec, window_log = entry & 15, (entry >> 4) + 12
        if codec == STORE:
            require(entry == 0, "a stored stream has a window log")
        elif codec not in (ZSTD, LZMA):
            raise PatchError(f"codec {codec} is not known")
        require(window_log <= 26, f"window log {window_log}; 26 at most")
        require(codec == STORE or not group.modelled or stream != group.modelled.code_stream, "a code is compressed")
        group.codecs[stream] = (codec, window_log)
