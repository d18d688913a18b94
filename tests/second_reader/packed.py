"""The numbers of a packed group: which model codes which number, under which contexts. What is not in the code is given
and takes part all the same."""
from coder import H, Slot, Table, Weights, mixed_bit
from cursor import require, unzigzag
from group import COPY_LENGTHS, DIAGONALS, LITERAL_LENGTHS
from models import ByteModel, CountModel, GuessModel, NumberModel, PositionModel, FourBitModel, class_of

DIAGONALS_KEPT = 15
TRACKS_KEPT = 16
NEAR_TRACK = 1 << 16


class Tracks:
    """The diagonals of places that copies went on from, latest first."""

    def __init__(self, table_log):
        self.diagonals = [0] * TRACKS_KEPT
        self.model = FourBitModel(3, table_log + 2)
        self.last, self.before = 0, 0  # tracks that new diagonals were told from

    def use(self, diagonal):
        distances = [min((diagonal - track) % 2 ** 64, (track - diagonal) % 2 ** 64) for track in self.diagonals]
        nearest = distances.index(min(distances))
        del self.diagonals[nearest if distances[nearest] < NEAR_TRACK else -1]
        self.diagonals.insert(0, diagonal)

    def decode(self, decoder, c_literals, recency_before):
        track = self.model.decode(
            decoder, (H(self.last), H(self.last, min(c_literals, 20)), H(self.last, self.before, recency_before)))
        self.last, self.before = track, self.last
        return track


class OpCoder:
    """Literal lengths, diagonals and lengths of copies."""

    def __init__(self, table_log):
        self.tracks = Tracks(table_log)
        self.jump_positions_ = PositionModel()
        self.length_positions_ = PositionModel()
        self.literal_model = NumberModel(4, table_log + 4)
        self.recency_model = FourBitModel(3, table_log + 2)
        self.jump_model = NumberModel(4, table_log + 4)
        self.length_model = NumberModel(4, table_log + 4)
        self.literals = 0  # of the copy before, like those that follow
        self.length, self.length_before = 0, 0
        self.recency, self.recency_before = 0, 0
        self.distance = 0  # from its track, of the last copy whose diagonal was not among the recent ones
        self.recent = [0] * DIAGONALS_KEPT  # latest first

    def use_diagonal(self, diagonal):
        """Gives the diagonal's recency and puts it to the front."""
        recency = self.recent.index(diagonal) + 1 if diagonal in self.recent else 0
        del self.recent[recency - 1]  # the oldest for recency 0
        self.recent.insert(0, diagonal)
        self.tracks.use(diagonal)
        return recency

    def decode_copy(self, decoder, given, diagonal, position):
        """(literal length, length, diagonal) of a copy after one on `diagonal` that ended at `position`. `given`: stream
        -> number, None for what is in the code."""
        literals = given[LITERAL_LENGTHS]
        if literals is None:
            literals = self._decode_literals(decoder)
        jump = given[DIAGONALS]
        if jump is not None:
            diagonal += unzigzag(jump)
            recency = self.use_diagonal(diagonal)
        else:
            recency, diagonal = self._decode_diagonal(decoder, literals)
        length = given[COPY_LENGTHS]
        if length is None:
            length = self._decode_length(decoder, literals, recency, position + literals)
        self.literals = literals
        self.length, self.length_before = length, self.length
        self.recency, self.recency_before = recency, self.recency
        return literals, length, diagonal

    def _decode_literals(self, decoder):
        c_literals, c_length = class_of(self.literals), class_of(self.length)
        return self.literal_model.decode(
            decoder, (H(0), H(c_literals), H(c_length, self.recency), H(c_literals, c_length)))

    def _decode_diagonal(self, decoder, literals):
        recency = self.recency_model.decode(
            decoder, (H(self.recency), H(self.recency, min(class_of(literals), 20)),
                      H(self.recency, self.recency_before, class_of(self.length))))
        if recency:
            diagonal = self.recent[recency - 1]
            self.use_diagonal(diagonal)
            return recency, diagonal
        diagonal = self._decode_new_diagonal(decoder, class_of(literals))
        require(self.use_diagonal(diagonal) == 0, "a diagonal is coded as new that is among the recent ones")
        return 0, diagonal

    def _decode_new_diagonal(self, decoder, c_literals):
        track = self.tracks.decode(decoder, c_literals, self.recency)
        start, t3 = self.tracks.diagonals[track], min(track, 3)
        contexts = (H(t3), H(class_of(self.distance), t3), H(c_literals, t3), H(self.distance, self.length))
        self.distance = self.jump_model.decode_distance(decoder, contexts, 0, self.jump_positions_, start)
        return start + unzigzag(self.distance)

    def _decode_length(self, decoder, literals, recency, position):
        contexts = (H(class_of(literals), recency), H(class_of(self.length)), H(self.length, min(recency, 2)),
                    H(self.length, self.length_before))
        return self.length_model.decode_distance(decoder, contexts, position, self.length_positions_, position)


