"""Words of man(7): what both generators of manual pages need."""
import re

ESCAPES = {"\\": "\\e", "-": "\\-", "'": "\\(aq", "`": "\\(ga", "^": "\\(ha", "~": "\\(ti", "\u00d7": "\\(mu",
           "\u2026": "..."}

# Stands before a table. On a terminal the page grows with its text, and a table at its end would get blank lines.
ROOM_FOR_TABLE = ".if \\n[cR] .ne 900i"


def escape(text):
    """Text as roff that shows it letter for letter, in ASCII."""
    return "".join(ESCAPES.get(c, c if ord(c) < 128 else f"\\[u{ord(c):04X}]") for c in text)


def line(text):
    """Guards a line of text that would be taken for a request."""
    return "\\&" + text if text[:1] in (".", "'") else text


def marked(text):
    """Inline Markdown: `code` and **strong** in bold, *emphasis* in italics, links as their text."""
    text = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", text)
    parts = re.split(r"(`[^`]+`|\*\*[^*]+\*\*|\*[^*]+\*)", text)
    out = []
    for part in parts:
        if len(part) > 4 and part.startswith("**"):
            out.append(f"\\fB{escape(part[2:-2])}\\fR")
        elif len(part) > 2 and part[0] == part[-1] == "`":
            out.append(f"\\fB{escape(part[1:-1])}\\fR")
        elif len(part) > 2 and part[0] == part[-1] == "*":
            out.append(f"\\fI{escape(part[1:-1])}\\fR")
        else:
            out.append(escape(part))
    return "".join(out)
