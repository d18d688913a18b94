"""Where fields of OLD lead to in NEW, given the covers, the images of NEW and the labels (sections 13, 14
and 17). What copies take of sorted tables is given."""
import heapq
from bisect import bisect_left, bisect_right

from bytes_of_file import MASK64
from fields import (BRANCH, FILE_FORMS, FILE_SPACE, JUMP, OFFSET24, OFFSET32, SHORT_BRANCH, WITH_BASE_BYTE,
                    write_address)

NEIGHBOURS = 8
REACH = 4096  # bytes behind a cover that still go where it goes


class OwnerMap:
    """Where bytes of OLD went. Covers are (source, target, length), ascending in the target."""

    def __init__(self, covers):
        self.covers = covers
        self.starts, self.owners, self.ends = [], [], []  # stretches of OLD with one owner each, ascending
        self._settle_owners()

    def _settle_owners(self):
        order = sorted(range(len(self.covers)), key=lambda c: self.covers[c][0])
        borders = sorted({end for source, _, length in self.covers for end in (source, source + length)})
        waiting, next_cover = [], 0  # a heap: the longest cover first, of equals the lowest number
        for begin, end in zip(borders, borders[1:]):
            while next_cover < len(order) and self.covers[order[next_cover]][0] <= begin:
                c = order[next_cover]
                heapq.heappush(waiting, (-self.covers[c][2], c))
                next_cover += 1
            while waiting and not self.holds(waiting[0][1], begin):
                heapq.heappop(waiting)
            if waiting:
                self.starts.append(begin)
                self.ends.append(end)
                self.owners.append(waiting[0][1])

    def holds(self, c, p):
        source, _, length = self.covers[c]
        return source <= p < source + length

    def moved(self, c, p):
        source, target, _ = self.covers[c]
        return p - source + target & MASK64

    def owner_before(self, p):
        """The owner of p or of the nearest byte before it that has one; None if there is none."""
        number = bisect_right(self.starts, p) - 1
        return self.owners[number] if number >= 0 else None

    def cover_for(self, p, c, kind):
        """The cover by which what cover `c` refers to at p has moved."""
        if self.holds(c, p):
            return c
        if kind in (JUMP, BRANCH, SHORT_BRANCH):
            for away in range(1, NEIGHBOURS + 1):
                for near in (c - away, c + away):
                    if 0 <= near < len(self.covers) and self.holds(near, p):
                        return near
        o = self.owner_before(p)
        if o is not None and p - self.covers[o][0] < self.covers[o][2] + REACH:
            return o
        return None


class Predictor:
    def __init__(self, old, kinds, old_images, new_images, labels, covers, fields):
        self.old = old
        self.old_images = old_images
        self.new_images = new_images
        self.new_positions = [image.pos for image in new_images]
        self.labels = labels
        self.map = OwnerMap(covers)
        self.fields = [field for field in fields if kinds >> field.kind & 1]
        self.positions = [field.pos for field in self.fields]
        self.cover_ends = [target + length for _, target, length in covers]
        self.rebuilt = []  # (position, bytes) of sorted tables, of which copies get the bytes that NEW has
        self.last_cover = (None, b"")  # number and predicted bytes of the cover used last

    def copies(self, window_pos, window_bytes):
        """What covers leave in a window: its copies as (literal length, length, diagonal), and the bytes of each."""
        copies, pieces, at = [], [], window_pos
        window_end = window_pos + window_bytes
        for c in range(bisect_right(self.cover_ends, window_pos), len(self.map.covers)):
            source, target, length = self.map.covers[c]
            if target >= window_end:
                break
            begin, end = max(target, window_pos), min(target + length, window_end)
            copies.append((begin - at, end - begin, source - target))
            pieces.append(self.copied(c)[begin - target:end - target])
            at = end
        return copies, pieces

    def copied(self, c):
        """The bytes of cover c as they are in OLD, with its fields predicted and sorted tables rebuilt."""
        if self.last_cover[0] == c:
            return self.last_cover[1]
        source, _, length = self.map.covers[c]
        data = bytearray(self.old[source:source + length])
        for number in range(bisect_left(self.positions, source), bisect_left(self.positions, source + length)):
            field = self.fields[number]
            if field.end <= source + length:
                begin, end = field.pos - source, field.end - source
                value = self.predict(field, c, int.from_bytes(data[begin:end], "little"))
                data[begin:end] = value.to_bytes(field.size, "little")
        for pos, table in self.rebuilt:
            begin, end = max(pos, source), min(pos + len(table), source + length)
            if begin < end:
                data[begin - source:end - source] = table[begin - pos:end - pos]
        self.last_cover = (c, bytes(data))
        return self.last_cover[1]

    def predict(self, field, c, value):
        """The field's bytes as an integer, `value` in OLD, where cover c copies them to."""
        q = self.map.moved(c, field.pos)
        image = self.new_image_of(q)
        if image is None:
            return value
        own = image.address_of(q)
        own = q if own is None else own
        base = self.base_of(field, c, image)
        address = self.target_of(field, c, image)
        if base is None or address is None:
            return value
        wide = image.wide or field.form in FILE_FORMS
        return write_address(field, value, address, own, base, wide)

    def new_image_of(self, q):
        number = self.number_of_new_image(q)
        return None if number is None else self.new_images[number]

    def number_of_new_image(self, q):
        number = bisect_right(self.new_positions, q) - 1
        if number < 0 or q >= self.new_images[number].pos + self.new_images[number].size:
            return None
        return number

    def base_of(self, field, c, image):
        if field.form not in WITH_BASE_BYTE:
            return image.base
        b = field.base_pos
        if field.form in (OFFSET32, OFFSET24):
            label = self.labels[field.image].get(self.old_images[field.image].address_of(b))
            if label is not None:
                return label
        o = c if self.map.holds(c, b) else self.map.owner_before(b)
        if o is None:
            return None
        moved = self.map.moved(o, b)
        return FILE_SPACE + moved & MASK64 if field.form in FILE_FORMS else image.address_of(moved)

    def target_of(self, field, c, image):
        """The address in NEW that the field is predicted to hold, or None."""
        a, old_image = field.target, self.old_images[field.image]
        if field.kind not in (BRANCH, SHORT_BRANCH) and a in self.labels[field.image]:
            return self.labels[field.image][a]
        if field.form in FILE_FORMS:
            o = self.map.cover_for(a - FILE_SPACE, c, field.kind)
            return None if o is None else FILE_SPACE + self.map.moved(o, a - FILE_SPACE) & MASK64
        section, past = old_image.section_of(a), 0
        if section is None and a != 0:
            section, past = old_image.section_of(a - 1), 1
        if section is None:
            return None
        distance = a - past - section.address
        if distance < section.size:
            p = section.pos + distance
            o = self.map.cover_for(p, c, field.kind)
            address = None if o is None else image.address_of(self.map.moved(o, p))
            return None if address is None else address + past & MASK64
        number = len(old_image.sections) - old_image.sections.index(section)  # counted from the last one
        if number > len(image.sections) or image.sections[-number].kind != section.kind:
            return None
        return image.sections[-number].address + distance + past & MASK64
