"""Versions in names of releases: whether these stand in order, and what the order is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from packaging.version import InvalidVersion, Version

from bdelta.matrix._plan import PlanError


def version_of(release: str) -> Version | None:
    """What a name has from its first digit on, by the rules of versions in Python; None where that is no version."""
    found = re.search(r"\d.*", release)
    try:
        return Version(found[0]) if found else None
    except InvalidVersion:
        return None


def out_of_order(releases: Sequence[str]) -> tuple[str, str] | None:
    """The first two neighbours of which the second is an older version. Those without a version are passed over."""
    known = [(version, release) for release in releases if (version := version_of(release)) is not None]
    for (before, older), (after, newer) in zip(known, known[1:]):
        if before > after:
            return older, newer
    return None


def by_version(releases: Sequence[str]) -> tuple[str, ...]:
    """The releases, the oldest version first. PlanError for a name without a version."""
    versions = []
    for release in releases:
        version = version_of(release)
        if version is None:
            raise PlanError(f"--sort versions: {release!r} has no version in it")
        versions.append((version, release))
    return tuple(release for _, release in sorted(versions))
