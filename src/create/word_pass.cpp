// Each word in which a copy has a byte changed votes for what stands there in the target. What most votes for a word agree on is its
// candidate, if the word stays what it is, or becomes something else, much more seldom. Words overlap: one changed number
// is a candidate in several words, of which those that begin at another byte hold parts of its neighbours. So candidates
// are ranked by what they mend, each byte is given to the first, and those to which little is left are dropped.
//
// Only words that change twice can win, and most change once. Votes are therefore first counted by hash in a small table.
#include "create/word_pass.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/group_writer.hpp"

namespace bdelta {
namespace {

constexpr unsigned kWordBytes = 4;
constexpr std::uint32_t kLeastVotes = 3;
constexpr std::int32_t kWorthBytes = 8;   // mended less spoilt: what a word costs in the table
constexpr std::size_t kMostVotes = std::size_t{1} << 23;
constexpr std::size_t kMostCandidates = std::size_t{1} << 18;
constexpr std::size_t kMostProbedBytes = std::size_t{8} << 20;
constexpr std::uint64_t kFreeSearchBytes = std::uint64_t{32} << 20;
constexpr std::uint64_t kMostPricedBytes = std::uint64_t{32} << 20;
constexpr unsigned kCountLog = 22;        // of the table of votes by hash
constexpr std::uint64_t kUnitBytes = WordMap::kSpanUnitBytes;
constexpr std::uint64_t kWorthBorderBytes = 8 * kUnitBytes;

std::uint64_t hash_of(std::uint64_t from, std::uint64_t to) {
  return (from * 0x9e3779b97f4a7c15u ^ to) * 0xc2b2ae3d27d4eb4fu;
}

// What one cover copies into one unit of the target.
struct Piece {
  ByteSpan copied;
  ByteSpan wanted;
  std::uint64_t unit;
};

std::vector<Piece> pieces_of(const CopiedBytes& all) {
  std::vector<Piece> pieces;
  for (const Cover& cover : all.covers) {
    for (std::uint64_t pos = cover.target_pos; pos < cover.target_end();) {
      const std::uint64_t unit = pos / kUnitBytes;
      const std::uint64_t end = std::min((unit + 1) * kUnitBytes, cover.target_end());
      pieces.push_back({all.copied(cover, pos, end), all.wanted(pos, end), unit});
      pos = end;
    }
  }
  return pieces;
}

// Calls body(first, last) for tasks of a number of pieces each.
template <class Body>
void for_each_task(std::size_t piece_count, WorkerPool& pool, Body&& body) {
  constexpr std::size_t kTaskPieces = 64;
  pool.for_each((piece_count + kTaskPieces - 1) / kTaskPieces, [&](std::size_t task) {
    body(task * kTaskPieces, std::min(piece_count, (task + 1) * kTaskPieces));
    pool.advance();
  });
}

std::uint64_t changed_count(const Piece& piece) {
  std::uint64_t count = 0;
  for (std::size_t i = 0; i < piece.copied.size(); ++i) count += piece.copied[i] != piece.wanted[i] ? 1u : 0u;
  return count;
}

// Words are replaced only in units in which that is of use, so nothing can be learned from those without a change. None
// if there is too little to mend in them for the time it takes: beyond some MiB, more than most_search bytes for each
// changed one.
std::vector<Piece> changed_pieces(const CopiedBytes& all, std::uint64_t most_search, WorkerPool& pool) {
  std::vector<Piece> pieces = pieces_of(all);
  std::atomic<std::uint64_t> changed_bytes{0};
  for_each_task(pieces.size(), pool, [&](std::size_t first, std::size_t last) {
    std::uint64_t changed = 0;
    for (std::size_t i = first; i < last; ++i) {
      Piece& piece = pieces[i];
      if (std::memcmp(piece.copied.data(), piece.wanted.data(), piece.copied.size()) == 0) piece.copied = {};
      changed += changed_count(piece);
    }
    changed_bytes += changed;
  });
  std::erase_if(pieces, [](const Piece& piece) { return piece.copied.empty(); });
  std::uint64_t searched_bytes = 0;
  for (const Piece& piece : pieces) searched_bytes += piece.copied.size();
  if (searched_bytes > kFreeSearchBytes && searched_bytes / most_search > changed_bytes) pieces.clear();
  return pieces;
}

// One in so many of them, so that about most_bytes are left.
struct Sample {
  std::vector<Piece> pieces;
  std::uint32_t ratio = 1;
};

Sample sample_of(const std::vector<Piece>& pieces, std::uint64_t most_bytes) {
  Sample sample;
  std::uint64_t bytes = 0;
  for (const Piece& piece : pieces) bytes += piece.copied.size();
  sample.ratio = static_cast<std::uint32_t>(1 + bytes / most_bytes);
  for (std::size_t i = 0; i < pieces.size(); i += sample.ratio) sample.pieces.push_back(pieces[i]);
  return sample;
}

std::uint64_t word_at(ByteSpan bytes, std::size_t pos) {
  return WordMap::load(bytes.data() + pos, bytes.size() - pos) & (~std::uint64_t{0} >> (64 - 8 * kWordBytes));
}

// Calls body(from, to) for each word of the piece that differs, whatever of its bytes do.
template <class Body>
void for_each_change(const Piece& piece, Body&& body) {
  const std::size_t size = piece.copied.size();
  if (size < kWordBytes) return;
  const std::size_t last = size - kWordBytes;
  for (std::size_t pos = 0; pos <= last; ++pos) {
    if (size - pos >= 2 * sizeof(std::uint64_t)) {  // nothing here: on to the last word that may be touched by what follows
      const auto differ = load_le<std::uint64_t>(piece.copied.data() + pos) ^ load_le<std::uint64_t>(piece.wanted.data() + pos);
      if (differ == 0) {
        pos += sizeof(std::uint64_t) - kWordBytes;
        continue;
      }
    }
    const std::uint64_t from = word_at(piece.copied, pos);
    const std::uint64_t to = word_at(piece.wanted, pos);
    if (from != to) body(from, to);
  }
}

struct Vote {
  std::uint32_t from;
  std::uint32_t to;
  auto operator<=>(const Vote&) const = default;
};

// All votes that are not alone, as far as there is room.
std::vector<Vote> collect_votes(const std::vector<Piece>& pieces, WorkerPool& pool) {
  std::vector<std::uint8_t> counts(std::size_t{1} << kCountLog);
  const auto slot_of = [](std::uint64_t from, std::uint64_t to) { return hash_of(from, to) >> (64 - kCountLog); };
  for (const Piece& piece : pieces) {
    for_each_change(piece, [&](std::uint64_t from, std::uint64_t to) {
      std::uint8_t& count = counts[slot_of(from, to)];
      if (count < kLeastVotes) ++count;
    });
    pool.advance();
  }
  std::vector<Vote> votes;
  for (const Piece& piece : pieces) {
    for_each_change(piece, [&](std::uint64_t from, std::uint64_t to) {
      if (votes.size() < kMostVotes && counts[slot_of(from, to)] == kLeastVotes) {
        votes.push_back({static_cast<std::uint32_t>(from), static_cast<std::uint32_t>(to)});
      }
    });
    pool.advance();
  }
  return votes;
}

struct Candidate {
  WordChange change;
  std::uint32_t votes = 0;
  std::uint32_t score = 0;  // votes less other outcomes
};

// Of each word the outcome with most votes, the lowest of equals. Most votes first.
std::vector<Candidate> count_votes(std::vector<Vote> votes) {
  std::sort(votes.begin(), votes.end());
  std::vector<Candidate> candidates;
  for (std::size_t i = 0; i < votes.size();) {
    std::size_t end = i;
    while (end < votes.size() && votes[end] == votes[i]) ++end;
    const auto count = static_cast<std::uint32_t>(end - i);
    const bool first = candidates.empty() || candidates.back().change.from != votes[i].from;
    if (first) candidates.push_back({{votes[i].from, votes[i].to}});
    if (count > candidates.back().votes) candidates.back() = {{votes[i].from, votes[i].to}, count};
    i = end;
  }
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.votes > b.votes; });
  std::erase_if(candidates, [](const Candidate& c) { return c.votes < kLeastVotes; });
  if (candidates.size() > kMostCandidates) candidates.resize(kMostCandidates);
  return candidates;
}

