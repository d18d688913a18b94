"""Exception tables (LSDA), which unwind tables lead to (section 8.5)."""
from bytes_of_file import LebCursor
from encoded_pointers import OMITTED, add_encoded, width_of
from fields import EXCEPTION_TABLE

MAX_CHAIN = 64


def read_exception_tables(reader, addresses):
    done = 0
    for address in sorted(addresses):
        section = reader.image.section_of(address)
        p = section.file_pos(address) if section else None
        if p is None or p < done or not reader.step():
            continue
        end = read_exception_table(reader, p, section.pos + section.size)
        done = end if end is not None else done


def read_exception_table(reader, p, section_end):
    """Where the table ends; None if there is none."""
    file = reader.file
    cursor = LebCursor(file, p, section_end)
    start_encoding = cursor.u8()
    if start_encoding != OMITTED:
        width = width_of(reader, start_encoding)
        if width == 0:
            return None
        cursor.skip(width)
    type_encoding = cursor.u8()
    if type_encoding == OMITTED:
        return None
    types_end = cursor.uleb()
    types_end += cursor.pos
    if types_end > section_end:
        return None
    site_encoding = cursor.u8()
    site_width = width_of(reader, site_encoding)
    if site_encoding != 1 and site_width == 0:
        return None
    site_bytes = cursor.uleb()
    sites = cursor.pos
    cursor.skip(site_bytes)
    actions = cursor.pos
    if cursor.failed or types_end < actions:
        return None
    largest = largest_type(reader, sites, actions, types_end, site_width)
    if largest > types_end - actions:
        return None
    width = width_of(reader, type_encoding)
    if width and largest * width <= types_end - p:
        for i in reader.steps(range(largest, 0, -1)):
            add_encoded(reader, types_end - i * width, type_encoding, EXCEPTION_TABLE)
    return types_end


def largest_type(reader, sites, actions, actions_end, site_width):
    """The largest number of a type that the call sites' chains of actions name."""
    largest = last = 0
    cursor = LebCursor(reader.file, sites, actions)
    while not cursor.at_end() and not cursor.failed and reader.step():
        for _ in range(3):
            cursor.number(site_width) if site_width else cursor.uleb()
        action = cursor.uleb()
        if cursor.failed:
            break
        if action not in (0, last):
            largest = max(largest, largest_in_chain(reader, action - 1, actions, actions_end))
            last = action
    return largest


def largest_in_chain(reader, offset, actions, actions_end):
    largest = 0
    for _ in range(MAX_CHAIN):
        if not 0 <= offset < actions_end - actions:
            break
        cursor = LebCursor(reader.file, actions + offset, actions_end)
        filter_number = signed(cursor.sleb())
        link_pos = cursor.pos
        link = signed(cursor.sleb())
        if cursor.failed:
            break
        largest = max(largest, filter_number)
        if link == 0:
            break
        offset = link_pos - actions + link
    return largest


def signed(number):
    return number - (1 << 64) if number >> 63 else number
