"""The head of a group: form, window table, stream table. The same reader serves groups of covers and others."""
from dataclasses import dataclass, field

from modelled_bytes import ModelledScope, read_modelled_scope
from cursor import MIB, PatchError, require
from records import COVERS

LITERAL_LENGTHS, COPY_LENGTHS, DIAGONALS, GAPS, RUN_LENGTHS, VALUES, LITERALS, MODELLED_CODE = range(8)
OP_STREAMS = {LITERAL_LENGTHS, COPY_LENGTHS, DIAGONALS}
STORE, ZSTD, LZMA = range(3)

MAX_WINDOWS = 16384
MAX_COPIES = 65536
MAX_RUNS = 262144


def codec_memory(codec, window_log):
    return {STORE: 0, ZSTD: (1 << window_log) + 524288, LZMA: (1 << window_log) + 131072}[codec]


@dataclass
class Window:
    target_bytes: int
    coded: bool
    predicted: bool = False  # its ops are covers that stand apart
    modelled: bool = False
    of_covers: bool = False
    diagonal_change: int = 0  # plain windows only
    checksum: int = None
    copy_count: int = 0
    run_count: int = None  # None where the streams tell
    streams: set = field(default_factory=set)  # that it may have
    sizes: dict = field(default_factory=dict)  # stream -> raw bytes; what a code holds is not in it


@dataclass
class Group:
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


def read_group_head(records, tag, header):
    """The group in the record of this tag that comes next, and a cursor over its frames."""
    body = records.record_fields(tag, header.group_limit, "a group")
    group = Group(body.varint(least=1, name="target bytes of a group"))
    head = body.part(body.varint(most=MIB, name="head bytes of a group"), "head of a group")
    read_form(head, group, header)
    for _ in range(head.varint(most=MAX_WINDOWS, name="number of windows")):
        window = read_window(head, group, header)
        require(window.of_covers == (tag == COVERS), "a window of covers among others, or another among covers")
        group.windows.append(window)
    require(sum(window.target_bytes for window in group.windows) == group.target_bytes,
            "the windows of a group do not add up to its target bytes")
    read_stream_table(head, group)
    head.finish()
    header.memory.take_for_group(group.decoder_memory())
    return group, body


def read_form(head, group, header):
    form = head.byte()
    group.packed = bool(form & 1)
    group.has_literals = bool(form & 2)
    group.table_log = form >> 4
    require(form & 8 == 0, "reserved bits of a group's form are set")
    require(group.packed or form & ~4 == 0, "a group that is not packed has a form of packed ones")
    require(group.table_log <= 8, f"table log {group.table_log}; 8 at most")
    if group.packed:
        group.scope = head.byte()
        require(group.scope >> LITERALS == 0, f"the code holds streams that are none of numbers: {group.scope:#x}")
    if form & 4:
        group.modelled = read_modelled_scope(head, header)


def read_window(head, group, header):
    number = head.varint()
    if not number & 1:
        require(number, "a window of no bytes")
        return Window(number >> 1, False, diagonal_change=head.zigzag())
    window = Window(number >> 4, True, bool(number & 2), bool(number & 4), bool(number & 8))
    require(window.target_bytes, "a window of no bytes")
    require(header.predicted or not window.predicted, "a window is predicted in a patch without prediction")
    require(group.modelled or not window.modelled, "a window is modelled in a group without models")
    window.streams = streams_of(group, window)
    if not window.of_covers:
        require(window.target_bytes <= header.window_limit,
                f"a window of {window.target_bytes} bytes; {header.window_limit} at most")
        window.checksum = head.u32()
    if COPY_LENGTHS in window.streams:
        window.copy_count = head.varint(most=MAX_COPIES, name="number of copies")
    if group.packed:
        read_packed_sizes(head, group, window)
    else:
        read_sizes(head, window)
    most = window.target_bytes + window.target_bytes // 8 + 64
    require(window.sizes.get(MODELLED_CODE, 0) <= most, f"a window has more than {most} bytes of code")
    return window


def streams_of(group, window):
    if window.of_covers:
        require(not window.predicted and not window.modelled, "a window of covers is predicted or modelled")
        return OP_STREAMS
    streams = set(range(MODELLED_CODE)) - (OP_STREAMS if window.predicted else set())
    return streams - group.modelled.streams | {MODELLED_CODE} if window.modelled else streams


def read_sizes(head, window):
    present = head.byte()
    for stream in range(8):
        if present >> stream & 1:
            require(stream in window.streams, f"a window has bytes of stream {stream}, which is not here")
            window.sizes[stream] = head.varint(least=1, name=f"size of stream {stream}")


def read_packed_sizes(head, group, window):
    window.run_count = head.varint(most=MAX_RUNS, name="number of runs") if GAPS in window.streams else 0
    for stream in range(LITERALS):
        count = window.copy_count if stream in OP_STREAMS else window.run_count
        if stream in window.streams and not group.in_scope(stream) and count:
            window.sizes[stream] = head.varint(least=1, name=f"size of stream {stream}")
    if MODELLED_CODE in window.streams:
        window.sizes[MODELLED_CODE] = head.varint()


def read_stream_table(head, group):
    present = {stream for window in group.windows for stream, size in window.sizes.items() if size}
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
        require(codec == STORE or stream != MODELLED_CODE, "a code is compressed")
        group.codecs[stream] = (codec, window_log)
