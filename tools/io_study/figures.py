"""The CSV of io_study as figures: finding a case, and the tables of the README. Standard library only."""
import csv

KIB = 1024
BUFFERS = [0, KIB, 4 * KIB, 16 * KIB, 64 * KIB, 256 * KIB, KIB * KIB, 8 * KIB * KIB]

# The ladder: what each step buys for records of a byte. Label, case, record and buffer in bytes (None: no buffer).
LADDER = [
    ("fwrite, no buffer", "fwrite", 1, 0),
    ("fwrite, 4 KiB buffer", "fwrite", 1, 4 * KIB),
    ("fwrite_unlocked, 4 KiB", "fwrite_unlocked", 1, 4 * KIB),
    ("fwrite_unlocked, 64 KiB", "fwrite_unlocked", 1, 64 * KIB),
    ("own record buffer, 64 KiB", "RecordWriter", 1, 64 * KIB),
    ("64 KiB blocks, our writer", "StdioWriter blocks", 64 * KIB, 64 * KIB),
    ("64 KiB blocks, write(2)", "write", 64 * KIB, None),
    ("64 KiB blocks, mapped", "mapped blocks", 64 * KIB, None),
]


class Figures:
    """The rows of one CSV by section, case, record and buffer."""

    def __init__(self, path):
        with open(path, encoding="utf-8", newline="") as file:
            self.rows = list(csv.DictReader(file))
        if not self.rows:
            raise SystemExit(f"{path}: expected rows of figures, found none")
        self.cases = {self._key(row): row for row in self.rows}

    @staticmethod
    def _key(row):
        buffer = None if row["buffer_bytes"] == "" else int(row["buffer_bytes"])
        return row["section"], row["case"], int(row["record_bytes"]), buffer

    def find(self, section, case, record, buffer):
        key = (section, case, record, buffer)
        if key not in self.cases:
            raise SystemExit(f"expected a row for {key}, found none; run io_study without --only")
        return self.cases[key]

    def speed(self, section, case, record, buffer):
        """MB (10^6 bytes) a second, by the median."""
        return float(self.find(section, case, record, buffer)["mb_per_s"])

    def call_ns(self, section, case, record, buffer):
        return float(self.find(section, case, record, buffer)["ns_per_call"])

    def place(self):
        """Date and machine in one line."""
        row = self.rows[0]
        return f"{row['date']}, {row['kernel']}, {row['machine']}, {row['filesystem']}, median of {row['runs']} runs"


