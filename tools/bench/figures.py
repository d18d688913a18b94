#!/usr/bin/env python3
"""Puts the figures of one recorded run into README.md and docs/performance.md, and draws docs/frontier.svg of them.

usage: figures.py [--write]      without --write it says which files would change; status 1 if any would

In a page `<!-- figures: NAME -->` stands before the table that is written. Seconds are the least of the processor's in all
runs. The picture has a mark for each setting: geometric means over the six files, relative to `bdelta -3`.
"""
import collections
import csv
import json
import math
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RUN = ROOT / "tests" / "bench" / "runs" / "2026-11-30-readme"
FILES = {"esbuild-linux-x64": "program, {} MB", "django-sdist-tar": "tar, {} MB", "jquery-js": "text, {} MB",
         "typescript-tgz": ".tgz, {} MB", "numpy-whl": "wheel, {} MB", "uiautomator2-apk": "apk, {} MB"}
ARCHIVES = {"typescript-tgz": "TypeScript, npm .tgz", "aws-sdk-ec2-crate": "aws-sdk-ec2, .crate",
            "numpy-whl": "numpy, wheel", "arcade-whl": "arcade, wheel", "scala-compiler-jar": "scala-compiler, jar",
            "spark-core-jar": "spark-core, jar", "uiautomator2-apk": "UiAutomator2, apk"}
MIDDLE = ("hdiffpatch", "-m-4 -SD-256k -c-zstd-20-24")
LEVELS = [("bdelta", name) for name in [*(f"-{number}" for number in range(1, 10)), "--ultra"]]
NAMES = {**{key: f"`bdelta {key[1]}`" for key in LEVELS}, ("hdiffpatch", "-s-64 -SD-256k -c-zstd-3"): "HDiffPatch `-s-64`, zstd",
         MIDDLE: "HDiffPatch `-m-4`, zstd",
         ("hdiffpatch", "-m-1 -cache -SD-2m -c-lzma2-9-256m"): "HDiffPatch `-m-1 -cache`, LZMA",
         ("bsdiff", "default"): "`bsdiff`", ("xdelta3", "-1"): "`xdelta3 -1`",
         ("xdelta3", "-9 -S lzma"): "`xdelta3 -9 -S lzma`", ("zstd", "-1"): "`zstd -1 --patch-from`",
         ("zstd", "-3"): "`zstd -3 --patch-from`", ("zstd", "-19"): "`zstd -19 --patch-from`"}
SHORT = [("bdelta", "-3"), ("bdelta", "-9"), MIDDLE, ("bsdiff", "default"), ("xdelta3", "-9 -S lzma"), ("zstd", "-19")]
COLOURS = {"bdelta": "#0a6b3d", "hdiffpatch": "#b3261e", "bsdiff": "#6b4ea0", "xdelta3": "#9a6700", "zstd": "#1a5fb4"}


class Figures:
    """Bytes, and the least seconds of each step, by pair and setting."""

    def __init__(self):
        self.bytes, self.new_bytes = {}, {}
        self.private_bytes = collections.defaultdict(int)  # the most of all files, by setting and step
        self.least = collections.defaultdict(lambda: math.inf)
        with open(RUN / "raw.csv", encoding="utf-8") as file:
            for row in csv.DictReader(file):
                if row["tool"] == "floor" or row["status"] != "ok":
                    continue
                key = (row["pair"], (row["tool"], row["setting"]))
                self.bytes[key] = int(row["patch_bytes"])
                self.new_bytes[row["pair"]] = int(row["new_bytes"])
                step = (*key, row["step"])
                self.least[step] = min(self.least[step], float(row["user_s"]) + float(row["system_s"]))
                if row["pair"] in FILES:
                    taken = (key[1], row["step"])
                    self.private_bytes[taken] = max(self.private_bytes[taken], int(row["private_bytes"]))

    def cell(self, pair, setting):
        if (pair, setting) not in self.bytes:
            return "not measured"
        shown = [seconds(self.least[pair, setting, step]) for step in ("create", "apply")]
        return " · ".join([f"{self.bytes[pair, setting]:,}", *shown])

    def mean(self, setting, value):
        """Over all six files, relative to bdelta -3; None where one was not measured."""
        if any((pair, setting) not in self.bytes for pair in FILES):
            return None
        logs = [math.log(value(pair, setting) / value(pair, ("bdelta", "-3"))) for pair in FILES]
        return math.exp(sum(logs) / len(logs))


