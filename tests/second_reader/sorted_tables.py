"""Tables that a linker sorts: found in OLD, and rebuilt with what NEW has of their entries (predictor 5)."""
import struct
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass

from bytes_of_file import MASK64, File, fits
from images import ARM32, ARM64, ELF, PE, X86_32, X86_64
from predict import REACH

RELOCATIONS, FUNCTIONS, UNWIND_INDEX, RELATIVE_RELOCATIONS = range(29, 33)  # kinds of table, bits of the set
TABLE_KINDS = 0b1111 << RELOCATIONS
DIRECTORIES = {RELOCATIONS: 5, FUNCTIONS: 3}
TYPE_DYNAMIC, TYPE_EH_FRAME_HDR = 2, 0x6474e550
RELATIVE_TYPE = {X86_64: 8, X86_32: 8, ARM64: 1027, ARM32: 23}
INDEX_HEAD = 12  # bytes of .eh_frame_hdr in front of its table
BLOCK_HEAD, PAGE = 8, 4096  # of base relocations


@dataclass
class SortedTable:
    kind: int
    image: int  # number in OLD
    pos: int
    size: int
    entries: list  # as they stand there: numbers from start to more; (RVA, type) of base relocations


@dataclass
class Listed:
    """An entry of OLD."""
    pos: int  # in OLD, of its start
    image: int  # number of the image that its table is of
    size: int  # of a function of x86-64
    more: int  # the type of a place
    leads: bool  # whether `more` is an address


def entry_format(kind, machine):
    """The set of kinds: the numbers of an entry from start to more. Those of an unwind index are signed."""
    if kind == FUNCTIONS:
        return "<3I" if machine == X86_64 else "<2I"
    if kind == UNWIND_INDEX:
        return "<2i"
    return "<3Q" if machine in (X86_64, ARM64) else "<2I"


# --- Sorted tables of OLD ---


def find_sorted_tables(data, images):
    file, tables = File(data), []
    for number, image in enumerate(images):
        image_end, end_before = image.pos + image.size, image.pos
        for pos, kind, size in candidates(file, image):
            if size == 0 or not fits(pos, size, min(image_end, file.size)) or pos < end_before:
                continue
            entries = read_places(file, pos, size) if kind == RELOCATIONS else read_entries(file, image, kind, pos, size)
            if entries:
                tables.append(SortedTable(kind, number, pos, size, entries))
                end_before = pos + size
    return tables


def candidates(file, image):
    """[(position, kind, bytes)], in the order in which they are taken."""
    found = []
    if image.format == PE:
        found.append(directory_candidate(image, RELOCATIONS, 4))
        if image.machine in (X86_64, ARM64):
            found.append(directory_candidate(image, FUNCTIONS, struct.calcsize(entry_format(FUNCTIONS, image.machine))))
    if image.format == ELF:
        found.append(index_candidate(file, image))
        if image.machine in RELATIVE_TYPE:
            found.append(relocations_candidate(file, image))
    return sorted(candidate for candidate in found if candidate)


def directory_candidate(image, kind, unit):
    rva, size = image.about["directories"][DIRECTORIES[kind]]
    pos = image.file_pos(image.base + rva) if rva else None
    return None if pos is None else (pos, kind, size - size % unit)


def first_segment(image, type_):
    return next((segment for segment in image.about["segments"] if segment.type == type_), None)


def index_candidate(file, image):
    segment = first_segment(image, TYPE_EH_FRAME_HDR)
    if segment is None or segment.size < INDEX_HEAD:
        return None
    h = segment.pos
    size = 8 * file.u32(h + 8)
    if (file.u8(h), file.u8(h + 2), file.u8(h + 3)) != (1, 3, 0x3b) or size > segment.size - INDEX_HEAD:
        return None
    return h + INDEX_HEAD, UNWIND_INDEX, size


def relocations_candidate(file, image):
    table_tag, size_tag = (7, 8) if image.wide else (17, 18)
    values = dynamic_values(file, image)
    pos = image.file_pos(values.get(table_tag, 0))  # address 0 may have one, too
    if pos is None:
        return None
    entry_bytes = struct.calcsize(entry_format(RELATIVE_RELOCATIONS, image.machine))
    room, size = min(values.get(size_tag, 0), image.pos + image.size - pos), 0
    while size + entry_bytes <= room and file.number(pos + size + image.word_bytes, image.word_bytes) == (
            RELATIVE_TYPE[image.machine]):
        size += entry_bytes
    return pos, RELATIVE_RELOCATIONS, size


