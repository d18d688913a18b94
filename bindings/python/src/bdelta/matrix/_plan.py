"""A plan, read from TOML, and the jobs that follow from it. Whatever is wrong is told here, before any job starts."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import os
import posixpath
import re
import sys
from dataclasses import dataclass
from typing import Any, cast

import fsspec  # type: ignore[import-untyped]
from fsspec.implementations.local import LocalFileSystem  # type: ignore[import-untyped]

import bdelta

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

OPTIONS = ("format", "level", "memory_limit_bytes", "predict", "threads", "time_limit_seconds", "unpack", "verify")


class PlanError(Exception):
    """The plan can't be carried out: file, line, key and what is wrong."""


@dataclass(frozen=True)
class File:
    """One file of one release, as it was when the plan was made."""

    platform: str
    name: str
    release: str
    url: str
    bytes: int
    token: str
    """Changes when the file does."""


@dataclass(frozen=True)
class Job:
    """One patch to be made."""

    source: File
    target: File
    name: str
    """Of the patch, below the output."""
    memory_bytes: int
    """That making it takes, by estimate."""


@dataclass(frozen=True)
class Plan:
    releases: tuple[str, ...]
    """In order, the oldest first."""
    input: str
    """URL of a folder, with {release} and {platform} in it."""
    files: tuple[str, ...]
    """Globs below that folder."""
    output: str
    """URL of a folder."""
    platforms: tuple[str, ...] = ("",)
    last: int = 1
    """So many releases before each get a patch to it; 0: all."""
    full_ratio: float = 0
    """Patches above this share of NEW are not made: the file is fetched whole. 0: none."""
    create: bdelta.CreateOptions = dataclasses.field(default_factory=lambda: bdelta.CreateOptions())

    def folder(self, release: str, platform: str) -> str:
        """The URL of what a release has for a platform."""
        return self.input.replace("{release}", release).replace("{platform}", platform)

    def digest(self) -> str:
        """Of all that patches and their names depend on."""
        return digest_of({**dataclasses.asdict(self), "version": bdelta.__version__})

    def options(self) -> bdelta.CreateOptions:
        return {**self.create, "max_patch_ratio": self.full_ratio, "digest_patch": True, "sha256_inputs": True}


def is_local(fs: object) -> bool:
    return isinstance(fs, LocalFileSystem)


def digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class _Reader:
    """Takes keys out of a table, and says where they stand if they are wrong."""

    def __init__(self, path: str) -> None:
        self.path = path
        with open(path, encoding="utf-8") as file:
            self.text = file.read()
        try:
            self.table = tomllib.loads(self.text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"{path}: {error}") from None

    def fail(self, key: str, what: str) -> PlanError:
        found = re.search(rf"^\s*(\[\s*)?{re.escape(key)}\b", self.text, re.M)
        line = f":{self.text.count(chr(10), 0, found.end()) + 1}" if found else ""
        return PlanError(f"{self.path}{line}: {key}: {what}")

    def take(self, key: str, kind: type | tuple[type, ...], wanted: str, otherwise: Any = None) -> Any:
        value = self.table.pop(key, otherwise)
        if value is None:
            raise self.fail(key, "is missing")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.fail(key, f"expected {wanted}, found {value!r}")
        return value

    def names(self, key: str, otherwise: list[str] | None = None) -> tuple[str, ...]:
        names = self.take(key, list, "a list of strings", otherwise)
        if not names or not all(isinstance(name, str) for name in names):
            raise self.fail(key, "expected a list of strings with at least one in it")
        if len(set(names)) != len(names):
            raise self.fail(key, "names something twice")
        return tuple(names)

    def options(self) -> bdelta.CreateOptions:
        options = self.table.pop("create", {})
        if not isinstance(options, dict):
            raise self.fail("create", "expected a table")
        for key in options:
            if key not in OPTIONS:
                raise self.fail(key, f"there is no such option of create; there are {', '.join(OPTIONS)}")
            if key == "threads" and options[key] == 0:
                raise self.fail(key, "expected 1 or more, as a job has to say what it takes")
            try:
                bdelta.estimate_memory(1, 1, **{key: options[key]})
            except (TypeError, bdelta.UsageError) as error:
                raise self.fail(key, str(error)) from None
        return cast("bdelta.CreateOptions", options)


