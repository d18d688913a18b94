"""Unwind tables of DWARF: .eh_frame_hdr and .eh_frame (sections 8.3 and 8.4)."""
from dataclasses import dataclass

from bytes_of_file import LebCursor
from encoded_pointers import OMITTED, add_encoded, encoded_address, width_of
from exception_tables import read_exception_tables
from fields import EXCEPTION_TABLE, UNWIND_ENTRY, UNWIND_HEADER, UNWIND_SIZE, UNWIND_START

def read_eh_frame_hdr(reader, p, size):
    """The address of .eh_frame, or 0."""
    file = reader.file
    own = reader.image.address_of(p)
    if size < 12 or not reader.has_bytes(p, 12) or file.u8(p) != 1 or own is None:
        return 0
    encoding = file.u8(p + 1)
    add_encoded(reader, p + 4, encoding, UNWIND_HEADER)
    if width_of(reader, encoding) == 4 and file.u8(p + 2) == 3 and file.u8(p + 3) == 0x3b:
        count = min(file.u32(p + 8), (min(size, file.size - p) - 12) // 8)
        for i in reader.steps(range(count)):
            reader.offset32(p + 12 + 8 * i, p, own, UNWIND_HEADER)
            reader.offset32(p + 16 + 8 * i, p, own, UNWIND_HEADER)
    return encoded_address(reader, p + 4, encoding)


@dataclass
class Cie:
    augmented: bool = False
    pointers: int = 0  # encoding
    tables: int = OMITTED  # encoding


def read_eh_frame(reader, start, size):
    if not reader.has_bytes(start, size):
        return
    file, end, p = reader.file, start + size, start
    cies, tables = {}, []
    while end - p >= 8 and reader.step():
        n = file.u32(p)
        if n == 0:
            p += 4
            continue
        if n == 0xffffffff or n < 4 or n > end - p - 4:
            break
        link = file.u32(p + 4)
        if link == 0:
            cie = read_cie(reader, p, n)
            if cie:
                cies[p] = cie
        elif p + 4 - link in cies:
            read_fde(reader, p, p + 4 + n, cies[p + 4 - link], tables)
        p += 4 + n
    read_exception_tables(reader, tables)


def read_cie(reader, p, n):
    """The entry, or None if it is not known."""
    cursor = LebCursor(reader.file, p + 8, p + 4 + n)
    version = cursor.u8()
    letters = bytearray()
    if version not in (1, 3):
        return None
    while (letter := cursor.u8()) != 0:
        letters.append(letter)
        if len(letters) > 8:
            return None
    cursor.uleb()
    cursor.sleb()
    cursor.u8() if version == 1 else cursor.uleb()
    if letters and letters[:1] != b"z":
        return None
    cie = Cie(augmented=bool(letters))
    if letters:
        cursor.uleb()
    for letter in letters[1:]:
        if letter == ord("R"):
            cie.pointers = cursor.u8()
        elif letter == ord("L"):
            cie.tables = cursor.u8()
        elif letter == ord("P"):
            encoding = cursor.u8()
            add_encoded(reader, cursor.pos, encoding, EXCEPTION_TABLE)
            cursor.skip(width_of(reader, encoding))
    return None if cursor.failed else cie


def read_fde(reader, p, end, cie, tables):
    w = width_of(reader, cie.pointers)
    if w == 0 or end - (p + 8) < 2 * w:
        return
    reader.back32(p + 4, UNWIND_ENTRY)
    add_encoded(reader, p + 8, cie.pointers, UNWIND_START)
    start = encoded_address(reader, p + 8, cie.pointers)
    if w == 4:
        reader.size32(p + 8 + w, start, UNWIND_SIZE)
    elif w == 8:
        reader.size64(p + 8 + w, start, UNWIND_SIZE)
    q, v = p + 8 + 2 * w, width_of(reader, cie.tables)
    if cie.augmented and v and 1 + v <= end - q and reader.file.u8(q) == v:
        add_encoded(reader, q + 1, cie.tables, EXCEPTION_TABLE)
        address = encoded_address(reader, q + 1, cie.tables)
        if address:
            tables.append(address)
