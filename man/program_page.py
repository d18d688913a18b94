#!/usr/bin/env python3
"""Fills the page of a program in: its options as it describes them itself, exit statuses and errors from their tables, JSON
from docs/json.md.

usage: program_page.py TEMPLATE PROGRAM VERSION INCLUDE_DIR JSON_MD OUTPUT
"""
import json
import os
import re
import subprocess
import sys

import markdown
from roff import ROOM_FOR_TABLE, escape, line


def rows(path, pattern):
    with open(path, encoding="utf-8") as file:
        found = re.findall(pattern, file.read(), re.M)
    if not found:
        raise SystemExit(f"{path}: expected rows of a table, found none")
    return found


def entry(head, text):
    return f".TP\n{head}\n{line(escape(text))}."


def options(described):
    entries = []
    for option in described:
        if not option["in_help"]:
            continue
        value = " \\fI" + escape(option["value"]) + "\\fR" if "value" in option else ""
        names = ", ".join(f"\\fB{escape(name)}\\fR" for name in option["names"])
        entries.append(entry(names + value, option["text"]))
    return "\n".join(entries)


def status(include):
    statuses = rows(os.path.join(include, "exits.def"), r'^BDELTA_EXIT\((\d+), "([^"]*)"\)')
    errors = rows(os.path.join(include, "errors.def"), r'^BDELTA_ERROR\(k(\w+),\s*(\d+),\s*(\d+),\s*"([^"]*)"\)')
    text = [".SH EXIT STATUS"] + [f".TP\n.B {number}\n{escape(meaning)}" for number, meaning in statuses]
    text += [".SH ERRORS", "An error is one line on standard error; with \\fB\\-\\-json\\fR also an object with",
             "its name and number.", "The numbers are stable."]
    text += [".PP", ROOM_FOR_TABLE, ".TS", "r l r lx.", "number\tname\texit\tmeaning", "_"]
    text += [f"{number}\t{name}\t{exit_class}\tT{{\n{escape(message)}\nT}}"
             for name, number, exit_class, message in errors]
    return "\n".join(text + [".TE"])


def from_page(text, *titles):
    """Sections of a page in Markdown, each under its title."""
    return "\n".join("\n".join([f".SS {escape(title)}", *markdown.roff(markdown.section(text, title))]) for title in titles)


def main():
    template, program, version, include, json_page, output = sys.argv[1:]
    with open(json_page, encoding="utf-8") as file:
        told = file.read()
    described = json.loads(subprocess.run([program, "--describe-options"], check=True, capture_output=True).stdout)
    parts = {"VERSION": escape(version),
             "ARGUMENTS": "\n".join(entry(f".I {a['name']}", a["text"]) for a in described["arguments"]),
             "OPTIONS": options(described["options"]),
             "STATUS": status(include),
             "JSON": from_page(told, "The result", "Errors", "Info, check, version", "Where the bytes go", "Progress",
                               "Phases"),
             "MANIFEST": "\n".join(markdown.roff(markdown.section(told, "The manifest")))}
    with open(template, encoding="utf-8") as file:
        page = re.sub("@([A-Z]+)@", lambda match: parts[match.group(1)], file.read())
    with open(output, "w", encoding="ascii") as file:
        file.write("'\\\" t\n" + page)  # tells man that the page has a table


if __name__ == "__main__":
    main()
