"""Sorted tables rebuilt with the entries that NEW has (section 16)."""
import struct
from bisect import bisect_left
from collections import Counter
from dataclasses import dataclass

from bytes_of_file import MASK64
from images import ARM64, X86_64
from mixed_pages import write_mixed_pages
from predict import REACH
from sorted_tables import (ALL_KINDS, BLOCK_HEAD, FUNCTIONS, MIXED_PAGES, PAGE, RELATIVE_RELOCATIONS,
                           RELATIVE_TYPE, RELOCATIONS, SITE_KINDS, STARTS, UNWIND_INDEX, UNWIND_PAGE, UNWIND_PAGE_ENTRIES,
                           UNWIND_PAGE_HEAD, UNWIND_PAGES, entry_format)

ENCODED_KINDS = (UNWIND_PAGES, MIXED_PAGES)  # `more` is an encoding there
FRAME_MODE = {ARM64: 0x03000000, X86_64: 0x04000000}


@dataclass
class Listed:
    """An entry of OLD."""
    pos: int  # in OLD, of its start
    image: int  # number of the image that its table is of
    size: int  # of a function of x86-64
    more: int  # the type of a site
    leads: bool  # whether `more` is an address
    flags: int  # the high bits of an encoding of unwind pages that leads


class Rebuilder:
    """Of the tables given, which are all of OLD whose kinds are in the set. `predictor` has covers, labels and images,
    `page_breaks` of some images of NEW where their mixed unwind pages begin."""

    def __init__(self, predictor, tables, page_breaks):
        self.predictor = predictor
        self.page_breaks = page_breaks
        self.map = predictor.map
        self.tables = [table for table in tables if table.base_pos is None or self.head_address(table) is not None]
        self.listed = {kind: [] for kind in ALL_KINDS}
        for table in self.tables:
            self.listed[table.kind] += self.entries_of(table)
        for entries in self.listed.values():
            entries.sort(key=lambda entry: entry.pos)  # sites of one address stay in the order of their table

    def rebuilt(self):
        """[(position in OLD, bytes)]"""
        made = {}  # by kind and image of NEW: only the first table of those that became one
        for table in self.tables:
            j = self.image_of_new(table)
            if j is not None:
                made.setdefault((table.kind, j), table)
        return [(table.pos, self.rebuild(table, j)) for (_, j), table in made.items()]

    def image_of_old(self, number):
        return self.predictor.old_images[number]

    def head_address(self, table):
        """H of an unwind index, F of unwind pages"""
        return self.image_of_old(table.image).address_of(table.base_pos)

    def entries_of(self, table):
        """Those that have a position, with their numbers led back to addresses."""
        image = self.image_of_old(table.image)
        head = None if table.base_pos is None else self.head_address(table)
        origin = {UNWIND_INDEX: head, RELATIVE_RELOCATIONS: 0}.get(table.kind, image.base)
        for entry in table.entries:
            pos, more, flags = image.file_pos(origin + entry[0]), entry[-1], 0
            if pos is not None:
                leads = more_leads(table.kind, image.machine, more)
                size = entry[1] - entry[0] & 0xffffffff if has_end(table.kind, image.machine) else 0
                if table.kind in ENCODED_KINDS and leads:
                    more, flags = address_of_encoding(head, more), more >> 24
                elif leads:
                    more = origin + more & MASK64
                yield Listed(pos, table.image, size, more, leads, flags)

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
        """The number of the one that most entries are in, if the table is rebuilt at all."""
        image, votes = self.image_of_old(table.image), Counter()
        for entry in self.listed[table.kind]:
            if not image.pos <= entry.pos < image.pos + image.size:
                continue
            o = self.map.owner_before(entry.pos)
            j = None if o is None else self.predictor.number_of_new_image(self.map.moved(o, entry.pos))
            if j is not None:
                votes[j] += 1
        if not votes:
            return None
        j = min(votes, key=lambda j: (-votes[j], j))
        return j if self.predictor.new_images[j].machine == image.machine else None

    def rebuild(self, table, j):
        image = self.predictor.new_images[j]
        if table.kind == RELOCATIONS:
            sites = self.new_entries(table, image, table.size // 2)
            return write_base_relocations(sorted(set(sites)), table.size)
        if table.kind == STARTS:
            return write_starts(sorted({rva for rva, _ in self.new_entries(table, image, table.size)}), table.size)
        kept = {}  # by start
        room = table.size // 4 if table.kind == MIXED_PAGES else len(table.entries)
        for entry in sorted(self.new_entries(table, image, room)):
            kept.setdefault(entry[0], entry)
        origin = self.new_origin(table, image)
        if table.kind in ENCODED_KINDS:
            entries = [(start - image.base & MASK64, encode(origin, *rest)) for start, _, *rest in kept.values()]
            if table.kind == UNWIND_PAGES:
                return write_pages(entries, table.size)
            entries = [entry for entry in entries if entry[0] < 1 << 32]
            return write_mixed_pages(entries, self.page_breaks.get(j, []), self.new_common(table, image), table.size)
        data = b"".join(write_entry(table.kind, image.machine, origin, entry) for entry in kept.values())
        return data.ljust(table.size, b"\0")

    def new_origin(self, table, image):
        """The address B that the numbers of a table count from in NEW."""
        if table.base_pos is None:
            return image.base if table.kind == FUNCTIONS else 0
        head = self.head_address(table)
        led = self.lead(head, table.image, image)
        return head if led is None else led

    def new_common(self, table, image):
        """The common encodings of mixed unwind pages, as entries of NEW have them."""
        old_image, head, origin = self.image_of_old(table.image), self.head_address(table), self.new_origin(table, image)
        common = []
        for encoding in table.common:
            if more_leads(table.kind, old_image.machine, encoding):
                address = address_of_encoding(head, encoding)
                led = self.lead(address, table.image, image)
                encoding = encode(origin, address if led is None else led, True, encoding >> 24)
            common.append(encoding)
        return common

    def new_entries(self, table, image, room):
        """What covers bring into an image of NEW, as it sorts: (RVA, type) of sites, else (start, end, more, leads, flags)."""
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
                if table.kind in SITE_KINDS:
                    rva = start - image.base & MASK64
                    made += [(rva, entry.more)] if rva < 1 << 32 else []
                elif self.image_of_old(entry.image).machine == image.machine:
                    made.append((start, self.new_end(entry, start, c, image), self.new_more(entry, image), entry.leads,
                                 entry.flags))
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


def address_of_encoding(head, encoding):
    return head + encoding % (1 << 24) & MASK64


def encode(origin, more, leads, flags):
    return flags << 24 | (more - origin) % (1 << 24) if leads else more


def has_end(kind, machine):
    return kind == FUNCTIONS and machine == X86_64


def more_leads(kind, machine, more):
    """Whether the last number of an entry stands for an address."""
    if kind == FUNCTIONS:
        return machine == X86_64 or more % 4 == 0
    if kind in ENCODED_KINDS:
        return more & 0x0f000000 == FRAME_MODE[machine]
    return kind == UNWIND_INDEX or kind == RELATIVE_RELOCATIONS and machine in (X86_64, ARM64)


def write_entry(kind, machine, origin, entry):
    start, end, more, leads, _ = entry
    numbers = [start - origin, end - origin, more - origin if leads else more]
    if kind == RELATIVE_RELOCATIONS:
        numbers[1] = RELATIVE_TYPE[machine]
    format_ = entry_format(kind, machine).upper()
    mask = MASK64 if format_[2] == "Q" else 0xffffffff
    return struct.pack(format_, *(number & mask for number in (numbers if format_[1] == "3" else numbers[::2])))


def write_starts(rvas, size):
    table, before = b"", 0
    for rva in rvas:
        step, coded = rva - before, b""
        while step >= 0x80:
            coded, step = coded + bytes([step & 0x7f | 0x80]), step >> 7
        coded += bytes([step])
        if rva and len(table) + len(coded) > size:
            break
        table, before = table + (coded if rva else b""), rva
    return table.ljust(size, b"\0")


def write_pages(entries, size):
    table = b""
    for _ in range(0, size, UNWIND_PAGE):
        page, entries = entries[:UNWIND_PAGE_ENTRIES], entries[UNWIND_PAGE_ENTRIES:]
        table += struct.pack("<IHH", 2, UNWIND_PAGE_HEAD, len(page))
        table += b"".join(struct.pack("<2I", *(number & 0xffffffff for number in entry)) for entry in page)
        table = table.ljust(-len(table) // UNWIND_PAGE * -UNWIND_PAGE, b"\0")
    return table[:size]


def write_base_relocations(sites, size):
    """Blocks of sites in ascending order, as many as there is room for."""
    table, b, number = bytearray(size), 0, 0
    while number < len(sites) and size - b >= BLOCK_HEAD + 4:
        page, numbers = sites[number][0] // PAGE * PAGE, []
        while number < len(sites) and sites[number][0] // PAGE * PAGE == page and (
                len(numbers) < (size - b - BLOCK_HEAD) // 2):
            rva, type_ = sites[number]
            numbers.append(type_ * PAGE + rva % PAGE)
            number += 1
        numbers += [0] * (len(numbers) % 2)
        block = struct.pack(f"<II{len(numbers)}H", page, BLOCK_HEAD + 2 * len(numbers), *numbers)
        table[b:b + len(block)] = block
        b += len(block)
    return bytes(table)
