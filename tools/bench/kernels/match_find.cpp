// How seeds are found: the scan for samples, the index of the source, the local table.
#include <algorithm>

#include "kernels.hpp"
#include "match/local_table.hpp"
#include "match/sample_hash.hpp"
#include "match/source_index.hpp"
#include "support/generate.hpp"

namespace bdelta::bench {
namespace {

constexpr unsigned kShift = 6;  // of levels 3 to 9
constexpr std::uint32_t kThreshold = 0x80000000u >> (kShift - 1);

const Bytes& random_input(const Size& size) {
  return input(std::string("random/") + size.name, [&] { return test::random_bytes(size.bytes, 1); });
}

std::vector<std::uint32_t> samples_of(ByteSpan bytes, SampleScan scan) {
  std::vector<std::uint32_t> positions;
  scan(bytes.data(), static_cast<std::uint32_t>(bytes.size() - kAnchorSpan + 1), kThreshold, positions);
  return positions;
}

void bench_scan(benchmark::State& state, const Bytes& in, SampleScan scan) {
  std::vector<std::uint32_t> positions = samples_of(in, scan);
  if (refused(state, positions == samples_of(in, scan_samples_scalar))) return;
  measure(state, in.size(), in.size(), [&] {
    positions.clear();  // keeps its memory, as in the matcher
    scan(in.data(), static_cast<std::uint32_t>(in.size() - kHashSpan + 1), kThreshold, positions);
    return positions.size();
  });
}

void add_scan(const Size& size) {
  const std::string group = "match/sample_scan/";
  add(group + "floor_memcpy", size, [=](benchmark::State& state) { measure_memcpy(state, random_input(size)); });
  add(group + "scalar", size,
      [=](benchmark::State& state) { bench_scan(state, random_input(size), scan_samples_scalar); });
#if defined(BDELTA_HAVE_AVX2)
  if (__builtin_cpu_supports("avx2")) {
    add(group + "avx2", size,
        [=](benchmark::State& state) { bench_scan(state, random_input(size), scan_samples_avx2); });
  }
#endif
}

void add_build(const Size& size) {
  const std::string group = "match/index_build/";
  add(group + "floor_memcpy", size, [=](benchmark::State& state) { measure_memcpy(state, random_input(size)); });
  for (const unsigned shift : {6u, 7u}) {
    add(group + "shift_" + std::to_string(shift), size, [=](benchmark::State& state) {
      const Bytes& in = random_input(size);
      WorkerPool pool(1);
      SourceIndex index;
      index.build(in, shift, pool);
      if (refused(state, !index.empty())) return;
      measure(state, in.size(), in.size() >> shift, [&] {
        index.build(in, shift, pool);
        return index.memory_bytes();
      });
    });
  }
}

// Keys in random order, so that a lookup finds its line in a cache only where the whole table fits.
struct Lookups {
  SourceIndex index;
  std::vector<std::uint64_t> hits;
  std::vector<std::uint64_t> misses;
  std::vector<std::uint64_t> table;  // as large as the index: what the floor loads from
};

Lookups make_lookups(std::size_t source_bytes, unsigned shift) {
  const Bytes source = test::random_bytes(source_bytes, 1);
  Lookups made;
  WorkerPool pool(1);
  made.index.build(source, shift, pool);
  std::vector<std::uint32_t> samples;
  best_sample_scan()(source.data(), static_cast<std::uint32_t>(source.size() - kAnchorSpan + 1),
                     made.index.threshold(), samples);
  test::Random random(5);
  for (std::size_t i = std::min<std::size_t>(samples.size(), std::size_t{1} << 20); i > 0; --i) {
    made.hits.push_back(anchor_hash(source.data() + samples[static_cast<std::size_t>(random.below(samples.size()))]));
    made.misses.push_back(random.next());
  }
  made.table.assign(static_cast<std::size_t>(made.index.memory_bytes() / sizeof(std::uint64_t)), 1);
  return made;
}

std::uint64_t found_by(const Lookups& in, const std::vector<std::uint64_t>& keys, std::size_t ahead) {
  std::uint64_t found = 0;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (ahead != 0) in.index.prefetch(keys[std::min(i + ahead, keys.size() - 1)]);
    in.index.lookup(keys[i], [&](std::uint64_t) { ++found; });
  }
  return found;
}

// Bytes: the 32 of a bucket for each lookup.
void add_lookup(const Size& table, std::size_t source_bytes, unsigned shift) {
  const std::string group = "match/index_lookup/";
  const auto lookups = [=]() -> const Lookups& {
    return input(std::string("lookups/") + table.name, [=] { return make_lookups(source_bytes, shift); });
  };
  add(group + "floor_random_load", table, [=](benchmark::State& state) {
    const Lookups& in = lookups();
    const std::size_t mask = in.table.size() - 1;
    measure(state, 32 * in.misses.size(), in.misses.size(), [&] {
      std::uint64_t sum = 0;
      for (const std::uint64_t key : in.misses) sum += in.table[static_cast<std::size_t>(key) & mask];
      return sum;
    });
  });
  for (const std::size_t ahead : {0u, 16u}) {
    const std::string suffix = ahead == 0 ? "" : "_prefetched";
    add(group + "hit" + suffix, table, [=](benchmark::State& state) {
      const Lookups& in = lookups();
      if (refused(state, found_by(in, in.hits, ahead) * 100 >= in.hits.size() * 85)) return;
      measure(state, 32 * in.hits.size(), in.hits.size(), [&] { return found_by(in, in.hits, ahead); });
    });
    add(group + "miss" + suffix, table, [=](benchmark::State& state) {
      const Lookups& in = lookups();
      if (refused(state, found_by(in, in.misses, ahead) * 100 <= in.misses.size())) return;
      measure(state, 32 * in.misses.size(), in.misses.size(), [&] { return found_by(in, in.misses, ahead); });
    });
  }
}

// Asks for each byte of `target` what the scan asks: the slot of its hash, and whether the bytes there fit.
std::uint64_t local_finds(const LocalTable& table, ByteSpan source, ByteSpan target) {
  std::uint64_t found = 0;
  for (std::size_t pos = 0; pos + kHashSpan <= target.size(); ++pos) {
    const std::uint64_t at = table.find(sample_hash(target.data() + pos), pos);
    found += at + kHashSpan <= source.size() && load_word(source.data() + at) == load_word(target.data() + pos);
  }
  return found;
}

void bench_find(benchmark::State& state, const Pair& in, std::size_t found_percent) {
  LocalTable table(in.source);
  table.cover(0, 0, in.source.size());
  const std::uint64_t found = local_finds(table, in.source, in.target) * 100;
  const std::uint64_t hoped = in.target.size() * found_percent;
  if (refused(state, found_percent == 0 ? found < in.target.size() : found >= hoped)) return;
  measure(state, in.target.size(), in.target.size(), [&] { return local_finds(table, in.source, in.target); });
}

void add_hash_floor(const std::string& group, const Size& size) {
  add(group + "floor_hash", size, [=](benchmark::State& state) {
    const Bytes& in = random_input(size);
    measure(state, in.size(), in.size(), [&] {
      std::uint32_t sum = 0;
      for (std::size_t pos = 0; pos + kHashSpan <= in.size(); ++pos) sum ^= sample_hash(in.data() + pos);
      return sum;
    });
  });
}

// A source of more granules than the table counts as present: each is inserted anew in every round.
void add_local_insert() {
  static_assert(kCached.bytes / LocalTable::kGranuleBytes > LocalTable::kLifeGranules + 1);
  add_hash_floor("match/local_insert/", kCached);
  add("match/local_insert/cover", kCached, [](benchmark::State& state) {
    const Bytes& in = random_input(kCached);
    LocalTable table(in);
    measure(state, in.size(), in.size() / LocalTable::kStride, [&] {
      for (std::uint64_t at = 0; at < in.size(); at += LocalTable::kGranuleBytes) table.cover(at, 0, 0);
      return table.find(0, 0);
    });
  });
}

// The widest neighbourhood that a scan looks at, all of it in the table.
void add_local_find() {
  const Size size{"96KiB", std::size_t{96} << 10};
  add_hash_floor("match/local_find/", size);
  // One byte in four stands in the table, and few of those have lost their slot to another.
  add("match/local_find/hit", size, [=](benchmark::State& state) {
    bench_find(state, input("similar/small", [=] { return similar_pair(size.bytes, 0); }), 20);
  });
  add("match/local_find/miss", size, [=](benchmark::State& state) {
    bench_find(state, input("strange/small", [=] { return strange_pair(size.bytes); }), 0);
  });
}

}  // namespace

void register_match_find() {
  for (const Size& size : kSizes) add_scan(size);
  for (const Size& size : kSizes) add_build(size);
  add_lookup({"table_64KiB", 0}, std::size_t{256} << 10, kShift);
  add_lookup({"table_128MiB", 0}, kBeyond.bytes, 3);
  add_local_insert();
  add_local_find();
}

}  // namespace bdelta::bench
