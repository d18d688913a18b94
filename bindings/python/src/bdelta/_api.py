"""The functions of the package. Each is a thin cover of the native module, with types and documentation."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from bdelta import _native

if TYPE_CHECKING:
    from typing_extensions import Buffer, Unpack

    from bdelta._options import (
        ApplyOptions,
        CreateOptions,
        FileOptions,
        InPlaceOptions,
        Output,
        Path,
        RandomInput,
        StreamInput,
        TargetOutput,
    )
    from bdelta._results import PatchBytes, PatchInfo, Report, Resumed, TreeState


def _named(options: object) -> dict[str, object]:
    return cast("dict[str, object]", options)


def create(old: RandomInput, new: RandomInput, patch: Output, **options: Unpack[CreateOptions]) -> Report:
    """Makes a patch from OLD and NEW, and writes it to a path or a file object.

    OLD and NEW may be two directories, by path, and the patch then has a path. Same inputs, options and version give the
    same bytes, whatever the number of threads. A patch that is given by name comes into being whole or not at all.

    Args:
        old: Path of a file or directory, bytes-like object or seekable file object.
        new: The same.
        patch: Path or writable file object.
        **options: See bdelta.CreateOptions.

    Raises:
        UsageError: A bad option, an output that exists, or what no patch of a directory can hold.
        FileError: What can't be read or written.
        LimitError, BudgetError: A limit was reached.
        Cancelled: The progress callback returned False.

    What file objects and the progress callback raise is passed on, as is KeyboardInterrupt. There is no patch then.

    >>> import io, bdelta
    >>> patch = io.BytesIO()
    >>> report = bdelta.create(b"one " * 1000, b"one " * 999 + b"two", patch, level=6)
    >>> report.target_bytes, report.patch_bytes == len(patch.getvalue())
    (3999, True)
    """
    return _native.create(old, new, patch, _named(options))


def create_bytes(old: RandomInput, new: RandomInput, **options: Unpack[CreateOptions]) -> bytes:
    """Makes a patch from OLD and NEW, and returns it. Otherwise as create.

    >>> import bdelta
    >>> old, new = b"one " * 1000, b"one " * 999 + b"two"
    >>> bdelta.apply_bytes(old, bdelta.create_bytes(old, new)) == new
    True
    """
    return _native.create_bytes(old, new, _named(options))


def apply(old: RandomInput, new: TargetOutput, patch: StreamInput, **options: Unpack[ApplyOptions]) -> Report:
    """Rebuilds NEW from OLD and a patch, and writes it to a path, a writable buffer or a file object.

    OLD is proven before a byte of NEW is written, and NEW is proven at the end. A NEW that is given by name comes into
    being whole or not at all, and may be OLD itself with `overwrite=True`. What a buffer or a file object holds after an
    error must not be used. From a directory a directory is made, which must not exist before, unless it is NEW already.

    A NEW that is OLD's own directory is updated in its place: only files that change are written. After a crash at any
    moment the directory is OLD, or resume_tree or the next call makes NEW or OLD of it. After an error it is OLD as before,
    unless the code is Unfinished. check tells what would be changed.

    Args:
        old: Path of a file or directory, bytes-like object or seekable file object.
        new: Path, writable bytes-like object with room for NEW, or writable file object.
        patch: Path, bytes-like object or file object.
        **options: See bdelta.ApplyOptions.

    Raises:
        UsageError: A bad option, or an output that exists.
        FileError: What can't be read or written.
        PatchError: The patch is damaged, unknown or not the one that was expected.
        WrongSourceError: OLD is another file.
        VerificationError: What was rebuilt is not NEW.
        LimitError, BudgetError: A limit was reached.
        Cancelled: The progress callback returned False.

    >>> import bdelta
    >>> old, new = b"one " * 1000, b"one " * 999 + b"two"
    >>> room = bytearray(len(new))
    >>> bdelta.apply(old, room, bdelta.create_bytes(old, new)).verified
    True
    >>> room == new
    True
    """
    return _native.apply(old, new, patch, _named(options))


def apply_bytes(old: RandomInput, patch: StreamInput, **options: Unpack[ApplyOptions]) -> bytes:
    """Rebuilds NEW from OLD and a patch, and returns it. Otherwise as apply.

    >>> import bdelta
    >>> bdelta.apply_bytes(b"another OLD", bdelta.create_bytes(b"OLD", b"NEW"))
    Traceback (most recent call last):
        ...
    bdelta._errors.WrongSourceError: OLD is not what the patch was made from: ...
    """
    return _native.apply_bytes(old, patch, _named(options))


def apply_in_place(file: Path, patch: Path, **options: Unpack[InPlaceOptions]) -> Report:
    """Makes NEW of a file or a block device, which is OLD, by writing the blocks that differ.

    They stand in a journal first, so after a crash at any moment the file is OLD, or resume_in_place or the next call
    completes it. Meanwhile readers of the file see a mixture. Works for every patch of files.

    Args:
        file: Path.
        patch: Path; "-" is standard input.
        **options: See bdelta.InPlaceOptions.

    Raises what apply does, and:
        FileError: With the code Unfinished if blocks were written and not all could be; InUse, WrongJournal.
        LimitError: With ScratchLimit for a journal beyond scratch_limit_bytes.

    >>> import bdelta, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file, patch = pathlib.Path(folder, "file"), pathlib.Path(folder, "patch")
    ...     _ = file.write_bytes(b"one " * 100_000)
    ...     _ = bdelta.create(file, b"one " * 99_999 + b"two ", patch)
    ...     foretold = bdelta.apply_in_place(file, patch, dry_run=True)
    ...     report = bdelta.apply_in_place(file, patch)
    ...     file.read_bytes()[-8:]
    b'one two '
    >>> report.written_bytes == foretold.written_bytes <= 4096
    True
    """
    return _native.apply_in_place(file, patch, _named(options))


def resume_in_place(file: Path, **options: Unpack[InPlaceOptions]) -> Report:
    """Completes what an interrupted apply_in_place left behind, without a patch. Reads the file once.

    The report says up_to_date where that is nothing. A call that is cancelled leaves the rest to the next one. Raises what
    apply_in_place does.

    >>> import bdelta, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "file").write_bytes(b"whole")
    ...     bdelta.resume_in_place(pathlib.Path(folder, "file")).up_to_date
    True
    """
    return _native.resume_in_place(file, _named(options))


def is_unfinished(file: Path, *, journal: Path | None = None) -> bool:
    """Whether resume_in_place has something to do. Changes nothing.

    Raises FileError, with WrongJournal for a journal that is damaged or of something else.

    >>> import bdelta, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "file").write_bytes(b"whole")
    ...     bdelta.is_unfinished(pathlib.Path(folder, "file"))
    False
    """
    return _native.is_unfinished(file, {"journal": journal})


def tree_state(directory: Path) -> TreeState:
    """What an update of a directory in its place has left behind. Changes nothing.

    An update that another process is at looks as if it were interrupted. Raises FileError, with WrongJournal for a journal
    that is damaged or of another version.

    >>> import bdelta, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bdelta.tree_state(folder)
    <TreeState.WHOLE: 'whole'>
    """
    return _native.tree_state(directory)


def resume_tree(directory: Path, **options: Unpack[ApplyOptions]) -> Resumed:
    """Finishes an interrupted update of a directory in its place, or takes it back, without a patch.

    Of the options sync, progress and time_limit_seconds count. Progress counts entries that move in the place of bytes. A
    call that is cancelled leaves the rest to the next one. Raises FileError, with InUse, WrongJournal, or InputChanged where
    something in the directory was changed meanwhile and stands in the way.

    >>> import bdelta, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     bdelta.resume_tree(folder)
    <Resumed.NOTHING: 'nothing'>
    """
    return _native.resume_tree(directory, _named(options))


def check(old: RandomInput, patch: StreamInput, **options: Unpack[ApplyOptions]) -> Report:
    """Applies a patch as apply does, proves NEW and writes nothing. Of directories the report tells what would change.

    >>> import bdelta
    >>> bdelta.check(b"OLD", bdelta.create_bytes(b"OLD", b"NEW")).target_bytes
    3
    """
    return _native.check(old, patch, _named(options))


def inspect(patch: StreamInput, **options: Unpack[FileOptions]) -> PatchInfo:
    """Reads the head of a patch. Nothing beyond it is looked at.

    Raises PatchError and FileError.

    >>> import bdelta
    >>> info = bdelta.inspect(bdelta.create_bytes(b"OLD", b"NEW"))
    >>> info.format, info.source_size, info.target_size
    ('bdt2', 3, 3)
    """
    return _native.inspect(patch, _named(options))


def inspect_members(old: Path | None, patch: Path, **options: Unpack[ApplyOptions]) -> PatchBytes:
    """Tells where the bytes of a patch go: by what they hold and, with OLD, by members of NEW and sections of programs.

    With OLD the patch is applied in memory, as check does, and takes memory besides for NEW as it is unpacked.

    Args:
        old: Path of a file or directory; None: of the patch alone, without members.
        patch: Path.
        **options: See bdelta.ApplyOptions.

    Raises what check does.

    >>> import bdelta, pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     old, patch = pathlib.Path(folder, "old"), pathlib.Path(folder, "patch")
    ...     _ = old.write_bytes(b"one " * 1000)
    ...     report = bdelta.create(old, b"one " * 999 + b"two", patch)
    ...     found = bdelta.inspect_members(old, patch)
    >>> sum(found.kinds.values()) == found.patch_bytes == report.patch_bytes
    True
    >>> found.members[0].target_bytes
    3999
    """
    return _native.inspect_members(old, patch, _named(options))


def verify_patch(patch: StreamInput, **options: Unpack[FileOptions]) -> PatchInfo:
    """Reads the whole patch and proves that it is undamaged, without OLD.

    Raises PatchError and FileError.

    >>> import bdelta
    >>> bdelta.verify_patch(bdelta.create_bytes(b"OLD", b"NEW")).verified
    True
    """
    return _native.verify_patch(patch, _named(options))


def estimate_memory(old_bytes: int, new_bytes: int, **options: Unpack[CreateOptions]) -> int:
    """Bytes of private memory that create takes at most for files of these sizes.

    With memory_limit_bytes it is a bound within the limit; without it is an estimate, with nothing unpacked. Raises
    LimitError for a limit that can't be kept, with the figure that would do in needed_bytes.

    >>> import bdelta
    >>> bdelta.estimate_memory(10**9, 10**9, memory_limit_bytes=512 << 20) <= 512 << 20
    True
    """
    return _native.estimate_memory(old_bytes, new_bytes, _named(options))


def apply_buffer_bytes(info: PatchInfo, threads: int = 1) -> int:
    """Bytes of buffers that applying takes at most with so many threads (0: as many as the machine has).

    Together with info.decoder_memory_bytes that is the private memory of applying, and besides the programs of OLD if
    info.predicted and OLD is not mapped.

    >>> import bdelta
    >>> info = bdelta.inspect(bdelta.create_bytes(b"OLD", b"NEW"))
    >>> bdelta.apply_buffer_bytes(info) < 32 << 20
    True
    """
    return _native.apply_buffer_bytes(info, threads)


class PushApply:
    """Applies a patch that comes in pieces, while it downloads, say.

    All of NEW that a piece completes has been written when feed returns. Leaving the block finishes NEW; leaving it by an
    exception abandons the work, and a NEW that was given by name does not come into being. One thread at a time. OLD and NEW
    may be directories, in place too: what comes is staged, and all of it moves to its place at the end.

    Takes and raises what apply does, but for expected_patch_sha256, which could be checked only at the end.

    >>> import io, bdelta
    >>> old, new = b"one " * 1000, b"one " * 999 + b"two"
    >>> patch, made = bdelta.create_bytes(old, new), io.BytesIO()
    >>> with bdelta.PushApply(old, made) as push:
    ...     for at in range(0, len(patch), 10):
    ...         push.feed(patch[at:at + 10])
    >>> made.getvalue() == new, push.finish().verified
    (True, True)
    """

    def __init__(self, old: RandomInput, new: TargetOutput, **options: Unpack[ApplyOptions]) -> None:
        self._native = _native.Push(old, new, _named(options))
        self._report: Report | None = None

    def feed(self, data: Buffer) -> None:
        """Takes the next bytes of the patch, any number of them, from a bytes-like object."""
        self._native.feed(data)

    def finish(self) -> Report:
        """The patch is whole: proves NEW and lets it come into being. The same report when called again."""
        if self._report is None:
            self._report = self._native.finish()
            self._native.close()
        return self._report

    def close(self) -> None:
        """Abandons what is not finished."""
        self._native.close()

    def __enter__(self) -> PushApply:
        return self

    def __exit__(self, kind: object, error: object, trace: object) -> None:
        try:
            if kind is None:
                self.finish()
        finally:
            self.close()
