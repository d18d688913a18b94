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
from zip_directory import read_place, rebuild, tell

MAX_STREAMS = 4194304
MAX_VIEWS = 4
DEFLATE, IMAGE_CHUNKS = range(2)  # kinds of streams
MAX_PACKED = 1 << 48
MAX_RATIO = 1032
INFLATED_AT_ONCE = 65536
HELD_FOR_STREAM = 256
HELD_FOR_DIRECTORY = 5  # for each byte
HELD_TO_REBUILD = 27262976


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
    target_streams: list
    recipe: list
    target_directory: object  # its place, or None
    told_bytes: int  # of the view, in the place of the directory

    def pack(self, view):
        """NEW from its view."""
        new, view_pos = bytearray(), 0
        for stream, description in zip(self.target_streams, self.recipe):
            between = stream.pos - len(new)
            new += view[view_pos:view_pos + between]
            view_pos += between
            stream.text = bytes(view[view_pos:view_pos + stream.raw_bytes])
            new += (rebuild_stream if self.kind == DEFLATE else rebuild_chunks)(stream.text, description)
            view_pos += stream.raw_bytes
        place = self.target_directory
        told = view_pos + (place.begin - len(new) if place else len(view) - view_pos)
        new += view[view_pos:told]
        if self.kind == DEFLATE:
            set_fields(new, self.target_streams, place)
        if place:
            new += rebuild(bytes(view[told:told + self.told_bytes]), bytes(new), self.target_streams, place)
            new += view[told + self.told_bytes:]
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
    source_directory: object
    target_directory: object
    geometry_bytes: int
    recipe_bytes: int


def read_head(fields, source_bytes, target_bytes):
    kind = fields.varint(most=IMAGE_CHUNKS, name="a kind of streams")
    sizes = [fields.varint() for _ in range(3)]
    source_count = fields.varint(most=MAX_STREAMS, name="streams of OLD")
    kept_count = fields.varint(most=MAX_STREAMS, name="kept ranges of OLD")
    target_count = fields.varint(most=MAX_STREAMS, name="streams of NEW")
    directories = [read_place(fields, size) for size in (source_bytes, target_bytes)]
    geometry_bytes = fields.varint(least=source_count + 2 * kept_count + target_count, name="bytes of geometry")
    return Head(kind, *sizes, source_count, kept_count, target_count, *directories, geometry_bytes, fields.varint())


def held_bytes(heads, source_bytes):
    held, unpacking = 0, 0
    for head in heads:
        largest_directory = max(place.size if place else 0 for place in (head.source_directory, head.target_directory))
        held += (head.geometry_bytes + head.recipe_bytes + most_held_bytes(head.recipe_bytes) + HELD_TO_REBUILD +
                 HELD_FOR_DIRECTORY * largest_directory + HELD_FOR_STREAM * (head.source_count + head.target_count))
        unpacking = max(unpacking, source_bytes + head.source_view + head.largest)
        source_bytes = head.source_view
    return held + unpacking


def read_views(records, header, source):
    """The record of views comes next. The sizes of the header become those of the last views."""
    fields = records.take(VIEW, "the record of views")
    heads, source_bytes, target_bytes = [], len(source), header.target_bytes
    for _ in range(fields.varint(least=1, most=MAX_VIEWS, name="views")):
        heads.append(read_head(fields, source_bytes, target_bytes))
        source_bytes, target_bytes = heads[-1].source_view, heads[-1].target_view
    held = held_bytes(heads, len(source))
    require(held <= header.decoder_memory, f"views take {held} bytes, the header says {header.decoder_memory}")
    told = read_whole_stream(fields, sum(head.geometry_bytes + head.recipe_bytes for head in heads), header.decoder_memory)
    fields.finish()
    header.decoder_memory -= held
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
    old_streams = read_source_streams(geometry, source, head)
    kept = read_kept_ranges(geometry, source, head.kept_count)
    new_streams = read_target_streams(geometry, old_streams, head.target_count)
    geometry.finish()
    require_behind(head.source_directory, old_streams, len(source))
    require_behind(head.target_directory, new_streams, target_bytes)
    views.source = view_of(source, old_streams, head) + kept
    require(len(views.source) == head.source_view,
            f"OLD's view has {len(views.source)} bytes, the patch says {head.source_view}")
    place = head.target_directory
    told_bytes = head.target_view - target_bytes - sum(stream.raw_bytes - stream.packed_bytes for stream in new_streams)
    if place:
        told_bytes += place.size
    require(0 <= told_bytes <= place.most_told() if place else told_bytes == 0, "NEW's view has another size")
    recipe = told[head.geometry_bytes:]
    sizes = [(stream.raw_bytes, stream.packed_bytes) for stream in new_streams]
    read = read_recipe if head.kind == DEFLATE else read_chunks
    return View(head.kind, target_bytes, new_streams, read(recipe, sizes), place, told_bytes)


def read_source_streams(geometry, source, head):
    streams, end = [], 0
    for _ in range(head.source_count):
        pos = likely_place(source, end) + geometry.zigzag()
        require(end <= pos < len(source), "a stream of OLD begins where none can")
        text, packed_bytes = (inflate if head.kind == DEFLATE else join_chunks)(source, pos, head.largest)
        streams.append(Stream(pos, packed_bytes, len(text), text))
        end = pos + packed_bytes
    return streams


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


def require_behind(directory, streams, file_bytes):
    """What views replace is inside of its file, the directory behind all streams."""
    end = streams[-1].pos + streams[-1].packed_bytes if streams else 0
    require(end <= (directory.begin if directory else file_bytes), "a stream reaches out of its file")


def view_of(source, streams, head):
    directory, view, end = head.source_directory, bytearray(), 0
    file = without_fields(source, streams, directory) if head.kind == DEFLATE else source
    for stream in streams:
        view += file[end:stream.pos] + stream.text
        end = stream.pos + stream.packed_bytes
    if directory:
        view += file[end:directory.begin] + tell(source, streams, directory)
        end = directory.end
    return bytes(view + file[end:])
