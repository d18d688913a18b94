"""What the tests of the report share: the way to the modules, the sample run, and its losses worked out by hand.

The sample is made up: a pair that we win, one that a peer wins, one with settings that ran out of time, one without a
figure of any peer, one without our highest level, and one whose times are so short that they count as equal.
"""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
BENCH = os.path.join(HERE, "..", "..", "tools", "bench")
SAMPLE = os.path.join(HERE, "data", "sample")
if BENCH not in sys.path:
    sys.path.insert(0, BENCH)

# All losses of the sample: pair, peer's setting, our smallest that is as fast, our fastest that is as small, and
# whether the point is on the frontier.
LOSSES = [
    ("table-won-by-peer", "zstd", "-1 --long=31", None, "-3", True),
    ("table-won-by-peer", "hdiffpatch", "-s-64 -SD-256k -c-zstd-3", "-3", "-9", True),
    ("table-won-by-peer", "hdiffpatch", "-m-1 -cache -SD-2m -c-lzma2-9-256m", "-9", None, True),
    ("table-won-by-peer", "bsdiff", "default", "-9", None, False),
    ("tiny", "zstd", "-19 --long=31", "-1", None, True),
    ("tiny", "hdiffpatch", "-s-64 -SD-256k -c-zstd-3", None, "-1", True),
]
