#!/usr/bin/env python3
"""Makes a pair of any size out of given pairs of files.

usage: grow_pair.py SIZE OLD NEW OUT_OLD OUT_NEW [OLD NEW]... [--seed N]

SIZE is that of OUT_OLD in bytes, with K, M or G (powers of 1024). The given pairs follow one another in both outputs
until SIZE is reached. So that no round repeats the one before, each byte of a round is exclusive-ored with a key of
that round: what is alike in OLD and NEW stays alike, but nothing is found in another round. In OUT_NEW, in addition,
pieces of some MiB move, vanish or are new, at places that the seed decides. Same arguments give the same files.
"""
import argparse
import pathlib
import random

PIECE_BYTES = 4 << 20
UNITS = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}


def bytes_of(text):
    return int(text[:-1]) * UNITS[text[-1]] if text[-1] in UNITS else int(text)


def keyed(data, key):
    return data.translate(bytes(value ^ key for value in range(256))) if key else data


def write_old(path, pairs, size):
    """Gives the number of rounds begun."""
    left, rounds = size, 0
    with open(path, "wb") as out:
        while left > 0:
            old = pairs[rounds % len(pairs)][0]
            with open(old, "rb") as source:
                while left > 0 and (piece := source.read(PIECE_BYTES)):
                    left -= out.write(keyed(piece[:left], rounds // len(pairs) % 256))
            rounds += 1
    return rounds


def write_new(path, pairs, size, rounds, rng):
    left = size
    with open(path, "wb") as out:
        for number in range(rounds):
            new, key = pairs[number % len(pairs)][1], number // len(pairs) % 256
            held = b""
            with open(new, "rb") as source:
                while left > 0 and (piece := source.read(PIECE_BYTES)):
                    left -= len(piece)
                    chance = rng.random()
                    if chance < 0.01:
                        continue  # vanishes
                    if chance < 0.02:
                        out.write(rng.randbytes(rng.randrange(1, 1 << 16)))
                    if chance > 0.99 and not held:
                        held = piece  # moves behind what follows
                        continue
                    out.write(keyed(piece, key))
                    out.write(keyed(held, key))
                    held = b""
            out.write(keyed(held, key))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("size", type=bytes_of)
    parser.add_argument("files", nargs="+", type=pathlib.Path, help="OLD NEW OUT_OLD OUT_NEW [OLD NEW]...")
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    files = arguments.files
    if len(files) < 4 or len(files) % 2:
        parser.error("expected OLD NEW OUT_OLD OUT_NEW and further pairs of OLD NEW")
    pairs = [(files[0], files[1])] + [(files[i], files[i + 1]) for i in range(4, len(files), 2)]
    rounds = write_old(files[2], pairs, arguments.size)
    write_new(files[3], pairs, arguments.size, rounds, random.Random(arguments.seed))


if __name__ == "__main__":
    main()
