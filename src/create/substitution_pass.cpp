// What most votes for a pattern agree on is its candidate, if the pattern stays what it is, or becomes something else,
// much more seldom. Substitutions overlap: one changed number is a candidate in several substitutions, of which those
// that begin at another byte hold parts of its neighbours. So candidates are ranked by what they mend, each byte is
// given to the first, and those to which little is left are dropped. A fast codec says in the end whether the residual
// gets smaller by more than the substitutions take.
#include "create/substitution_pass.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>

#include "base/deciding/prediction.hpp"
#include "base/try.hpp"
#include "create/substitution_votes.hpp"
#include "format/native/group_writer.hpp"
#include "model/residual_writer.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kUnitBytes = SubstitutionTable::kSpanUnitBytes;
constexpr std::uint64_t kWorthBorderBytes = kWorthBorderUnits * kUnitBytes;
constexpr std::uint64_t kWorthBorderBytesOfFew = kWorthBorderUnitsOfFew * kUnitBytes;

using Candidates = std::vector<SubstitutionCandidate>;

SubstitutionTable table_of(const Candidates& candidates, std::vector<SubstitutionSpan> spans = {}) {
  std::vector<Substitution> changes;
  for (const SubstitutionCandidate& candidate : candidates) changes.push_back(candidate.change);
  return SubstitutionTable(std::move(changes), std::move(spans));
}

// How often each candidate's pattern is copied in those pieces.
std::vector<std::uint32_t> count_occurrences(const Candidates& candidates, const CopiedPieces& pieces, WorkerPool& pool) {
  const SubstitutionTable table = table_of(candidates);
  std::vector<std::atomic<std::uint32_t>> seen(candidates.size());
  for_each_piece(pieces, pool, [&](const CopiedPiece& piece) {
    table.for_each_occurrence(piece.copied,
                      [&](std::size_t, std::uint32_t rank) { seen[rank].fetch_add(1, std::memory_order_relaxed); });
  });
  return {seen.begin(), seen.end()};
}

// Scores candidates by how often their pattern is copied there, and drops those that are copied as they are, or become
// something else, nearly as often.
void score(Candidates& candidates, const std::vector<std::uint32_t>& seen) {
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    SubstitutionCandidate& candidate = candidates[i];
    const std::uint32_t others = std::max(seen[i], candidate.votes) - candidate.votes;
    candidate.score = candidate.votes / 2 > others ? candidate.votes - others : 0;
  }
  std::erase_if(candidates, [](const SubstitutionCandidate& c) { return c.score == 0; });
}

// Ranks what is left by its score. Substitutions that a sample shows to be copied too often are out for sure. These
// are the ones that are found everywhere, so the rest is gone through much faster without them.
void weigh(Candidates& candidates, const CopiedPieces& pieces, WorkerPool& pool) {
  const PieceSample sample = sample_of(pieces, kWeighedFirstBytes);
  if (sample.ratio > 1) score(candidates, count_occurrences(candidates, sample.pieces, pool));
  score(candidates, count_occurrences(candidates, pieces, pool));
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const SubstitutionCandidate& a, const SubstitutionCandidate& b) { return a.score > b.score; });
}

// Whether substitutions might mend a share of what differs that shows. Each changes four bytes at most.
bool may_matter(const Candidates& candidates, const CopiedPieces& pieces) {
  std::uint64_t mended_bytes = 0;
  for (const SubstitutionCandidate& candidate : candidates) mended_bytes += kPatternBytes * std::uint64_t{candidate.score};
  return mended_bytes * kLeastMendedShare > changed_bytes_of(pieces);
}

// What substitutions bring: bytes made right less bytes made wrong, of each candidate and of each unit of the target.
struct Gains {
  std::vector<std::atomic<std::int32_t>> of_substitutions;
  std::vector<std::atomic<std::int32_t>> of_units;
};

void count_gains(const Candidates& candidates, const CopiedPieces& pieces, WorkerPool& pool, Gains& gains) {
  const SubstitutionTable table = table_of(candidates);
  for_each_piece(pieces, pool, [&](const CopiedPiece& piece) {
    std::int32_t of_piece = 0;
    table.for_each_byte(piece.copied, [&](std::size_t pos, std::uint32_t rank, std::uint8_t byte) {
      const bool was_right = piece.copied[pos] == piece.wanted[pos];
      const bool is_right = byte == piece.wanted[pos];
      if (was_right == is_right) return;
      gains.of_substitutions[rank].fetch_add(is_right ? 1 : -1, std::memory_order_relaxed);
      of_piece += is_right ? 1 : -1;
    });
    gains.of_units[static_cast<std::size_t>(piece.unit)].fetch_add(of_piece, std::memory_order_relaxed);
  });
}

// Drops substitutions to which those before leave too little.
void prune(Candidates& candidates, const Gains& gains) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (gains.of_substitutions[i].load() >= kWorthSubstitutionBytes) candidates[kept++] = candidates[i];
  }
  candidates.resize(kept);
}

