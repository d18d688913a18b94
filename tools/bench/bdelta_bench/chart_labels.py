"""Places short labels beside points so that they don't cover each other, a marker, a line or the frame.

Each label tries places around its point, near ones first, and takes the one that covers least; ties go to the first,
so the result depends on the input only. All lengths are in points (1/72 inch) of the chart, boxes are (left, bottom,
right, top). The width of text is estimated, as the font of the reader is not known here.
"""
from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Iterable, List, Sequence, Tuple

Box = Tuple[float, float, float, float]

MARKER_RADIUS = 4.5
LINE_RADIUS = 1.5
LETTER_WIDTH = 0.62  # of the size of the font, wide enough for most sans-serif fonts
# Directions as factors of the distance, and how the label hangs on its end: 0 right of it, -0.5 centred, -1 left.
DIRECTIONS = ((1, 0, 0, -0.5), (-1, 0, -1, -0.5), (0, 1, -0.5, 0), (0, -1, -0.5, -1),
              (0.7, 0.7, 0, 0), (-0.7, 0.7, -1, 0), (0.7, -0.7, 0, -1), (-0.7, -0.7, -1, -1))
DISTANCES = (6, 9, 13)
FAR_COST = 1.5     # of each point of distance, against one square point covered
OUTSIDE_COST = 10  # of a square point outside of the frame


@dataclass(frozen=True)
class Label:
    """A text to be placed beside (x, y)."""
    text: str
    x: float
    y: float


def overlap(a: Box, b: Box) -> float:
    """The area that two boxes share."""
    return max(0.0, min(a[2], b[2]) - max(a[0], b[0])) * max(0.0, min(a[3], b[3]) - max(a[1], b[1]))


def area(box: Box) -> float:
    return (box[2] - box[0]) * (box[3] - box[1])


def square(x: float, y: float, radius: float) -> Box:
    return x - radius, y - radius, x + radius, y + radius


def line_boxes(corners: Sequence[Tuple[float, float]]) -> Iterable[Box]:
    """Small squares side by side along a line through `corners`."""
    for (x, y), (end_x, end_y) in zip(corners, corners[1:]):
        count = max(1, round(math.hypot(end_x - x, end_y - y) / (2 * LINE_RADIUS)))
        for i in range(count):
            yield square(x + (end_x - x) * i / count, y + (end_y - y) * i / count, LINE_RADIUS)


def candidates(label: Label, font_size: float) -> List[Tuple[float, Box]]:
    """(distance, box) of all places that a label may take, nearest first."""
    width, height = len(label.text) * font_size * LETTER_WIDTH, font_size
    found = []
    for distance in DISTANCES:
        for right, up, hang_x, hang_y in DIRECTIONS:
            left = label.x + right * distance + hang_x * width
            bottom = label.y + up * distance + hang_y * height
            found.append((distance, (left, bottom, left + width, bottom + height)))
    return found


def place(labels: Sequence[Label], markers: Sequence[Tuple[float, float]],
          lines: Iterable[Sequence[Tuple[float, float]]], frame: Box, font_size: float) -> List[Box]:
    """The box of each label, in the order given; earlier labels have the first choice. `lines` are given by corners."""
    taken = [square(x, y, MARKER_RADIUS) for x, y in markers]
    taken += [box for corners in lines for box in line_boxes(corners)]
    boxes = []
    for label in labels:
        def cost(candidate: Tuple[float, Box]) -> float:
            distance, box = candidate
            covered = sum(overlap(box, other) for other in taken)
            return covered + FAR_COST * distance + OUTSIDE_COST * (area(box) - overlap(box, frame))
        best = min(candidates(label, font_size), key=cost)[1]
        boxes.append(best)
        taken.append(best)
    return boxes
