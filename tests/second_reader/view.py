"""Views of OLD and NEW, whose deflate streams stand there as what they decompress to (FORMAT.md, View)."""
import zlib
from dataclasses import dataclass

from cursor import Cursor, PatchError, require
from deflate_rebuild import rebuild_stream
from deflate_recipe import most_held_bytes, read_recipe
from records import VIEW
from streams import read_whole_stream
from view_fields import likely_place, set_fields, without_fields
from zip_directory import read_place, rebuild, tell

MAX_STREAMS = 4194304
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
class Views:
    source: bytes  # OLD's view
    target_bytes: int  # of NEW's view
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
            new += rebuild_stream(stream.text, description)
            view_pos += stream.raw_bytes
        place = self.target_directory
        told = view_pos + (place.begin - len(new) if place else len(view) - view_pos)
        new += view[view_pos:told]
        set_fields(new, self.target_streams, place)
        if place:
            new += rebuild(bytes(view[told:told + self.told_bytes]), bytes(new), self.target_streams, place)
            new += view[told + self.told_bytes:]
        return new


def read_views(records, header, source):
    """The record of views comes next. The sizes of the header become those of views."""
    fields = records.take(VIEW, "the record of views")
    source_view, target_view, largest = fields.varint(), fields.varint(), fields.varint()
    source_count = fields.varint(most=MAX_STREAMS, name="streams of OLD")
    target_count = fields.varint(most=MAX_STREAMS, name="streams of NEW")
    source_directory, target_directory = (read_place(fields, size) for size in (len(source), header.target_bytes))
    largest_directory = max(place.size if place else 0 for place in (source_directory, target_directory))
    geometry_bytes = fields.varint(least=source_count + target_count, name="bytes of geometry")
    recipe_bytes = fields.varint()
    held = (len(source) + source_view + largest + geometry_bytes + recipe_bytes + most_held_bytes(recipe_bytes) +
            HELD_FOR_DIRECTORY * largest_directory + HELD_FOR_STREAM * (source_count + target_count) + HELD_TO_REBUILD)
    require(held <= header.decoder_memory, f"views take {held} bytes, the header says {header.decoder_memory}")
    told = read_whole_stream(fields, geometry_bytes + recipe_bytes, header.decoder_memory)
    fields.finish()
    header.decoder_memory -= held
    geometry = Cursor(told, 0, geometry_bytes, "the geometry of views")
    old_streams = read_source_streams(geometry, source, source_count, largest)
    new_streams = read_target_streams(geometry, old_streams, target_count)
    geometry.finish()
    require_behind(source_directory, old_streams, len(source))
    require_behind(target_directory, new_streams, header.target_bytes)
    view = view_of(source, old_streams, source_directory)
    require(len(view) == source_view, f"OLD's view has {len(view)} bytes, the patch says {source_view}")
    told_bytes = target_view - header.target_bytes - sum(stream.raw_bytes - stream.packed_bytes for stream in new_streams)
    if target_directory:
        told_bytes += target_directory.size
    require(0 <= told_bytes <= target_directory.most_told() if target_directory else told_bytes == 0,
            "NEW's view has another size")
    recipe = read_recipe(told[geometry_bytes:], [(stream.raw_bytes, stream.packed_bytes) for stream in new_streams])
    views = Views(view, target_view, new_streams, recipe, target_directory, told_bytes)
    header.source_bytes, header.target_bytes = source_view, target_view
    return views


def read_source_streams(geometry, source, count, largest):
    streams, end = [], 0
    for _ in range(count):
        pos = likely_place(source, end) + geometry.zigzag()
        require(end <= pos < len(source), "a stream of OLD begins where none can")
        text, packed_bytes = inflate(source, pos, largest)
        streams.append(Stream(pos, packed_bytes, len(text), text))
        end = pos + packed_bytes
    return streams


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


def view_of(source, streams, directory):
    file, view, end = without_fields(source, streams, directory), bytearray(), 0
    for stream in streams:
        view += file[end:stream.pos] + stream.text
        end = stream.pos + stream.packed_bytes
    if directory:
        view += file[end:directory.begin] + tell(source, streams, directory)
        end = directory.end
    return bytes(view + file[end:])