// Where substitutions are of use. What lies between two such places is one with them if it is short.
std::vector<SubstitutionSpan> useful_spans(const Gains& gains, std::size_t substitution_count) {
  const bool are_few = substitution_count <= kFewSubstitutions;
  const std::uint64_t worth_border_bytes = are_few ? kWorthBorderBytesOfFew : kWorthBorderBytes;
  std::vector<SubstitutionSpan> spans;
  for (std::size_t unit = 0; unit < gains.of_units.size(); ++unit) {
    if (gains.of_units[unit].load() <= 0) continue;
    const SubstitutionSpan span{unit * kUnitBytes, (unit + 1) * kUnitBytes};
    if (spans.empty() || span.begin - spans.back().end > worth_border_bytes) {
      spans.push_back(span);
    } else {
      spans.back().end = span.end;
    }
  }
  return spans;
}

// Substitutions of about the same importance in the order of their bytes, which is what the record stores well.
void order_by_class(Candidates& candidates) {
  const auto importance = [](const SubstitutionCandidate& c) { return std::bit_width(c.score) / kImportanceLog; };
  std::sort(candidates.begin(), candidates.end(), [&](const SubstitutionCandidate& a, const SubstitutionCandidate& b) {
    if (importance(a) != importance(b)) return importance(a) > importance(b);
    return pattern_key(a.change.from) < pattern_key(b.change.from);
  });
}

// What is to be priced of the sample.
CopiedPieces priced_pieces(CopiedPieces pieces) {
  std::size_t count = 0;
  for (std::uint64_t changed_bytes = 0; count < pieces.size() && changed_bytes <= kMostPricedResidual; ++count) {
    changed_bytes += pieces[count].changed_bytes;
  }
  pieces.resize(count);
  return pieces;
}

// What the residual of the pieces takes through a fast codec as it is, or where these substitutions are made.
Result<std::uint64_t> residual_bytes(const CopiedPieces& pieces, const SubstitutionTable* substitutions, WorkerPool& pool) {
  StreamBytes streams;
  ResidualWriter residual(streams);
  Bytes replaced;
  for (const CopiedPiece& piece : pieces) {
    ByteSpan copied = piece.copied;
    if (substitutions != nullptr) {
      replaced.assign(copied.begin(), copied.end());
      substitutions->replace(replaced);  // also outside of spans, where that makes little difference
      copied = replaced;
    }
    residual.add(copied.data(), piece.wanted.data(), copied.size());
    pool.advance();
  }
  std::uint64_t bytes = 0;
  for (const StreamId s : kResidualStreams) {
    BDELTA_ASSIGN(const native::CodedStream coded, native::compress_stream(streams[s], {CodecId::kZstd, kPricingLevel, 0}));
    bytes += native::coded_bytes(coded);
  }
  return bytes;
}

// Whether the substitutions save clearly more of the residual of a sample than their share of the record takes.
Result<bool> are_worth_it(const native::CodedSubstitutions& substitutions, const PieceSample& sample, WorkerPool& pool) {
  const CopiedPieces pieces = priced_pieces(sample.pieces);
  std::array<Result<std::uint64_t>, 2> bytes{0, 0};  // before and after
  pool.for_each(bytes.size(), [&](std::size_t i) {
    bytes[i] = residual_bytes(pieces, i == 0 ? nullptr : &substitutions.table, pool);
  });
  BDELTA_ASSIGN(const std::uint64_t bytes_before, std::move(bytes[0]));
  BDELTA_ASSIGN(const std::uint64_t bytes_after, std::move(bytes[1]));
  return bytes_after + substitutions.record.size() / sample.ratio + bytes_before / kWorthResidualShare < bytes_before;
}

}  // namespace

Result<std::optional<native::CodedSubstitutions>> learn_substitutions(const CopiedBytes& all, std::uint64_t most_search,
                                                                const CodecSettings& codec, WorkerPool& pool) {
  const Step step(pool, PhaseId::kPredict, all.target.size());
  const CopiedPieces pieces = changed_pieces(all, most_search, pool);
  Candidates candidates = vote_on_substitutions(pieces, pool);
  weigh(candidates, pieces, pool);
  if (!may_matter(candidates, pieces)) return std::optional<native::CodedSubstitutions>();
  Gains gains{std::vector<std::atomic<std::int32_t>>(candidates.size()),
              std::vector<std::atomic<std::int32_t>>(static_cast<std::size_t>(all.target.size() / kUnitBytes + 1))};
  count_gains(candidates, pieces, pool, gains);
  prune(candidates, gains);
  std::vector<SubstitutionSpan> spans = useful_spans(gains, candidates.size());
  if (candidates.empty() || spans.empty()) return std::optional<native::CodedSubstitutions>();
  order_by_class(candidates);
  BDELTA_ASSIGN(native::CodedSubstitutions substitutions, native::encode_substitutions(table_of(candidates, std::move(spans)), codec));
  BDELTA_ASSIGN(const bool worth_it, are_worth_it(substitutions, sample_of(pieces, kMostPricedBytes), pool));
  return worth_it ? std::optional(std::move(substitutions)) : std::nullopt;
}

}  // namespace bdelta
