"""A plan, read from TOML, and the jobs that follow from it. Whatever is wrong is told here, before any job starts."""

from __future__ import annotations

import dataclasses
import fnmatch
import hashlib
import json
import os
import posixpath
import re
import sys
from collections.abc import Sequence
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
IDLE = {"threads", "time_limit_seconds", "verify"}
"""Those that change no byte of a patch."""


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
class Policy:
    """Options of create for some of the files."""

    files: tuple[str, ...]
    """Globs, held against names; `*` stands for "/" too."""
    above_bytes: int
    """Of NEW: for larger files alone."""
    create: bdelta.CreateOptions

    def fits(self, target: File) -> bool:
        return target.bytes > self.above_bytes and any(fnmatch.fnmatchcase(target.name, glob) for glob in self.files)


@dataclass(frozen=True)
class Plan:
    releases: tuple[str, ...]
    """In order, the oldest first."""
    input: str
    """URL or absolute path of a folder, with {release} and {platform} in it."""
    files: tuple[str, ...]
    """Globs below that folder."""
    output: str
    """URL or absolute path of a folder."""
    platforms: tuple[str, ...] = ("",)
    last: int = 1
    """So many releases before each get a patch to it; 0: all."""
    full_ratio: float = 0
    """A patch larger than this share of NEW is not kept: the file is fetched whole. 0: all are kept."""
    routes: str = "all"
    """In the manifest: "all", from each release to each later one; "newest": to the last one alone."""
    create: bdelta.CreateOptions = dataclasses.field(default_factory=lambda: bdelta.CreateOptions())
    policies: tuple[Policy, ...] = ()
    """The first that fits a file adds its options to those above."""
    places: dict[str, str] = dataclasses.field(default_factory=dict, repr=False, compare=False)
    """Keys with file and line in front, as far as they have a place."""

    def fail(self, key: str, what: str) -> PlanError:
        return PlanError(f"{self.places.get(key, key)}: {what}")

    def folder(self, release: str, platform: str) -> str:
        """The URL of what a release has for a platform."""
        return self.input.replace("{release}", release).replace("{platform}", platform)

    def fixed(self) -> dict[str, Any]:
        """What stays the same for all patches of an output, by its key; everything else may change from run to run."""
        policies = [[list(policy.files), policy.above_bytes, weighty(policy.create)] for policy in self.policies]
        options = {f"create.{key}": value for key, value in weighty(self.create).items()}
        return {"version": bdelta.__version__, **options, **({"policies": policies} if policies else {})}

    def create_for(self, target: File) -> bdelta.CreateOptions:
        """The options of the plan for a patch to this file."""
        policy = next((policy for policy in self.policies if policy.fits(target)), None)
        return {**self.create, **policy.create} if policy else self.create

    def threads_of(self, target: File) -> int:
        return self.create_for(target).get("threads", 1)

    def options(self, target: File) -> bdelta.CreateOptions:
        return {**self.create_for(target), "max_patch_ratio": self.full_ratio, "digest_patch": True, "sha256_inputs": True}


def weighty(options: bdelta.CreateOptions) -> dict[str, Any]:
    """The options on which bytes of a patch depend."""
    return {key: value for key, value in options.items() if key not in IDLE}


def is_local(fs: object) -> bool:
    return isinstance(fs, LocalFileSystem)


def is_text(name: str) -> bool:
    """Names of files are bytes, which Python can carry, and JSON can't."""
    try:
        name.encode()
    except UnicodeEncodeError:
        return False
    return True


def token_of(fs: Any, path: str) -> str:
    """Changes when the file does. Servers tell versions; what else fsspec knows depends on how it was asked."""
    told = fs.info(path)
    versions = [str(told[name]) for name in ("ETag", "Content-MD5", "Digest", "Last-Modified") if told.get(name)]
    return " ".join([str(told["size"]), *versions]) if versions else str(fs.ukey(path))


def located(url: str, folder: str) -> str:
    """A path that is relative is looked up from a folder. URLs stay as they are."""
    return url if "://" in url else os.path.abspath(os.path.join(folder, url))


