// Integers of variable length: how a patch's numbers are written and read. One byte is the commonest case by far; of
// the mixed values 80 in 100 have at most one byte, 15 at most two, and the rest at most five. The floor copies the
// coded bytes.
#include "base/byte_cursor.hpp"
#include "io/memory_io.hpp"
#include "io/typed_reader.hpp"
#include "kernels.hpp"
#include "support/generate.hpp"

namespace bdelta::bench {
namespace {

constexpr std::size_t kValueCount = 131'072;
constexpr Size kValues{"128Ki", kValueCount};

struct Numbers {
  std::vector<std::uint64_t> values;
  Bytes coded;
  std::uint64_t sum = 0;
};

Numbers make_numbers(bool mixed) {
  test::Random random(4);
  Numbers numbers;
  for (std::size_t i = 0; i < kValueCount; ++i) {
    const std::uint64_t kind = mixed ? random.below(100) : 0;
    const unsigned bits = kind < 80 ? 7 : kind < 95 ? 14 : static_cast<unsigned>(random.between(15, 35));
    numbers.values.push_back(random.next() >> (64 - bits));
    numbers.sum += numbers.values.back();
    append_varint(numbers.coded, numbers.values.back());
  }
  return numbers;
}

std::uint64_t read_cursor(ByteSpan coded) {
  ByteCursor cursor(coded);
  std::uint64_t sum = 0;
  while (cursor.available() > 0) sum += cursor.varint();
  return cursor.ok() ? sum : ~sum;
}

std::uint64_t read_typed(ByteSpan coded) {
  io::MemorySequentialReader memory(coded);
  io::TypedReader reader(memory);
  std::uint64_t sum = 0;
  while (!reader.at_end()) sum += reader.varint();
  return reader.ok() ? sum : ~sum;
}

std::size_t write_store(const std::vector<std::uint64_t>& values, Bytes& to) {
  std::uint8_t* at = to.data();
  for (const std::uint64_t value : values) at = store_varint(at, value);
  return static_cast<std::size_t>(at - to.data());
}

std::size_t write_append(const std::vector<std::uint64_t>& values, Bytes& to) {
  to.clear();
  for (const std::uint64_t value : values) append_varint(to, value);
  return to.size();
}

template <class Write>
void bench_write(benchmark::State& state, const Numbers& in, Write write) {
  Bytes to(kValueCount * kMaxVarintBytes);
  const std::size_t size = write(in.values, to);
  if (refused(state, size == in.coded.size() && std::memcmp(to.data(), in.coded.data(), size) == 0)) return;
  measure(state, size, kValueCount, [&] { return write(in.values, to); });
}

template <class Read>
void bench_read(benchmark::State& state, const Numbers& in, Read read) {
  if (refused(state, read(in.coded) == in.sum)) return;
  measure(state, in.coded.size(), kValueCount, [&] { return read(in.coded); });
}

void add_varints(const std::string& kind, bool mixed) {
  const auto numbers = [=]() -> const Numbers& {
    return input("numbers/" + kind, [=] { return make_numbers(mixed); });
  };
  const std::string writing = "base/varint_write_" + kind;
  const std::string reading = "base/varint_read_" + kind;
  for (const std::string& group : {writing, reading}) {
    add(group + "/floor_memcpy", kValues,
        [=](benchmark::State& state) { measure_memcpy(state, numbers().coded, kValueCount); });
  }
  add(writing + "/store", kValues, [=](benchmark::State& state) { bench_write(state, numbers(), write_store); });
  add(writing + "/append", kValues, [=](benchmark::State& state) { bench_write(state, numbers(), write_append); });
  add(reading + "/byte_cursor", kValues, [=](benchmark::State& state) { bench_read(state, numbers(), read_cursor); });
  add(reading + "/typed_reader", kValues, [=](benchmark::State& state) { bench_read(state, numbers(), read_typed); });
}

}  // namespace

void register_base() {
  add_varints("1_byte", false);
  add_varints("mixed", true);
}

}  // namespace bdelta::bench
