"""The section of the page about one patch."""

from __future__ import annotations

import os
import pathlib
import tempfile
from collections.abc import Sequence

import bdelta
from bdelta._results import MemberBytes, PatchBytes
from bdelta.report import _evidence
from bdelta.report._html import COLORS, HOLDER_COLOR, OTHER_COLOR, Part, Plot, bar, place, share, size, table, text_of

MOST_ROWS = 200
LEAST_FINDING = 1 / 1000  # of the patch, that has an entry of its own
LEAST_SHARE = 1 / 4000  # of the patch, that has a field of its own


def main_kind(member: MemberBytes) -> str:
    return max(member.kinds, key=lambda kind: member.kinds[kind], default="")


def treemap(patch: PatchBytes) -> Plot:
    """Members inside one another and their sections; what is too small to be seen is in the field of its parent."""
    ids, labels, parents, values, colors = ["patch"], ["PATCH"], [""], [0], [HOLDER_COLOR]

    def add(node: str, label: str, parent: str, value: int, color: str) -> None:
        ids.append(node)
        labels.append(text_of(label))
        parents.append(parent)
        values.append(value)
        colors.append(color)

    placed = dict.fromkeys(patch.kinds, 0)
    totals = [member.patch_bytes for member in patch.members]
    for at in range(len(totals) - 1, -1, -1):
        parent = patch.members[at].parent
        if parent is not None:
            totals[parent] += totals[at]
    least = max(1, int(patch.patch_bytes * LEAST_SHARE))
    own: dict[str, int] = {}
    node_of: list[str] = []
    for at, member in enumerate(patch.members):
        for kind, count in member.kinds.items():
            placed[kind] += count
        parent_node = "patch" if member.parent is None else node_of[member.parent]
        seen = totals[at] >= least
        node_of.append(f"m{at}" if seen else parent_node)
        own[node_of[at]] = own.get(node_of[at], 0) + member.patch_bytes
        if not seen:
            continue
        label = member.path.rsplit("/", 1)[-1] if member.parent is not None else "NEW"
        color = COLORS.get(main_kind(member), OTHER_COLOR)
        holds = totals[at] > member.patch_bytes or member.sections
        add(f"m{at}", label or "NEW", parent_node, 0, HOLDER_COLOR if holds else color)
        for number, section in enumerate(member.sections):
            if section.patch_bytes >= least:
                add(f"m{at}s{number}", section.name, f"m{at}", section.patch_bytes, color)
                own[f"m{at}"] -= section.patch_bytes
    for kind, count in patch.kinds.items():
        if count > placed[kind]:
            add(f"k{kind}", kind, "patch", count - placed[kind], COLORS.get(kind, OTHER_COLOR))
    for at, node in enumerate(ids):
        values[at] += own.get(node, 0)
    return {
        "data": [{
            "type": "treemap", "ids": ids, "labels": labels, "parents": parents, "values": values, "branchvalues": "remainder",
            "marker": {"colors": colors, "line": {"width": 1, "color": "#ffffff"}, "pad": {"t": 22, "l": 3, "r": 3, "b": 3}},
            "textinfo": "label+percent root", "textfont": {"size": 12}, "tiling": {"pad": 1},
            "hovertemplate": "%{label}<br>%{value:,} bytes<br>%{percentRoot:.2%} of the patch<extra></extra>",
            "pathbar": {"visible": True, "thickness": 22},
        }],
        "layout": {"margin": {"t": 26, "l": 0, "r": 0, "b": 0}, "paper_bgcolor": "rgba(0,0,0,0)"},
    }


def kinds_table(patch: PatchBytes) -> str:
    largest = max(patch.kinds.values(), default=0)
    rows = [
        (text_of(kind), bar(count, largest, COLORS.get(kind, OTHER_COLOR)), f"{count:,}", share(count, patch.patch_bytes))
        for kind, count in patch.kinds.items()
    ]
    return table(("What it holds", "", "bytes", "share"), rows, numbers=(2, 3))


def members_table(patch: PatchBytes) -> str:
    members = sorted((member for member in patch.members if member.patch_bytes), key=lambda member: -member.patch_bytes)
    largest = members[0].patch_bytes if members else 0
    rows = []
    for member in members[:MOST_ROWS]:
        name = f'<span class="name">{text_of(_evidence.shown_name(member.path))}</span>'
        if member.sections:
            listed = ", ".join(f"{text_of(section.name)} {section.patch_bytes:,}" for section in member.sections[:6])
            name += f"<small>{listed}</small>"
        if member.source_path and member.source_path != member.path:
            name += f"<small>from {text_of(member.source_path)}</small>"
        kind = main_kind(member)
        rows.append((name, bar(member.patch_bytes, largest, COLORS.get(kind, OTHER_COLOR)), f"{member.patch_bytes:,}",
                     share(member.patch_bytes, patch.patch_bytes), text_of(member.format), size(member.target_bytes),
                     share(member.copied_bytes, member.target_bytes), text_of(kind)))
    heads = ("Member", "", "bytes", "share", "format", "of NEW", "copied", "mostly")
    more = f"<p>And {len(members) - MOST_ROWS:,} more.</p>" if len(members) > MOST_ROWS else ""
    return table(heads, rows, numbers=(2, 3, 5, 6), minor=(1, 4, 5, 6, 7)) + more


