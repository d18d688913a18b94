"""Markdown as roff: as much of it as the pages use that manual pages are made of.

Headings, paragraphs, flat lists (those with numbers, too), tables, fenced and indented code, inline marks.
"""
import re

from roff import ROOM_FOR_TABLE, escape, line, marked

ITEM = r"- |\d+\. "  # what an item of a list begins with


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
               else "list" if re.match(ITEM, row) or (kind == "list" and row.startswith("  "))
               else "indented" if row.startswith("    ") or (kind == "indented" and row.startswith(" "))
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


def code(lines):
    return "\n".join([".PP", ".EX", *[line(escape(row)) for row in lines], ".EE"])


def table(lines):
    cells = [[cell.strip().replace("\\|", "|") for cell in re.split(r"(?<!\\)\|", row.strip()[1:-1])] for row in lines]
    head, body = cells[0], cells[2:]
    widest = len(head) - 1
    out = [".PP", ".ad l", ROOM_FOR_TABLE, ".TS", "l " * widest + "lx.", "\t".join(marked(cell) for cell in head), "_"]
    for row in body:
        out.append("\t".join([f"T{{\n{line(marked(cell))}\nT}}" for cell in row]))
    return "\n".join(out + [".TE", ".ad b"])


def items(lines):
    parts = re.split(f"^({ITEM})", "\n".join(lines), flags=re.M)[1:]
    tags = ["\\(bu 2" if mark == "- " else f"{mark.strip()} 3" for mark in parts[::2]]
    return "\n".join(f".IP {tag}\n" + line(marked(re.sub(r"\n\s+", " ", text.strip()))) for tag, text in zip(tags, parts[1::2]))


def roff(text):
    """The lines of a page's body, its title of one # left out: that is .TH and NAME."""
    out, fresh = [], True  # behind a heading there is no gap
    for kind, lines in blocks(text):
        if kind == "heading":
            if lines[0].startswith("# "):
                continue
            out.append(heading(lines))
        elif kind == "code":
            out.append(code(lines))
        elif kind == "indented":
            out.append(code([row[4:] for row in lines]))
        elif kind == "table":
            out.append(table(lines))
        elif kind == "list":
            out.append(items(lines))
        else:
            out += ([] if fresh else [".PP"]) + [line(marked(" ".join(row.strip() for row in lines)))]
        fresh = kind == "heading"
    return out


def section(text, title):
    """What stands under a heading of two #, without it."""
    return re.search(rf"^## {re.escape(title)}\n(.*?)(?=^## |\Z)", text, re.M | re.S).group(1).strip() + "\n"
