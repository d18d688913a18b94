// The executor: a window's target bytes out of its ops. The floor is memcpy of as many bytes.
#include "apply/execute.hpp"

#include <algorithm>

#include "io/memory_io.hpp"
#include "kernels.hpp"
#include "support/generate.hpp"

namespace bdelta::bench {
namespace {

constexpr Size kLargest{"8MiB", std::size_t{8} << 20};  // of a window that is not one exact copy

struct Task {
  Bytes source;
  WindowDelta window;
  Bytes target;  // as the plain reading of the ops gives it
};

// Without a view, so that the executor has to go through its cache.
class ReaderOnly final : public RandomReader {
 public:
  explicit ReaderOnly(ByteSpan bytes) noexcept : memory_(bytes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return memory_.size(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return memory_.read_at(pos, out); }

 private:
  io::MemoryReader memory_;
};

void add_op(WindowDelta& window, OpKind kind, std::uint64_t length, std::uint64_t source_pos) {
  window.ops.push_back({kind, length, source_pos});
  window.target_length += length;
}

// The meaning of a window, byte by byte.
Bytes plain_target(const Bytes& source, const WindowDelta& window) {
  Bytes target;
  std::vector<std::size_t> copied;  // target positions of the copied bytes
  std::size_t literal = 0;
  for (const DeltaOp& op : window.ops) {
    for (std::uint64_t i = 0; i < op.length; ++i) {
      if (op.kind == OpKind::kCopy) copied.push_back(target.size());
      target.push_back(op.kind == OpKind::kCopy ? source[static_cast<std::size_t>(op.source_pos + i)]
                                                : window.literals[literal++]);
    }
  }
  std::size_t at = 0;
  std::size_t value = 0;
  for (const ResidualRun& run : window.residual_runs) {
    at += run.gap;
    for (std::uint32_t i = 0; i < run.length; ++i, ++at) {
      target[copied[at]] = static_cast<std::uint8_t>(target[copied[at]] + window.residual_values[value++]);
    }
  }
  return target;
}

// Copies of `copy_bytes`, each behind `literal_bytes`, from places that walk forward with small jumps.
void fill_ops(WindowDelta& window, std::size_t size, std::uint64_t copy_bytes, std::uint64_t literal_bytes) {
  test::Random random(6);
  const std::uint64_t step = copy_bytes + literal_bytes;
  for (std::uint64_t at = 0; at + step <= size; at += step) {
    if (literal_bytes != 0) add_op(window, OpKind::kLiteral, literal_bytes, 0);
    const std::uint64_t jump = size == copy_bytes ? 0 : random.below(64);
    if (copy_bytes != 0) add_op(window, OpKind::kCopy, copy_bytes, std::min(at + jump, size - copy_bytes));
  }
}

// Single bytes, `gap` unchanged ones between them on average.
void fill_residual(WindowDelta& window, std::size_t size, std::uint32_t gap) {
  test::Random random(7);
  for (std::uint64_t at = 0;;) {
    const auto next = static_cast<std::uint32_t>(random.between(1, 2 * gap - 1));
    at += next + 1;
    if (at > size) return;
    window.residual_runs.push_back({next, 1});
    window.residual_values.push_back(static_cast<std::uint8_t>(random.between(1, 255)));
  }
}

Task make_task(std::size_t size, std::uint64_t copy_bytes, std::uint64_t literal_bytes, std::uint32_t gap) {
  Task task;
  task.source = test::random_bytes(size, 1);
  fill_ops(task.window, size, copy_bytes, literal_bytes);
  std::uint64_t copied = 0;
  for (const DeltaOp& op : task.window.ops) copied += op.kind == OpKind::kCopy ? op.length : 0;
  task.window.literals = test::random_bytes(static_cast<std::size_t>(task.window.target_length - copied), 8);
  if (gap != 0) fill_residual(task.window, static_cast<std::size_t>(copied), gap);
  task.target = plain_target(task.source, task.window);
  return task;
}

void bench_execute(benchmark::State& state, const Task& task, RandomReader& reader) {
  ExecuteCaches caches(reader, nullptr);
  Bytes out(static_cast<std::size_t>(task.window.target_length));
  if (refused(state, validate_window(task.window, task.source.size()) &&
                         execute_window(task.window, nullptr, caches, out) && out == task.target)) {
    return;
  }
  const std::uint64_t items = task.window.ops.size() + task.window.residual_runs.size();
  measure(state, out.size(), items, [&] { return static_cast<bool>(execute_window(task.window, nullptr, caches, out)); });
}

void add_execute(const std::string& name, const Size& size, std::uint64_t copy_bytes, std::uint64_t literal_bytes,
                 std::uint32_t gap) {
  const auto task = [=]() -> const Task& {
    return input("execute/" + name + "/" + size.name,
                 [=] { return make_task(size.bytes, copy_bytes, literal_bytes, gap); });
  };
  add("apply/execute/" + name, size, [=](benchmark::State& state) {
    io::MemoryReader reader(task().source);
    bench_execute(state, task(), reader);
  });
  if (name != "copies_of_64") return;
  add("apply/execute/" + name + "_through_cache", size, [=](benchmark::State& state) {
    ReaderOnly reader(task().source);
    bench_execute(state, task(), reader);
  });
}

}  // namespace

void register_apply() {
  for (const Size& size : {kCached, kLargest}) {
    add("apply/execute/floor_memcpy", size, [=](benchmark::State& state) {
      const auto make = [=] { return test::random_bytes(size.bytes, 1); };
      measure_memcpy(state, input(std::string("random/") + size.name, make));
    });
    add_execute("one_copy", size, size.bytes, 0, 0);
    add_execute("one_literal", size, 0, size.bytes, 0);
    add_execute("copies_of_64", size, 64, 0, 0);
    add_execute("copies_of_48_literals_of_16", size, 48, 16, 0);
    add_execute("few_residuals", size, size.bytes, 0, 4096);
    add_execute("many_residuals", size, size.bytes, 0, 50);
  }
}

}  // namespace bdelta::bench
