#include "support/linked_programs.hpp"

#include <algorithm>
#include <string>

#include "support/exe_craft_more.hpp"
#include "support/generate.hpp"
#include "support/rebased_program.hpp"

namespace bdelta::test {
namespace {

using Functions = std::vector<unsigned>;

std::uint32_t prel31(std::size_t from, std::size_t to) { return static_cast<std::uint32_t>(to - from) & 0x7fffffff; }

// Of 4 to 19 characters and a zero.
Bytes name_of(unsigned number) {
  Random random(number + 77);
  Bytes name = bytes_of(std::to_string(1000 + number));
  for (std::uint64_t i = random.below(16); i > 0; --i) name.push_back(static_cast<std::uint8_t>('a' + random.below(26)));
  name.push_back(0);
  return name;
}

// Bytes of a function.
std::size_t code_bytes(unsigned number) { return 48 + 4 * Random(number + 99).below(24); }

// Where things of these sizes begin that lie one behind the other, and where the last one ends.
template <class Size>
std::vector<std::size_t> starts_of(const Functions& functions, Size&& size) {
  std::vector<std::size_t> starts{0};
  for (const unsigned number : functions) starts.push_back(starts.back() + size(number));
  return starts;
}

std::size_t name_bytes(unsigned number) { return name_of(number).size(); }

// Each function: LDR and ADD of an address, BL, constants, B, and the literal.
Bytes arm_program(const Functions& functions) {
  const std::vector<std::size_t> starts = starts_of(functions, code_bytes);
  const std::size_t entries = kArm32Index + 8 * functions.size();
  const std::size_t code = (entries + 8 * functions.size() + 63) / 64 * 64;
  CraftedBytes out;
  out.grow_to(code + starts.back());
  ElfHeaders headers(out, false, 40, 3);
  headers.segment(1, 4, 0, code);
  headers.segment(1, 5, code, starts.back());
  headers.segment(0x70000001, 4, kArm32Index, 8 * functions.size());
  const auto start_of = [&](std::size_t i) { return code + starts[i]; };
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::size_t index = kArm32Index + 8 * i, entry = entries + 8 * i, at = start_of(i);
    out.put32(index, prel31(index, at)).put32(index + 4, prel31(index + 4, entry));
    out.put32(entry, prel31(entry, start_of(0))).put32(entry + 4, functions[i]);
    const auto called = std::find(functions.begin(), functions.end(), functions[i] * 5 % 61);
    const std::size_t to = called == functions.end() ? at : start_of(static_cast<std::size_t>(called - functions.begin()));
    Random random(functions[i]);
    out.put32(at, 0xE92D4010).put32(at + 4, 0xE59F2000 + 32).put32(at + 8, 0xE08F2002);
    out.put32(at + 12, 0xEB000000 | ((to - (at + 12) - 8) / 4 & 0xffffff));
    for (std::size_t k = 4; k < code_bytes(functions[i]) / 4; ++k) out.put32(at + 4 * k, 0xE3000000 | random.below(1 << 16));
    out.put32(at + 36, 0xEA000000).put32(at + 40, 0xE8BD8010).put32(at + 44, entry - (at + 16));
  }
  return out.take();
}

class GoLinker {
 public:
  GoLinker(const Functions& functions, bool wide, GoVersion version)
      : functions_(functions), code_(starts_of(functions, code_bytes)), name_(starts_of(functions, name_bytes)),
        count_(functions.size()), wide_(wide), version_(version), word_bytes_(wide ? 8 : 4) {}

  Bytes link() {
    lay_out();
    out_.grow_to(end_);
    ElfHeaders headers(out_, wide_, wide_ ? 62 : 3, wide_ ? 3 : 2);
    headers.segment(1, 5, kText, code_.back());
    headers.segment(1, 6, table_, end_ - table_);
    if (wide_) headers.segment(0x6474e550, 4, frame_header_, 12);
    put_head();
    for (std::size_t i = 0; i < count_; ++i) put_function(i);
    if (wide_) put_frames();
    return out_.take();
  }

 private:
  static constexpr std::size_t kText = 0x200, kRecordBytes = 72, kDataBytes = 64, kTypeBytes = 128;
  static constexpr std::uint32_t kNone = 0xffffffff;

  void lay_out() {
    std::size_t at = kText + code_.back();
    const auto take = [&](std::size_t bytes) {
      const std::size_t pos = (at + 31) / 32 * 32;
      at = pos + bytes;
      return pos;
    };
    table_ = take(0x80);
    names_ = take(name_.back());
    units_ = take(4 * count_);
    files_ = take(name_.back());
    programs_ = take(16 * count_);
    pairs_ = take(8 * count_ + 4);
    records_ = take(kRecordBytes * count_);
    data_ = take(kDataBytes * count_);
    lookup_ = take(20 * (code_.back() / 4096 + 1));
    module_ = take(48 * word_bytes_);
    types_ = take((kTypeBytes + 8) * count_);
    read_only_ = take(16 * count_);
    exceptions_ = take(8 * count_);
    frame_header_ = take(12);
    frames_ = take(20 + 28 * count_ + 4);
    end_ = take(0);
  }

