"""What calls tell: plain values that can be compared, pickled and turned into dictionaries."""

from __future__ import annotations

import enum
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple


class Progress(NamedTuple):
    """How far a call is."""

    done: int
    """Bytes of NEW, or the share of the work in bytes of NEW: never falling, `total` at the end."""
    total: int
    """Bytes of NEW; 0 until it is known."""
    phase: str
    """What is being done, by a name of Report.phases."""


@dataclass(frozen=True)
class TraceSpan:
    """Something that one thread did without a break. Spans of one thread nest or are apart."""

    name: str
    phase: str
    """Whose seconds it counts as, by a name of Report.phases."""
    thread: int
    """0: the one that works for the call; 1 and up: those that it started."""
    begin_ns: int
    """Since the call began its work."""
    end_ns: int
    self_ns: int
    """Of end_ns - begin_ns, what no span inside this one took."""
    index: int | None
    """Of the window, chunk, group or stream; None for a whole step."""
    bytes: int
    """Gone through; 0 where that has no meaning."""


def trace_json(spans: Iterable[TraceSpan]) -> str:
    """A Chrome trace of these spans, for https://ui.perfetto.dev or chrome://tracing.

    >>> import bdelta, json
    >>> spans: list[bdelta.TraceSpan] = []
    >>> _ = bdelta.create_bytes(b"OLD" * 1000, b"NEW" * 1000, trace=spans)
    >>> len(json.loads(bdelta.trace_json(spans))["traceEvents"]) == len(spans) > 0
    True
    """

    def event(span: TraceSpan) -> dict[str, object]:
        more: dict[str, object] = {"bytes": span.bytes, "self_us": span.self_ns / 1000}
        if span.index is not None:
            more["index"] = span.index
        return {"ph": "X", "pid": 1, "tid": span.thread, "name": span.name, "cat": span.phase, "ts": span.begin_ns / 1000,
                "dur": (span.end_ns - span.begin_ns) / 1000, "args": more}

    return json.dumps({"traceEvents": [event(span) for span in sorted(spans, key=lambda span: (span.thread, span.begin_ns))]})


@dataclass(frozen=True)
class Phase:
    """One kind of work."""

    name: str
    seconds: float
    """Of this phase and no other, summed over the threads."""
    wall_seconds: float
    """By the clock, while any thread was in this phase or in one inside it."""
    bytes: int
    """Gone through, each as often as that happened; 0 where that has no meaning."""


@dataclass(frozen=True)
class Stream:
    """One kind of numbers or bytes in a patch."""

    name: str
    raw_bytes: int
    coded_bytes: int


@dataclass(frozen=True)
class Digests:
    """Those digests of a file that are known."""

    xxh3_128: bytes | None = None
    """16 bytes, as `xxhsum -H2` prints them."""
    sha256: bytes | None = None
    """32 bytes."""


@dataclass(frozen=True)
class TreeChange:
    """A file, a directory or a link that differs between OLD and NEW."""

    path: str
    bytes: int
    """Of the file; else 0."""
    moved_from: str | None
    """Where one that moved was."""


@dataclass(frozen=True)
class TreeChanges:
    """What an update of a directory changes, in the order of paths."""

    changed: tuple[TreeChange, ...]
    added: tuple[TreeChange, ...]
    removed: tuple[TreeChange, ...]
    moved: tuple[TreeChange, ...]
    """Files that go from one place and come to another as they are; not among the two above."""
    written_bytes: int
    """Of files that change, come or move."""


class TreeState(enum.Enum):
    """What an update of a directory in its place has left behind."""

    WHOLE = "whole"
    """Nothing: the directory is OLD, or NEW, or anything else."""
    STAGING = "staging"
    """Files of an update that never began, or is complete: the directory is OLD or NEW."""
    UNFINISHED = "unfinished"
    """It is between OLD and NEW, and can be brought to NEW."""
    TAKING_BACK = "taking back"
    """It is between OLD and NEW, and can be brought back to OLD."""


class Resumed(enum.Enum):
    """What resume_tree did."""

    NOTHING = "nothing"
    """There was nothing to do."""
    DISCARDED = "discarded"
    """What an update had made was removed; the directory was whole."""
    FINISHED = "finished"
    """It is NEW now."""
    TAKEN_BACK = "taken back"
    """It is OLD again."""


