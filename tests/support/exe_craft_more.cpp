#include "support/exe_craft_more.hpp"

#include "support/generate.hpp"

namespace bdelta::test {
namespace {

class GoProgram {
 public:
  GoProgram(bool wide, GoVersion version) : wide_(wide), version_(version), word_bytes_(wide ? 8 : 4) {}

  Bytes make() {
    ElfHeaders headers(out_, wide_, wide_ ? 62 : 3, 2);
    headers.segment(1, 5, kGo2Text, 0x200);
    headers.segment(1, 6, kGo2Table, 0xb00 - kGo2Table);
    out_.grow_to(0xb00);
    put_table();
    put_function();
    put_module();
    put_types();
    return out_.take();
  }

 private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::size_t kParts[] = {kGo2Names, kGo2Units, kGo2Files, kGo2Programs, kGo2Functions};

  void word(std::size_t pos, std::uint64_t value) { wide_ ? out_.put64(pos, value) : out_.put32(pos, value); }
  void numbers(std::size_t pos, std::initializer_list<std::uint32_t> values) {
    for (const std::uint32_t value : values) {
      out_.put32(pos, value);
      pos += 4;
    }
  }

  void put_table() {
    const auto word_bytes = static_cast<unsigned>(word_bytes_);
    out_.put32(kGo2Table, 0xfffffff1).put8(kGo2Table + 6, 1).put8(kGo2Table + 7, word_bytes);
    word(kGo2Table + 8, 1);
    numbers(kGo2Units, {kNone, kNone, kNone, kNone});
    for (std::size_t i = 0; i < 5; ++i) word(kGo2Table + 8 + (3 + i) * word_bytes_, kParts[i] - kGo2Table);
  }

  void put_function() {
    numbers(kGo2Functions, {0x10, kGo2Record - kGo2Functions, 0x40});
    // entry, name, arguments, deferred return, three programs, count of programs, unit, line, flags and four tables
    numbers(kGo2Record, {0x10, 3, 8, 0, 0, 0, 0, 3, 2, 1, 0x04000000});
    numbers(kGo2Record + 44, {0, 0, 0x10});                            // the programs
    numbers(kGo2Record + 56, {kNone, kNone, kGo2Objects - kGo2CollectorData, kGo2Calls - kGo2CollectorData});
    out_.put_bytes(kGo2Programs + 0x10, Bytes{2, 1, 2, 1, 0});         // values 0 and 1
    numbers(kGo2Calls, {0, 5, 0x11, 1, 0, 9, 0x12, 2});
    word(kGo2Objects, 1);
    numbers(kGo2Objects + word_bytes_, {1, 2, 3, 0x40});
    numbers(kGo2Lookup, {0});
  }

  void put_module() {
    const auto put = [&](std::size_t index, std::uint64_t pos) { word(kGo2Module + word_bytes_ * index, kElfBase + pos); };
    put(0, kGo2Table);
    for (std::size_t i = 0; i < 5; ++i) put(1 + 3 * i, kParts[i]);
    put(19, kGo2Lookup);
    put(20, kGo2Text);
    put(21, kGo2Text + 0x200);
    put(22, kGo2Text);
    put(37, kGo2Types);
    if (version_ == GoVersion::kBefore127) {
      put(38, kGo2TypesEnd);
      put(39, kGo2ReadOnly);
      put(40, kGo2CollectorData);
      return;
    }
    word(kGo2Module + word_bytes_ * 38, 0x40);  // listed types, then where itabs begin and how many bytes they have
    put(39, kGo2TypesEnd);
    word(kGo2Module + word_bytes_ * 40, 0xf8);
    word(kGo2Module + word_bytes_ * 41, 8);
    put(42, kGo2ReadOnly);
    put(43, kGo2CollectorData);
    put(44, kGo2Types);
    put(45, kGo2ReadOnly);  // one section of text
    word(kGo2Module + word_bytes_ * 46, 1);
    word(kGo2Module + word_bytes_ * 47, 1);
  }

