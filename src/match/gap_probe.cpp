// A gap pass costs some 100 ns for a byte of a gap and as much for a few bytes of the source, because its tables are
// as large as the gaps and every access misses the caches. Where nothing matches, as between compressed files, all of it
// is in vain. So first a join of samples: of both files only the positions count whose first 8 bytes have a low hash,
// the same in both wherever they stand; of the gaps only blocks spread evenly are read, of the source everything. The
// keys of the gaps at these positions fit the cache, so the cost is that of a SIMD scan over the source, and the share
// of them that the source holds is the share of gap bytes that the pass could cover, give or take a few per cent of it.
#include "match/gap_probe.hpp"

#include <algorithm>

#include "match/sample_hash.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kLeastGapBytes = std::uint64_t{1} << 20;  // below, the pass is quick
constexpr std::uint32_t kThreshold = std::uint32_t{1} << 26;      // one position in 64 is a sample
constexpr std::uint64_t kBlockBytes = 4096;                       // of a gap, sampled as one
constexpr std::uint64_t kMostBlocks = 1024;                       // about 65,000 samples
constexpr std::size_t kLeastSamples = 8192;                       // fewer decide nothing
constexpr std::uint64_t kWorthShare = 2048;                       // one sample in so many found: worth the pass
constexpr std::uint64_t kSourceBytes = std::uint64_t{1} << 20;    // scanned by one task
constexpr std::uint64_t kFilterBits = std::uint64_t{1} << 20;     // 128 KiB: fits the L2 cache

struct Stretch {
  std::uint64_t begin;
  std::uint64_t end;
};

std::uint64_t key_of(const std::uint8_t* at, unsigned span) noexcept {
  std::uint64_t h = load_le<std::uint64_t>(at) * 0x9FB21C651E98DF25ull;
  h = (h ^ (h >> 32) ^ load_le<std::uint64_t>(at + span - 8)) * 0xD6E8FEB86659FD93ull;
  h = (h ^ (h >> 32) ^ load_le<std::uint64_t>(at + std::min(span - 8, 8u))) * 0xC2B2AE3D27D4EB4Full;
  return h ^ (h >> 29);
}

// Blocks spread evenly over what the covers leave free.
std::vector<Stretch> spread_blocks(const Covers& covers, std::uint64_t target_size, std::uint64_t gap_bytes) {
  const std::uint64_t stride = std::max(kBlockBytes, gap_bytes / kMostBlocks);
  std::vector<Stretch> blocks;
  std::uint64_t passed = 0;  // gap bytes before the gap at hand
  std::uint64_t next = 0;    // gap bytes before the next block
  std::uint64_t begin = 0;
  for (std::size_t i = 0; i <= covers.size(); ++i) {
    const std::uint64_t end = i < covers.size() ? covers[i].target_pos : target_size;
    for (; next < passed + (end - begin); next += stride) {
      const std::uint64_t from = begin + (next - passed);
      blocks.push_back({from, std::min(end, from + kBlockBytes)});
    }
    passed += end - begin;
    if (i < covers.size()) begin = covers[i].target_end();
  }
  return blocks;
}

// Calls use(key) for each sample in [begin, end) whose key lies within `limit`.
template <class Use>
void for_samples(ByteSpan bytes, Stretch stretch, unsigned span, std::uint64_t limit,
                 std::vector<std::uint32_t>& positions, const Use& use) {
  static const SampleScan scan = best_sample_scan();
  if (limit < span) return;
  const std::uint64_t end = std::min(stretch.end, limit - span + 1);
  if (stretch.begin >= end) return;
  positions.clear();
  scan(bytes.data() + stretch.begin, static_cast<std::uint32_t>(end - stretch.begin), kThreshold, positions);
  for (const std::uint32_t offset : positions) use(key_of(bytes.data() + stretch.begin + offset, span));
}

class SampledKeys {
 public:
  void add(std::uint64_t key) { keys_.push_back(key); }

  void close() {
    std::sort(keys_.begin(), keys_.end());
    for (const std::uint64_t key : keys_) filter_[bit(key)] = true;
  }

  [[nodiscard]] bool contains(std::uint64_t key) const {
    return filter_[bit(key)] && std::binary_search(keys_.begin(), keys_.end(), key);
  }

  [[nodiscard]] std::size_t size() const noexcept { return keys_.size(); }

  // How many of the keys added stand in `sorted`.
  [[nodiscard]] std::uint64_t count_in(const std::vector<std::uint64_t>& sorted) const {
    std::uint64_t count = 0;
    for (const std::uint64_t key : keys_) count += std::binary_search(sorted.begin(), sorted.end(), key);
    return count;
  }

 private:
  [[nodiscard]] static std::size_t bit(std::uint64_t key) noexcept {
    return static_cast<std::size_t>(key & (kFilterBits - 1));
  }

  std::vector<std::uint64_t> keys_;
  std::vector<bool> filter_ = std::vector<bool>(kFilterBits);
};

void sort_unique(std::vector<std::uint64_t>& keys) {
  std::sort(keys.begin(), keys.end());
  keys.erase(std::unique(keys.begin(), keys.end()), keys.end());
}

// The keys that samples of the source share with `keys`, sorted, each once.
std::vector<std::uint64_t> shared_keys(ByteSpan source, const SampledKeys& keys, unsigned span, WorkerPool& pool,
                                       const ByteRanges& ranges) {
  const ByteRanges tasks = cut_ranges(ranges, source.size(), kSourceBytes);
  std::vector<std::vector<std::uint64_t>> parts(tasks.size());
  pool.for_each(parts.size(), [&](std::size_t i) {
    const auto [begin, end] = tasks[i];
    const Span step(pool.timeline(), PhaseId::kGaps, i, end - begin);
    std::vector<std::uint32_t> positions;
    for_samples(source, {begin, end}, span, source.size(), positions, [&](std::uint64_t key) {
      if (keys.contains(key)) parts[i].push_back(key);
    });
    sort_unique(parts[i]);
    pool.advance(end - begin);
  });
  std::vector<std::uint64_t> shared;
  for (const auto& part : parts) shared.insert(shared.end(), part.begin(), part.end());
  sort_unique(shared);
  return shared;
}

}  // namespace

bool gaps_may_match(ByteSpan source, ByteSpan target, const Covers& covers, unsigned span, WorkerPool& pool,
                    const ByteRanges& ranges) {
  std::uint64_t gap_bytes = target.size();
  for (const Cover& cover : covers) gap_bytes -= cover.length;
  if (gap_bytes < kLeastGapBytes || gap_bytes < target.size() / 2) return true;

  SampledKeys keys;
  std::vector<std::uint32_t> positions;
  for (const Stretch block : spread_blocks(covers, target.size(), gap_bytes)) {
    for_samples(target, block, span, block.end, positions, [&](std::uint64_t key) { keys.add(key); });
  }
  if (keys.size() < kLeastSamples) return true;
  keys.close();
  return keys.count_in(shared_keys(source, keys, span, pool, ranges)) * kWorthShare >= keys.size();
}

}  // namespace bdelta
