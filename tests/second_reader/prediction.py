"""What a patch with prediction has in front of its groups: the global record, and the groups of covers."""
import struct

from cursor import MIB, Cursor, require
from fields import KNOWN_KINDS
from group import read_group_head
from image_table import Table
from images import BYTES_PER_IMAGE, MAX_ALL_SECTIONS
from labels import read_labels
from mixed_pages import read_page_breaks
from old_fields import find_fields
from predict import OwnerMap, Predictor
from rebuilt_tables import Rebuilder
from records import COVERS, GLOBAL
from scan import parse_at
from sorted_tables import MIXED_PAGES, RELOCATIONS, STARTS, TABLE_KINDS, entry_format, find_sorted_tables
from streams import Frames, read_whole_stream
from windows import Given, GroupNumbers

PREDICTOR = 1
MAX_TABLE_BYTES = 256 * MIB
BYTES_PER_COVER, BYTES_PER_STRETCH, BYTES_PER_LABEL = 24, 16, 28
LISTS_PER_TABLE_BYTE = {RELOCATIONS: 8, STARTS: 16, MIXED_PAGES: 14}


def read_prediction(records, header, source):
    """The global record and the groups of covers come next."""
    cursor = records.take(GLOBAL, "the global record")
    predictor = cursor.varint()
    require(predictor == PREDICTOR, f"predictor {predictor} is not known")
    kinds = cursor.varint()
    require(kinds & ~(KNOWN_KINDS | TABLE_KINDS) == 0, f"kinds {kinds:#x} are not all known")
    image_bytes = cursor.varint(most=MAX_TABLE_BYTES, name="bytes of the table of images")
    label_bytes = cursor.varint(most=MAX_TABLE_BYTES, name="bytes of the labels")
    tables, codec_bytes = read_whole_stream(cursor, image_bytes + label_bytes, header.memory)
    cursor.finish()
    header.memory.hold(len(tables) + codec_bytes, "the tables of prediction")
    covers = read_covers(records, header, source)

    in_front = Cursor(tables[:image_bytes], what="what the table of images begins with")
    old_images = images_at_extents(source, in_front)
    page_breaks = read_page_breaks(in_front) if kinds >> MIXED_PAGES & 1 else {}
    new_images = Table(tables[in_front.pos:image_bytes], old_images, header.target_bytes).read()
    labels = read_labels(tables[image_bytes:], len(old_images))
    fields = find_fields(source, old_images)
    prediction = Predictor(source, kinds, old_images, new_images, labels, covers, fields)
    sorted_tables = [table for table in find_sorted_tables(source, old_images) if kinds >> table.kind & 1]
    header.memory.hold(BYTES_PER_LABEL * sum(len(each) for each in labels), "labels")
    header.memory.hold(BYTES_PER_IMAGE * (len(old_images) + len(new_images)), "images")
    header.memory.hold(memory_of_covers(covers), "covers")
    header.memory.hold(memory_of_tables(sorted_tables, old_images), "sorted tables")
    prediction.rebuilt = Rebuilder(prediction, sorted_tables, page_breaks).rebuilt()
    return prediction


def images_at_extents(source, cursor):
    """The images of OLD that the patch is about; the cursor comes to stand behind their extents (section 4.1)."""
    images, end = [], 0
    for _ in range(cursor.varint(most=MAX_ALL_SECTIONS, name="images of OLD")):
        pos = end + cursor.varint()
        form = cursor.varint()
        end = pos + (form >> 2)
        require(pos < end <= len(source), "an extent of an image is empty or reaches out of OLD")
        image = parse_at(source[:end], pos, form & 3)
        require(image and image.size == end - pos, f"OLD has no image of {end - pos} bytes at {pos}")
        images.append(image)
    require(sum(len(image.sections) for image in images) <= MAX_ALL_SECTIONS, "the images of OLD have too many sections")
    return images


def memory_of_covers(covers):
    """Section 18.2, as the next one."""
    owner_map = OwnerMap(covers)
    owners = dict(zip(owner_map.starts, owner_map.owners))
    ends = dict(zip(owner_map.ends, owner_map.owners))
    border_count = sum(owners.get(pos) != ends.get(pos) for pos in owners.keys() | ends.keys() if pos > 0)
    return BYTES_PER_COVER * len(covers) + BYTES_PER_STRETCH * (border_count + 1)


def memory_of_tables(tables, images):
    beside = {}
    for table in tables:
        if table.kind in LISTS_PER_TABLE_BYTE:
            of_lists = LISTS_PER_TABLE_BYTE[table.kind] * table.size
        else:
            of_lists = 56 * (table.size // struct.calcsize(entry_format(table.kind, images[table.image].machine)))
        beside[table.kind] = beside.get(table.kind, 0) + max(of_lists - table.size, 0)
    return sum(table.size for table in tables) + max(beside.values(), default=0)


def read_covers(records, header, source):
    """[(source, target, length)], ascending in the target. Copies that go on where one ended make it longer."""
    covers, target_bytes = [], 0
    while target_bytes < header.target_bytes:
        group, body = read_group_head(records, COVERS, header)
        for source_pos, target_pos, length in copies_of(group, body, target_bytes):
            require(0 <= source_pos and source_pos + length <= len(source), "a cover reaches out of OLD")
            before = covers[-1] if covers else (0, 0, 0)
            if (before[0] + before[2], before[1] + before[2]) == (source_pos, target_pos) and covers:
                covers[-1] = (before[0], before[1], before[2] + length)
            else:
                covers.append((source_pos, target_pos, length))
                require(len(covers) <= header.memory.left_bytes // BYTES_PER_COVER, "too many covers")
        target_bytes += group.target_bytes
    require(target_bytes == header.target_bytes, "the groups of covers reach out of NEW")
    return covers


def copies_of(group, body, target_pos):
    frames = Frames(body, group.codecs)
    numbers = GroupNumbers(group, frames.code_byte)
    group_start, diagonal = target_pos, 0
    for window in group.windows:
        given = Given(group, frames.take(window.sizes))
        numbers.begin_window()
        at = target_pos
        for literals, length, diagonal in numbers.copies(window, given, diagonal, target_pos - group_start):
            at += literals
            yield at + diagonal, at, length
            at += length
        given.finish()
        target_pos += window.target_bytes
    require(target_pos - group_start == group.target_bytes, "a group of covers has another size")
    numbers.finish()
    frames.finish()
