"""BDT version 2: the records of a patch. New types of records get their readers in apply_bdt2."""
import xxhash

from modelled_bytes import Lanes, ops_of, source_end
from cursor import Cursor, check32, require
from digests import Digests
from fills import fill_in, read_fills
from group import LITERALS, WHOLE, read_group_head
from header import read_header
from moved_numbers import move_numbers, read_moved_numbers
from prediction import read_prediction
from records import DIGESTS, END, FILLS, MOVED_NUMBERS, SUBSTITUTIONS, Records
from streams import Frames
from view import read_views
from windows import Given, GroupNumbers, TargetCopy, copied_bytes, execute, literal_bytes_of, pieces_of
from substitutions import read_substitutions


def apply_bdt2(source, patch):
    cursor = Cursor(patch)
    header = read_header(cursor)
    require(header.source_bytes == len(source), f"OLD has {len(source)} bytes, the patch expects {header.source_bytes}")
    require(header.source_digest == xxhash.xxh3_128_digest(source), "OLD is not the file that the patch was made from")
    records = Records(cursor)
    has = lambda record_type: records.next_type() == record_type
    digests = Digests(records) if has(DIGESTS) else None
    views = None
    if header.has_views:
        views = read_views(records, header, source)
        source = views.source
    fills = read_fills(records, header) if has(FILLS) else []
    if has(MOVED_NUMBERS):
        source = move_numbers(source, read_moved_numbers(records, header))
    substitutions = read_substitutions(records, header) if has(SUBSTITUTIONS) else None
    predictor = read_prediction(records, header, source) if header.predicted else None

    target = bytearray()
    while not has(END):
        group, body = read_group_head(records, WHOLE, header)
        require(len(target) + group.target_bytes <= header.target_bytes, "groups add up to more than NEW")
        apply_group(source, predictor, substitutions, header, group, body, target)
    records.finish()
    if digests:
        digests.check(records)

    require(len(target) == header.target_bytes, f"the groups give {len(target)} bytes of {header.target_bytes}")
    fill_in(target, fills)
    if views:
        target = views.pack(target)
    require(header.target_digest == xxhash.xxh3_128_digest(bytes(target)), "the result is not NEW")
    return bytes(target)


def apply_group(source, predictor, substitutions, header, group, body, target):
    """Appends what the group rebuilds to `target`. Windows that are predicted have what the predictor knows of copies."""
    frames = Frames(body, group.codecs)
    numbers = GroupNumbers(group, frames.code_byte)
    lanes = Lanes(group.modelled, source) if group.modelled else None
    group_pos, diagonal, source_before = len(target), 0, None
    for window in group.windows:
        if not window.coded:
            diagonal += window.diagonal_change
            numbers.ops.use_diagonal(diagonal)
            target += copied_bytes(source, len(target) + diagonal, window.target_bytes)
            source_before = len(target) + diagonal
            continue
        raw, code = take_streams(group, window, frames)
        given = Given(group, {stream: data for stream, data in raw.items() if stream != LITERALS})
        numbers.begin_window()
        if window.predicted:
            copies, pieces = predictor.copies(len(target), window.target_bytes)
            numbers.pass_copies(copies, diagonal, len(target) - group_pos)
        else:
            copies = numbers.copies(window, given, diagonal, len(target) - group_pos)
            pieces = pieces_of(source, header, group, copies, len(target))
        diagonal = copies[-1][2] if copies else diagonal
        pieces = make_substitutions(substitutions, copies, pieces, len(target)) if substitutions else pieces
        runs = numbers.residual(window, given, copies, len(target) - group_pos)
        given.finish()
        literals = read_literals(group, window, frames, raw, copies)
        rebuilt = execute(window, copies, pieces, runs, literals, target)
        ops = ops_of(window.target_bytes, len(target), copies)
        if lanes:
            code = take_late_code(group, window, frames) if code is None else code
            rebuilt = lanes.decode(code, rebuilt, len(target), ops, source_before)
        source_before = source_end(ops)
        require(check32(rebuilt) == window.checksum, f"the window at {len(target)} is not what the patch promises")
        target += rebuilt
    numbers.finish()
    frames.finish()
    if lanes:
        lanes.finish()


def make_substitutions(substitutions, copies, pieces, target_pos):
    replaced = []
    for (literals, length, _), piece in zip(copies, pieces):
        target_pos += literals
        replaced.append(piece if isinstance(piece, TargetCopy) else substitutions.replaced_at(target_pos, piece))
        target_pos += length
    return replaced


def take_streams(group, window, frames):
    """What the window has of streams, and the code of its modelled bytes: None if that comes only with the literals."""
    if not group.modelled or group.packed and group.modelled.code_stream == LITERALS:
        return frames.take(window.sizes), None
    stream = group.modelled.code_stream
    raw = frames.take({**window.sizes, stream: window.code_bytes})
    return raw, raw.pop(stream)


def take_late_code(group, window, frames):
    return frames.take({LITERALS: window.code_bytes})[LITERALS]


def read_literals(group, window, frames, raw, copies):
    """What the copies leave: bytes of a stream, or zeros where they are coded. In packed groups it is known only now how
    much that is."""
    literal_bytes = literal_bytes_of(window, copies)
    if group.modelled and group.modelled.literals:
        return bytes(literal_bytes)
    literals = frames.take({LITERALS: literal_bytes})[LITERALS] if group.packed else raw.get(LITERALS, b"")
    require(len(literals) == literal_bytes, f"a window has {len(literals)} literals where {literal_bytes} are needed")
    return literals
