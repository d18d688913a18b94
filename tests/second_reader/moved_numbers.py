"""Numbers in lists of types that OLD has and copies have others in place of."""
import struct
from bisect import bisect_right
from dataclasses import dataclass

from cursor import require
from records import MOVED_NUMBERS

MAX_RECORD_BYTES = 1 << 20
MAX_LISTS = 65536
HEADER_BYTES = 24
WORD = 1 << 32
POINTER, STRUCTURE = ("s.t", "", ""), ("s..", "", "st.")
KINDS = {1: ("s..", ".", ""), 3: ("s..", "tt.", ""), 4: STRUCTURE, 5: STRUCTURE, 6: ("s..", "", "s."), 7: ("s..", "", ""),
         13: ("s.t", "", "st"), 14: ("s.t", ".", ""), 15: ("s..", "", "t.."), 16: ("s..", "", ""), 17: ("s.t", ".", ""),
         19: ("s..", "", "s.."), **dict.fromkeys((2, 8, 9, 10, 11, 12, 18), POINTER)}


@dataclass
class NumberList:
    header_pos: int
    own: dict  # by "t" and "s": thresholds as (begin, move)


@dataclass
class MovedNumbers:
    type_bytes: int
    lists: list
    common: dict


def read_thresholds(fields):
    both = {}
    for kind in "ts":
        begin = move = 0
        both[kind] = []
        for _ in range(fields.varint()):
            begin += fields.varint(least=1, most=WORD - 1, name="gap between thresholds")
            change = fields.zigzag()
            require(begin < WORD and -WORD // 2 <= change < WORD // 2, "a threshold of numbers is none of 32 bits")
            move = (move + change) % WORD
            both[kind].append((begin, move))
    return both


def count_thresholds(both):
    return len(both["t"]) + len(both["s"])


def read_moved_numbers(cursor, header):
    fields = cursor.record_fields(MOVED_NUMBERS, MAX_RECORD_BYTES, "the record of moved numbers")
    require(fields.varint() == 0, "the kind of lists is not known")
    type_bytes, pos, lists = fields.varint(), 0, []
    for index in range(fields.varint(least=1, most=MAX_LISTS, name="lists of numbers")):
        gap = fields.varint()
        require(index == 0 or gap > 1, "two lists of numbers are one")
        pos += gap >> 1
        lists.append(NumberList(pos, read_thresholds(fields) if gap & 1 else {"t": [], "s": []}))
        require(not gap & 1 or count_thresholds(lists[-1].own), "own thresholds are none")
    common = read_thresholds(fields)
    fields.finish()
    thresholds = count_thresholds(common) + sum(count_thresholds(one.own) for one in lists)
    require(thresholds, "there are no thresholds of numbers")
    require(pos < header.source_bytes, "a list of numbers lies outside of OLD")
    header.memory.hold(type_bytes + 96 * len(lists) + 8 * thresholds, "moved numbers")
    return MovedNumbers(type_bytes, lists, common)


def moved(common, own, number):
    thresholds = own if own and number >= own[0][0] else common
    index = bisect_right(thresholds, (number, WORD))
    return (number + thresholds[index - 1][1]) % WORD if index else number


def find_types(source, pos):
    require(pos + HEADER_BYTES <= len(source) and source[pos:pos + 3] == b"\x9f\xeb\x01", "OLD has no list of types there")
    header_bytes, types_at, types, strings_at, strings = struct.unpack_from("<5I", source, pos + 4)
    require(header_bytes >= HEADER_BYTES, "the header of a list of types is too short")
    begin = pos + header_bytes + types_at
    require(begin + types <= len(source) and pos + header_bytes + strings_at + strings <= len(source),
            "a list of types reaches out of OLD")
    return begin, begin + types


def move_list(edited, begin, end, common, own):
    at = begin
    while at < end:
        require(end - at >= 12, "a list ends inside a type")
        information, = struct.unpack_from("<I", edited, at + 4)
        shape = KINDS.get(information >> 24 & 31)
        require(shape, "the kind of a type is not known")
        head, tail, member = shape
        words = head + tail + (information & 0xffff) * member
        require(4 * len(words) <= end - at, "a list ends inside a type")
        for word in words:
            if word != ".":
                number, = struct.unpack_from("<I", edited, at)
                struct.pack_into("<I", edited, at, moved(common[word], own[word], number))
            at += 4


def move_numbers(source, numbers):
    """OLD with other numbers."""
    edited, before, total = bytearray(source), 0, 0
    for one in numbers.lists:
        begin, end = find_types(source, one.header_pos)
        require(begin >= before, "two lists of types share bytes")
        move_list(edited, begin, end, numbers.common, one.own)
        before, total = end, total + end - begin
    require(total == numbers.type_bytes, "lists of types have other sizes")
    return bytes(edited)