@dataclass(frozen=True)
class Report:
    """What a call did."""

    source_bytes: int
    target_bytes: int
    patch_bytes: int
    format: str
    """"bdt2" or "bdt1"."""
    level: int
    """Creating only."""
    threads: int
    """That took part."""
    phases: tuple[Phase, ...]
    streams: tuple[Stream, ...]
    """Creating only."""
    cover_count: int
    """Stretches copied from OLD."""
    covered_bytes: int
    """Of NEW that come from OLD."""
    literal_bytes: int
    """Of NEW that the patch carries."""
    residual_bytes: int
    """Copied bytes that the patch corrects."""
    window_count: int
    read_calls: int
    """Of files that the library opened itself."""
    write_calls: int
    decoder_memory_bytes: int
    """Creating only: what applying the patch takes besides its buffers."""
    nominal_apply_ns: int
    """Creating only: what applying the patch takes of one thread, by a table and without a clock."""
    wall_seconds: float
    up_to_date: bool
    """Applying: NEW was there already, and nothing was written."""
    head_sha256: bytes | None
    """Creating with group_digests: of the header and the list of digests."""
    verified: bool
    """The result was compared, or its digest checked."""
    written_bytes: int
    """In place: to the file itself; with dry_run those that would be."""
    journal_bytes: int
    """In place: of the journal, which is gone afterwards."""
    tree: TreeChanges | None
    """Of check, of directories: what applying the patch in their place would change."""
    source_digests: Digests
    target_digests: Digests
    patch_digests: Digests


@dataclass(frozen=True)
class TreeInfo:
    """Of a patch from one directory to another: what its NEW has."""

    entry_count: int
    """Files, directories and links."""
    kept_files: int
    """With bytes, that OLD has as they are."""
    changed_files: int
    added_files: int
    """That OLD has not; one that moved is among them."""
    removed_files: int
    made_bytes: int
    """Bytes that applying makes; all others are copied as they are."""
    has_times: bool
    has_source_list: bool
    """What OLD has, so that checking names what differs."""
    excluded: tuple[str, ...]
    """Patterns of what was passed over in both."""


@dataclass(frozen=True)
class PatchInfo:
    """What a patch says about itself."""

    format: str
    """"bdt2" or "bdt1"."""
    version: int
    """Of the format."""
    draft: int
    """Of the format; 0 once it is frozen."""
    source_size: int | None
    """Bytes of OLD."""
    target_size: int | None
    """Bytes of NEW; None where only the end of the patch tells."""
    source_digest: bytes | None
    """XXH3-128; None where the format has none."""
    target_digest: bytes | None
    required_features: int
    optional_features: int
    predicted: bool
    """Addresses in programs are predicted: applying needs those of OLD as a whole."""
    unpacked: bool
    """What archives hold is compared: applying holds OLD unpacked."""
    of_tree: bool
    """OLD and NEW are directories."""
    tree: TreeInfo | None
    """Then, but not from verify_patch."""
    window_bytes: int
    """The largest window that is not one plain copy."""
    group_bytes: int
    """The largest part that PushApply has to hold; 0: all of the patch."""
    decoder_memory_bytes: int
    """What applying needs besides apply_buffer_bytes."""
    history_bytes: int
    """Of it: the last bytes of NEW, which windows copy from."""
    head_sha256: bytes | None
    """Of the header and the list of digests, if the patch has one."""
    patch_bytes: int
    """Of all of the patch, from verify_patch; else 0."""
    verified: bool
    """From verify_patch: the patch holds checksums, and all of them fit."""


@dataclass(frozen=True)
class SectionBytes:
    """A section of a program, or what an archive has besides its entries: "headers", "times", "list of entries"."""

    name: str
    target_bytes: int
    patch_bytes: int
    changed_bytes: int
    """Copied bytes that are corrected."""


@dataclass(frozen=True)
class MemberBytes:
    """A file of a directory, an entry of an archive, or NEW itself, without what its own members have."""

    path: str
    """With those of its parents in front; empty for NEW itself."""
    parent: int | None
    """Its number in PatchBytes.members."""
    format: str
    """"file", "directory", "tar", "zip", "gzip", "elf", "pe" or "mach-o"."""
    packed_as: str
    """What it is packed with and stayed so, as far as its bytes tell; else empty."""
    target_bytes: int
    """Of NEW, unpacked."""
    patch_bytes: int
    copied_bytes: int
    """Of target_bytes: from OLD."""
    changed_bytes: int
    """Of copied_bytes: corrected."""
    kinds: dict[str, int]
    """Of patch_bytes, as PatchBytes.kinds."""
    sections: tuple[SectionBytes, ...]
    """Those with bytes in the patch, largest first."""
    source_path: str
    """The member of OLD that most is copied from; empty where there is none."""
    source_has_path: bool
    """OLD has a member of this path."""


@dataclass(frozen=True)
class PatchBytes:
    """Where the bytes of a patch go."""

    info: PatchInfo
    patch_bytes: int
    kinds: dict[str, int]
    """What they hold, largest first, as docs/commands.md has it; together patch_bytes."""
    members: tuple[MemberBytes, ...]
    """With OLD alone; in the order of NEW, parents in front of what they hold."""
    removed_paths: tuple[str, ...]
    """Of OLD's members: NEW has none of this path, and nothing is copied from them."""