WordMap map_of(const std::vector<Candidate>& candidates, std::vector<WordSpan> spans = {}) {
  std::vector<WordChange> changes;
  for (const Candidate& candidate : candidates) changes.push_back(candidate.change);
  return WordMap(kWordBytes, std::move(changes), std::move(spans));
}

// Drops words that are copied as they are, or become something else, nearly as often; ranks the others.
void weigh(std::vector<Candidate>& candidates, const std::vector<Piece>& pieces, WorkerPool& pool) {
  const WordMap map = map_of(candidates);
  std::vector<std::atomic<std::uint32_t>> seen(candidates.size());
  for_each_task(pieces.size(), pool, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      map.for_each_word(pieces[i].copied,
                        [&](std::size_t, std::uint32_t rank) { seen[rank].fetch_add(1, std::memory_order_relaxed); });
    }
  });
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    Candidate& candidate = candidates[i];
    const std::uint32_t others = std::max(seen[i].load(), candidate.votes) - candidate.votes;
    candidate.score = candidate.votes / 2 > others ? candidate.votes - others : 0;
  }
  std::erase_if(candidates, [](const Candidate& c) { return c.score == 0; });
  std::stable_sort(candidates.begin(), candidates.end(),
                   [](const Candidate& a, const Candidate& b) { return a.score > b.score; });
}

