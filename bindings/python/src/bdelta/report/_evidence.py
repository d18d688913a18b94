"""What can be said of a patch for sure: what stayed packed and why, and what would make it smaller."""

from __future__ import annotations

import pathlib
import zipfile
import zlib
from dataclasses import dataclass, field

from bdelta._results import MemberBytes, PatchBytes

FOUND_BY_LINKERS = (".note.gnu.build-id", ".gnu_debuglink", ".buildid")
OTHER_PACKERS = ("xz", "zstd", "bzip2", "lz4", "7z", "rar", "other")
MOST_NAMED = 8


@dataclass(frozen=True)
class Finding:
    """Something that would make the patch smaller, with what shows it."""

    title: str
    bytes: int
    """Of the patch that are in question: no more than these can be saved."""
    text: str
    members: list[str] = field(default_factory=list)


def made_by_zlib(packed: bytes, raw: bytes) -> bool:
    """Whether some level of zlib makes a raw deflate stream as it is."""
    for level in range(1, 10):
        for memory in (8, 9):
            coder = zlib.compressobj(level, zlib.DEFLATED, -15, memory)
            if coder.compress(raw) + coder.flush() == packed:
                return True
    return False


def encoders_of(path: pathlib.Path, prefix: str = "") -> dict[str, bool]:
    """Of the deflated entries of a zip archive: whether zlib makes them. Empty for other files."""
    found: dict[str, bool] = {}
    try:
        with zipfile.ZipFile(path) as archive, open(path, "rb") as file:
            for info in archive.infolist():
                if info.compress_type != zipfile.ZIP_DEFLATED:
                    continue
                file.seek(info.header_offset + 26)
                lengths = file.read(4)
                file.seek(int.from_bytes(lengths[:2], "little") + int.from_bytes(lengths[2:], "little"), 1)
                packed = file.read(info.compress_size)
                found[prefix + info.filename] = made_by_zlib(packed, zlib.decompress(packed, -15))
    except (zipfile.BadZipFile, zlib.error, EOFError, OSError, NotImplementedError):
        return found
    return found


def why_packed(member: MemberBytes, patch: PatchBytes, encoders: dict[str, bool]) -> str:
    if member.copied_bytes == member.target_bytes and member.changed_bytes == 0:
        return "OLD has the same bytes, so there is nothing to unpack."
    if member.packed_as in OTHER_PACKERS:
        return "Only deflate is unpacked; store it, or deflate it."
    if member.packed_as not in ("deflate", "gzip"):
        return "A packed format of its own, which is taken as it is."
    if encoders.get(member.path) is False:
        return "No level of zlib makes these bytes: its encoder is another one, and may be unknown to bdelta."
    if not patch.info.unpacked:
        return "This patch unpacks nothing: by the option, for want of memory, or as it was not worth it."
    if encoders.get(member.path):
        return "zlib makes these bytes, so it could be unpacked; the coder found that not worth it."
    return "It could not be packed again as it was, or that was not worth it."


def stayed_packed(patch: PatchBytes, encoders: dict[str, bool]) -> list[tuple[MemberBytes, str]]:
    """With bytes in the patch, largest first."""
    members = [member for member in patch.members if member.packed_as and member.patch_bytes]
    members.sort(key=lambda member: -member.patch_bytes)
    return [(member, why_packed(member, patch, encoders)) for member in members]


def shown_name(path: str) -> str:
    return path or "NEW"


def by_section(patch: PatchBytes, title: str, text: str, names: tuple[str, ...], prefix: str = "\0") -> list[Finding]:
    found = {
        shown_name(member.path): sum(
            section.patch_bytes for section in member.sections if section.name in names or section.name.startswith(prefix)
        )
        for member in patch.members
    }
    total = sum(found.values())
    largest = sorted((name for name, count in found.items() if count), key=lambda name: -found[name])
    return [Finding(title, total, text, largest)] if total else []


def encoded_otherwise(patch: PatchBytes, encoders: dict[str, bool]) -> list[Finding]:
    members = [member for member, _ in stayed_packed(patch, encoders) if encoders.get(member.path) is False]
    others = [member for member, _ in stayed_packed(patch, encoders)
              if member.packed_as in OTHER_PACKERS and member.copied_bytes < member.target_bytes]
    found = []
    if members:
        found.append(Finding("Compressed by an unknown encoder", sum(member.patch_bytes for member in members),
                             "No level of zlib makes these streams. Pack them with zlib, or store them.",
                             [member.path for member in members]))
    if others:
        found.append(Finding("Packed otherwise than by deflate", sum(member.patch_bytes for member in others),
                             "What changes inside shows nowhere in such bytes. Store such files unpacked, or deflate them.",
                             [shown_name(member.path) for member in others]))
    return found


def moved_without_a_name(patch: PatchBytes) -> list[Finding]:
    """Members with a new name of which little is in OLD, while members of OLD with the same ending are gone."""
    gone: dict[str, int] = {}
    for path in patch.removed_paths:
        gone[pathlib.PurePath(path).suffix] = gone.get(pathlib.PurePath(path).suffix, 0) + 1
    members = [
        member for member in patch.members
        if member.path and not member.source_has_path and member.patch_bytes >= 64
        and 2 * member.copied_bytes < member.target_bytes and pathlib.PurePath(member.path).suffix in gone
    ]
    if not members:
        return []
    members.sort(key=lambda member: -member.patch_bytes)
    text = ("These are new by name, and less than half of each is in OLD. OLD has members with the same ending that are gone "
            "and that nothing is copied from. If one is the next version of another, keep the name.")
    return [Finding("Moved without a name in common", sum(member.patch_bytes for member in members), text,
                    [member.path for member in members])]


def findings(patch: PatchBytes, encoders: dict[str, bool]) -> list[Finding]:
    """Largest first."""
    found = [
        *by_section(patch, "Times in headers", "Entries of archives carry when they were changed. Give the same time to what did not "
                    "change, or one time to all (SOURCE_DATE_EPOCH).", ("times",)),
        *by_section(patch, "Build ids", "A program has another identity at each build. Builds that are reproducible keep it where "
                    "nothing changed.", FOUND_BY_LINKERS),
        *by_section(patch, "Debug information", "Sections that a program does not need to run. Strip them, and ship them apart.",
                    (".symtab", ".strtab"), ".debug_"),
        *encoded_otherwise(patch, encoders),
        *moved_without_a_name(patch),
    ]
    return sorted(found, key=lambda finding: -finding.bytes)
