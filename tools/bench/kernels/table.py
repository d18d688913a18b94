#!/usr/bin/env python3
"""Turns the JSON output of bench_kernels into a Markdown table on standard output.

usage: table.py FILE [FILE ...]

One row for each variant; where its group has several sizes, their figures stand in the order named beside the group,
parted by slashes. Of repeated runs, and of several files, the median of each benchmark is taken. "% of floor" is the
speed in bytes as a share of the floor of the same group and size: 50 takes twice as long as the floor.
"""
import json
import statistics
import sys


def read(paths):
    """{(group, variant, size): {"bytes": [per second, ...], "items": [...]}} in the order of the files."""
    runs = {}
    for path in paths:
        with open(path, encoding="utf-8") as file:
            benchmarks = json.load(file)["benchmarks"]
        for run in benchmarks:
            if run.get("run_type") == "aggregate":
                continue
            name = run.get("run_name", run["name"])
            if run.get("error_occurred"):
                sys.exit(f"{path}: {name} failed: {run.get('error_message')}")
            speeds = runs.setdefault(tuple(name.rsplit("/", 2)), {"bytes": [], "items": []})
            speeds["bytes"].append(run["bytes_per_second"])
            speeds["items"].append(run.get("items_per_second", 0))
    return runs


def number(value):
    """Three significant digits, no exponent; nothing for zero."""
    return "" if value == 0 else f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def joined(values):
    """The figures of all sizes; nothing where no size has one."""
    return " / ".join(value or "-" for value in values) if any(values) else ""


def rows(runs):
    medians = {key: {what: statistics.median(values) for what, values in run.items()} for key, run in runs.items()}
    floors = {(group, size): speed["bytes"] for (group, variant, size), speed in medians.items()
              if variant.startswith("floor_")}
    for group in dict.fromkeys(group for group, _, _ in medians):
        sizes = list(dict.fromkeys(size for other, _, size in medians if other == group))
        label = f"{group} ({joined(sizes)})"
        for variant in dict.fromkeys(variant for other, variant, _ in medians if other == group):
            cells = [medians.get((group, variant, size), {"bytes": 0, "items": 0}) for size in sizes]
            speed = joined([number(cell["bytes"] / 1e6) for cell in cells])
            items = joined([number(cell["items"] / 1e6) for cell in cells])
            share = "" if variant.startswith("floor_") else joined(
                [number(100 * cell["bytes"] / floors[group, size]) if (group, size) in floors else ""
                 for cell, size in zip(cells, sizes)])
            yield f"| {label} | {variant} | {speed} | {items} | {share} |"
            label = ""


def main(paths):
    print("| group (sizes) | variant | MB/s | million items/s | % of floor |")
    print("|---|---|---|---|---|")
    for row in rows(read(paths)):
        print(row)


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    main(sys.argv[1:])
