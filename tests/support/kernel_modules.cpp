#include "support/kernel_modules.hpp"

#include <algorithm>
#include <functional>
#include <string_view>
#include <vector>

#include "support/exe_craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

constexpr std::uint32_t kKernelTypes = 20'000;
constexpr std::uint32_t kKernelStrings = 90'000;  // bytes
constexpr std::string_view kSections{"\0.shstrtab\0.text\0.BTF\0", 22};
constexpr std::uint32_t kShstrtabName = 1, kTextName = 11, kBtfName = 17;

// Numbers of one version of the kernel, by those that never change.
class Numbering {
 public:
  // Each of `places` has so many numbers more in front of it.
  Numbering(std::uint32_t count, std::vector<std::pair<std::uint32_t, std::uint32_t>> added)
      : count_(count), added_(std::move(added)) {}

  [[nodiscard]] std::uint32_t operator()(std::uint32_t number) const {
    if (number == 0) return 0;
    std::uint32_t moved = number;
    for (const auto& [place, more] : added_) moved += number >= place ? more : 0;
    return moved;
  }

  // The first that is a module's own.
  [[nodiscard]] std::uint32_t own_begin() const { return (*this)(count_); }

 private:
  std::uint32_t count_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added_;
};

Numbering grown(std::uint32_t count, unsigned places, std::uint32_t most, Random& random) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> added;
  for (unsigned i = 0; i < places; ++i) {
    added.emplace_back(static_cast<std::uint32_t>(random.between(2, count - 1)),
                       static_cast<std::uint32_t>(random.between(1, most)));
  }
  return {count, std::move(added)};
}

// The words of one kind, as the kernel's documentation has them: see exe/btf.hpp, of which this is independent.
struct Kind {
  unsigned number;
  bool leads_to_type;        // the third word
  std::string_view tail;     // n: a name, t: a type, v: a value
  std::string_view member;
};
constexpr Kind kKinds[] = {{1, false, "v", ""},  {2, true, "", ""},     {3, false, "ttv", ""}, {4, false, "", "ntv"},
                           {5, false, "", "ntv"}, {6, false, "", "nv"}, {7, false, "", ""},    {8, true, "", ""},
                           {9, true, "", ""},     {10, true, "", ""},   {11, true, "", ""},    {12, true, "", ""},
                           {13, true, "", "nt"},  {14, true, "v", ""},  {15, false, "", "tvv"}, {16, false, "", ""},
                           {17, true, "v", ""},   {18, true, "", ""},   {19, false, "", "nvv"}};

void append_word(Bytes& to, std::uint64_t word) { append_le(to, static_cast<std::uint32_t>(word)); }

// The list of a module. Names and types are the kernel's as often as the module's own, whose types have numbers as if none
// was left out; `renumbered` says what becomes of one of them.
Bytes types_of(const ModuleShape& shape, unsigned module, const Numbering& types, const Numbering& strings,
               const std::function<bool(unsigned)>& is_there) {
  std::vector<std::uint32_t> own_numbers;
  for (unsigned i = 0, next = 0; i < shape.type_count; ++i) own_numbers.push_back(is_there(i) ? next++ : next);
  Random random(shape.seed * 1000 + module);
  const auto type = [&]() -> std::uint64_t {
    const std::uint64_t own = own_numbers[random.below(shape.type_count)];
    const auto kernels = static_cast<std::uint32_t>(random.below(kKernelTypes));
    return random.below(2) == 0 ? types.own_begin() + own : types(kernels);
  };
  const auto name = [&]() -> std::uint64_t {
    const std::uint64_t own = random.below(200);
    const auto kernels = static_cast<std::uint32_t>(random.below(kKernelStrings));
    return random.below(2) == 0 ? strings.own_begin() + own : strings(kernels);
  };
  Bytes list;
  for (unsigned i = 0; i < shape.type_count; ++i) {
    const Kind& kind = kKinds[random.below(std::size(kKinds))];
    const std::uint64_t member_count = kind.member.empty() ? 0 : random.between(1, 6);
    Bytes words;
    append_word(words, name());
    append_word(words, std::uint64_t{kind.number} << 24 | member_count);
    append_word(words, kind.leads_to_type ? type() : random.below(64));
    const auto pass = [&](std::string_view parts) {
      for (const char part : parts) append_word(words, part == 'n' ? name() : part == 't' ? type() : random.below(1000));
    };
    pass(kind.tail);
    for (std::uint64_t m = 0; m < member_count; ++m) pass(kind.member);
    if (is_there(i)) append(list, words);
  }
  return list;
}

}  // namespace

