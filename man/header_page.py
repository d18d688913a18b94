#!/usr/bin/env python3
"""The manual page of the C interface out of its header, which stays the one source: its comments and its declarations.

usage: header_page.py HEADER VERSION OUTPUT      writes OUTPUT, and beside it a page for each function that leads there
"""
import os
import re
import sys

from roff import escape, line


def code(rows):
    return [".PP", ".EX", *[line(escape(row)) for row in rows], ".EE"]


def text_of(comment):
    """A comment without what makes it one; lines of code in it keep two spaces or more in front."""
    inner = comment.strip()[2:-2]
    return [re.sub(r"^ \*? ?" if number else "^ ", "", row).rstrip() for number, row in enumerate(inner.split("\n"))]


def paragraphs(rows):
    """Prose, with the names of the interface in bold, and code."""
    out, prose, example = [], [], []
    for row in [*rows, ""]:
        if example and not row.startswith("  "):
            out += code([one[2:] for one in example])
            example = []
        if prose and (not row.strip() or row.startswith("  ")):
            words = re.sub(r"\b(bdelta_\w+|BDELTA_\w+)", r"\\fB\1\\fR", escape(" ".join(prose)))
            out += [".PP", line(words)]
            prose = []
        if row.startswith("  "):
            example.append(row)
        elif row.strip():
            prose.append(row.strip())
    return out


def without_mark(row, before):
    """A declaration as users write it: without the mark of what is exported, by which its other lines stand too far right."""
    mark = "BDELTA_API "
    is_rest = row.startswith(" " * 20) and before and before[-1].endswith(",")
    return row[len(mark):] if row.startswith(mark) or is_rest else row


def body(part):
    """Comments as text, each followed by the declarations that stand under it."""
    out, declared = [], []
    for comment, rest in re.findall(r"^(/\*(?:.|\n)*?\*/)$|^(.*)$", part, re.M):
        if comment or not rest.strip():
            if declared:
                out += code(declared)
                declared = []
            if comment:
                out += paragraphs(text_of(comment))
        else:
            declared.append(without_mark(rest, declared))
    return out + (code(declared) if declared else [])


def functions(header):
    return re.findall(r"^BDELTA_API [^(]*?\b(bdelta_\w+)\(", header, re.M)


def page(header, version):
    parts = re.split(r"^/\* ---- (.*) ---- \*/$", header.split("#ifdef __cplusplus\n}")[0], flags=re.M)
    head = re.match(r"/\*(?:.|\n)*?\*/", parts[0]).group(0)
    out = [f'.TH BDELTA 3 "" "bdelta {escape(version)}" "Library Functions"', ".SH NAME",
           "bdelta \\- make, apply, check and describe binary patches, from C", ".SH SYNOPSIS", ".EX",
           "#include <bdelta/bdelta.h>", "",
           "cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs bdelta\\-apply)    # applies",
           "cc ... $(pkg\\-config \\-\\-cflags \\-\\-libs bdelta)          # makes patches too", ".EE", ".SH DESCRIPTION"]
    out += paragraphs(text_of(head))[1:]
    for title, part in zip(parts[1::2], parts[2::2]):
        out += [f'.SH "{escape(title.upper())}"', *body(part)]
    return "\n".join(out + [".SH SEE ALSO", ".BR bdelta (1),", ".BR bpatch (1),", ".BR bdelta\\-format (5)", ""])


def main():
    source, version, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        header = file.read()
    with open(output, "w", encoding="ascii") as file:
        file.write(page(header, version))
    for name in functions(header):
        with open(os.path.join(os.path.dirname(output), name + ".3"), "w", encoding="ascii") as file:
            file.write(".so man3/bdelta.3\n")


if __name__ == "__main__":
    main()