def digest_of(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


class _Reader:
    """Takes keys out of a table, and says where they stand if they are wrong.

    The table is that of a file, or one that follows from folders; `settings`, as KEY=VALUE, replace what is in it.
    Relative paths in a file are looked up from its folder, those in settings from the current one.
    """

    def __init__(self, paths: Sequence[str], settings: Sequence[str]) -> None:
        self.path, self.text = paths[0], ""
        self.set_keys: set[str] = set()
        if len(paths) == 1 and not os.path.isdir(paths[0]):
            with open(self.path, "rb") as file:
                self.text = self.decoded(self.path, file.read())
            self.table = self.parsed(self.path, self.text)
            self.locate(self.table, os.path.dirname(self.path))
        else:
            self.table = table_of_folders(paths)
        for setting in settings:
            self.set(setting)

    @staticmethod
    def decoded(where: str, data: bytes) -> str:
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise PlanError(f"{where}:{data.count(10, 0, error.start) + 1}: expected TOML, which is UTF-8") from None

    @staticmethod
    def parsed(where: str, text: str) -> dict[str, Any]:
        try:
            return tomllib.loads(text)
        except tomllib.TOMLDecodeError as error:
            raise PlanError(f"{where}: {error}") from None

    @staticmethod
    def locate(table: dict[str, Any], folder: str) -> None:
        for key in ("input", "output"):
            if isinstance(table.get(key), str):
                table[key] = located(table[key], folder)

    def set(self, setting: str) -> None:
        """A value that is none in TOML is a string."""
        key, equals, value = setting.partition("=")
        if not equals or not re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", key):
            raise PlanError(f"--set {setting}: expected KEY=VALUE, such as last=2 or create.level=6")
        try:
            parsed = tomllib.loads(f"value = {value}")["value"]
        except tomllib.TOMLDecodeError:
            parsed = value
        *above, name = key.split(".")
        table = self.table.setdefault(above[0], {}) if above else self.table
        if not isinstance(table, dict):
            raise PlanError(f"--set {setting}: {above[0]} is no table")
        table[name] = parsed
        if not above:
            self.locate(table, "")
        self.set_keys.add(name)

    def place(self, name: str) -> str:
        """A key, which may have its table in front, with where it stands."""
        key = name.rpartition(".")[2]
        if key in self.set_keys:
            return f"--set {name}"
        found = re.search(rf"^\s*(\[+\s*)?{re.escape(key)}\b", self.text, re.M)
        line = f":{self.text.count(chr(10), 0, found.end()) + 1}" if found else ""
        return f"{self.path}{line}: {name}" if self.text else name

    def fail(self, key: str, what: str) -> PlanError:
        return PlanError(f"{self.place(key)}: {what}")

    def take(self, key: str, kind: type | tuple[type, ...], wanted: str, otherwise: Any = None) -> Any:
        value = self.table.pop(key, otherwise)
        if value is None:
            raise self.fail(key, "is missing")
        if not isinstance(value, kind) or isinstance(value, bool):
            raise self.fail(key, f"expected {wanted}, found {value!r}")
        return value

    def names(self, key: str) -> tuple[str, ...]:
        names = self.take(key, list, "a list of strings")
        if not names or not all(isinstance(name, str) for name in names):
            raise self.fail(key, "expected a list of strings with at least one in it")
        if len(set(names)) != len(names):
            raise self.fail(key, "names something twice")
        return tuple(names)

    def parts(self, key: str) -> tuple[str, ...]:
        """Names that become parts of paths, and lead to nothing outside."""
        names = self.names(key)
        for name in names:
            if not {"", ".", ".."}.isdisjoint(name.split("/")) or (key == "releases" and "/" in name):
                raise self.fail(key, f"{name!r} can't be a part of a path")
        return names

    def options(self) -> bdelta.CreateOptions:
        options = self.table.pop("create", {})
        if not isinstance(options, dict):
            raise self.fail("create", "expected a table")
        return self.checked(options)

    def policies(self) -> tuple[Policy, ...]:
        listed = self.table.pop("policies", [])
        if not isinstance(listed, list) or not all(isinstance(policy, dict) for policy in listed):
            raise self.fail("policies", "expected a list of tables")
        found = []
        for policy in listed:
            files, above_bytes = policy.pop("files", ["*"]), policy.pop("above_bytes", 0)
            if not isinstance(files, list) or not files or not all(isinstance(glob, str) for glob in files):
                raise self.fail("policies", f"files: expected a list of strings with at least one in it, found {files!r}")
            if not isinstance(above_bytes, int) or isinstance(above_bytes, bool) or above_bytes < 0:
                raise self.fail("above_bytes", f"expected a number of bytes, found {above_bytes!r}")
            found.append(Policy(tuple(files), above_bytes, self.checked(policy)))
        return tuple(found)

    def checked(self, options: dict[str, Any]) -> bdelta.CreateOptions:
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


def table_of_folders(paths: Sequence[str]) -> dict[str, Any]:
    """A plan for folders, the oldest first, whose paths differ in one part: that is the release."""
    if len(paths) < 2:
        raise PlanError(f"{paths[0]}: is a folder, and a patch takes two of them, the older one first")
    for path in paths:
        if not os.path.isdir(path):
            raise PlanError(f"{path}: is no folder")
    parts = [os.path.normpath(path).split(os.sep) for path in paths]
    differing = [at for at, same in enumerate(zip(*parts)) if len(set(same)) > 1]
    if len({len(of_path) for of_path in parts}) > 1 or len(differing) != 1:
        raise PlanError(f"{', '.join(paths)}: expected folders whose paths differ in one part, which is the release; write a plan")
    at = differing[0]
    folder = os.path.abspath(os.sep.join([*parts[0][:at], "{release}", *parts[0][at + 1 :]]))
    return {"releases": [of_path[at] for of_path in parts], "input": folder, "files": ["**"]}


def read_plan(paths: str | Sequence[str], settings: Sequence[str] = ()) -> Plan:
    """A plan from a file, or for folders, with settings in the place of what it has.

    PlanError for unknown keys, other types and values that make no sense.
    """
    reader = _Reader([paths] if isinstance(paths, str) else paths, settings)
    plan = Plan(
        releases=reader.parts("releases"),
        input=reader.take("input", str, "a string"),
        files=reader.parts("files"),
        output=reader.take("output", str, "a string"),
        platforms=reader.parts("platforms") if "platforms" in reader.table else ("",),
        last=reader.take("last", int, "a number", 1),
        full_ratio=reader.take("full_ratio", (int, float), "a number", 0),
        routes=reader.take("routes", str, "a string", "all"),
        create=reader.options(),
        policies=reader.policies(),
        places={name: reader.place(name) for name in ("releases", "files", "output", "policies", *(f"create.{key}" for key in OPTIONS))},
    )
    for key in reader.table:
        raise reader.fail(key, "there is no such key")
    if len(plan.releases) < 2:
        raise reader.fail("releases", "a patch takes two of them")
    if plan.routes not in ("all", "newest"):
        raise reader.fail("routes", f"expected 'all' or 'newest', found {plan.routes!r}")
    if plan.last < 0:
        raise reader.fail("last", "expected 0 or more")
    if re.match(r"https?://", plan.output):
        raise reader.fail("output", "over HTTP files can only be read")
    if re.search(r"[{}]", plan.folder("", "")):
        raise reader.fail("input", "only {release} and {platform} may stand in braces")
    for key, given in (("{release}", plan.releases), ("{platform}", plan.platforms)):
        if len(given) > 1 and key not in plan.input:
            raise reader.fail("input", f"has no {key} in it")
    return plan


def find_files(plan: Plan) -> list[File]:
    """Every file of every release. PlanError for globs that find nothing, and for releases without a file."""
    found: dict[tuple[str, str, str], File] = {}
    matched: set[tuple[str, str]] = set()
    for platform in plan.platforms:
        for release in plan.releases:
            fs, folder = fsspec.core.url_to_fs(plan.folder(release, platform))
            for glob in plan.files:
                for path in filter(fs.isfile, fs.glob(posixpath.join(folder, glob))):
                    matched.add((platform, glob))
                    name = posixpath.relpath(path, folder)
                    if not is_text(name):
                        raise plan.fail("files", f"{ascii(name)} in {plan.folder(release, platform)} is no name in UTF-8, which "
                                        "the manifest needs; rename it, or leave it out")
                    if is_local(fs):
                        path = os.path.realpath(path)  # changes of what a link leads to count
                    found[platform, name, release] = File(
                        platform, name, release, fs.unstrip_protocol(path), fs.size(path), token_of(fs, path)
                    )
    for platform in plan.platforms:
        for glob in plan.files:
            if (platform, glob) not in matched:
                raise plan.fail("files", f"{glob!r} finds nothing in {plan.folder('{release}', platform)} of any release")
    for release in plan.releases:
        if not any(of == release for _, _, of in found):
            raise plan.fail("releases", f"nothing is found of {release!r}, in {plan.folder(release, plan.platforms[0])} for one")
    return [found[key] for key in sorted(found)]


def jobs_of(plan: Plan, files: list[File]) -> list[Job]:
    """A job for each patch, in the order of the manifest. PlanError for none, and for two patches of one name."""
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
    if not jobs:
        raise plan.fail("files", "none has the same path in two releases, so there is no patch to be made")
    names: dict[str, Job] = {}
    for job in jobs:
        other = names.setdefault(job.name.lower(), job)
        if other is not job:
            raise plan.fail("files", f"two patches have the name {job.name!r}: of {other.source.url} and of {job.source.url}")
    return jobs


def _patch_name(source: File, target: File) -> str:
    name = source.name.replace("/", "__")
    return posixpath.join(source.platform, f"{name}--{source.release}--{target.release}.bdelta")


def _memory(plan: Plan, source: File, target: File) -> int:
    return bdelta.estimate_memory(source.bytes, target.bytes, **plan.create_for(target))