def dynamic_values(file, image):
    """tag -> the value that stands last for it"""
    segment, w, values = first_segment(image, TYPE_DYNAMIC), image.word_bytes, {}
    for i in range(segment.size // (2 * w) if segment else 0):
        tag, value = (file.number(segment.pos + (2 * i + part) * w, w) for part in (0, 1))
        if tag == 0:
            break
        values[tag] = value
    return values


def read_entries(file, image, kind, pos, size):
    """None if they are not in order."""
    entries = list(struct.iter_unpack(entry_format(kind, image.machine), file.data[pos:pos + size]))
    ordered = all(before[0] < entry[0] for before, entry in zip(entries, entries[1:]))
    return entries if ordered else None


def read_places(file, pos, size):
    """[(RVA, type)] of blocks of base relocations, or None if they are not in order."""
    places, b, end, page = [], pos, pos + size, -PAGE
    while end - b > BLOCK_HEAD:
        page_before, page, n = page, file.u32(b), file.u32(b + 4)
        if n == 0:
            break
        if page % PAGE or page < page_before + PAGE or n <= BLOCK_HEAD or n % 4 or n > end - b:
            return None
        numbers = [x for x, in struct.iter_unpack("<H", file.data[b + BLOCK_HEAD:b + n])]
        if numbers[-1] == 0:
            numbers.pop()
        of_block = [(page + x % PAGE, x >> 12) for x in numbers]
        if any(type_ == 0 for _, type_ in of_block) or of_block != sorted(of_block):
            return None
        places += of_block
        b += n
    return places if places and not any(file.data[b:end]) else None


# --- Rebuilding ---


class Rebuilder:
    """Makes what NEW has in place of sorted tables. `predictor` has covers, labels and images."""

    def __init__(self, predictor, tables):
        self.predictor = predictor
        self.map = predictor.map
        self.tables = [table for table in tables if table.kind != UNWIND_INDEX or self.head_address(table) is not None]
        self.listed = {kind: [] for kind in range(RELOCATIONS, RELATIVE_RELOCATIONS + 1)}
        for table in self.tables:
            self.listed[table.kind] += self.entries_of(table)
        for entries in self.listed.values():
            entries.sort(key=lambda entry: entry.pos)  # places of one address stay in the order of their table

    def rebuilt(self):
        """[(position in OLD, bytes)]"""
        pairs = [(table, self.image_of_new(table)) for table in self.tables]
        return [(table.pos, self.rebuild(table, image)) for table, image in pairs if image]

    def image_of_old(self, number):
        return self.predictor.old_images[number]

    def head_address(self, table):
        """H of an unwind index"""
        return self.image_of_old(table.image).address_of(table.pos - INDEX_HEAD)

    def entries_of(self, table):
        """Where entries are in OLD"""
        image = self.image_of_old(table.image)
        origin = {UNWIND_INDEX: self.head_address(table), RELATIVE_RELOCATIONS: 0}.get(table.kind, image.base)
        for entry in table.entries:
            pos, more = image.file_pos(origin + entry[0]), entry[-1]
            if pos is not None:
                leads = more_leads(table.kind, image.machine, more)
                size = entry[1] - entry[0] & 0xffffffff if has_end(table.kind, image.machine) else 0
                yield Listed(pos, table.image, size, origin + more & MASK64 if leads else more, leads)

    def lead(self, address, i, new_image):
        """The address in an image of NEW that one of image i of OLD leads to, or None."""
        if address in self.predictor.labels[i]:
            return self.predictor.labels[i][address]
        q = self.image_of_old(i).file_pos(address)
        o = None if q is None else self.map.owner_before(q)
        if o is None or q - self.map.covers[o][0] >= self.map.covers[o][2] + REACH:
            return None
        return new_image.address_of(self.map.moved(o, q))

    def image_of_new(self, table):
        """The one that most entries are in, if the table is rebuilt at all."""
        image, votes = self.image_of_old(table.image), Counter()
        for entry in self.listed[table.kind]:
            o = self.map.owner_before(entry.pos) if image.pos <= entry.pos < image.pos + image.size else None
            j = None if o is None else self.predictor.number_of_new_image(self.map.moved(o, entry.pos))
            if j is not None:
                votes[j] += 1
        if not votes:
            return None
        new_image = self.predictor.new_images[min(votes, key=lambda j: (-votes[j], j))]
        return new_image if new_image.machine == image.machine else None

    def rebuild(self, table, image):
        if table.kind == RELOCATIONS:
            places = self.new_entries(table, image, table.size // 2)
            return write_places(sorted(set(places)), table.size)
        entry_bytes = struct.calcsize(entry_format(table.kind, image.machine))
        kept = {}  # by start
        for entry in sorted(self.new_entries(table, image, table.size // entry_bytes)):
            kept.setdefault(entry[0], entry)
        origin = {FUNCTIONS: image.base, RELATIVE_RELOCATIONS: 0}.get(table.kind)
        if table.kind == UNWIND_INDEX:
            head = self.head_address(table)
            led = self.lead(head, table.image, image)
            origin = head if led is None else led
        data = b"".join(write_entry(table.kind, image.machine, origin, entry) for entry in kept.values())
        return data.ljust(table.size, b"\0")

    def new_entries(self, table, image, room):
        """What covers bring into an image of NEW: (RVA, type) of places, else (start, end, more, leads)."""
        made, listed = [], self.listed[table.kind]
        positions = [entry.pos for entry in listed]
        for c, (source, target, length) in enumerate(self.map.covers):
            u = source + max(0, image.pos - target)
            v = source + min(length, image.pos + image.size - target)
            for number in range(bisect_left(positions, u), bisect_left(positions, v)):
                if len(made) == room:
                    return made
                entry = listed[number]
                start = image.address_of(self.map.moved(c, entry.pos))
                if start is None:
                    continue
                if table.kind == RELOCATIONS:
                    rva = start - image.base & MASK64
                    made += [(rva, entry.more)] if rva < 1 << 32 else []
                elif self.image_of_old(entry.image).machine == image.machine:
                    made.append((start, self.new_end(entry, start, c, image), self.new_more(entry, image), entry.leads))
        return made

    def new_end(self, entry, start, c, image):
        source, _, length = self.map.covers[c]
        end = entry.pos + entry.size
        if end > source + length:  # its last byte may have gone elsewhere
            last = self.image_of_old(entry.image).address_of(end - 1)
            led = None if last is None else self.lead(last, entry.image, image)
            if led is not None and led >= start:
                return led + 1 & MASK64
        return start + entry.size & MASK64

    def new_more(self, entry, image):
        led = self.lead(entry.more, entry.image, image) if entry.leads else None
        return entry.more if led is None else led


def has_end(kind, machine):
    return kind == FUNCTIONS and machine == X86_64


def more_leads(kind, machine, more):
    """Whether the last number of an entry stands for an address."""
    if kind == FUNCTIONS:
        return machine == X86_64 or more % 4 == 0
    return kind == UNWIND_INDEX or kind == RELATIVE_RELOCATIONS and machine in (X86_64, ARM64)


def write_entry(kind, machine, origin, entry):
    start, end, more, leads = entry
    numbers = [start - origin, end - origin, more - origin if leads else more]
    if kind == RELATIVE_RELOCATIONS:
        numbers[1] = RELATIVE_TYPE[machine]
    format_ = entry_format(kind, machine).upper()
    mask = MASK64 if format_[2] == "Q" else 0xffffffff
    return struct.pack(format_, *(number & mask for number in (numbers if format_[1] == "3" else numbers[::2])))


def write_places(places, size):
    """Blocks of places in ascending order, as many as there is room for."""
    table, b, number = bytearray(size), 0, 0
    while number < len(places) and size - b >= BLOCK_HEAD + 4:
        page, numbers = places[number][0] // PAGE * PAGE, []
        while number < len(places) and places[number][0] // PAGE * PAGE == page and (
                len(numbers) < (size - b - BLOCK_HEAD) // 2):
            rva, type_ = places[number]
            numbers.append(type_ * PAGE + rva % PAGE)
            number += 1
        numbers += [0] * (len(numbers) % 2)
        block = struct.pack(f"<II{len(numbers)}H", page, BLOCK_HEAD + 2 * len(numbers), *numbers)
        table[b:b + len(block)] = block
        b += len(block)
    return bytes(table)
