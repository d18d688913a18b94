#!/usr/bin/env python3
"""The manual page of the patch format out of its FORMAT.md, which stays the one source.

usage: format_page.py FORMAT_MD VERSION OUTPUT
"""
import sys

import markdown
from roff import escape


def page(text, version):
    out = ["'\\\" t", f'.TH BDELTA\\-FORMAT 5 "" "bdelta {escape(version)}" "File Formats"', ".SH NAME",
           "bdelta\\-format \\- the patch format BDT version 2", ".SH DESCRIPTION", *markdown.roff(text),
           ".SH SEE ALSO", ".BR bdelta (1),", ".BR bpatch (1)", ""]
    return "\n".join(out)


def main():
    source, version, output = sys.argv[1:]
    with open(source, encoding="utf-8") as file:
        text = page(file.read(), version)
    with open(output, "w", encoding="ascii") as file:
        file.write(text)


if __name__ == "__main__":
    main()
