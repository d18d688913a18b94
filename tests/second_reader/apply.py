#!/usr/bin/env python3
"""apply.py OLD PATCH NEW: rebuilds NEW from OLD and PATCH.

A second reader of the patch formats, written from their specifications alone and sharing nothing with the library. It
is there to find out whether the specifications suffice; it is slow, holds everything in memory, and writes NEW only
when every size, checksum and digest it was told of was right.

BDT 2 (src/format/native/FORMAT.md) is read by bdt2 and what it imports: header, group, streams, windows; packed, models
and coder for the context coder; substitutions for what copies have others in place of. Views are view, with view_fields
and zip_directory. The deflate streams in them (src/view/deflate/DEFLATE.md) are deflate_rebuild: deflate_recipe and
deflate_lockstep with deflate_coder for recipes, deflate_matcher and deflate_ng for the tokens foreseen, deflate_blocks and
deflate_trees. Directories are trees. Prediction (src/exe/PREDICTION.md, whose sections the comments name) is read by
prediction: scan, images, elf, pe, macho and toy,
image_table, labels, fields, old_fields with the readers of tables and of code, predict, sorted_tables, mixed_pages and
rebuilt_tables. Modelled bytes (src/model/MODELLED_BYTES.md) are modelled_bytes: literal_model with literal_buffer,
miss_model with miss_state and byte_model, and mixing. BDT 1 (src/format/bdt1/FORMAT.md) is bdt1.
"""
import sys

from bdt1 import apply_bdt1
from bdt2 import apply_bdt2
from cursor import Cursor, PatchError, require


def apply_patch(source, patch):
    """NEW as bytes. PatchError if the patch is not valid or OLD is another file."""
    cursor = Cursor(patch)
    require(cursor.take(3) == b"BDT", "not a BDT patch")
    version = cursor.u16()
    require(version in (1, 2), f"version {version} of BDT is not known")
    return apply_bdt1(source, patch) if version == 1 else apply_bdt2(source, patch)


def read(path):
    with open(path, "rb") as file:
        return file.read()


def main(arguments):
    if len(arguments) != 3:
        print(__doc__.split(":")[0].replace("apply.py", "usage: apply.py"), file=sys.stderr)
        return 1
    old, patch, new = arguments
    try:
        target = apply_patch(read(old), read(patch))
    except PatchError as error:
        print(f"apply.py: {error}", file=sys.stderr)
        return 3
    with open(new, "wb") as file:
        file.write(target)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
