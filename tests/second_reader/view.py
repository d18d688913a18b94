"""Views of OLD and NEW, whose deflate streams stand there as what they decompress to (FORMAT.md, View)."""
import zlib
from dataclasses import dataclass

from cursor import Cursor, PatchError, require
from deflate_rebuild import rebuild_stream
from deflate_recipe import most_held_bytes, read_recipe
from png_chunks import join_chunks, read_chunks, rebuild_chunks
from records import VIEW
from streams import read_whole_stream
from view_fields import likely_place, set_fields, without_fields
from zip_directory import Directory, FIELDS, Places, read_numbers, read_target_directories, rebuild, tell

MAX_STREAMS = 4194304
MAX_VIEWS = 4
DEFLATE, IMAGE_CHUNKS = range(2)  # kinds of streams
MAX_PACKED = 1 << 48
MAX_RATIO = 1032
INFLATED_AT_ONCE = 65536
HELD_FOR_PART = 256
HELD_FOR_ENTRIES = 5  # for each byte
HELD_TO_REBUILD = 27262976
MOST_HELD = 16777216
MAX_KEPT = 16  # times memory and file


@dataclass
class Stream:
    """One that is packed in a file from `pos` on."""
    pos: int
    packed_bytes: int
    raw_bytes: int
    text: bytes = None


@dataclass
class View:
    """NEW's, where NEW is a file or the view before."""
    kind: int
    target_bytes: int  # of NEW
    target_parts: list  # streams and directories
    recipe: list

    def pack(self, view):
        """NEW from its view."""
        new, view_pos, recipe = bytearray(), 0, iter(self.recipe)
        for part in self.target_parts:
            between = part.pos - len(new)
            new += view[view_pos:view_pos + between]
            view_pos += between
            part.text = bytes(view[view_pos:view_pos + part.raw_bytes])
            if isinstance(part, Directory):
                new += bytes(part.packed_bytes)  # what it repeats is not there yet
            else:
                new += (rebuild_stream if self.kind == DEFLATE else rebuild_chunks)(part.text, next(recipe))
            view_pos += part.raw_bytes
        new += view[view_pos:]
        if self.kind == DEFLATE:
            set_fields(new, self.target_parts)
        for number, part in enumerate(self.target_parts):
            if isinstance(part, Directory):
                new[part.pos:part.end] = rebuild(part.text, bytes(new), self.target_parts[:number], part)
        return new


@dataclass
class Views:
    source: bytes  # OLD's last view
    all: list  # the first is of the files

    def pack(self, view):
        for one in reversed(self.all):
            view = one.pack(view)
        return view


@dataclass
class Head:
    """What the record says of one view in front of geometry and recipe."""
    kind: int
    source_view: int
    target_view: int
    largest: int
    source_count: int
    kept_count: int
    target_count: int
    source_directories: int
    target_directories: int
    entry_bytes: int
    geometry_bytes: int
    recipe_bytes: int


def read_head(fields):
    kind = fields.varint(most=IMAGE_CHUNKS, name="a kind of streams")
    sizes = [fields.varint() for _ in range(3)]
    require(sizes[2] <= sizes[0], "a stream of OLD with more bytes than its view")
    source_count = fields.varint(most=MAX_STREAMS, name="streams of OLD")
    kept_count = fields.varint(most=MAX_STREAMS, name="kept ranges of OLD")
    target_count = fields.varint(most=MAX_STREAMS, name="streams of NEW")
    directories = [fields.varint(most=MAX_STREAMS, name="directories") for _ in range(2)]
    entry_bytes = fields.varint() if any(directories) else 0
    least = source_count + 2 * kept_count + target_count + 4 * sum(directories)
    geometry_bytes = fields.varint(least=least, name="bytes of geometry")
    return Head(kind, *sizes, source_count, kept_count, target_count, *directories, entry_bytes, geometry_bytes, fields.varint())


def held_bytes(heads):
    held, unpacking, held_source = 0, 0, 0
    for head in heads:
        parts = head.source_count + head.target_count + head.source_directories + head.target_directories
        held += (head.geometry_bytes + head.recipe_bytes + most_held_bytes(head.recipe_bytes) + HELD_TO_REBUILD +
                 HELD_FOR_ENTRIES * head.entry_bytes + HELD_FOR_PART * parts)
        view = min(head.source_view, MOST_HELD)
        largest = min(head.largest, MOST_HELD) if head.kind == DEFLATE else head.largest
        unpacking = max(unpacking, held_source + view + largest)
        held_source = view
    return held + unpacking