  void word(std::size_t pos, std::uint64_t value) { wide_ ? out_.put64(pos, value) : out_.put32(pos, value); }

  void put_head() {
    const std::size_t parts[] = {names_, units_, files_, programs_, pairs_};
    out_.put32(table_, 0xfffffff1).put8(table_ + 6, 1).put8(table_ + 7, static_cast<unsigned>(word_bytes_));
    word(table_ + 8, count_);
    const auto put = [&](std::size_t index, std::size_t pos) { word(module_ + word_bytes_ * index, kElfBase + pos); };
    put(0, table_);
    for (std::size_t i = 0; i < 5; ++i) {
      word(table_ + 8 + (3 + i) * word_bytes_, parts[i] - table_);
      put(1 + 3 * i, parts[i]);
    }
    put(19, lookup_);
    put(20, kText);
    put(21, kText + code_.back());
    put(22, kText);
    put(37, types_);
    const std::size_t types_end = types_ + (kTypeBytes + 8) * count_;
    const bool is_127 = version_ == GoVersion::k127;
    put(is_127 ? 39 : 38, types_end);
    put(is_127 ? 42 : 39, read_only_);
    put(is_127 ? 43 : 40, data_);
    if (is_127) {  // bytes of types, where itabs would lie, and a slice of one section of text
      word(module_ + word_bytes_ * 38, kTypeBytes * count_);
      word(module_ + word_bytes_ * 40, types_end - types_);
      word(module_ + word_bytes_ * 46, 1);
      word(module_ + word_bytes_ * 47, 1);
    }
    out_.put32(pairs_ + 8 * count_, code_.back());
    for (std::size_t i = 0; 4096 * i < code_.back(); ++i) {
      const auto after = std::upper_bound(code_.begin(), code_.end(), 4096 * i);
      out_.put32(lookup_ + 20 * i, static_cast<std::size_t>(after - code_.begin()) - 1);
    }
  }

  void put_function(std::size_t i) {
    const unsigned number = functions_[i];
    out_.put_bytes(kText + code_[i], random_bytes(code_bytes(number), number));
    out_.put_bytes(names_ + name_[i], name_of(number));
    out_.put32(units_ + 4 * i, name_[i]);
    out_.put_bytes(files_ + name_[i], name_of(number));
    out_.put_bytes(programs_ + 16 * i, Bytes{2, 1, 2, 1, 0});
    out_.put_bytes(programs_ + 16 * i + 5, random_bytes(11, number + 1));
    out_.put_bytes(read_only_ + 16 * i, random_bytes(16, number + 2));
    out_.put_bytes(exceptions_ + 8 * i, Bytes{0xff, 0xff, 1, 0, 0});
    out_.put32(exceptions_ + 8 * i + 4, number);
    const std::size_t record = records_ + kRecordBytes * i, data = data_ + kDataBytes * i, inlined = i * 7 % count_;
    out_.put32(pairs_ + 8 * i, code_[i]).put32(pairs_ + 8 * i + 4, record - pairs_);
    numbers(record, {code_[i], name_[i], number, 0, 16 * i, 16 * i, 16 * i, 3, i, number, 0x04000000, 16 * i, 16 * i,
                     16 * i, kNone, kNone, data - data_, data + 32 - data_});
    word(data, 1);
    numbers(data + word_bytes_, {number, 2, 3, 16 * i});
    numbers(data + 32, {0, name_[i], number, 1, 0, name_[inlined], number + 1, 2});
    put_type(i, number);
  }

  void put_type(std::size_t i, unsigned number) {
    const std::size_t at = types_ + kTypeBytes * i, flags = at + 2 * word_bytes_ + 4, name = kTypeBytes * count_ + 8 * i;
    word(at, 8 * (1 + number % 64));
    out_.put32(flags - 4, number * 2654435761u).put8(flags, 1).put8(flags + 1, 8).put8(flags + 2, 8).put8(flags + 3, 25);
    const std::size_t head_end = at + 4 * word_bytes_ + 16;
    numbers(head_end - 8, {name, kTypeBytes * (i * 3 % count_)});
    numbers(head_end + 4 * word_bytes_, {name, 0x00010001, 16, 0, name, kTypeBytes * (i * 5 % count_), code_[i], kNone});
    out_.put8(types_ + name + 1, 4);
    out_.put_bytes(types_ + name + 2, ByteSpan(name_of(number)).first(4));
  }

  // CIE: version 1, "zLR", code 1, data -8, register 16; tables of eight bytes and functions of four, from themselves.
  void put_frames() {
    out_.put32(frame_header_, 0x3b031b01).put32(frame_header_ + 4, frames_ - frame_header_ - 4);
    out_.put32(frames_, 16);
    out_.put_bytes(frames_ + 8, Bytes{1, 'z', 'L', 'R', 0, 1, 0x78, 16, 2, 0x1c, 0x1b, 0});
    for (std::size_t i = 0; i < count_; ++i) {
      const std::size_t at = frames_ + 20 + 28 * i;
      out_.put32(at, 24).put32(at + 4, at + 4 - frames_).put32(at + 8, kText + code_[i] - (at + 8));
      out_.put32(at + 12, code_bytes(functions_[i])).put8(at + 16, 8).put64(at + 17, exceptions_ + 8 * i - (at + 17));
    }
  }

