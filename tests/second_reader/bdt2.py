"""BDT version 2: the records of a patch. Records of new tags get their readers in apply_bdt2."""
import xxhash

from modelled_bytes import Lanes, ops_of, source_end
from cursor import Cursor, check32, require
from digests import Digests
from fills import fill_in, read_fills
from group import LITERALS, MAX_COPIES, MODELLED_CODE, read_group_head
from header import read_header
from moved_numbers import move_numbers, read_moved_numbers
from prediction import read_prediction
from records import DIGESTS, END, FILLS, GROUP, MOVED_NUMBERS, SUBSTITUTIONS, Records
from streams import Frames
from trees import digest_of, read_trees, stream_of
from view import read_views
from windows import Given, GroupNumbers, TargetCopy, copied_bytes, execute, literal_bytes_of, pieces_of
from substitutions import read_substitutions


def apply_bdt2(source, patch):
    """NEW from OLD: bytes, or trees (trees.py says what these are) with permission bits."""
    cursor = Cursor(patch)
    header = read_header(cursor)
    require(header.has_trees == isinstance(source, dict), "the patch is of trees, or OLD is one; not both")
    if header.has_trees:
        return apply_to_tree(source, cursor, header)
    require(header.source_bytes == len(source), f"OLD has {len(source)} bytes, the patch expects {header.source_bytes}")
    require(header.source_digest == xxhash.xxh3_128_digest(source), "OLD is not what the patch was made from")
    records = Records(cursor)
    target = apply_records(source, records, Digests(records) if records.next_tag() == DIGESTS else None, header)
    require(header.target_digest == xxhash.xxh3_128_digest(target), "the result is not NEW")
    return target


def apply_to_tree(source, cursor, header):
    """`source` is OLD with what patterns fit; NEW comes without."""
    records = Records(cursor)
    digests = Digests(records) if records.next_tag() == DIGESTS else None
    told = read_trees(records, header)
    source = {path: entry for path, entry in source.items() if not told.excludes(path)}
    stream = stream_of(source)
    require(header.source_bytes == len(stream), f"OLD's stream has {len(stream)} bytes, the patch expects {header.source_bytes}")
    require(header.source_digest == digest_of(source), "OLD is not the tree that the patch was made from")
    whole_bytes, header.target_bytes = header.target_bytes, told.made_bytes
    tree, modes = told.join(source, apply_records(stream, records, digests, header))
    require(len(stream_of(tree)) == whole_bytes and header.target_digest == digest_of(tree), "the result is not NEW")
    return tree, modes


def apply_records(source, records, digests, header):
    """The bytes that groups give, filled and packed, from behind the records that say what OLD and NEW are."""
    has = lambda tag: records.next_tag() == tag
    views = None
    if header.has_views:
        views = read_views(records, header, source)
        source = views.source
    fills = read_fills(records, header) if has(FILLS) else []
    if has(MOVED_NUMBERS):
        require(not header.predicted, "moved numbers in a patch with prediction")
        source = move_numbers(source, read_moved_numbers(records, header))
    substitutions = read_substitutions(records, header) if has(SUBSTITUTIONS) else None
    predictor = read_prediction(records, header, source) if header.predicted else None

    target = bytearray()
    while not has(END):
        group, body = read_group_head(records, GROUP, header)
        require(len(target) + group.target_bytes <= header.target_bytes, "groups add up to more than NEW")
        apply_group(source, predictor, substitutions, header, group, body, target)
    records.finish()
    if digests:
        digests.check(records)

    require(len(target) == header.target_bytes, f"the groups give {len(target)} bytes of {header.target_bytes}")
    fill_in(target, fills)
    if views:
        target = views.pack(target)
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
        late = {LITERALS, MODELLED_CODE} if group.packed else set()
        raw = frames.take({stream: size for stream, size in window.sizes.items() if stream not in late})
        given = Given(group, {stream: data for stream, data in raw.items() if stream < LITERALS})
        numbers.begin_window()
        if window.predicted:
            copies, pieces = predictor.copies(len(target), window.target_bytes)
            require(len(copies) <= MAX_COPIES, "too many copies in a predicted window")
            numbers.pass_copies(copies, diagonal, len(target) - group_pos)
        else:
            copies = numbers.copies(window, given, diagonal, len(target) - group_pos)
            pieces = pieces_of(source, header, window, copies, len(target))
        diagonal = copies[-1][2] if copies else diagonal
        pieces = make_substitutions(substitutions, copies, pieces, len(target)) if substitutions else pieces
        runs = numbers.residual(window, given, copies, len(target) - group_pos)
        given.finish()
        literals = read_literals(group, window, frames, raw, copies)
        rebuilt = execute(window, copies, pieces, runs, literals, target)
        ops = ops_of(window.target_bytes, len(target), copies)
        if window.modelled:
            sizes = {MODELLED_CODE: window.sizes.get(MODELLED_CODE, 0)}
            code = frames.take(sizes)[MODELLED_CODE] if group.packed else raw.get(MODELLED_CODE, b"")
            rebuilt = lanes.decode(code, rebuilt, len(target), ops, source_before)
        source_before = source_end(ops, len(source))
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


def read_literals(group, window, frames, raw, copies):
    """What the copies leave: bytes of a stream, or zeros where they are coded. In packed groups it is known only now how
    much that is."""
    literal_bytes = literal_bytes_of(window, copies)
    if LITERALS not in window.streams:
        return bytes(literal_bytes)
    literals = frames.take({LITERALS: literal_bytes})[LITERALS] if group.packed else raw.get(LITERALS, b"")
    require(len(literals) == literal_bytes, f"a window has {len(literals)} literals where {literal_bytes} are needed")
    return literals
