"""Small, fast and safe binary patches.

>>> import bdelta
>>> old, new = b"one " * 1000, b"one " * 999 + b"two"
>>> patch = bdelta.create_bytes(old, new)
>>> bdelta.apply_bytes(old, patch) == new
True

Functions take paths, bytes-like objects and file objects, and options by keyword: see CreateOptions and ApplyOptions.
Buffers are used where they lie; nobody may change them while a call works. The GIL is released while the library works, and
KeyboardInterrupt ends a call within 0.1 s. Errors are exceptions below bdelta.Error.
"""

from bdelta._api import (
    PushApply,
    apply,
    apply_buffer_bytes,
    apply_bytes,
    apply_in_place,
    check,
    create,
    create_bytes,
    estimate_memory,
    inspect,
    inspect_members,
    is_unfinished,
    resume_in_place,
    resume_tree,
    tree_state,
    verify_patch,
)
from bdelta._codes import Code
from bdelta._errors import (
    BudgetError,
    Cancelled,
    Error,
    FileError,
    InternalError,
    LimitError,
    PatchError,
    UsageError,
    VerificationError,
    WrongSourceError,
)
from bdelta._native import version as __version__
from bdelta._options import ApplyOptions, CreateOptions, FileOptions, InPlaceOptions
from bdelta._results import (
    Digests,
    MemberBytes,
    PatchBytes,
    PatchInfo,
    Phase,
    Progress,
    Report,
    Resumed,
    SectionBytes,
    Stream,
    TraceSpan,
    TreeChange,
    TreeChanges,
    TreeInfo,
    TreeState,
    trace_json,
)

__all__ = [
    "ApplyOptions",
    "BudgetError",
    "Cancelled",
    "Code",
    "CreateOptions",
    "Digests",
    "Error",
    "FileError",
    "FileOptions",
    "InPlaceOptions",
    "InternalError",
    "LimitError",
    "MemberBytes",
    "PatchBytes",
    "PatchError",
    "PatchInfo",
    "Phase",
    "Progress",
    "PushApply",
    "Report",
    "Resumed",
    "SectionBytes",
    "Stream",
    "TraceSpan",
    "TreeChange",
    "TreeChanges",
    "TreeInfo",
    "TreeState",
    "UsageError",
    "VerificationError",
    "WrongSourceError",
    "__version__",
    "apply",
    "apply_buffer_bytes",
    "apply_bytes",
    "apply_in_place",
    "check",
    "create",
    "create_bytes",
    "estimate_memory",
    "inspect",
    "inspect_members",
    "is_unfinished",
    "resume_in_place",
    "resume_tree",
    "trace_json",
    "tree_state",
    "verify_patch",
]