Bytes module_of(ByteSpan types, ByteSpan strings, bool bits64) {
  CraftedBytes bytes;
  const std::size_t types_at = kModuleBtf + 24;
  const std::size_t table = aligned_up(types_at + types.size() + strings.size(), 8);
  bytes.grow_to(kModuleBtf);
  bytes.put32(0, 0x464c457f).put8(4, bits64 ? 2 : 1).put8(5, 1).put8(6, 1);
  bytes.put16(16, 1).put16(18, bits64 ? 62 : 3).put32(20, 1);
  bits64 ? bytes.put64(40, table) : bytes.put32(32, table);
  const std::size_t sizes = bits64 ? 52 : 40;  // of the header, of an entry of either table, and their counts
  bytes.put16(sizes, bits64 ? 64 : 52).put16(sizes + 6, bits64 ? 64 : 40).put16(sizes + 8, 4).put16(sizes + 10, 1);
  bytes.put_bytes(0x80, {reinterpret_cast<const std::uint8_t*>(kSections.data()), kSections.size()});
  bytes.put32(kModuleBtf, 0x1eb9f).put32(kModuleBtf + 4, 24).put32(kModuleBtf + 8, 0).put32(kModuleBtf + 12, types.size());
  bytes.put32(kModuleBtf + 16, types.size()).put32(kModuleBtf + 20, strings.size());
  bytes.put_bytes(types_at, types);
  bytes.put_bytes(types_at + types.size(), strings);
  struct Entry {
    std::uint32_t name;
    std::size_t pos, size;
  };
  const Entry entries[] = {{kShstrtabName, 0x80, kSections.size()},
                           {kTextName, 0xa0, 0x60},
                           {kBtfName, kModuleBtf, 24 + types.size() + strings.size()}};
  std::size_t at = table;
  for (const Entry& entry : entries) {
    at += bits64 ? 64 : 40;
    bytes.put32(at, entry.name).put32(at + 4, 1);
    bits64 ? bytes.put64(at + 24, entry.pos).put64(at + 32, entry.size)
           : bytes.put32(at + 16, entry.pos).put32(at + 20, entry.size);
  }
  bytes.grow_to(at + (bits64 ? 64 : 40));
  return bytes.take();
}

Bytes words(std::initializer_list<std::uint32_t> numbers) {
  Bytes bytes;
  for (const std::uint32_t number : numbers) append_le(bytes, number);
  return bytes;
}

MovedNumbers moved_number_example() { return {24, {{4, {{{50, 5}}, {}}}}, {{{10, 2}, {30, 0}}, {{7, 1}}}}; }

ModulePair module_pair(const ModuleShape& shape) {
  Random random(shape.seed);
  const Numbering old_types(kKernelTypes, {}), old_strings(kKernelStrings, {});
  const Numbering new_types = grown(kKernelTypes, 12, 3, random);
  const Numbering new_strings = grown(kKernelStrings, 15, 40, random);
  ModulePair pair;
  for (unsigned module = 0; module < shape.module_count; ++module) {
    const bool changes = shape.own_changes && module % 5 == 2;
    const unsigned place = shape.type_count / 3 + module % 7;
    const auto in_both = [](unsigned) { return true; };
    const auto in_one = [&](unsigned i) { return !changes || i < place || i >= place + 3; };
    const bool fewer = module % 2 == 0;
    const Bytes strings = random_bytes(200, shape.seed * 77 + module);
    const Bytes old_list = types_of(shape, module, old_types, old_strings, fewer ? std::function<bool(unsigned)>(in_both) : in_one);
    const Bytes new_list = types_of(shape, module, new_types, new_strings, fewer ? std::function<bool(unsigned)>(in_one) : in_both);
    const Bytes code = random_bytes(300, shape.seed * 99 + module);
    append(pair.old_version, module_of(old_list, strings, shape.bits64));
    append(pair.old_version, code);
    append(pair.new_version, module_of(new_list, strings, shape.bits64));
    append(pair.new_version, code);
  }
  return pair;
}

}  // namespace bdelta::test