// Calls body(piece, rank, gain) for each byte that a word of the map makes right, by 1, or wrong, by -1.
template <class Body>
void for_each_gain(const WordMap& map, const std::vector<Piece>& pieces, WorkerPool& pool, Body&& body) {
  for_each_task(pieces.size(), pool, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Piece& piece = pieces[i];
      map.for_each_byte(piece.copied, [&](std::size_t pos, std::uint32_t rank, std::uint8_t byte) {
        const bool was_right = piece.copied[pos] == piece.wanted[pos];
        const bool is_right = byte == piece.wanted[pos];
        if (was_right != is_right) body(piece, rank, is_right ? 1 : -1);
      });
    }
  });
}

// What words bring: bytes made right less bytes made wrong, of each candidate and of each unit of the target.
struct Gains {
  std::vector<std::atomic<std::int32_t>> of_words;
  std::vector<std::atomic<std::int32_t>> of_units;
};

void count_gains(const std::vector<Candidate>& candidates, const std::vector<Piece>& pieces, WorkerPool& pool,
                 Gains& gains) {
  const WordMap map = map_of(candidates);
  for_each_task(pieces.size(), pool, [&](std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) {
      const Piece& piece = pieces[i];
      std::int32_t of_piece = 0;
      map.for_each_byte(piece.copied, [&](std::size_t pos, std::uint32_t rank, std::uint8_t byte) {
        const bool was_right = piece.copied[pos] == piece.wanted[pos];
        const bool is_right = byte == piece.wanted[pos];
        if (was_right == is_right) return;
        gains.of_words[rank].fetch_add(is_right ? 1 : -1, std::memory_order_relaxed);
        of_piece += is_right ? 1 : -1;
      });
      gains.of_units[static_cast<std::size_t>(piece.unit)].fetch_add(of_piece, std::memory_order_relaxed);
    }
  });
}

// Drops words to which those before leave too little.
void prune(std::vector<Candidate>& candidates, const Gains& gains) {
  std::size_t kept = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (gains.of_words[i].load() >= kWorthBytes) candidates[kept++] = candidates[i];
  }
  candidates.resize(kept);
}

// Where words are of use. What lies between two such places is one with them if it is short: a border costs bytes.
std::vector<WordSpan> useful_spans(const Gains& gains) {
  std::vector<WordSpan> spans;
  for (std::size_t unit = 0; unit < gains.of_units.size(); ++unit) {
    if (gains.of_units[unit].load() <= 0) continue;
    const WordSpan span{unit * kUnitBytes, (unit + 1) * kUnitBytes};
    if (spans.empty() || span.begin - spans.back().end > kWorthBorderBytes) {
      spans.push_back(span);
    } else {
      spans.back().end = span.end;
    }
  }
  return spans;
}

