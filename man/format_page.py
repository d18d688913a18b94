#!/usr/bin/env python3
"""The manual page of the patch format out of its FORMAT.md, which stays the one source.

Knows as much of Markdown as that page uses: headings, paragraphs, flat lists, tables, fenced code, inline marks.

usage: format_page.py FORMAT_MD VERSION OUTPUT
"""
import re
import sys

from roff import ROOM_FOR_TABLE, escape, line, marked


def blocks(text):
    """Splits into (kind, lines): heading, code, table, list, text."""
    kind, lines = None, []
    for row in text.splitlines():
        if kind == "code":
            if row.startswith("```"):
                yield kind, lines
                kind, lines = None, []
            else:
                lines.append(row)
            continue
        now = ("code" if row.startswith("```") else "heading" if row.startswith("#") else "table" if row.startswith("|")
               else "list" if row.startswith("- ") or (kind == "list" and row.startswith("  "))
               else None if not row.strip() else "text")
        if now != kind or now == "heading":
            if kind:
                yield kind, lines
            kind, lines = now, []
        if now and now != "code":
            lines.append(row)
    if kind:
        yield kind, lines


def heading(lines):
    level, title = re.match(r"(#+) (.*)", lines[0]).groups()
    return f".{'SH' if len(level) == 2 else 'SS'} \"{escape(title if len(level) > 2 else title.upper())}\""


def table(lines):
    cells = [[cell.strip() for cell in row.strip().strip("|").split("|")] for row in lines]
    head, body = cells[0], cells[2:]
    widest = len(head) - 1
    out = [".PP", ".ad l", ROOM_FOR_TABLE, ".TS", "l " * widest + "lx.", "\t".join(marked(cell) for cell in head), "_"]
    for row in body:
        out.append("\t".join([f"T{{\n{line(marked(cell))}\nT}}" for cell in row]))
    return "\n".join(out + [".TE", ".ad b"])


def items(lines):
    texts = re.split(r"^- ", "\n".join(lines), flags=re.M)[1:]
    return "\n".join(".IP \\(bu 2\n" + line(marked(re.sub(r"\n\s+", " ", text.strip()))) for text in texts)


def page(text, version):
    out = ["'\\\" t", f'.TH BDELTA\\-FORMAT 5 "" "bdelta {escape(version)}" "File Formats"', ".SH NAME",
           "bdelta\\-format \\- the patch format BDT version 2", ".SH DESCRIPTION"]
    fresh = True  # behind a heading there is no gap
    for kind, lines in blocks(text):
        if kind == "heading":
            if lines[0].startswith("# "):
                continue  # the title: .TH and NAME
            out.append(heading(lines))
        elif kind == "code":
            out += [".PP", ".EX", *[line(escape(row)) for row in lines], ".EE"]
        elif kind == "table":
            out.append(table(lines))
        elif kind == "list":
            out.append(items(lines))
        else:
            out += ([] if fresh else [".PP"]) + [line(marked(" ".join(row.strip() for row in lines)))]
        fresh = kind == "heading"
    out += [".SH SEE ALSO", ".BR bdelta (1),", ".BR bpatch (1)", ""]
    return "\n".join(out)


def main():
    source, version, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = page(file.read(), version)
    with open(output, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main()
