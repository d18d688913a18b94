"""Results of slow settings, kept between runs by pair, tool and setting."""
from __future__ import annotations

import hashlib
import json
from dataclasses import asdict
from pathlib import Path

from .measure import Limits
from .rows import RawRow

SLOW_SECONDS = 10.0  # a step from here on runs once and is kept


class SlowCache:
    """One JSON file an entry. The key holds what the figures depend on: both inputs, the programs' bytes, the setting,
    the machine and the limits. Nothing is ever outdated; remove the directory to measure anew."""

    def __init__(self, directory: Path, machine: dict[str, object], limits: Limits):
        self._directory = directory
        self._base = [machine["cpu"], machine["cores"], machine["kernel"], limits.timeout_seconds, limits.memory_bytes]

    def _path(self, input_digests: tuple[str, str], row_key: tuple, program_digest: str) -> Path:
        text = json.dumps([*self._base, *input_digests, *row_key, program_digest])
        return self._directory / (hashlib.sha256(text.encode()).hexdigest()[:32] + ".json")

    def get(self, input_digests: tuple[str, str], row_key: tuple, program_digest: str) -> list[RawRow]:
        path = self._path(input_digests, row_key, program_digest)
        return [RawRow(**row) for row in json.loads(path.read_text())] if path.exists() else []

    def put(self, input_digests: tuple[str, str], rows: list[RawRow]) -> None:
        self._directory.mkdir(parents=True, exist_ok=True)
        path = self._path(input_digests, rows[0].key, rows[0].program_digest)
        temporary = path.with_suffix(".new")
        temporary.write_text(json.dumps([asdict(row) for row in rows]))
        temporary.replace(path)
