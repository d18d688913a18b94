// How covers grow: the comparison of 64 bytes, extension, the diagonal compare. The floor is memcmp of
// equal bytes; the bytes counted are those of one side.
#include "kernels.hpp"
#include "match/diagonal.hpp"
#include "support/generate.hpp"

namespace bdelta::bench {
namespace {

using Mask = std::uint64_t (*)(const std::uint8_t*, const std::uint8_t*);

const Pair& similar(const Size& size, std::uint64_t one_in) {
  return input("similar/" + std::to_string(one_in) + "/" + size.name, [&] { return similar_pair(size.bytes, one_in); });
}

void add_floor(const std::string& group, const Size& size) {
  add(group + "floor_memcmp", size, [=](benchmark::State& state) {
    const Pair& in = similar(size, 0);
    measure_memcmp(state, in.source, in.target);
  });
}

template <Mask kMask>
std::uint64_t sum_of_masks(const Pair& in) {
  std::uint64_t sum = 0;
  for (std::size_t at = 0; at < in.source.size(); at += kCompareBlock) {
    sum += kMask(in.source.data() + at, in.target.data() + at);
  }
  return sum;
}

template <Mask kMask>
void bench_mask(benchmark::State& state, const Pair& in) {
  if (refused(state, sum_of_masks<kMask>(in) == sum_of_masks<mismatch_mask_scalar>(in))) return;
  measure(state, in.source.size(), in.source.size() / kCompareBlock, [&] { return sum_of_masks<kMask>(in); });
}

void add_masks(const Size& size) {
  const std::string group = "match/mismatch_mask/";
  add_floor(group, size);
  add(group + "scalar", size,
      [=](benchmark::State& state) { bench_mask<mismatch_mask_scalar>(state, similar(size, 100)); });
  add(group + "simd", size, [=](benchmark::State& state) { bench_mask<mismatch_mask>(state, similar(size, 100)); });
}

// The rule of extend.hpp byte by byte: what the blocks are measured against.
Extension extend_bytes(const std::uint8_t* source, const std::uint8_t* target, std::uint64_t limit,
                       const ExtendCosts& costs) {
  bdelta::detail::Walk walk;
  for (std::uint64_t done = 0; done < limit; ++done) {
    if (!walk.step(source[done] != target[done], 1, done, costs)) break;
  }
  return walk.best;
}

Extension extend_back(const std::uint8_t* source, const std::uint8_t* target, std::uint64_t limit,
                      const ExtendCosts& costs) {
  return extend_backward(source + limit, target + limit, limit, costs);
}

constexpr ExtendCosts kStrict = {3, 64};  // of every level

template <class Extend>
void bench_extend(benchmark::State& state, const Pair& in, Extend extend) {
  const std::uint8_t* s = in.source.data();
  const std::uint8_t* t = in.target.data();
  const std::uint64_t size = in.source.size();
  const Extension plain = extend_bytes(s, t, size, kStrict);
  const Extension got = extend(s, t, size, kStrict);
  // The last byte may differ, and a backward walk ends at the first: both leave a few bytes out.
  if (refused(state, got.score + 100 > plain.score && plain.score + 100 > got.score && got.length + 100 > size)) return;
  measure(state, size, 0, [&] { return extend(s, t, size, kStrict).length; });
}

// A seed that was none: the walk ends in its first block. Bytes: those of the block.
void bench_stop(benchmark::State& state, const Pair& in) {
  const std::size_t count = in.source.size() / kCompareBlock;
  const auto walk_all = [&] {
    std::uint64_t length = 0;
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t at = i * kCompareBlock;
      length += extend_forward(in.source.data() + at, in.target.data() + at, in.source.size() - at, kStrict).length;
    }
    return length;
  };
  if (refused(state, walk_all() < count)) return;
  measure(state, in.source.size(), count, walk_all);
}

void add_extend(const Size& size) {
  const std::string group = "match/extend/";
  add_floor(group, size);
  for (const std::uint64_t one_in : {0u, 100u}) {
    const std::string run = one_in == 0 ? "exact" : "1_percent_differs";
    const auto pair = [=]() -> const Pair& { return similar(size, one_in); };
    add(group + run + "_bytewise", size, [=](benchmark::State& state) { bench_extend(state, pair(), extend_bytes); });
    add(group + run + "_forward", size, [=](benchmark::State& state) { bench_extend(state, pair(), extend_forward); });
    add(group + run + "_backward", size, [=](benchmark::State& state) { bench_extend(state, pair(), extend_back); });
  }
  add(group + "stops_at_once", size, [=](benchmark::State& state) {
    bench_stop(state, input(std::string("strange/") + size.name, [&] { return strange_pair(size.bytes); }));
  });
}

std::uint64_t length_of(const Covers& covers) {
  std::uint64_t sum = 0;
  for (const Cover& cover : covers) sum += cover.length;
  return sum;
}

// `least`, `most`: bytes of the target that have to be covered.
void bench_diagonal(benchmark::State& state, const Pair& in, std::uint64_t least, std::uint64_t most) {
  WorkerPool pool(1);
  const auto covered = [&] { return length_of(cover_diagonals(in.source, in.target, whole_diagonals(in.source, in.target), pool)); };
  const std::uint64_t length = covered();
  if (refused(state, length >= least && length <= most)) return;
  measure(state, in.target.size(), 0, covered);
}

void add_diagonal(const Size& size) {
  const std::string group = "match/diagonal/";
  add_floor(group, size);
  for (const std::uint64_t one_in : {0u, 100u}) {
    add(group + (one_in == 0 ? "exact" : "1_percent_differs"), size, [=](benchmark::State& state) {
      bench_diagonal(state, similar(size, one_in), size.bytes - 100, size.bytes);
    });
  }
  add(group + "nothing_fits", size, [=](benchmark::State& state) {
    bench_diagonal(state, input(std::string("strange/") + size.name, [&] { return strange_pair(size.bytes); }), 0, 0);
  });
}

}  // namespace

void register_match_compare() {
  for (const Size& size : kSizes) add_masks(size);
  for (const Size& size : kSizes) add_extend(size);
  for (const Size& size : kSizes) add_diagonal(size);
}

}  // namespace bdelta::bench
