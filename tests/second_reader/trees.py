"""Trees: directories as OLD and NEW (FORMAT.md, Trees). A tree is {path: (kind, content or target)} of bytes, kinds d, f and l."""
import os
import re
from dataclasses import dataclass

import xxhash

from cursor import Cursor, require
from deflate_coder import BitDecoder, Models
from records import TREES
from streams import read_whole_stream

MAX_LIST = 512 << 20
HELD_FOR_ENTRY = 128
HELD_FOR_PATTERN = 32


def read_tree(folder):
    """The tree in a folder of the disk."""
    tree = {}
    for root, directories, files in os.walk(os.fsencode(folder)):
        for name in list(directories) + files:
            path = os.path.join(root, name)
            inner = os.path.relpath(path, os.fsencode(folder))
            if os.path.islink(path):
                tree[inner] = (b"l", os.readlink(path))
            elif os.path.isdir(path):
                tree[inner] = (b"d", b"")
            else:
                with open(path, "rb") as file:
                    tree[inner] = (b"f", file.read())
    return tree


def fits(path, pattern):
    whole = b"/" in pattern
    pattern = pattern.removeprefix(b"/").removesuffix(b"/")
    expression = re.escape(pattern).replace(rb"\*", b"[^/]*").replace(rb"\?", b"[^/]")
    return bool(pattern) and re.fullmatch(expression, path if whole else path.rsplit(b"/", 1)[-1], re.DOTALL) is not None


def varint(number):
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7f | 0x80)
        number >>= 7
    return bytes(out) + bytes([number])


def manifest_of(tree):
    entries = []
    for path, (kind, content) in sorted(tree.items()):
        tail = varint(len(content)) if kind == b"f" else content + b"\0" if kind == b"l" else b""
        entries.append(kind + path + b"\0" + tail)
    return b"".join(entries)


def stream_of(tree):
    return manifest_of(tree) + b"".join(content for _, (kind, content) in sorted(tree.items()) if kind == b"f")


def digest_of(tree):
    files = (content for _, (kind, content) in sorted(tree.items()) if kind == b"f")
    return xxhash.xxh3_128_digest(manifest_of(tree) + b"".join(map(xxhash.xxh3_128_digest, files)))


def is_sound(path):
    parts = path.split(b"/")
    return (len(path) <= 4095 and len(parts) <= 256 and b"\0" not in path and
            all(1 <= len(part) <= 255 and part not in (b".", b"..") and part.lower() != b".bdelta" for part in parts))


def read_manifest(data):
    """[(path, kind, bytes of a file or target of a link)]"""
    require(len(data) < 1 << 31, "the manifest is too long")
    cursor, entries, directories = Cursor(data, what="the manifest"), [], {b""}
    def text():
        end = data.find(b"\0", cursor.pos)
        require(end >= 0, "the manifest ends inside an entry")
        return cursor.take(end + 1 - cursor.pos)[:-1]
    while not cursor.at_end():
        kind, path = cursor.take(1), text()
        require(kind in (b"d", b"f", b"l"), "an entry of no known kind")
        require(is_sound(path), f"the path {path} is not allowed")
        require(not entries or entries[-1][0] < path, "the manifest is not ascending")
        require(path.rpartition(b"/")[0] in directories, "an entry below no directory")
        if kind == b"d":
            directories.add(path)
        detail = cursor.varint() if kind == b"f" else text() if kind == b"l" else None
        require(kind != b"l" or 1 <= len(detail) <= 4095, "the target of a link is not allowed")
        entries.append((path, kind, detail))
    return entries


class Permissions:
    """Those of one kind of entry, each told by those before it."""

    def __init__(self, last, other):
        self.last, self.other, self.was_last, self.models = last, other, 1, Models()

    def read(self, code):
        self.was_last, context = code.bit(self.models["last", self.was_last]), self.was_last
        if self.was_last:
            return self.last
        if code.bit(self.models["other"]):
            self.last, self.other = self.other, self.last
        else:
            self.last, self.other = code.plain(9), self.last
        return self.last


@dataclass
class Trees:
    made_bytes: int
    manifest_bytes: int
    entries: int
    counts: tuple
    code: bytes
    patterns: list

    def excludes(self, path):
        """With all that is above it."""
        parts = path.split(b"/")
        paths = [b"/".join(parts[:count]) for count in range(1, len(parts) + 1)]
        return any(part.lower() == b".bdelta" for part in parts) or any(fits(above, pattern) for above in paths for pattern in self.patterns)

    def join(self, source, made):
        """NEW and its permission bits, from OLD's tree and NEW's stream as windows make it."""
        entries = read_manifest(bytes(made[:self.manifest_bytes]))
        require(len(entries) == self.entries, "another count of entries")
        code, models, was_kept = BitDecoder(self.code), Models(), 1
        files, directories = Permissions(0o644, 0o755), Permissions(0o755, 0o700)
        modes, tree, pos, kept_count = {b"": directories.read(code)}, {}, self.manifest_bytes, 0
        for path, kind, detail in entries:
            if kind == b"d":
                modes[path] = directories.read(code)
            if kind != b"f":
                tree[path] = (kind, detail or b"")
                continue
            of_source = source.get(path)
            kept = 0
            if detail and of_source and of_source[0] == b"f" and len(of_source[1]) == detail:
                was_kept = kept = code.bit(models[was_kept])
            modes[path] = files.read(code)
            kept_count += kept
            tree[path] = (kind, of_source[1] if kept else bytes(made[pos:pos + detail]))
            pos += 0 if kept else detail
        require(pos == len(made), "the files have other sizes than the stream")
        require(kept_count == self.counts[0], "another count of kept files")
        code.finish()
        return tree, modes


def read_trees(records, header):
    body = records.take(TREES, "the record of trees")
    made_bytes, form = body.varint(), body.varint(most=3, name="form of trees")
    manifest_bytes, entries = body.varint(), body.varint()
    counts = tuple(body.varint() for _ in range(4))
    code = body.take(body.varint())
    patterns = [body.take(body.varint(most=4095, name="bytes of a pattern")) for _ in range(body.varint(most=1024, name="patterns"))]
    lists, codecs = 0, [0]
    for bit in (1, 2):
        if form & bit:
            raw_bytes = body.varint(most=MAX_LIST, name="bytes of a list")
            codecs.append(read_whole_stream(body, raw_bytes, header.memory)[1])
            lists += raw_bytes
    body.finish()
    require(manifest_bytes <= made_bytes <= header.target_bytes, "impossible sizes of trees")
    header.memory.hold(manifest_bytes + HELD_FOR_ENTRY * entries + len(code) + lists + max(codecs), "trees")
    header.memory.hold(sum(HELD_FOR_PATTERN + len(pattern) for pattern in patterns), "patterns")
    return Trees(made_bytes, manifest_bytes, entries, counts, code, patterns)
