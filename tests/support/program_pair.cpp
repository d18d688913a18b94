#include "support/program_pair.hpp"

#include <algorithm>
#include <vector>

#include "support/generate.hpp"

namespace bdelta::test {
namespace {

constexpr std::uint64_t kTextAddress = 0x400000;
constexpr std::uint64_t kDataAddress = 0x800000;
constexpr std::size_t kTextPos = 0x100;
constexpr std::size_t kObjectBytes = 24;
constexpr std::size_t kObjectCount = 64;

enum class Ins : std::uint8_t { kLoad, kCall, kLea, kJump };

struct Step {
  Ins what;
  std::uint32_t number;  // of kLoad the value, of kCall the function's id, of kLea the object
};

struct Function {
  std::uint32_t id;
  std::vector<Step> steps;
};

using Source = std::vector<Function>;

Function make_function(Random& random, std::uint32_t id, std::uint32_t id_count) {
  Function function{id, {}};
  const auto count = static_cast<std::size_t>(random.between(3, 14));
  for (std::size_t i = 0; i < count; ++i) {
    const auto kind = random.below(10);
    const Ins what = kind < 4 ? Ins::kLoad : kind < 7 ? Ins::kCall : kind < 9 ? Ins::kLea : Ins::kJump;
    const std::uint64_t limit = what == Ins::kCall ? id_count : what == Ins::kLea ? kObjectCount : 1u << 20;
    function.steps.push_back({what, static_cast<std::uint32_t>(random.below(limit))});
  }
  return function;
}

std::size_t size_of(const Step& step) {
  switch (step.what) {
    case Ins::kLoad: return 5;
    case Ins::kCall: return 5;
    case Ins::kLea: return 7;
    case Ins::kJump: return 2;
  }
  return 0;
}

Bytes link(const Source& source, std::size_t id_count) {
  std::vector<std::uint64_t> address(id_count, kTextAddress + kTextPos);
  std::uint64_t at = kTextAddress + kTextPos;
  for (const Function& function : source) {
    address[function.id] = at;
    for (const Step& step : function.steps) at += size_of(step);
    at += 1;
  }
  Bytes text;
  at = kTextAddress + kTextPos;
  for (const Function& function : source) {
    for (const Step& step : function.steps) {
      at += size_of(step);
      switch (step.what) {
        case Ins::kLoad:  // mov eax, number
          text.push_back(0xB8);
          append_le(text, step.number);
          break;
        case Ins::kCall:
          text.push_back(0xE8);
          append_le(text, static_cast<std::uint32_t>(address[step.number] - at));
          break;
        case Ins::kLea:  // lea rax, [rip + …]
          append(text, Bytes{0x48, 0x8D, 0x05});
          append_le(text, static_cast<std::uint32_t>(kDataAddress + kObjectBytes * step.number - at));
          break;
        case Ins::kJump:  // over nothing
          append(text, Bytes{0xEB, 0x00});
          break;
      }
    }
    text.push_back(0xC3);
    at += 1;
  }
  while (text.size() % 16 != 0) text.push_back(0x90);
  const std::size_t data_pos = kTextPos + text.size();
  Bytes data;
  for (std::size_t i = 0; i < kObjectCount; ++i) {
    append_le(data, address[i % id_count]);
    append_le(data, std::uint64_t{i * i});
    append_le(data, kDataAddress + kObjectBytes * (kObjectCount - 1 - i));
  }
  Bytes file(kTextPos);
  const auto put = [&](std::size_t pos, auto value) { store_le(file.data() + pos, value); };
  const Bytes magic = {0x7F, 'E', 'L', 'F', 2, 1, 1};
  std::copy(magic.begin(), magic.end(), file.begin());
  put(16, std::uint16_t{2});   // ET_EXEC
  put(18, std::uint16_t{62});  // x86-64
  put(20, std::uint32_t{1});
  put(24, address[0]);         // entry
  put(32, std::uint64_t{64});  // program headers
  put(52, std::uint16_t{64});
  put(54, std::uint16_t{56});
  put(56, std::uint16_t{2});
  const auto segment = [&](std::size_t pos, std::uint32_t flags, std::uint64_t from, std::uint64_t to,
                           std::uint64_t size) {
    put(pos, std::uint32_t{1});
    put(pos + 4, flags);
    put(pos + 8, from);
    put(pos + 16, to);
    put(pos + 24, to);
    put(pos + 32, size);
    put(pos + 40, size);
    put(pos + 48, std::uint64_t{16});
  };
  segment(64, 5, kTextPos, kTextAddress + kTextPos, text.size());
  segment(120, 6, data_pos, kDataAddress, data.size());
  append(file, text);
  append(file, data);
  return file;
}

}  // namespace

ProgramPair program_pair(std::uint64_t seed, std::size_t function_count) {
  Random random(seed);
  const std::size_t added_count = 2 + function_count / 40;
  const auto id_count = static_cast<std::uint32_t>(function_count + added_count);
  Source source;
  for (std::uint32_t id = 0; id < function_count; ++id) {
    source.push_back(make_function(random, id, static_cast<std::uint32_t>(function_count)));
  }
  ProgramPair pair;
  pair.old_version = link(source, id_count);
  for (std::size_t i = 0; i < function_count / 30 + 1; ++i) {
    Function& changed = source[static_cast<std::size_t>(random.below(source.size()))];
    changed.steps.insert(changed.steps.begin(), {Ins::kLoad, static_cast<std::uint32_t>(random.below(1u << 20))});
  }
  for (std::uint32_t id = static_cast<std::uint32_t>(function_count); id < id_count; ++id) {
    const auto place = static_cast<std::ptrdiff_t>(random.below(source.size()));
    source.insert(source.begin() + place, make_function(random, id, id_count));
  }
  pair.new_version = link(source, id_count);
  return pair;
}

}  // namespace bdelta::test