// Words of about the same importance in the order of their bytes, which is what the record stores well.
void order_by_class(std::vector<Candidate>& candidates) {
  const auto importance = [](const Candidate& c) { return std::bit_width(c.score) / 3; };
  std::sort(candidates.begin(), candidates.end(), [&](const Candidate& a, const Candidate& b) {
    if (importance(a) != importance(b)) return importance(a) > importance(b);
    return word_key(a.change.from, kWordBytes) < word_key(b.change.from, kWordBytes);
  });
}

// About what the residual would cost, with words or without: columns as the format has them, through a fast codec. Of a
// large one the first part says enough; which, the call without words settles.
Result<std::uint64_t> residual_cost(std::vector<Piece>& pieces, const WordMap* words, WorkerPool& pool) {
  Bytes columns[3];
  Bytes copied;
  std::uint64_t gap = 0;
  for (std::size_t p = 0; p < pieces.size(); ++p) {
    const Piece& piece = pieces[p];
    if (columns[2].size() > kMostProbedBytes && !words) {
      pieces.resize(p);
      break;
    }
    copied.assign(piece.copied.begin(), piece.copied.end());
    if (words) words->replace(copied);  // also outside of spans, where that makes little difference
    for (std::size_t i = 0; i < copied.size();) {
      const bool has_eight = copied.size() - i >= sizeof(std::uint64_t);
      if (has_eight && load_le<std::uint64_t>(&copied[i]) == load_le<std::uint64_t>(&piece.wanted[i])) {
        gap += sizeof(std::uint64_t);
        i += sizeof(std::uint64_t);
        continue;
      }
      if (copied[i] == piece.wanted[i]) {
        ++gap;
        ++i;
        continue;
      }
      const std::size_t begin = i;
      for (; i < copied.size() && copied[i] != piece.wanted[i]; ++i) {
        columns[2].push_back(static_cast<std::uint8_t>(piece.wanted[i] - copied[i]));
      }
      append_varint(columns[0], gap);
      append_varint(columns[1], i - begin);
      gap = 0;
    }
    pool.advance();
  }
  std::uint64_t sum = 0;
  for (const Bytes& column : columns) {
    BDELTA_ASSIGN(const native::CodedStream coded, native::compress_stream(column, {CodecId::kZstd, 6, 0}));
    for (const Bytes& frame : coded.frames) sum += frame.size();
  }
  return sum;
}

}  // namespace

Result<std::optional<WordMap>> learn_words(const CopiedBytes& all, std::uint64_t most_search,
                                           const native::Writer& writer, WorkerPool& pool) {
  const Span span(pool.timeline(), PhaseId::kPredict, TraceSpan::kNone, all.target.size());
  const std::vector<Piece> pieces = changed_pieces(all, most_search, pool);
  std::vector<Candidate> candidates = count_votes(collect_votes(pieces, pool));
  weigh(candidates, pieces, pool);
  Gains gains{std::vector<std::atomic<std::int32_t>>(candidates.size()),
              std::vector<std::atomic<std::int32_t>>(static_cast<std::size_t>(all.target.size() / kUnitBytes + 1))};
  count_gains(candidates, pieces, pool, gains);
  prune(candidates, gains);
  std::vector<WordSpan> spans = useful_spans(gains);
  if (candidates.empty() || spans.empty()) return std::optional<WordMap>();
  order_by_class(candidates);
  WordMap words = map_of(candidates, std::move(spans));
  BDELTA_ASSIGN(const std::uint64_t record_bytes, writer.measure_words(words));
  Sample sample = sample_of(pieces, kMostPricedBytes);
  BDELTA_ASSIGN(const std::uint64_t cost_before, residual_cost(sample.pieces, nullptr, pool));
  BDELTA_ASSIGN(const std::uint64_t cost_after, residual_cost(sample.pieces, &words, pool));
  if (cost_after + record_bytes / sample.ratio >= cost_before) return std::optional<WordMap>();
  return std::optional<WordMap>(std::move(words));
}

}  // namespace bdelta
