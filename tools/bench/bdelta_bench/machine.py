"""Where a run takes place, and how quiet it is there."""
from __future__ import annotations

import hashlib
import os
import platform
from pathlib import Path


def _value_after(path: str, key: str) -> str:
    for line in Path(path).read_text().splitlines():
        if line.startswith(key):
            return line.split("=" if "=" in line else ":", 1)[1].strip().strip('"')
    return "unknown"


def describe() -> dict[str, object]:
    return {
        "cpu": _value_after("/proc/cpuinfo", "model name"),
        "cores": os.cpu_count(),
        "memory_bytes": os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES"),
        "kernel": f"{platform.system()} {platform.release()}",
        "system": _value_after("/etc/os-release", "PRETTY_NAME"),
    }


def load() -> float:
    return os.getloadavg()[0]


class StealMeter:
    """Share of processor time, since the last call, that the host gave to others."""

    def __init__(self) -> None:
        self._last = self._ticks()

    @staticmethod
    def _ticks() -> tuple[int, int]:
        values = [int(value) for value in Path("/proc/stat").read_text().split("\n", 1)[0].split()[1:9]]
        return values[7], sum(values)

    def percent(self) -> float:
        steal, total = self._ticks()
        last_steal, last_total = self._last
        self._last = steal, total
        return 100.0 * (steal - last_steal) / max(1, total - last_total)


def file_digest(path: Path) -> str:
    """Names the exact program or input behind a figure. 16 hexadecimal digits of its SHA-256."""
    digest = hashlib.sha256()
    with open(path, "rb") as file:
        while piece := file.read(1 << 20):
            digest.update(piece)
    return digest.hexdigest()[:16]
