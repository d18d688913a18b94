"""BDT version 1, the format of the original BDelta. No checksum: only sizes and bounds can be checked."""
from cursor import Cursor, require


def signed32(number):
    return number - (1 << 32) if number >> 31 else number


def apply_bdt1(source, patch):
    cursor = Cursor(patch, pos=5)
    integer_bytes = cursor.byte()
    require(integer_bytes == 4, f"integers of {integer_bytes} bytes; only 4 is supported")
    source_bytes, target_bytes, match_count = cursor.u32(), cursor.u32(), cursor.u32()
    require(source_bytes == len(source), f"OLD has {len(source)} bytes, the patch expects {source_bytes}")
    table = cursor.part(12 * match_count, "table of matches")

    target = bytearray()
    source_pos = 0
    while not table.at_end():
        step, literal_bytes, length = signed32(table.u32()), table.u32(), table.u32()
        require(len(target) + literal_bytes + length <= target_bytes, "matches add up to more than NEW")
        target += cursor.take(literal_bytes)
        source_pos += step
        require(0 <= source_pos and source_pos + length <= len(source), "a match reaches out of OLD")
        target += source[source_pos:source_pos + length]
        source_pos += length
    target += cursor.take(target_bytes - len(target))
    cursor.finish()
    return bytes(target)
