// What the benchmarks of the kernels share: names, sizes, inputs, the measuring loop.
//
// A benchmark is called room/group/variant/size. Within a group and a size one variant is the floor, called
// floor_... It is what the machine needs to do the least conceivable work on the same bytes (memcpy, memcmp, a
// load). The other variants are read as shares of it, so a figure means something on a noisy or a different machine.
#pragma once

#include <benchmark/benchmark.h>

#include <cstring>
#include <memory>
#include <string>

#include "base/bytes.hpp"

namespace bdelta::bench {

struct Size {
  const char* name;
  std::size_t bytes;
};
inline constexpr Size kCached{"256KiB", std::size_t{256} << 10};  // two of them lie in an L2 of 1 MiB
inline constexpr Size kBeyond{"64MiB", std::size_t{64} << 20};    // more than an L3 of 32 MiB
inline constexpr Size kSizes[] = {kCached, kBeyond};

// One for each source file; adds its benchmarks to those that main runs.
void register_base();
void register_hash();
void register_codec();
void register_match_find();
void register_match_compare();
void register_model();
void register_apply();
void register_deflate();

// Two byte sequences of one length.
struct Pair {
  Bytes source;
  Bytes target;
};

// `one_in`: one byte in so many differs, at random places; 0 = none.
[[nodiscard]] Pair similar_pair(std::size_t size, std::uint64_t one_in);
[[nodiscard]] Pair strange_pair(std::size_t size);

// OLD of a sample pair of make_pair: code, tables, text. Throws std::runtime_error if no temporary file can be had.
[[nodiscard]] Bytes program_bytes(std::size_t size);

namespace detail {
struct Kept {
  std::string key;
  std::shared_ptr<void> input;
};
[[nodiscard]] Kept& kept() noexcept;
}  // namespace detail

// The input called `key`, made when first asked for. A benchmark function is called several times in a run, and the
// variants of a group follow one another. So the last input is kept, and only the last, as inputs are large.
// A key stands for one type and one way of making it.
template <class Make>
auto& input(const std::string& key, Make make) {
  using Input = decltype(make());
  detail::Kept& kept = detail::kept();
  if (kept.key != key) {
    kept = {};
    kept.input = std::make_shared<Input>(make());
    kept.key = key;
  }
  return *static_cast<Input*>(kept.input.get());
}

// Registers run(state), called `name` and `size.name` behind a slash.
template <class Run>
void add(const std::string& name, const Size& size, Run run) {
  benchmark::RegisterBenchmark((name + "/" + size.name).c_str(), run)->Unit(benchmark::kMicrosecond);
}

// The loop. `body` returns something that depends on its work; `bytes` and `items` are those of one call.
template <class Body>
void measure(benchmark::State& state, std::uint64_t bytes, std::uint64_t items, Body body) {
  for (auto _ : state) {
    auto result = body();
    benchmark::DoNotOptimize(result);
    benchmark::ClobberMemory();
  }
  state.SetBytesProcessed(state.iterations() * static_cast<std::int64_t>(bytes));
  if (items != 0) state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(items));
}

// A kernel that gives a wrong result is not timed: true, with the benchmark failed, where `right` is false.
[[nodiscard]] inline bool refused(benchmark::State& state, bool right) {
  if (!right) state.SkipWithError("the kernel gives a wrong result");
  return !right;
}

inline void measure_memcpy(benchmark::State& state, ByteSpan from, std::uint64_t items = 0) {
  Bytes to(from.size());
  measure(state, from.size(), items, [&] {
    std::memcpy(to.data(), from.data(), from.size());
    return to.data();
  });
}

// Both must be equal, so that all is compared. The bytes counted are those of one side.
inline void measure_memcmp(benchmark::State& state, ByteSpan a, ByteSpan b) {
  if (refused(state, a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size()) == 0)) return;
  measure(state, a.size(), 0, [&] { return std::memcmp(a.data(), b.data(), a.size()); });
}

}  // namespace bdelta::bench
