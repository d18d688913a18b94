"""Fields in 32-bit ARM code, of which some stretches are words and some halfwords (section 11.1)."""
import arm32
import thumb

STRETCH_BYTES = 1024
WORDS, HALFWORDS = "words", "halfwords"
FREQUENT = frozenset(range(0xe0, 0xf5)) - {0xf0, 0xf1}


class Search:
    """Looks for fields in the blocks of one code section. Positions are those in the section."""

    def __init__(self, file, section, low, high, fixed):
        self.file = file
        self.section = section
        self.searches = {WORDS: arm32.Search(file, section, low, high, fixed),
                         HALFWORDS: thumb.Search(file, section, low, high, fixed)}

    def block(self, begin, end):
        start = self.section.pos + begin
        looks = looks_of(self.file.data[start:self.section.pos + end])
        fields = [field for look, search in self.searches.items() for field in search.block(begin, end)
                  if all(looks[(p - start) // STRETCH_BYTES] == look for p in (field.pos, field.end - 1))]
        return sorted(fields, key=lambda field: field.pos)


def looks_of(block):
    """What each stretch of a block is of."""
    looks = [look_of(block[i:i + STRETCH_BYTES]) for i in range(0, len(block), STRETCH_BYTES)]
    most = WORDS if looks.count(WORDS) > looks.count(HALFWORDS) else HALFWORDS
    return [look or most for look in looks]


def look_of(stretch):
    """None if it looks like neither."""
    count = len(stretch) // 4
    high, low = (sum(byte in FREQUENT for byte in stretch[at:4 * count:4]) for at in (3, 1))
    if 5 * high >= count and high >= 3 * low:
        return WORDS
    return HALFWORDS if 16 * low >= count and high < 2 * low else None
