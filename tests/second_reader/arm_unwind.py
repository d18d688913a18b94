"""Fields in the unwind tables of 32-bit ARM (section 8.2)."""
from bytes_of_file import sext
from fields import UNWIND_ENTRY, UNWIND_START


def read_arm_unwind_index(reader, segment):
    file, image = reader.file, reader.image
    for i in reader.steps(range(segment.size // 8)):
        p = segment.pos + 8 * i
        reader.prel31(p, UNWIND_START)
        h, own = file.u32(p + 4), image.address_of(p + 4)
        if h == 1 or h >> 31 or own is None:
            continue
        reader.prel31(p + 4, UNWIND_ENTRY)
        e = image.file_pos(own + sext(h, 31))
        if e is not None and not file.u32(e) >> 31:
            reader.prel31(e, UNWIND_ENTRY)
