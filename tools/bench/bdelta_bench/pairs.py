"""Pairs of files to measure: directories NAME with the files `old` and `new`."""
from __future__ import annotations

import fnmatch
from dataclasses import dataclass
from pathlib import Path

# By the size of NEW, as the classes of the corpus.
SIZE_CLASSES = {"small": (0, 10e6), "medium": (10e6, 100e6), "large": (100e6, 600e6), "huge": (600e6, float("inf"))}

# First bytes of NEW. What is not known is data.
_MAGIC = {
    "programs": (b"\x7fELF", b"MZ", b"\xcf\xfa\xed\xfe", b"\xce\xfa\xed\xfe", b"\xca\xfe\xba\xbe", b"\0asm", b"dex\n"),
    "archives": (b"PK\x03\x04", b"\x1f\x8b", b"\x89PNG"),
    "compressed": (b"\xfd7zXZ", b"BZh", b"\x28\xb5\x2f\xfd", b"!<arch>\ndebian"),
}


@dataclass(frozen=True)
class Pair:
    name: str
    old: Path
    new: Path

    @property
    def old_bytes(self) -> int:
        return self.old.stat().st_size

    @property
    def new_bytes(self) -> int:
        return self.new.stat().st_size

    @property
    def category(self) -> str:
        """programs, archives (that bdelta unpacks), compressed (in other ways) or data (all else: text, tars, tables, models)."""
        with open(self.new, "rb") as file:
            head = file.read(16)
        for category, magics in _MAGIC.items():
            if head.startswith(magics):
                return category
        return "data"

    @property
    def size_class(self) -> str:
        return next(name for name, (low, high) in SIZE_CLASSES.items() if low <= self.new_bytes < high)


def find_pairs(directory: Path, wanted: list[str]) -> list[Pair]:
    """The pairs below `directory` that answer to one of `wanted` (names, globs, size classes), smallest first.

    Raises ValueError for a word that no pair answers to.
    """
    roots = [directory / "pairs", directory]
    root = next((path for path in roots if path.is_dir()), directory)
    there = [Pair(path.name, path / "old", path / "new") for path in sorted(root.iterdir())
             if (path / "old").is_file() and (path / "new").is_file()] if root.is_dir() else []
    chosen: dict[str, Pair] = {}
    for word in wanted:
        found = [pair for pair in there if pair.size_class == word or fnmatch.fnmatchcase(pair.name, word)]
        if not found:
            raise ValueError(f"no pair in {root} answers to '{word}'; there are {len(there)}, fetch or name others")
        chosen.update((pair.name, pair) for pair in found)
    return sorted(chosen.values(), key=lambda pair: (pair.new_bytes, pair.name))