def read_plan(path: str) -> Plan:
    """PlanError for unknown keys, other types and values that make no sense."""
    reader = _Reader(path)
    plan = Plan(
        releases=reader.names("releases"),
        input=reader.take("input", str, "a string"),
        files=reader.names("files"),
        output=reader.take("output", str, "a string"),
        platforms=reader.names("platforms", [""]),
        last=reader.take("last", int, "a number", 1),
        full_ratio=reader.take("full_ratio", (int, float), "a number", 0),
        create=reader.options(),
    )
    for key in reader.table:
        raise reader.fail(key, "there is no such key")
    if len(plan.releases) < 2:
        raise reader.fail("releases", "a patch takes two of them")
    if plan.last < 0:
        raise reader.fail("last", "expected 0 or more")
    if re.search(r"[{}]", plan.folder("", "")):
        raise reader.fail("input", "only {release} and {platform} may stand in braces")
    for key, given in (("{release}", plan.releases), ("{platform}", plan.platforms)):
        if len(given) > 1 and key not in plan.input:
            raise reader.fail("input", f"has no {key} in it")
    return plan


def find_files(plan: Plan) -> list[File]:
    """Every file of every release. PlanError for globs that find nothing."""
    found: dict[tuple[str, str, str], File] = {}
    matched: set[tuple[str, str]] = set()
    for platform in plan.platforms:
        for release in plan.releases:
            fs, folder = fsspec.core.url_to_fs(plan.folder(release, platform))
            for glob in plan.files:
                for path in filter(fs.isfile, fs.glob(posixpath.join(folder, glob))):
                    matched.add((platform, glob))
                    name = posixpath.relpath(path, folder)
                    if is_local(fs):
                        path = os.path.realpath(path)  # changes of what a link leads to count
                    found[platform, name, release] = File(
                        platform, name, release, fs.unstrip_protocol(path), fs.size(path), fs.ukey(path)
                    )
    for platform in plan.platforms:
        for glob in plan.files:
            if (platform, glob) not in matched:
                where = f" of platform {platform}" if platform else ""
                raise PlanError(f"files: {glob!r} finds nothing in any release{where}")
    return [found[key] for key in sorted(found)]


def jobs_of(plan: Plan, files: list[File]) -> list[Job]:
    """A job for each patch, in the order of the manifest. PlanError for two patches of one name."""
    order = {release: at for at, release in enumerate(plan.releases)}
    groups: dict[tuple[str, str], list[File]] = {}
    for file in files:
        groups.setdefault((file.platform, file.name), []).append(file)
    jobs = []
    for _, versions in sorted(groups.items()):
        versions.sort(key=lambda file: order[file.release])
        for at, target in enumerate(versions):
            for source in versions[max(0, at - plan.last) if plan.last else 0 : at]:
                jobs.append(Job(source, target, _patch_name(source, target), _memory(plan, source, target)))
    names: dict[str, Job] = {}
    for job in jobs:
        other = names.setdefault(job.name.lower(), job)
        if other is not job:
            raise PlanError(f"two patches have the name {job.name!r}: of {other.source.url} and of {job.source.url}")
    return jobs


def _patch_name(source: File, target: File) -> str:
    name = source.name.replace("/", "__")
    return posixpath.join(source.platform, f"{name}--{source.release}--{target.release}.bdelta")


def _memory(plan: Plan, source: File, target: File) -> int:
    return bdelta.estimate_memory(source.bytes, target.bytes, **plan.create)