  void numbers(std::size_t pos, std::initializer_list<std::size_t> values) {
    for (const std::size_t value : values) {
      out_.put32(pos, value);
      pos += 4;
    }
  }

  const Functions& functions_;
  const std::vector<std::size_t> code_;  // where functions and names begin
  const std::vector<std::size_t> name_;
  const std::size_t count_;
  const bool wide_;
  const GoVersion version_;
  const std::size_t word_bytes_;
  CraftedBytes out_;
  std::size_t table_ = 0, names_ = 0, units_ = 0, files_ = 0, programs_ = 0, pairs_ = 0, records_ = 0, data_ = 0, lookup_ = 0,
              module_ = 0, types_ = 0, read_only_ = 0, exceptions_ = 0, frame_header_ = 0, frames_ = 0, end_ = 0;
};

// Numbers in the trie are longer than they need be.
std::size_t number_bytes(unsigned number) { return 3 + number % 2; }

// An x86-64 program whose exports are children of the trie's root.
Bytes macho_program(const Functions& functions) {
  constexpr std::size_t kText = 0x4000;
  const std::vector<std::size_t> code = starts_of(functions, code_bytes);
  const std::vector<std::size_t> letters =
      starts_of(functions, [](unsigned number) { return name_bytes(number) + number_bytes(number); });
  const std::vector<std::size_t> nodes = starts_of(functions, [](unsigned number) { return 3 + number_bytes(number); });
  const std::size_t trie = kText + code.back();
  const std::size_t first_node = 2 + letters.back();
  const std::size_t trie_bytes = first_node + nodes.back();
  CraftedBytes out;
  out.grow_to(trie + trie_bytes);
  out.put32(0, 0xfeedfacf).put32(4, 0x01000007).put32(12, 2).put32(16, 3).put32(20, 152 + 72 + 16);
  const auto put_segment = [&](std::size_t at, std::size_t pos, std::size_t size, unsigned sections) {
    out.put32(at, 0x19).put32(at + 4, 72 + 80 * sections).put64(at + 24, kMachoBase + pos).put64(at + 32, size);
    out.put64(at + 40, pos).put64(at + 48, size).put32(at + 64, sections);
  };
  put_segment(32, 0, trie, 1);
  out.put_bytes(32 + 72, bytes_of("__text"));
  out.put64(32 + 72 + 32, kMachoBase + kText).put64(32 + 72 + 40, trie - kText).put32(32 + 72 + 48, kText);
  out.put32(32 + 72 + 64, 0x80000400);
  put_segment(184, trie, trie_bytes, 0);
  out.put32(256, 0x80000033).put32(260, 16).put32(264, trie).put32(268, trie_bytes);
  out.put8(trie + 1, static_cast<unsigned>(functions.size()));
  for (std::size_t i = 0; i < functions.size(); ++i) {
    const std::size_t bytes = number_bytes(functions[i]);
    const std::size_t at = trie + 2 + letters[i], node = first_node + nodes[i];
    out.put_bytes(kText + code[i], random_bytes(code_bytes(functions[i]), functions[i] + 5));
    out.put_bytes(at, name_of(functions[i]));
    out.put_bytes(at + name_bytes(functions[i]), long_number(static_cast<std::uint32_t>(node), bytes));
    out.put8(trie + node, static_cast<unsigned>(1 + bytes));
    out.put_bytes(trie + node + 2, long_number(static_cast<std::uint32_t>(kText + code[i]), bytes));
  }
  return out.take();
}

}  // namespace

Bytes linked_programs(const Functions& functions) {
  Bytes all = arm_program(functions);
  append(all, GoLinker(functions, true, GoVersion::kBefore127).link());
  append(all, GoLinker(functions, false, GoVersion::kBefore127).link());
  append(all, macho_program(functions));
  return all;
}

Bytes newer_programs(const Functions& functions) {
  Bytes all = GoLinker(functions, true, GoVersion::k127).link();
  append(all, GoLinker(functions, false, GoVersion::k127).link());
  append(all, rebased_program(functions).bytes);
  return all;
}

namespace {

ProgramPair pair_of(unsigned function_count, Bytes (*link)(const Functions&)) {
  Functions before, after;
  for (unsigned i = 0; i < function_count; ++i) {
    before.push_back(i);
    if (i % 32 == 3) after.push_back(2000 + i);
    if (i % 61 != 40) after.push_back(i);
  }
  return {link(before), link(after)};
}

}  // namespace

ProgramPair linked_pair(unsigned function_count) { return pair_of(function_count, linked_programs); }

ProgramPair newer_pair(unsigned function_count) { return pair_of(function_count, newer_programs); }

}  // namespace bdelta::test
