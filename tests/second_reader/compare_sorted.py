#!/usr/bin/env python3
"""compare_sorted.py [--macho] BIN FIRST LAST [LEVEL]: makes the random pairs of craft_sorted, or of craft_macho, of these
seeds, patches with the bdelta of folder BIN, and applies them with bpatch and with this reader. Prints how many patches have
tables rebuilt.
"""
import os
import subprocess
import sys
import tempfile
from collections import Counter
from unittest import mock

from apply import apply_patch, read
from craft_macho import random_macho_pair
from craft_sorted import random_sorted_pair
from rebuilt_tables import Rebuilder
from sorted_tables import ALL_KINDS

# A few of each kind of image, and then some that together fail on any rule of sections 15 and 16 that a reader has not. A new
# craft_sorted or another choice of covers makes others of them.
SORTED_SEEDS = (*range(1, 19), 225, 357, 780, 841, 869, 1151, 1345, 1828, 1959, 2017, 2150, 2353, 2389, 2395, 2522, 3116,
                3196, 3354, 3726, 3921, 3967, 3999, 4215)
# Likewise of craft_macho.
MACHO_SEEDS = (4, 32, 49, 59, 62, 83, 101, 102, 110, 133, 137, 149, 151, 174, 181, 189, 276, 316, 388, 466, 481, 487,
               506)


def compare(seeds, bin_folder, level="-3", pair_of=random_sorted_pair):
    """How many pairs there were, how many had a table rebuilt, and how many had which kind. AssertionError if a result is
    not NEW."""
    counts = Counter()
    with tempfile.TemporaryDirectory(prefix="bdelta-sorted-") as folder:
        for seed in seeds:
            kinds = kinds_rebuilt(pair_of(seed), seed, bin_folder, folder, level)
            counts.update(("pairs", *(["with tables"] if kinds else []), *kinds))
    return counts


def kinds_rebuilt(contents, seed, bin_folder, folder, level):
    """Which kinds of table the patch of a pair has rebuilt, once both readers have made NEW."""
    old, new, patch, made = (os.path.join(folder, name) for name in ("old", "new", "patch", "made"))
    for path, content in zip((old, new), contents):
        with open(path, "wb") as file:
            file.write(content)
    run(os.path.join(bin_folder, "bdelta"), "--predict", level, old, new, patch)
    run(os.path.join(bin_folder, "bpatch"), old, made, patch)
    assert read(made) == contents[1], f"bpatch makes another NEW of seed {seed}"
    with mock.patch("prediction.Rebuilder", side_effect=Rebuilder) as rebuilder:
        assert apply_patch(contents[0], read(patch)) == contents[1], f"the second reader makes another NEW of seed {seed}"
    return {table.kind for call in rebuilder.call_args_list for table in call.args[1]}


def run(program, *arguments):
    subprocess.run([program, "--quiet", "--no-sync", "--force", *arguments], check=True, timeout=120)


def main(arguments):
    pair_of = random_macho_pair if arguments[:1] == ["--macho"] else random_sorted_pair
    arguments = arguments[pair_of is random_macho_pair:]
    if len(arguments) not in (3, 4):
        print(__doc__, file=sys.stderr)
        return 1
    bin_folder, first, last, *level = arguments
    counts = compare(range(int(first), int(last) + 1), bin_folder, *level, pair_of=pair_of)
    print(f"{counts['pairs']} pairs, {counts['with tables']} with tables rebuilt; of kind",
          ", ".join(f"{kind}: {counts[kind]}" for kind in ALL_KINDS))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