def seconds(value):
    return f"{value:.3f}" if value < 0.1 else f"{value:.2f}" if value < 10 else f"{value:.1f}"


def megabytes(count):
    return f"{count / 1e6:.1f}" if count < 1e7 else f"{count / 1e6:.0f}"


def table(head, rows):
    return "\n".join("| " + " | ".join(cells) + " |" for cells in [head, ["---"] * len(head), *rows])


def tables(figures):
    """What stands behind each marker."""
    titles = {pair: name.format(megabytes(figures.new_bytes[pair])) for pair, name in FILES.items()}
    run = json.loads((RUN / "run.json").read_text(encoding="utf-8"))
    versions = ", ".join(f"{name} {version}" for name, version in run["tools"].items())
    conditions = [f"- **Where**: {run['date'][:10]}, two cores ({run['cpu']}) of a virtual machine with little other work,\n"
                  f"  {run['system']}.",
                  f"- **Versions**: {versions}.",
                  "- **Seconds** are those of the processor with one thread, the least of several runs. A run of more than ten",
                  "  seconds by the clock was done once.",
                  f"- [The recorded run](../tests/bench/runs/{RUN.name}/summary.csv) has all figures. `tools/bench/figures.py` puts",
                  "  them here."]
    memory = [round(figures.private_bytes[("bdelta", "-3"), step] / 2**20) for step in ("create", "apply")]
    conditions.insert(2, f"- **Memory** of `bdelta -3`: at most {memory[0]} MiB of private memory to make one of these patches, "
                         f"{memory[1]} to apply it.")
    archives = [[name, f"{megabytes(figures.new_bytes[pair])} MB", figures.cell(pair, ("bdelta", "-3")),
                 figures.cell(pair, MIDDLE)] for pair, name in ARCHIVES.items() if pair in figures.new_bytes]
    return {
        "readme": table(["", *(NAMES[setting] for setting in SHORT)],
                        [[titles[pair], *(figures.cell(pair, setting) for setting in SHORT)] for pair in FILES]),
        "all settings": table(["", *titles.values()],
                              [[name, *(figures.cell(pair, setting) for pair in FILES)] for setting, name in NAMES.items()]),
        "archives": table(["", "NEW", "`bdelta -3`", "HDiffPatch `-m-4`, zstd"], archives),
        "conditions": "\n".join(conditions)}


def filled(text, found):
    """`text` with the block behind each marker replaced."""
    def replace(match):
        return f"{match.group(1)}\n\n{found[match.group(2)]}\n\n"
    return re.sub(r"(<!-- figures: (.*?) -->)\n\n(?:[|-] ?.*\n(?:.+\n)*\n)?", replace, text)


def ticks(low, high):
    """1, 2 and 5 times powers of ten inside of a range."""
    exponents = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    return [m * 10.0 ** e for e in exponents for m in (1, 2, 5) if low <= m * 10.0 ** e <= high]


