#!/usr/bin/env python3
"""Runs the small inputs of bench_kernels once and checks that every kernel is there and gave a right result.

usage: smoke.py PROGRAM

Times are not looked at. Exit code: 0 complete, 1 something is missing, failed or not counted.
"""
import json
import subprocess
import sys

# Each group must bring a floor and the variants named here; variants of one processor's instructions are not named.
EXPECTED = {
    "match/sample_scan": ["scalar"],
    "match/index_build": ["shift_6", "shift_7"],
    "match/index_lookup": ["hit", "miss", "hit_prefetched", "miss_prefetched"],
    "match/local_insert": ["cover"],
    "match/local_find": ["hit", "miss"],
    "match/mismatch_mask": ["scalar", "simd"],
    "match/extend": ["exact_bytewise", "exact_forward", "exact_backward", "1_percent_differs_bytewise",
                     "1_percent_differs_forward", "1_percent_differs_backward", "stops_at_once"],
    "match/diagonal": ["exact", "1_percent_differs", "nothing_fits"],
    "base/varint_write_1_byte": ["store", "append"],
    "base/varint_write_mixed": ["store", "append"],
    "base/varint_read_1_byte": ["byte_cursor", "typed_reader"],
    "base/varint_read_mixed": ["byte_cursor", "typed_reader"],
    "model/unchanged": ["byte_by_byte", "best_cold_scan"],
    "model/encode": ["no_residual", "few_residuals", "many_residuals", "copies_of_64"],
    "model/decode_few_residuals": ["decode_window"],
    "model/decode_many_residuals": ["decode_window"],
    "model/decode_copies_of_64": ["decode_window"],
    "apply/execute": ["one_copy", "one_literal", "copies_of_64", "copies_of_64_through_cache",
                      "copies_of_48_literals_of_16", "few_residuals", "many_residuals"],
    "hash/xxh3": ["128_one_shot", "128_streamed", "32_window"],
    "codec/compress": ["store", "zstd_1", "zstd_9", "lzma_6"],
    "codec/decompress": ["store", "zstd_1", "zstd_9", "lzma_6"],
    "deflate/inflate_text": ["bytes", "tokens"],
    "deflate/inflate_program": ["bytes", "tokens"],
    **{f"deflate/rebuild_{content}_{level}": ["rebuild", "analyse", "rebuild_go", "analyse_go"] +
       (["rebuild_go127", "analyse_go127"] if level == 6 else [])
       for content in ("text", "program") for level in (1, 3, 6, 9)},
}


def complaints(benchmarks):
    """What is wrong with the list `benchmarks` of the JSON output."""
    found = {}
    wrong = []
    for run in benchmarks:
        group, variant, _size = run["name"].rsplit("/", 2)
        found.setdefault(group, set()).add(variant)
        if run.get("error_occurred"):
            wrong.append(f"{run['name']}: {run.get('error_message')}")
        elif not run.get("bytes_per_second", 0) > 0:
            wrong.append(f"{run['name']}: no bytes were counted")
    for group, variants in EXPECTED.items():
        there = found.get(group, set())
        wrong += [f"{group}/{variant} is missing" for variant in variants if variant not in there]
        if not any(variant.startswith("floor_") for variant in there):
            wrong.append(f"{group} has no floor")
    wrong += [f"{group} is not in the table of this test" for group in sorted(set(found) - set(EXPECTED))]
    return wrong


def main(program):
    run = subprocess.run([program, "--benchmark_filter=-MiB$", "--benchmark_min_time=0.001",
                          "--benchmark_format=json"], stdout=subprocess.PIPE, check=True)
    benchmarks = json.loads(run.stdout)["benchmarks"]
    wrong = complaints(benchmarks)
    for line in wrong:
        print(line)
    print(f"{len(benchmarks)} benchmarks, {len(wrong)} complaints")
    return 1 if wrong else 0


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    sys.exit(main(sys.argv[1]))
