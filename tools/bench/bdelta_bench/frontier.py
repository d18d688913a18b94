"""The frontier of patch size and create time, and the points of peers that none of our points matches.

A point is one setting of one tool on one pair: seconds to create and bytes of the patch. Less is better for both, so
the frontier holds the points that no other point beats. Whether we keep up is asked more strictly than by a look at
the frontier: for each point of a peer, one single point of ours has to be as small and as fast. Times that differ by
under 10 ms or under 3 % count as equal, as do sizes within 3 %: repeated runs of one program differ by that much.
"""
from __future__ import annotations

from dataclasses import dataclass
from typing import List, Optional, Sequence

OURS = "bdelta"
TIE_SECONDS = 0.010
TIE_PERCENT = 3


@dataclass(frozen=True)
class Point:
    """What one setting of one tool needs for one pair."""
    tool: str
    setting: str
    seconds: float
    patch_bytes: int


@dataclass(frozen=True)
class Loss:
    """A point of a peer without a match, and the two points of ours that come nearest to one.

    `as_fast` is the smallest of ours that is as fast, `as_small` the fastest of ours that is as small; None where none
    of ours is. `on_frontier` is false where another peer is better at both.
    """
    peer: Point
    as_fast: Optional[Point]
    as_small: Optional[Point]
    on_frontier: bool

    @property
    def size_miss(self) -> Optional[float]:
        """Bytes of the smallest of ours that is as fast, over the peer's."""
        return None if self.as_fast is None else self.as_fast.patch_bytes / self.peer.patch_bytes

    @property
    def time_miss(self) -> Optional[float]:
        """Seconds of the fastest of ours that is as small, over the peer's."""
        return None if self.as_small is None else self.as_small.seconds / self.peer.seconds


def beats(a: Point, b: Point) -> bool:
    """Whether `a` is nowhere worse than `b` and somewhere better; exact, without ties."""
    nowhere_worse = a.seconds <= b.seconds and a.patch_bytes <= b.patch_bytes
    return nowhere_worse and (a.seconds < b.seconds or a.patch_bytes < b.patch_bytes)


def frontier(points: Sequence[Point]) -> List[Point]:
    """The points that no other point beats, fastest first. Equal points stay together."""
    kept = [point for point in points if not any(beats(other, point) for other in points)]
    return sorted(kept, key=lambda point: (point.seconds, point.patch_bytes, point.tool, point.setting))


def is_as_fast(ours: float, theirs: float) -> bool:
    """Whether `ours` seconds are no more than `theirs`, or more by under 10 ms or under 3 %."""
    excess = ours - theirs
    return excess <= 0 or excess < TIE_SECONDS or excess < theirs * TIE_PERCENT / 100


def is_as_small(ours: int, theirs: int) -> bool:
    """Whether `ours` bytes are no more than 3 % above `theirs`; in whole numbers, so exact."""
    return ours * 100 <= theirs * (100 + TIE_PERCENT)


def peers_of(points: Sequence[Point]) -> List[Point]:
    return [point for point in points if point.tool != OURS]


def losses(points: Sequence[Point]) -> List[Loss]:
    """The points of peers that no single point of ours matches in both, in the order given."""
    ours = [point for point in points if point.tool == OURS]
    best = set(frontier(points))
    found = []
    for peer in peers_of(points):
        fast = [point for point in ours if is_as_fast(point.seconds, peer.seconds)]
        small = [point for point in ours if is_as_small(point.patch_bytes, peer.patch_bytes)]
        if any(point in small for point in fast):
            continue
        as_fast = min(fast, key=lambda point: (point.patch_bytes, point.seconds), default=None)
        as_small = min(small, key=lambda point: (point.seconds, point.patch_bytes), default=None)
        found.append(Loss(peer, as_fast, as_small, peer in best))
    return found