def picture(figures):
    """Marks as (tool, label, x, y), drawn on two logarithmic axes."""
    marks = []
    for setting in NAMES:
        time = figures.mean(setting, lambda pair, key: figures.least[pair, key, "create"])
        size = figures.mean(setting, lambda pair, key: figures.bytes[pair, key])
        if time:
            label = setting[1].split(" ")[0] if setting[0] != "bsdiff" else ""
            marks.append((setting[0], label, time, size))
    left, right, top, bottom = 64, 700, 16, 380
    bounds = []
    for values in ([mark[2] for mark in marks], [mark[3] for mark in marks]):
        bounds.append((min(values) / 1.35, max(values) * 1.35))
    (x_low, x_high), (y_low, y_high) = bounds

    def x_of(value):
        return round(left + (right - left) * math.log(value / x_low) / math.log(x_high / x_low), 1)

    def y_of(value):
        return round(bottom - (bottom - top) * math.log(value / y_low) / math.log(y_high / y_low), 1)

    out = ['<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 460" font-family="sans-serif" font-size="13">',
           "<title>Size of the patch against time to make it, relative to bdelta -3</title>",
           '<rect width="720" height="460" fill="white"/>']
    for value in ticks(x_low, x_high):
        out.append(f'<path d="M{x_of(value)} {top}V{bottom}" stroke="#dddddd"/>')
        out.append(f'<text x="{x_of(value)}" y="{bottom + 18}" text-anchor="middle">{value:g}</text>')
    for value in ticks(y_low, y_high):
        out.append(f'<path d="M{left} {y_of(value)}H{right}" stroke="#dddddd"/>')
        out.append(f'<text x="{left - 8}" y="{y_of(value) + 4}" text-anchor="end">{value:g}</text>')
    out.append(f'<text x="{(left + right) / 2}" y="{bottom + 38}" text-anchor="middle">time to make, relative to bdelta -3</text>')
    middle = (top + bottom) / 2
    out.append(f'<text x="16" y="{middle}" text-anchor="middle" transform="rotate(-90 16 {middle})">'
               "size of the patch, relative to bdelta -3</text>")
    ours = [(x_of(mark[2]), y_of(mark[3])) for mark in marks if mark[0] == "bdelta"]
    out.append(f'<path d="M{"L".join(f"{x} {y}" for x, y in ours)}" fill="none" stroke="{COLOURS["bdelta"]}"/>')
    taken = []  # boxes of labels
    for tool, label, time, size in marks:
        x, y = x_of(time), y_of(size)
        out.append(f'<circle cx="{x}" cy="{y}" r="4" fill="{COLOURS[tool]}"/>')
        width = 8 * len(label)
        places = [(x + 7, y + 4), (x - 7 - width, y + 4), (x - width / 2, y - 8), (x - width / 2, y + 18),
                  (x + 7, y + 18), (x + 7, y - 10), (x - 7 - width, y + 18), (x - 7 - width, y - 10)]
        points = [(x_of(mark[2]), y_of(mark[3])) for mark in marks]

        def is_free(place):
            near = any(abs(place[0] - other[0]) < max(width, other[2]) and abs(place[1] - other[1]) < 13 for other in taken)
            return not near and not any(place[0] - 5 < px < place[0] + width + 5 and place[1] - 14 < py < place[1] + 5
                                        for px, py in points)

        place = next((place for place in places if is_free(place)), places[0])
        taken.append((*place, width))
        out.append(f'<text x="{round(place[0], 1)}" y="{round(place[1], 1)}" fill="{COLOURS[tool]}">{label}</text>')
    for number, (tool, colour) in enumerate(COLOURS.items()):
        x = left + 130 * number
        out.append(f'<circle cx="{x}" cy="442" r="4" fill="{colour}"/><text x="{x + 9}" y="446">{tool}</text>')
    return "\n".join([*out, "</svg>", ""])


def pages():
    """Path and text of each file, as it has to be."""
    figures = Figures()
    found = tables(figures)
    for name in ("README.md", "docs/performance.md"):
        yield ROOT / name, filled((ROOT / name).read_text(encoding="utf-8"), found)
    yield ROOT / "docs" / "frontier.svg", picture(figures)


def main():
    changed = 0
    for path, text in pages():
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        changed += 1
        print(f"{path.relative_to(ROOT)}: {'written' if '--write' in sys.argv else 'is not what the recorded run gives'}")
        if "--write" in sys.argv:
            path.write_text(text, encoding="utf-8")
    return 1 if changed and "--write" not in sys.argv else 0


if __name__ == "__main__":
    sys.exit(main())
