"""Exceptions: one class for each kind of error, which is what the programs' exit status tells too."""

from __future__ import annotations

import re
from typing import Any

from bdelta._codes import Code


class Error(Exception):
    """What the library could not do. `str()` has all of it in one line: file, message, detail, offset and remedy.

    >>> import bdelta
    >>> try:
    ...     bdelta.inspect(b"no patch")
    ... except bdelta.Error as error:
    ...     print(error.code.name, int(error.code), error.exit_class)
    NotAPatch 300 3
    """

    code: Code
    """Which error it is, by a number that stays the same."""
    detail: str
    """Expected and found, and the likely cause; may be empty."""
    offset: int | None
    """Bytes from the start of the file concerned; None where there is no such place."""
    file: str
    """The file at fault, as it is shown to people; empty where it is unknown or has no name."""
    remedy: str
    """What to do, in words of the options; may be empty."""
    needed_bytes: int
    """What a limit of size or memory has to be at least; 0 where that is unknown."""

    def __init__(
        self,
        text: str,
        code: Code,
        detail: str = "",
        offset: int | None = None,
        file: str = "",
        remedy: str = "",
        needed_bytes: int = 0,
    ) -> None:
        super().__init__(text)
        self.code = code
        self.detail = detail
        self.offset = offset
        self.file = file
        self.remedy = remedy
        self.needed_bytes = needed_bytes

    @property
    def exit_class(self) -> int:
        """The exit status of the programs for this kind of error."""
        return self.code.exit_class

    def __str__(self) -> str:
        return str(self.args[0])

    def __reduce__(self) -> tuple[Any, ...]:
        fields = (self.code, self.detail, self.offset, self.file, self.remedy, self.needed_bytes)
        return type(self), (self.args[0], *fields)


class UsageError(Error, ValueError):
    """1: the call is not valid."""


class FileError(Error, OSError):
    """2: a file can't be opened, read, written or moved into place."""


class PatchError(Error):
    """3: the patch is damaged, or unknown to this version."""


class WrongSourceError(Error):
    """4: OLD is not what the patch was made from."""


class VerificationError(Error):
    """5: what was rebuilt is not what the patch promises."""


class LimitError(Error):
    """6: a limit of size or memory is too small."""


class BudgetError(Error):
    """7: the ratio or the time that was allowed is used up."""


class InternalError(Error):
    """70: an internal rule was broken; please report this."""


class Cancelled(Error):
    """130: a progress callback returned False."""


KINDS: dict[int, type[Error]] = {
    1: UsageError,
    2: FileError,
    3: PatchError,
    4: WrongSourceError,
    5: VerificationError,
    6: LimitError,
    7: BudgetError,
    70: InternalError,
    130: Cancelled,
}


def in_keywords(remedy: str) -> str:
    """A remedy of the library with options as Python has them.

    >>> in_keywords("set FileOptions::overwrite, or use PatchFormat::kBdt2")
    'set overwrite=True, or use format="bdt2"'
    """
    remedy = re.sub(r"\b[A-Z]\w*Options::(\w+)", r"\1=True", remedy)
    return re.sub(r"\bPatchFormat::k(\w+)", lambda found: f'format="{found[1].lower()}"', remedy)


def from_library(
    number: int, text: str, detail: str, offset: int | None, file: str, remedy: str, needed_bytes: int
) -> Error:
    """The exception for an error of the library. `text` ends with the remedy."""
    code = Code(number)
    told = in_keywords(remedy)
    return KINDS[code.exit_class](text.removesuffix(remedy) + told, code, detail, offset, file, told, needed_bytes)