  // Gives the position behind the head.
  std::size_t put_type(std::size_t pos, unsigned flags, unsigned kind, std::uint32_t pointer_type) {
    const std::size_t at = pos + 2 * word_bytes_ + 4;
    word(pos, 16);
    out_.put8(at, flags).put8(at + 1, 8).put8(at + 2, 8).put8(at + 3, kind);
    numbers(pos + 4 * word_bytes_ + 8, {8, pointer_type});
    return pos + 4 * word_bytes_ + 16;
  }

  void put_types() {
    const std::size_t uncommon = put_type(kGo2Struct, 1, 25, kGo2Interface - kGo2Types) + 4 * word_bytes_;
    numbers(uncommon, {8, 0x00010001, 16, 0, 8, kGo2Interface - kGo2Types, 0x20, kNone});
    const std::size_t slice = put_type(kGo2Interface, 0, 20, 0) + word_bytes_;
    word(slice, kElfBase + kGo2Methods);
    word(slice + word_bytes_, 1);
    numbers(kGo2Methods, {8, kGo2Struct - kGo2Types});
  }

  CraftedBytes out_;
  bool wide_;
  GoVersion version_;
  std::size_t word_bytes_;
};

}  // namespace

Bytes long_number(std::uint32_t value, std::size_t byte_count) {
  Bytes bytes;
  for (std::size_t i = 0; i < byte_count; ++i) {
    bytes.push_back(static_cast<std::uint8_t>((value >> 7 * i & 0x7f) | (i + 1 < byte_count ? 0x80 : 0)));
  }
  return bytes;
}

Bytes craft_arm32() {
  CraftedBytes out;
  ElfHeaders headers(out, false, 40, 3);
  headers.segment(1, 4, 0, kArm32Code);
  headers.segment(1, 5, kArm32Code, 0x100);
  headers.segment(0x70000001, 4, kArm32Index, 32);
  out.grow_to(kArm32Code + 0x100);
  const auto prel31 = [](std::size_t from, std::size_t to) { return static_cast<std::uint32_t>(to - from) & 0x7fffffff; };
  for (std::size_t i = 0; i < 4; ++i) out.put32(kArm32Index + 8 * i, prel31(kArm32Index + 8 * i, kArm32Code + 0x10 * i));
  out.put32(kArm32Index + 4, prel31(kArm32Index + 4, kArm32Entries)).put32(kArm32Index + 12, 0x80b0b0b0);
  out.put32(kArm32Index + 20, 1).put32(kArm32Index + 28, prel31(kArm32Index + 28, kArm32Entries + 8));
  out.put32(kArm32Entries, prel31(kArm32Entries, kArm32Code + 0x80)).put32(kArm32Entries + 8, 0x80b0b0b0);
  return out.take();
}

Bytes craft_go_program(bool wide, GoVersion version) { return GoProgram(wide, version).make(); }

Bytes craft_macho_exports() {
  const Bytes macho = craft_macho();
  CraftedBytes out;
  out.put_bytes(0, macho);
  out.put32(0x218, 0x80000033);
  // The root: nothing said, two children.
  out.put_bytes(kMachoTrie, Bytes{0, 2, 'a', 0});
  out.put_bytes(kMachoTrie + 4, long_number(kMachoTrieA, 3));
  out.put_bytes(kMachoTrie + 7, Bytes{'b', 0});
  out.put_bytes(kMachoTrie + 9, long_number(kMachoTrieB, 4));
  out.put_bytes(kMachoTrie + kMachoTrieA, Bytes{5, 0});
  out.put_bytes(kMachoTrie + kMachoTrieA + 2, long_number(kMachoCode, 4));
  out.put_bytes(kMachoTrie + kMachoTrieA + 6, Bytes{1, 'b', 0, kMachoTrieAB});  // too short to be a field
  out.put_bytes(kMachoTrie + kMachoTrieB, Bytes{4, 0});
  out.put_bytes(kMachoTrie + kMachoTrieB + 2, long_number(kMachoCode + 8, 3));
  out.put_bytes(kMachoTrie + kMachoTrieAB, Bytes{5, 8, 0x81, 0x81, 1, 0, 0});
  return out.take();
}

}  // namespace bdelta::test
