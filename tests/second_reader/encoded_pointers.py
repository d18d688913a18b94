"""Pointers as unwind tables encode them (section 8.3)."""
from bytes_of_file import MASK64, sext

OMITTED = 0xff
FROM_SELF = 0x10
WIDTHS = {2: 2, 10: 2, 3: 4, 11: 4, 4: 8, 12: 8}


def width_of(reader, encoding):
    if encoding == OMITTED:
        return 0
    low = encoding & 15
    return reader.image.word_bytes if low == 0 else WIDTHS.get(low, 0)


def add_encoded(reader, pos, encoding, kind):
    shape = (width_of(reader, encoding), encoding & 0x70)
    if shape == (4, FROM_SELF):
        reader.self32(pos, kind)
    elif shape == (4, 0):
        reader.abs32(pos, kind)
    elif shape == (8, 0):
        reader.abs64(pos, kind)
    elif shape == (8, FROM_SELF):
        reader.self64(pos, kind)


def encoded_address(reader, pos, encoding):
    width, origin = width_of(reader, encoding), encoding & 0x70
    if width not in (4, 8):
        return 0
    number = reader.file.number(pos, width)
    if origin == 0:
        return number
    own = reader.image.address_of(pos)
    if origin != FROM_SELF or number == 0 or own is None:
        return 0
    return (own + sext(number, 8 * width)) & MASK64
