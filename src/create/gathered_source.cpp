// Without a mapping the bytes of the source cost memory, so only those are read that a segment of the target is likely
// to be copied from. One pass over the source takes samples far apart into a table; the samples of a segment then vote
// for the blocks of the source in which they stand. The blocks at the same distance from the start and from the end come
// first whatever the votes, since samples are too far apart to see all that lies there. The rest of the memory goes to
// the blocks with the most votes. They are read in ascending order into one buffer, over which the ordinary matcher
// works; its covers are then cut where the buffer jumps.
#include "create/gathered_source.hpp"

#include <algorithm>
#include <map>

#include "base/try.hpp"
#include "create/input.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kBlockBytes = std::uint64_t{32} << 10;
constexpr std::uint64_t kReadBytes = std::uint64_t{4} << 20;   // by one call
constexpr std::uint64_t kScanStep = std::uint64_t{64} << 10;

}  // namespace

GatheredSource::GatheredSource(RandomReader& reader, const Budget& budget, WorkerPool& pool)
    : reader_(reader), budget_(budget), pool_(pool) {
  index_.start(budget.survey_shift, budget.survey_bytes / SourceIndex::kBucketBytes, pool);
}

Status GatheredSource::survey(FileHasher& hasher) {
  Bytes buffer;
  for (std::uint64_t pos = 0; pos < reader_.size(); pos += kReadBytes) {
    const std::uint64_t fresh = std::min(kReadBytes, reader_.size() - pos);
    const std::size_t kept = std::min<std::size_t>(buffer.size(), kAnchorSpan - 1);  // samples may lie across reads
    std::copy(buffer.end() - static_cast<std::ptrdiff_t>(kept), buffer.end(), buffer.begin());
    buffer.resize(kept + static_cast<std::size_t>(fresh));
    const MutableByteSpan read = MutableByteSpan(buffer).subspan(kept);
    {
      const Step step(pool_, PhaseId::kRead, fresh);
      BDELTA_TRY(reader_.read_at(pos, read));
    }
    {
      const Step step(pool_, PhaseId::kHash, fresh);
      hasher.update(read);
    }
    index_.add(buffer, pos - kept, pool_);
  }
  return {};
}

// By number, ascending.
std::vector<std::uint64_t> GatheredSource::choose_blocks(ByteSpan target, std::uint64_t target_pos,
                                                         std::uint64_t target_size) const {
  std::map<std::uint64_t, std::uint64_t> votes;
  const SampleScan scan = best_sample_scan();
  std::vector<std::uint32_t> offsets;
  const std::uint64_t stop = target.size() < kAnchorSpan ? 0 : target.size() - kAnchorSpan + 1;
  for (std::uint64_t at = 0; at < stop; at += kScanStep) {
    offsets.clear();
    pool_.advance(std::min(kScanStep, stop - at));
    scan(target.data() + at, static_cast<std::uint32_t>(std::min(kScanStep, stop - at)), index_.threshold(), offsets);
    for (const std::uint32_t offset : offsets) {
      index_.lookup(anchor_hash(target.data() + at + offset), [&](std::uint64_t source_pos) {
        ++votes[source_pos / kBlockBytes];
      });
    }
  }
  // The diagonals' blocks share a half of the room; both are the same where the files have one size.
  const std::uint64_t room = std::max<std::uint64_t>(1, budget_.gathered_bytes / kBlockBytes);
  const std::uint64_t shift = reader_.size() - target_size;  // wraps as intended
  std::map<std::uint64_t, std::uint64_t> rank;
  std::uint64_t left = room / 2;
  for (std::uint64_t at = 0; at < target.size() + kBlockBytes && left > 0; at += kBlockBytes) {
    for (const std::uint64_t pos : {target_pos + at, target_pos + at + shift}) {
      if (pos < reader_.size() && left > 0 && rank.emplace(pos / kBlockBytes, ~std::uint64_t{0}).second) --left;
    }
  }
  for (const auto& [block, count] : votes) rank.emplace(block, count);

  std::vector<std::pair<std::uint64_t, std::uint64_t>> order(rank.begin(), rank.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  order.resize(std::min<std::size_t>(order.size(), static_cast<std::size_t>(room)));
  std::vector<std::uint64_t> blocks;
  for (const auto& [block, count] : order) blocks.push_back(block);
  std::sort(blocks.begin(), blocks.end());
  return blocks;
}

// Of the first target byte, were it copied from source_pos; far outside of bytes_ if that was not gathered.
std::int64_t GatheredSource::diagonal_of(std::int64_t source_pos) const {
  for (const Run& run : runs_) {
    const auto begin = static_cast<std::int64_t>(run.source_pos);
    if (source_pos + static_cast<std::int64_t>(kBlockBytes) >= begin &&
        source_pos < begin + static_cast<std::int64_t>(run.length)) {
      return source_pos - begin + static_cast<std::int64_t>(run.begin);
    }
  }
  return static_cast<std::int64_t>(bytes_.size());
}

Status GatheredSource::gather(ByteSpan target, std::uint64_t target_pos, std::uint64_t target_size) {
  runs_.clear();
  std::uint64_t size = 0;
  for (const std::uint64_t block : choose_blocks(target, target_pos, target_size)) {
    const std::uint64_t begin = block * kBlockBytes;
    const std::uint64_t length = std::min(kBlockBytes, reader_.size() - begin);
    if (!runs_.empty() && runs_.back().source_pos + runs_.back().length == begin) {
      runs_.back().length += length;
    } else {
      runs_.push_back({size, begin, length});
    }
    size += length;
  }
  bytes_.resize(static_cast<std::size_t>(size));
  for (const Run& run : runs_) {
    const Step step(pool_, PhaseId::kRead, run.length);
    const MutableByteSpan bytes = MutableByteSpan(bytes_).subspan(static_cast<std::size_t>(run.begin),
                                                                  static_cast<std::size_t>(run.length));
    BDELTA_TRY(read_pieces(reader_, run.source_pos, bytes, pool_.watch()));
  }
  const auto from_end = static_cast<std::int64_t>(reader_.size()) - static_cast<std::int64_t>(target_size);
  diagonals_ = {diagonal_of(static_cast<std::int64_t>(target_pos)),
                diagonal_of(static_cast<std::int64_t>(target_pos) + from_end)};
  return {};
}

FilePieces GatheredSource::pieces() const {
  if (runs_.empty()) return FilePieces(ByteSpan());
  std::vector<FilePieces::Piece> pieces;
  for (const Run& run : runs_) {
    pieces.push_back({run.source_pos, ByteSpan(bytes_).subspan(static_cast<std::size_t>(run.begin),
                                                               static_cast<std::size_t>(run.length))});
  }
  return FilePieces(std::move(pieces));
}

Covers GatheredSource::place(const Covers& covers) const {
  Covers placed;
  placed.reserve(covers.size());
  for (Cover cover : covers) {
    auto run = std::prev(std::upper_bound(runs_.begin(), runs_.end(), cover.source_pos,
                                          [](std::uint64_t pos, const Run& r) { return pos < r.begin; }));
    while (cover.length > 0) {
      const std::uint64_t in_run = cover.source_pos - run->begin;
      const std::uint64_t length = std::min(cover.length, run->length - in_run);
      placed.push_back({run->source_pos + in_run, cover.target_pos, length});
      cover = {cover.source_pos + length, cover.target_pos + length, cover.length - length};
      ++run;
    }
  }
  return placed;
}

}  // namespace bdelta
