"""Running commands through bench_exec, one or several for a step, and what they took."""
from __future__ import annotations

import json
import os
import subprocess
from dataclasses import dataclass
from pathlib import Path

from .tools import Command

# A read of the child's status takes some 20 microseconds on another core. Each millisecond that is 2 % of a core, too
# much for timing what is over in milliseconds: there the figures of memory come from a run of their own. bench_exec
# looks less often the longer the child runs, so that in what takes seconds the looks cost nothing that counts.
SAMPLE_FINE_MICROSECONDS = 1000
SAMPLE_COARSE_MICROSECONDS = 50_000


@dataclass(frozen=True)
class Limits:
    timeout_seconds: float
    memory_bytes: int


@dataclass(frozen=True)
class Measurement:
    """Of one step (create or apply): seconds are summed over its commands, peaks are those of the largest."""
    status: str  # ok | failed | timeout | memory
    detail: str = ""
    wall_seconds: float = 0.0
    user_seconds: float = 0.0
    system_seconds: float = 0.0
    private_bytes: int = 0
    total_bytes: int = 0


class Launcher:
    """Runs commands by bench_exec in a scratch directory. The environment is plain: no locale, no option variables."""

    def __init__(self, bench_exec: Path, scratch: Path, limits: Limits):
        self._bench_exec = bench_exec
        self._report = scratch / "bench_exec.json"
        self._errors = scratch / "stderr.txt"
        self._limits = limits
        self._environment = {"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C", "HOME": str(scratch)}

    def _run_command(self, command: Command, timeout_seconds: float, sample_microseconds: int, stdout: str) -> dict:
        arguments = (str(self._bench_exec), str(self._report), str(sample_microseconds), f"{timeout_seconds:.1f}",
                     str(self._limits.memory_bytes), stdout, *command)
        with open(self._errors, "wb") as errors:
            subprocess.run(arguments, stdin=subprocess.DEVNULL, stderr=errors, env=self._environment, check=True)
        return json.loads(self._report.read_text())

    def _first_error_line(self) -> str:
        lines = self._errors.read_text(errors="replace").strip().splitlines()
        return lines[0][:200] if lines else ""

    def run(self, commands: tuple[Command, ...], fine: bool = False, stdout: str = os.devnull) -> Measurement:
        """The commands of one step, one after the other, until one fails or a limit is hit."""
        sample = SAMPLE_FINE_MICROSECONDS if fine else SAMPLE_COARSE_MICROSECONDS
        wall = user = system = 0.0
        private = total = 0
        status, detail = "ok", ""
        for command in commands:
            took = self._run_command(command, max(0.1, self._limits.timeout_seconds - wall), sample, stdout)
            wall += took["wall_s"]
            user += took["user_s"]
            system += took["system_s"]
            private = max(private, took["private_bytes"])
            total = max(total, took["total_bytes"])
            if took["killed"]:
                limit = (f"{self._limits.timeout_seconds:g} s" if took["killed"] == "timeout"
                         else f"{self._limits.memory_bytes / 2**30:g} GiB of private memory")
                status, detail = took["killed"], f"{Path(command[0]).name} was ended at the limit of {limit}"
                break
            if took["exit"] != 0:
                status = "failed"
                detail = f"{Path(command[0]).name} ended with {took['exit']}: {self._first_error_line()}"
                break
        return Measurement(status, detail, wall, user, system, private, total)