def read_views(records, header, source):
    """The record of views comes next. The sizes of the header become those of the last views."""
    fields = records.take(VIEW, "the record of views")
    heads = [read_head(fields) for _ in range(fields.varint(least=1, most=MAX_VIEWS, name="views"))]
    source_bytes = len(source)
    for head in heads:
        require(head.source_view // MAX_KEPT <= source_bytes + header.memory.left_bytes, "a view of OLD is too large to be kept")
        source_bytes = head.source_view
    told_bytes = sum(head.geometry_bytes + head.recipe_bytes for head in heads)
    told, codec_bytes = read_whole_stream(fields, told_bytes, header.memory)
    fields.finish()
    header.memory.hold(held_bytes(heads) + codec_bytes, "views")
    views, target_bytes = Views(source, []), header.target_bytes
    for head in heads:
        size = head.geometry_bytes + head.recipe_bytes
        views.all.append(read_view(head, told[:size], views, target_bytes))
        told, target_bytes = told[size:], head.target_view
    header.source_bytes, header.target_bytes = len(views.source), target_bytes
    return views


def read_view(head, told, views, target_bytes):
    """Makes one view of OLD of the one before."""
    geometry = Cursor(told, 0, head.geometry_bytes, "the geometry of views")
    source = views.source
    old_parts = read_source_parts(geometry, source, head)
    kept = read_kept_ranges(geometry, source, head.kept_count)
    old_streams = [part for part in old_parts if not isinstance(part, Directory)]
    new_streams = read_target_streams(geometry, old_streams, head.target_count)
    require(not new_streams or new_streams[-1].pos + new_streams[-1].packed_bytes <= target_bytes, "a stream reaches out of NEW")
    new_parts = new_streams + read_target_directories(geometry, old_parts, new_streams, head.target_directories, target_bytes,
                                                      head.entry_bytes)
    new_parts.sort(key=lambda part: part.pos)
    geometry.finish()
    views.source = view_of(source, old_parts, head) + kept
    require(len(views.source) == head.source_view,
            f"OLD's view has {len(views.source)} bytes, the patch says {head.source_view}")
    new_view_bytes = target_bytes + sum(part.raw_bytes - part.packed_bytes for part in new_parts)
    require(new_view_bytes == head.target_view, "NEW's view has another size")
    recipe = told[head.geometry_bytes:]
    sizes = [(stream.raw_bytes, stream.packed_bytes) for stream in new_streams]
    read = read_recipe if head.kind == DEFLATE else read_chunks
    return View(head.kind, target_bytes, new_parts, read(recipe, sizes))


def read_source_parts(geometry, source, head):
    """Streams and directories of OLD."""
    told = [read_numbers(geometry, [0] * FIELDS, FIELDS - 1) for _ in range(head.source_directories)]
    places, parts, end, streams_in_front = Places(len(source), head.entry_bytes), [], 0, 0
    for number in range(head.source_count + 1):
        while told and streams_in_front + told[0][0] == number:
            streams_in_front = number
            directory = places.place(told.pop(0), end)
            directory.text = tell(source, parts, directory)
            directory.raw_bytes = len(directory.text)
            parts.append(directory)
            end = directory.end
        if number < head.source_count:
            parts.append(read_source_stream(geometry, source, head, end))
            end = parts[-1].pos + parts[-1].packed_bytes
    require(not told, "a directory stands behind more streams than there are")
    return parts


def read_source_stream(geometry, source, head, end):
    pos = likely_place(source, end) + geometry.zigzag()
    require(end <= pos < len(source), "a stream of OLD begins where none can")
    text, packed_bytes = (inflate if head.kind == DEFLATE else join_chunks)(source, pos, head.largest)
    return Stream(pos, packed_bytes, len(text), text)


def read_kept_ranges(geometry, source, count):
    kept, end = bytearray(), 0
    for _ in range(count):
        pos = end + geometry.varint()
        end = pos + geometry.varint(least=1, name="bytes of a kept range")
        require(end <= len(source), "a kept range reaches out of OLD")
        kept += source[pos:end]
    return bytes(kept)


def inflate(source, pos, largest):
    """The text of the stream at `pos`, and its packed bytes."""
    decoder, text, at = zlib.decompressobj(wbits=-15), bytearray(), pos
    while not decoder.eof:
        require(at < len(source), f"a stream of OLD at {pos} has no end")
        try:
            text += decoder.decompress(source[at:at + INFLATED_AT_ONCE])
        except zlib.error as error:
            raise PatchError(f"a stream of OLD at {pos} is none: {error}") from error
        require(len(text) <= largest, f"a stream of OLD at {pos} has a larger text than the patch says")
        at = min(at + INFLATED_AT_ONCE, len(source))
    return bytes(text), at - len(decoder.unused_data) - pos


def read_target_streams(geometry, old, count):
    streams, number = [], -1
    end = 0
    gaps = [stream.pos - (old[i - 1].pos + old[i - 1].packed_bytes if i else 0) for i, stream in enumerate(old)]
    for _ in range(count):
        gap, like = 0, Stream(0, 0, 0)
        if old:
            number += 1 + geometry.zigzag()
            require(0 <= number < len(old), "a stream has a counterpart that is none")
            gap, like = gaps[number], old[number]
        gap += geometry.zigzag()
        packed_bytes = like.packed_bytes + geometry.zigzag()
        raw_bytes = like.raw_bytes + geometry.zigzag()
        require(gap >= 0 and 0 < packed_bytes <= MAX_PACKED and 0 <= raw_bytes <= MAX_RATIO * packed_bytes,
                "a stream of NEW of an impossible size")
        streams.append(Stream(end + gap, packed_bytes, raw_bytes))
        end += gap + packed_bytes
    return streams


def view_of(source, parts, head):
    view, end = bytearray(), 0
    file = without_fields(source, parts) if head.kind == DEFLATE else source
    for part in parts:
        view += file[end:part.pos] + part.text
        end = part.pos + part.packed_bytes
    return bytes(view + file[end:])
