// Ops and residuals to streams and back, one window at a time.
//
// Encoding compares source and target once more, so its floor is memcmp, and its bytes are those of the target; the
// checksum of the window is part of it. Decoding only sees the streams of numbers: its bytes are theirs, and its floor
// copies as many.
#include "kernels.hpp"
#include "model/miss_heat.hpp"
#include "model/window_decoder.hpp"
#include "model/window_encoder.hpp"

namespace bdelta::bench {
namespace {

constexpr Size kWindow{"4MiB", std::size_t{4} << 20};  // what every level cuts windows at
constexpr std::uint64_t kFew = 4096;                   // one byte in so many differs
constexpr std::uint64_t kMany = 50;

struct Task {
  Pair pair;
  Covers covers;
  GroupDraft draft;  // one window
  [[nodiscard]] GroupDraft encode() const {
    return encode_group(pair.source, pair.target, covers, {{0, pair.target.size(), false, 0}}, kWindow.bytes);
  }
};

// One copy of everything, or copies of `copy_bytes` on two diagonals in turn.
Task make_task(std::size_t size, std::uint64_t one_in, std::uint64_t copy_bytes) {
  Task task{similar_pair(size, one_in), {}, {}};
  if (copy_bytes == 0) {
    task.covers = {{0, 0, size}};
  } else {
    for (std::uint64_t at = copy_bytes; at + copy_bytes <= size; at += copy_bytes) {
      const std::uint64_t back = at / copy_bytes % 2 * 8;
      std::memcpy(task.pair.target.data() + at, task.pair.source.data() + at - back, copy_bytes);
      task.covers.push_back({at - back, at, copy_bytes});
    }
  }
  task.draft = task.encode();
  return task;
}

bool decodes(const Task& task) {
  StreamBytes streams = task.draft.streams;
  WindowDelta window;
  std::int64_t diagonal = 0;
  return task.draft.windows.size() == 1 && decode_window(task.draft.windows[0], streams, diagonal, window) &&
         validate_window(window, task.pair.source.size());
}

std::uint64_t number_bytes(const StreamBytes& streams) {
  std::uint64_t sum = 0;
  for (std::size_t id = 0; id < kResidualValues; ++id) sum += streams[id].size();
  return sum;
}

std::uint64_t item_count(const GroupDraft& draft) {
  WindowDelta window;
  StreamBytes streams = draft.streams;
  std::int64_t diagonal = 0;
  if (!decode_window(draft.windows[0], streams, diagonal, window)) return 0;
  return window.ops.size() + window.residual_runs.size();
}

void bench_decode(benchmark::State& state, const Task& task) {
  if (refused(state, decodes(task))) return;
  StreamBytes streams = task.draft.streams;
  WindowDelta window;
  measure(state, number_bytes(streams), item_count(task.draft), [&] {
    std::int64_t diagonal = 0;
    const bool ok = static_cast<bool>(decode_window(task.draft.windows[0], streams, diagonal, window));
    std::swap(window.residual_values, streams[kResidualValues]);  // decoding has moved them out
    std::swap(window.literals, streams[kLiterals]);
    return ok;
  });
}

void add_task(const std::string& name, const Size& size, std::uint64_t one_in, std::uint64_t copy_bytes) {
  const auto task = [=]() -> const Task& {
    return input("task/" + name + "/" + size.name, [=] { return make_task(size.bytes, one_in, copy_bytes); });
  };
  add("model/encode/" + name, size, [=](benchmark::State& state) {
    const Task& in = task();
    if (refused(state, decodes(in))) return;
    measure(state, in.pair.target.size(), item_count(in.draft), [&] { return in.encode().windows.size(); });
  });
  if (one_in == 0 && copy_bytes == 0) return;  // a single op: nothing to time
  add("model/decode_" + name + "/floor_memcpy", size, [=](benchmark::State& state) {
    const Bytes bytes(static_cast<std::size_t>(number_bytes(task().draft.streams)));
    measure_memcpy(state, bytes, item_count(task().draft));
  });
  add("model/decode_" + name + "/decode_window", size, [=](benchmark::State& state) { bench_decode(state, task()); });
}

// A copy without anything warm in stretches of 4 KiB, as where little changes.
void add_unchanged(const char* variant, const Size& size, mix::ColdScan scan) {
  add(std::string("model/unchanged/") + variant, size, [=](benchmark::State& state) {
    const Pair& in = input(std::string("similar/0/") + size.name, [=] { return similar_pair(size.bytes, 0); });
    const mix::MissHeat heat(scan);
    const auto passed = [&] {
      std::size_t at = 0;
      while (at < in.source.size()) {
        const std::size_t length = heat.cool_length(in.source, at, std::min(at + 4096, in.source.size()), 0);
        if (length == 0) break;
        at += length;
      }
      return at;
    };
    if (refused(state, passed() == in.source.size())) return;
    measure(state, in.source.size(), in.source.size(), passed);
  });
}

}  // namespace

void register_model() {
  for (const Size& size : {kCached, kWindow}) {
    add("model/unchanged/floor_memcmp", size, [=](benchmark::State& state) {
      const Pair& in = input(std::string("similar/0/") + size.name, [=] { return similar_pair(size.bytes, 0); });
      measure_memcmp(state, in.source, in.target);
    });
    add_unchanged("byte_by_byte", size, nullptr);
    add_unchanged("best_cold_scan", size, mix::best_cold_scan());
    add("model/encode/floor_memcmp", size, [=](benchmark::State& state) {
      const Pair& in = input(std::string("similar/0/") + size.name, [=] { return similar_pair(size.bytes, 0); });
      measure_memcmp(state, in.source, in.target);
    });
    add_task("no_residual", size, 0, 0);
    add_task("few_residuals", size, kFew, 0);
    add_task("many_residuals", size, kMany, 0);
    add_task("copies_of_64", size, 0, 64);
  }
}

}  // namespace bdelta::bench
