"""The program bdelta-report."""

from __future__ import annotations

import argparse
import itertools
import os
import pathlib
import sys
import tempfile
from collections.abc import Iterator

import bdelta
from bdelta.report._html import Part
from bdelta.report._page import page_of
from bdelta.report._patch import of_patch
from bdelta.report._releases import ManifestError, of_manifest


def parser() -> argparse.ArgumentParser:
    options = argparse.ArgumentParser(prog="bdelta-report", description="Shows where the bytes of patches go, on one page of HTML.")
    options.add_argument("inputs", nargs="+", metavar="INPUT", help="a PATCH, or a manifest whose name ends with .json")
    options.add_argument("--old", action="append", default=[], metavar="OLD",
                         help="what a PATCH was made from, for members; once for all, or once for each PATCH in order")
    options.add_argument("-o", "--output", default="report.html", metavar="FILE", help="the page; default report.html")
    options.add_argument("-f", "--force", action="store_true", help="replace a page that exists")
    options.add_argument("--version", action="version", version=bdelta.__version__)
    return options


def parts_of(inputs: list[str], olds: list[str]) -> list[Part]:
    patches = [name for name in inputs if not name.endswith(".json")]
    if len(olds) not in (0, 1, len(patches)):
        raise ManifestError(f"--old: expected one, or {len(patches)} as there are patches, found {len(olds)}")
    of_patches: Iterator[str | None] = iter(olds) if len(olds) > 1 else itertools.repeat(olds[0] if olds else None)
    return [of_manifest(name) if name.endswith(".json") else of_patch(name, next(of_patches)) for name in inputs]


def publish(page: str, output: pathlib.Path) -> None:
    """Whole or not at all."""
    descriptor, name = tempfile.mkstemp(prefix=".bdelta-report-", dir=output.parent)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:
            file.write(page)
        os.chmod(name, 0o644)
        os.replace(name, output)
    except BaseException:
        os.unlink(name)
        raise


def main(given: list[str] | None = None) -> int:
    arguments = parser().parse_args(given)
    output = pathlib.Path(arguments.output)
    try:
        if output.exists() and not arguments.force:
            raise ManifestError(f"{output} exists; --force replaces it")
        if not output.parent.is_dir():
            raise ManifestError(f"{output.parent} is no folder")
        publish(page_of(parts_of(arguments.inputs, arguments.old)), output)
    except ManifestError as error:
        print(f"bdelta-report: {error}", file=sys.stderr)
        return 1
    except bdelta.Error as error:
        print(f"bdelta-report: {error}", file=sys.stderr)
        return error.exit_class
    except OSError as error:
        print(f"bdelta-report: {error}", file=sys.stderr)
        return 2
    print(output)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