def packed_table(patch: PatchBytes, encoders: dict[str, bool]) -> str:
    found = _evidence.stayed_packed(patch, encoders)
    if not found:
        return "<p>Nothing that has bytes in this patch stayed packed, as far as its first bytes tell.</p>"
    rows = [(f'<span class="name">{text_of(_evidence.shown_name(member.path))}</span>', text_of(member.packed_as),
             f"{member.patch_bytes:,}", text_of(why)) for member, why in found[:MOST_ROWS]]
    return table(("Member", "packed as", "bytes", "why"), rows, numbers=(2,), minor=(1,))


def findings_list(patch: PatchBytes, encoders: dict[str, bool]) -> str:
    found = _evidence.findings(patch, encoders)
    if not found:
        return "<p>Nothing was found.</p>"
    small = [finding for finding in found if finding.bytes < LEAST_FINDING * patch.patch_bytes]
    found = found[: len(found) - len(small)]
    items = []
    for finding in found:
        names = ", ".join(f'<span class="name">{text_of(name)}</span>' for name in finding.members[: _evidence.MOST_NAMED])
        more = f" and {len(finding.members) - _evidence.MOST_NAMED:,} more" if len(finding.members) > _evidence.MOST_NAMED else ""
        items.append(f"<li><b>{text_of(finding.title)}</b>: {size(finding.bytes)}, {share(finding.bytes, patch.patch_bytes)} of the "
                     f"patch. {text_of(finding.text)}<small>{names}{more}</small></li>")
    if small:
        named = ", ".join(f"{text_of(finding.title.lower())} ({size(finding.bytes)})" for finding in small)
        items.append(f"<li>Under a thousandth of the patch each: {named}.</li>")
    return f'<ul class="findings">{"".join(items)}</ul>'


def encoders_in(old: pathlib.Path, patch: pathlib.Path, found: PatchBytes) -> dict[str, bool]:
    """Of archives of NEW, where something stayed packed: NEW is made for that, and thrown away."""
    doubtful = [member for member in found.members if member.packed_as == "deflate" and member.patch_bytes]
    if not doubtful:
        return {}
    with tempfile.TemporaryDirectory(prefix="bdelta-report-") as folder:
        new = pathlib.Path(folder, "new")
        bdelta.apply(old, new, patch, sync=False)
        if not new.is_dir():
            return _evidence.encoders_of(new)
        encoders: dict[str, bool] = {}
        for name in {found.members[member.parent].path for member in doubtful if member.parent is not None}:
            if (new / name).is_file():
                encoders |= _evidence.encoders_of(new / name, name + "/")
        return encoders


def cards(pairs: Sequence[tuple[str, str]]) -> str:
    return '<dl class="cards">' + "".join(f"<div><dt>{text_of(name)}</dt><dd>{text_of(value)}</dd></div>" for name, value in pairs) + "</dl>"


def of_patch(patch: str | os.PathLike[str], old: str | os.PathLike[str] | None = None) -> Part:
    """Where the bytes of a patch go; with OLD by members, what stayed packed, and what would make it smaller.

    Raises what bdelta.inspect_members does.
    """
    patch = pathlib.Path(patch)
    found = bdelta.inspect_members(old, patch)
    part = Part(patch.name)
    target_bytes = found.info.target_size
    shown = [("Patch", size(found.patch_bytes)), ("of NEW", share(found.patch_bytes, target_bytes or 0) or "–")]
    shown += [("OLD", size(found.info.source_size or 0)), ("NEW", size(target_bytes or 0))]
    tree = found.info.tree
    if tree:
        shown.append(("Files", f"{tree.kept_files:,} kept, {tree.changed_files:,} changed, {tree.added_files:,} added, "
                      f"{tree.removed_files:,} removed"))
    part.html = cards(shown)
    part.html += "<h3>What the bytes hold</h3>" + kinds_table(found)
    if old is None:
        part.html += "<p>With OLD this page tells members, too: <code>bdelta-report --old OLD PATCH</code>.</p>"
        return part
    encoders = encoders_in(pathlib.Path(old), patch, found)
    part.html += "<h3>Where they go</h3>" + place(part, treemap(found), "treemap of the patch by members of NEW", "tall")
    part.html += ("<p class=note>Fields have the colour of what most of their bytes hold. Numbers that stand in one code have shares of "
                  "it, so all but the sum is an estimate.</p>")
    part.html += members_table(found)
    part.html += "<h3>What stayed packed, and why</h3>" + packed_table(found, encoders)
    part.html += "<h3>What would make it smaller</h3>" + findings_list(found, encoders)
    return part
