"""Options by keyword. What is not given keeps the default of the library, which is named here."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Literal, Protocol, TypedDict, Union

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from typing_extensions import Buffer, TypeAlias

    from bdelta._results import Digests, Progress, TraceSpan

    Path: TypeAlias = Union[str, "os.PathLike[str]"]
    """A file or a directory by its name. "-" is standard input or output."""
    RandomInput: TypeAlias = Union[Path, Buffer, "SeekableFile"]
    """OLD, and NEW of create. A file object is read from its start to its end, wherever it is."""
    StreamInput: TypeAlias = Union[Path, Buffer, "ReadableFile"]
    """A patch. A file object is read from where it is."""
    Output: TypeAlias = Union[Path, "WritableFile"]
    """A patch that is made. A file object is written from where it is, and not closed."""
    TargetOutput: TypeAlias = Union[Path, Buffer, "WritableFile"]
    """NEW of apply. A buffer has to be writable and to have room for NEW."""


class ReadableFile(Protocol):
    """A file object in binary mode."""

    def read(self, size: int, /) -> bytes | None: ...


class SeekableFile(ReadableFile, Protocol):
    """One that can be read anywhere."""

    def seek(self, offset: int, whence: int = 0, /) -> int: ...
    def tell(self) -> int: ...


class WritableFile(Protocol):
    """A file object in binary mode."""

    def write(self, data: bytes, /) -> object: ...


class FileOptions(TypedDict, total=False):
    """How files are opened that are given by name."""

    io: Literal["stdio", "mmap"]
    """How bytes of inputs are read. Default "stdio". "mmap" is faster where reading jumps, and takes a file that someone
    shortens meanwhile, or that can't be read, for a signal that ends the process."""
    buffer_bytes: int
    """Bytes of buffer for each file, 0 to 64 MiB. Default 65,536."""
    sync: bool
    """Sync outputs and their directories before the call returns. Default True."""
    overwrite: bool
    """Replace an output that exists. Default False: that is OutputExists."""
    output_temp_dir: Path | None
    """Where an output is written until it is whole. Default None: its own directory, the only place from which it comes
    into being at once on any file system."""


class CreateOptions(FileOptions, total=False):
    """Options of create and create_bytes."""

    level: int
    """1, fast, to 9, small; 10 is smaller still and slower, also to apply. Default 3."""
    format: Literal["bdt2", "bdt1"]
    """"bdt1" is what the original bpatch applies. Default "bdt2"."""
    threads: int
    """That work; 0: as many as the machine has. The patch does not depend on it. Default 1."""
    memory_limit_bytes: int
    """Private memory to stay within. A small limit makes larger patches. Default 0: what the level takes."""
    predict: bool
    """Predict addresses inside programs. Default True."""
    unpack: Literal["auto", "none", "all"]
    """Compare what archives hold by what it unpacks to. Default "auto": where that is worth it."""
    verify: bool
    """Apply the patch in memory and compare before it is published. Default True."""
    group_digests: bool
    """Add a list of digests, by which expected_head_sha256 proves each part. Default False."""
    digest_patch: bool
    """Tell both digests of the patch in the report. Default False."""
    sha256_inputs: bool
    """Tell SHA-256 of OLD and NEW in the report. Default False."""
    known_target: Digests | None
    """Digests of NEW from an earlier report, so that it need not be digested again. Default None."""
    max_patch_ratio: float
    """The largest patch that is of use, as a share of NEW's bytes: PatchTooLarge beyond. Default 0: any."""
    max_apply_seconds: float
    """Give up unpacking, prediction and models for a patch that takes less time to apply, by nominal_apply_ns of the report.
    If that is not enough it is the fastest patch. Default 0: any."""
    time_limit_seconds: float
    """Seconds after which the work ends with TimeLimit. Default 0: none."""
    exclude: Sequence[str]
    """Directories: patterns of what is passed over in OLD and NEW, and in the OLD of whoever applies the patch. `*` stands
    for any bytes of a name, `?` for one. With "/" in it a pattern is held against the whole path. Default: none."""
    times: bool
    """Directories: keep when each file of NEW was changed. Default False."""
    source_list: bool
    """Directories: keep what OLD has, so that check names what differs. Default False."""
    temp_dir: Path | None
    """Where a patch waits that is too large for memory. Default None: the directory of the system."""
    progress: Callable[[Progress], object] | None
    """Called in the thread that made the call, every few milliseconds at most. Returning False cancels; what it raises
    ends the call and is raised by it. Default None."""
    trace: list[TraceSpan] | None
    """Gets a TraceSpan for each step of each thread when the call ends, also after an error: see trace_json. Default None."""


class ApplyOptions(FileOptions, total=False):
    """Options of apply, apply_bytes, check and PushApply."""

    threads: int
    """That work; 0: as many as the machine has. Default 1."""
    memory_limit_bytes: int
    """Memory that a patch may make the decoder use: MemoryLimit beyond. Default 256 MiB."""
    output_limit_bytes: int
    """The largest NEW that is accepted: OutputLimit beyond. Default: any. Set it for patches of strangers."""
    window_limit_bytes: int
    """The largest window that is accepted: MemoryLimit beyond. Default: any; the format allows 8 MiB."""
    expected_patch_sha256: bytes | None
    """32 bytes that SHA-256 of the patch has to be, before anything in it is parsed: PatchDigest. Default None."""
    expected_head_sha256: bytes | None
    """32 bytes that SHA-256 of the head has to be, which then proves each part before it is decoded. Default None."""
    time_limit_seconds: float
    """Seconds after which the work ends with TimeLimit. Default 0: none."""
    outside_links: bool
    """Directories: a patch may make symbolic links that lead out of NEW. Default False."""
    keep_others: bool
    """Directories: OLD may have entries that it had not when the patch was made. They are not looked at, and stay where NEW
    is made in OLD's place. Which these are is told by source_list of create or by a state. Default False."""
    keep_state: bool
    """Directories: keep size, times, inode and digest of NEW's files, in .bdelta of NEW or in state_file. Default False."""
    state_file: Path | None
    """Directories: where the state is, outside of OLD and NEW. Default None: in .bdelta of the directory."""
    trust_times: bool
    """Directories: do not read files of OLD that are as the state has them. A program that sets times back can deceive that.
    Default False."""
    target_mode: int | None
    """Permission bits of a NEW that is given by name, 0 to 0o777. Default None: those of the file that it replaces, or
    of OLD less what umask takes."""
    progress: Callable[[Progress], object] | None
    """Called in the thread that made the call, every few milliseconds at most. Returning False cancels; what it raises
    ends the call and is raised by it. Default None."""
    trace: list[TraceSpan] | None
    """Gets a TraceSpan for each step of each thread when the call ends, also after an error: see trace_json. Default None."""


class InPlaceOptions(ApplyOptions, total=False):
    """Options of apply_in_place, resume_in_place and is_unfinished."""

    journal: Path | None
    """Where the journal goes. Default None: beside the file, as ".NAME.bdelta-journal". Of a device it has to be named, on a
    disk. Who resumes has to name it again."""
    scratch_limit_bytes: int
    """The largest journal: ScratchLimit beyond, before the file is written. Default: any."""
    dry_run: bool
    """Read and prove all, and write nothing: written_bytes and journal_bytes of the report say what would be. Default
    False."""