def number(value):
    """Three digits or so: what is worth telling."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def times(value):
    return f"{number(value)} times"


def _stdio_rows(figures):
    def written(case, buffer, record=1):
        return figures.speed("writing", case, record, buffer)

    def spread(case):
        speeds = [written(case, buffer) for buffer in BUFFERS[1:]]
        return f"{number(min(speeds))} to {number(max(speeds))} MB/s"

    locked, unlocked = written("fwrite", 4 * KIB), written("fwrite_unlocked", 4 * KIB)
    alone, beside = (figures.call_ns("writing", case, 1, 64 * KIB) for case in ("putc", "putc beside a thread"))
    blocks = written("StdioWriter blocks", 64 * KIB, 64 * KIB)
    yield "`fwrite` of a byte, default buffer", "67.6 MB/s (18.9)", f"{number(locked)} MB/s"
    yield "the same, 256 KiB buffer", "69.7 MB/s (20.4 at 64 KiB)", f"{number(written('fwrite', 256 * KIB))} MB/s"
    yield "`fwrite_unlocked` of a byte, default buffer", "93.5 MB/s (70.5)", f"{number(unlocked)} MB/s"
    yield ("the same, 256 KiB buffer", "94.6 MB/s (93 at 64 KiB)",
           f"{number(written('fwrite_unlocked', 256 * KIB))} MB/s")
    yield "without the lock, faster by", "1.4 times (3.7)", times(unlocked / locked)
    yield "`fwrite`, buffers of 1 KiB to 8 MiB", "within 3 MB/s", spread("fwrite")
    yield "`fwrite_unlocked`, the same buffers", "within 3 MB/s", spread("fwrite_unlocked")
    yield "64 KiB blocks against `fwrite` of bytes", "70 times", times(blocks / locked)
    yield ("our record buffer against `fwrite` of bytes", "",
           times(written("RecordWriter", 64 * KIB) / locked))
    yield "`putc`, one thread; beside a second thread", "", f"{number(alone)} ns; {number(beside)} ns"


def _call_rows(figures):
    def read(case, record):
        return figures.speed("reading", case, record, 64 * KIB)

    def written(case, record):
        return figures.speed("writing", case, record, 64 * KIB)

    def typed(what, way):
        row = next(r for r in figures.rows if r["section"] == "typed" and r["case"] == f"{what} by {way}")
        return float(row["ns_per_call"])

    def of_general(what):
        ours = typed(what, "TypedReader")
        return f"{times(typed(what, 'general reader') / ours)}; {times(typed(what, 'StdioReader') / ours)}"

    yield ("a read call of 2 bytes against 4 KiB, per byte", "75 times",
           times(read("StdioReader", 4 * KIB) / read("StdioReader", 2)))
    yield ("writing 4 KiB chunks against single bytes", "38 times",
           times(written("fwrite_unlocked", 4 * KIB) / written("fwrite_unlocked", 1)))
    yield ("reading 4 KiB chunks against single bytes", "205 times",
           times(read("fread_unlocked", 4 * KIB) / read("fread_unlocked", 1)))
    yield ("typed reader against general reader; against calls of `StdioReader`: mixed record", "11 times",
           of_general("mixed record"))
    yield "the same: varints", "11 times", of_general("varint")
    yield "the same: integers of 4 bytes", "11 times", of_general("integer of 4 bytes")
    for count in (8, 64):
        what = f"structure of {count}"
        yield (f"structure of {count} fields: copied; field by field", "fields win below 40" if count == 8 else "",
               f"{number(typed(what + ' copied', 'TypedReader'))} ns; "
               f"{number(typed(what + ' field by field', 'TypedReader'))} ns a field")


def _seek_rows(figures):
    def ns(case, buffer, record=4 * KIB):
        return figures.call_ns("seek", case, record, buffer)

    chunk = ns("fread without a seek", 64 * KIB)
    asked, known = (ns(f"fread {how} size and position", 64 * KIB, 8) for how in ("asking", "knowing"))

    def in_chunks(*nanoseconds):
        return "; ".join(number(value / chunk) for value in nanoseconds) + " chunks"

    yield "a chunk of 4 KiB, read in order with a 64 KiB buffer", "1 chunk", f"{number(chunk)} ns"
    yield "a seek alone", "0.33 chunks", in_chunks(ns("fseek without a read", 4 * KIB, 0))
    yield ("a seek and the chunk, shuffled: 4 KiB buffer; 64 KiB", "",
           in_chunks(*(ns("fseek + fread shuffled", buffer) for buffer in (4 * KIB, 64 * KIB))))
    yield ("`read_at` of the chunk, shuffled: calls; mapped", "",
           in_chunks(*(ns(f"{way}::read_at shuffled", None) for way in ("RandomFile", "MappedFile"))))
    yield "opening and closing", "40 chunks", in_chunks(ns("open + close", 4 * KIB, 0))
    yield "asking size and position at each record, slower by", "2 times", times(asked / known)


def _overlap_rows(figures):
    for place in ("file", "pipe", "slow pipe"):
        gains = []
        for work in ("hash", "zstd-1"):
            one, three = (figures.speed("overlap", f"{place} {work} in {n}", 256 * KIB, 64 * KIB)
                          for n in ("one thread", "three threads"))
            gains.append(times(three / one))
        yield f"three threads against one, {place}: digest; zstd level 1", "overlap", "; ".join(gains)


def claims(figures):
    """Rows of (what, published, measured)."""
    for part in (_stdio_rows, _call_rows, _seek_rows, _overlap_rows):
        yield from part(figures)


def markdown(figures):
    """Both tables of the README, with the line that says where they were measured."""
    lines = [figures.place() + ".", "", "| what | published | measured |", "|---|---|---|"]
    lines += [f"| {what} | {published or '-'} | {measured} |" for what, published, measured in claims(figures)]
    lines += ["", "| what each step buys; the first five write single bytes | MB/s | ns per call |", "|---|---|---|"]
    for label, case, record, buffer in LADDER:
        speed = number(figures.speed("writing", case, record, buffer))
        lines.append(f"| {label} | {speed} | {number(figures.call_ns('writing', case, record, buffer))} |")
    return "\n".join(lines) + "\n"
