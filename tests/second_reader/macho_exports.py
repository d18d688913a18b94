"""Fields in the exports of Mach-O images: a trie of names (section 8.8)."""
from bytes_of_file import LebCursor
from fields import IMPORT_EXPORT

MAX_NUMBER_BYTES = 9
NAME_BYTES_PER_STEP = 64
# type of a command -> where it has the offset of its trie, with the size behind it
COMMANDS = {0x80000033: 8, 0x22: 40, 0x80000022: 40}


class TrieCursor(LebCursor):
    def short_uleb(self):
        """(position, bytes, number)."""
        start, number = self.pos, 0
        for count in range(1, MAX_NUMBER_BYTES + 1):
            byte = self.u8()
            number |= (byte & 127) << 7 * (count - 1)
            if self.failed or byte < 128:
                return start, count, number
        self._fail()
        return start, MAX_NUMBER_BYTES, 0


def read_exports(reader):
    file, pos = reader.file, reader.image.pos
    for type_, c, _ in reader.image.about["commands"]:
        if type_ in COMMANDS:
            at = c + COMMANDS[type_]
            begin, size = pos + file.u32(at), file.u32(at + 4)
            if size and reader.has_bytes(begin, size):
                read_trie(reader, begin, size)


def read_trie(reader, begin, size):
    nodes = [0]
    while nodes and reader.step():
        cursor = TrieCursor(reader.file, begin + nodes.pop(), begin + size)
        _, _, export_bytes = cursor.short_uleb()
        export = cursor.pos
        cursor.skip(export_bytes)
        if cursor.failed:
            continue
        if export_bytes:
            read_export(reader, TrieCursor(reader.file, export, cursor.pos))
        nodes += read_children(reader, cursor, begin, size)


def read_export(reader, cursor):
    _, _, flags = cursor.short_uleb()
    if flags & 8 or flags & 3 == 2:
        return
    for _ in range(2 if flags & 16 else 1):
        p, n, _ = cursor.short_uleb()
        if cursor.failed:
            return
        reader.uleb_rva(p, n, IMPORT_EXPORT)


def read_children(reader, cursor, begin, size):
    """Their offsets."""
    offsets = []
    for _ in reader.steps(range(cursor.u8())):
        if not skip_name(reader, cursor):
            break
        p, n, offset = cursor.short_uleb()
        if cursor.failed or offset == 0 or offset >= size:
            break
        reader.uleb_entry(p, n, (begin, size), IMPORT_EXPORT)
        offsets.append(offset)
    return offsets


def skip_name(reader, cursor):
    """Long names take more steps; False without one, and if the name has no end."""
    passed = 1
    while cursor.u8():
        passed += 1
        if passed % NAME_BYTES_PER_STEP == 0 and not reader.step():
            return False
    return not cursor.failed