class RunCoder:
    """Gaps, lengths and values of residual runs.

    A gap is coded copy by copy: the distance is what is left of it in its copy.
    """

    def __init__(self, table_log):
        self.gap_guess = GuessModel(table_log + 9)
        self.gap_model = NumberModel(5, table_log + 6, mostly_small=True)
        self.gap_positions_ = PositionModel()
        self.first_distances = [0, 0, 0]
        self.pass_tables = [Table(11, Slot), Table(8, Slot), Table(12, Slot)]
        self.pass_weights = Weights(3)
        self.length_model = CountModel(3, table_log + 4)
        self.value_guess = GuessModel(table_log + 10)
        self.value_model = ByteModel(5, table_log + 8)
        self.g1 = self.g2 = self.g3 = self.n1 = self.n2 = 0
        self.recent = 0  # the last four values, the latest in the low byte
        self.first = 0  # value of the run before

    def decode_pass(self, decoder, bytes_left, here, before):
        indexes = (16 * class_of(bytes_left) + min(here, 15), 16 * min(here, 15) + min(before, 15),
                   H(self.n1, self.recent & 0xffff) >> 20)
        slots = [table.at(index) for table, index in zip(self.pass_tables, indexes)]
        return mixed_bit(decoder, slots, self.pass_weights.at(min(here, 3)))

    def decode_distance(self, decoder, position, bytes_left, here):
        f = 1 if here == 0 else 0
        e1, e2, e3 = self.first_distances if f else (self.g1, self.g2, self.g3)
        n1, r, short = self.n1, self.recent & 0xffff, min(self.n1, 7)
        contexts = (H(class_of(e1), n1, position & 3, f), H(r, short, f), H(class_of(bytes_left), f),
                    H(e1, short, e2, f), H(position & 511, f))
        distance, pair = self.gap_guess.decode(
            decoder, (H(1, e1, n1, e2, self.n2, r, f), H(2, e1, e2, e3, f)), H(e1, short, f), short,
            lambda: self.gap_model.decode_distance(decoder, contexts, position, self.gap_positions_, position))
        GuessModel.learn(pair, distance)
        if f:
            self.first_distances = [distance] + self.first_distances[:2]
        return distance

    def decode_length(self, decoder, gap, position):
        """The length less 1."""
        alignment = position & 3
        return self.length_model.decode(
            decoder, (H(gap, alignment), H(min(self.n1, 255), self.n2, class_of(gap)),
                      H(self.g1, gap, min(self.n1, 7))))

    def decode_value(self, decoder, i, length, gap):
        r = self.recent
        near, kind = min(i, 3), 8 * min(i, 3) + min(length, 8) - 1
        q = 16 * near + min(length, 8)
        e = (0, r & 0xff)[i] if i < 2 else r & 0xffff
        contexts = (H(1, r & 0xff, q), H(2, r & 0xffff, q), H(3, r & 0xffffff, near), H(4, gap, q, e & 0xff),
                    H(5, self.first, q, e))
        value, pair = self.value_guess.decode(
            decoder, (H(r), H(r & 0xffff, q)), H(1, r & 0xff, q), kind,
            lambda: self.value_model.decode(decoder, contexts, near))
        GuessModel.learn(pair, value)
        return value

    def note_value(self, value):
        self.recent = (self.recent << 8 | value) & 0xffffffff

    def note_run(self, gap, length, first):
        self.g1, self.g2, self.g3 = gap, self.g1, self.g2
        self.n1, self.n2 = length, self.n1
        self.first = first
