#include "support/sorted_program.hpp"

#include <algorithm>
#include <span>

#include "base/varint.hpp"
#include "support/exe_craft.hpp"
#include "support/generate.hpp"
#include "support/unwind_section.hpp"

namespace bdelta::test {
namespace {

constexpr std::size_t kText = 0x400;
constexpr std::uint64_t kBase = 0x400000;
constexpr std::size_t kTextShift = 0xc00, kDataShift = 0x2c00;  // address less base, less position in the file
constexpr std::size_t kUnwindBytes = 16;
constexpr std::size_t kFrameHeadBytes = 16;

std::size_t code_bytes(unsigned number) { return 64 + 16 * Random(number + 5).below(8); }

class SortedLinker {
 public:
  SortedLinker(const std::vector<unsigned>& functions, SortedShape shape) : functions_(functions), shape_(shape) {}

  SortedProgram link() {
    std::size_t at = kText;
    for (const unsigned number : functions_) {
      starts_.push_back(at);
      add_part(3 * number, at, code_bytes(number));
      at += code_bytes(number);
    }
    text_end_ = at;
    data_ = next_ = aligned_up(at, 0x200);
    for (std::size_t i = 0; i < functions_.size(); ++i) put_code(i);
    put_pointers();
    if (is_macho()) program_.base_pos = take(kFrameHeadBytes);
    for (std::size_t i = 0; i < functions_.size(); ++i) put_unwind(i);
    is_pe() ? put_pe_tables() : is_macho() ? put_macho_tables() : put_elf_tables();
    end_ = next_ = aligned_up(next_, 0x200);
    out_.grow_to(end_);
    is_pe() ? put_pe_headers() : is_macho() ? put_macho_headers() : put_elf_headers();
    program_.bytes = out_.take();
    return std::move(program_);
  }

 private:
  using Kind = exe::SortedTableKind;

  bool is_pe() const { return shape_ <= SortedShape::kPeArm64; }
  bool is_macho() const { return shape_ >= SortedShape::kMachO64; }
  bool is_mixed() const { return shape_ >= SortedShape::kMachOMixed64; }
  bool is_wide() const {
    return shape_ != SortedShape::kPe32 && shape_ != SortedShape::kElf32 && shape_ != SortedShape::kElfArm32;
  }
  bool is_arm64() const {
    return shape_ == SortedShape::kPeArm64 || shape_ == SortedShape::kElfArm64 || shape_ == SortedShape::kMachOArm64 ||
           shape_ == SortedShape::kMachOMixedArm64;
  }
  std::size_t word_bytes() const { return is_wide() ? 8 : 4; }
  std::uint64_t rva(std::size_t pos) const { return pos + (pos < data_ ? kTextShift : kDataShift); }
  std::uint64_t address(std::size_t pos) const { return kBase + rva(pos); }
  void put_word(std::size_t pos, std::uint64_t value) { is_wide() ? out_.put64(pos, value) : out_.put32(pos, value); }

  void add_part(unsigned id, std::size_t pos, std::size_t size) { program_.parts.push_back({id, pos, size}); }
  std::size_t take(std::size_t bytes) {
    const std::size_t pos = aligned_up(next_, 8);
    next_ = pos + bytes;
    out_.grow_to(next_);
    return pos;
  }
  std::size_t take_table(Kind kind, std::size_t bytes) {
    const std::size_t pos = take(bytes);
    program_.tables.push_back({pos, bytes, kind});
    return pos;
  }

  // Bytes that are no instructions with an address, and one call. On x86-32 the address of a function is one of the
  // numbers in them.
  void put_code(std::size_t i) {
    Random random(functions_[i] * 8 + static_cast<unsigned>(shape_));
    for (std::size_t k = 0; k < code_bytes(functions_[i]); k += 4) {
      const auto number = static_cast<std::uint32_t>(random.below(1 << 16));
      out_.put32(starts_[i] + k, is_arm64() ? 0xd2800000 | number << 5 : 0x90b00490 | (number & 0xff) << 16);
    }
    const std::size_t call = starts_[i] + 16;
    const std::size_t distance = starts_[(i * 5 + 1) % starts_.size()] - call;
    if (is_arm64()) {
      out_.put32(call, 0x94000000 | (distance / 4 & 0x3ffffff));
    } else if (shape_ == SortedShape::kElfArm32) {
      out_.put32(call, 0xeb000000 | ((distance - 8) / 4 & 0xffffff));
    } else {
      out_.put32(call, 0xe8909090).put32(call + 4, distance - 8);
    }
    if (shape_ != SortedShape::kPe32) return;
    out_.put32(starts_[i] + 8, address(starts_[(i * 7 + 3) % starts_.size()]));
    places_.push_back({rva(starts_[i] + 8) * 16 + 3});
  }

  // The last function's first, so that those that come to stand in another order here are many.
  void put_pointers() {
    for (std::size_t i = functions_.size(); i-- > 0;) {
      const std::size_t pos = take(word_bytes());
      put_word(pos, address(starts_[i] + 4));
      add_part(3 * functions_[i] + 1, pos, word_bytes());
      places_.push_back(rva(pos) * 16 + (is_wide() ? 10 : 3));
      pointers_.push_back({pos, address(starts_[i] + 4)});
    }
  }

  void put_unwind(std::size_t i) {
    Random random((functions_[i] + 99) * 8 + static_cast<unsigned>(shape_));
    unwind_.push_back(take(kUnwindBytes));
    add_part(3 * functions_[i] + 2, unwind_.back(), kUnwindBytes);
    for (std::size_t k = 0; k < kUnwindBytes; k += 4) out_.put32(unwind_.back() + k, 0xf0000000 | random.below(1 << 28));
  }

  void put_pe_tables() {
    std::size_t room = 0;
    std::sort(places_.begin(), places_.end());
    for (std::size_t i = 0; i < places_.size();) {
      const std::uint64_t page = places_[i] >> 16;
      std::size_t count = 0;
      for (; i < places_.size() && places_[i] >> 16 == page; ++i) ++count;
      room += 8 + aligned_up(2 * count, 4);
    }
    relocations_ = take_table(Kind::kBaseRelocations, room);
    Bytes table(room);
    exe::write_base_relocations(places_, table);
    out_.put_bytes(relocations_, table);
    if (!is_wide()) return;
    const std::size_t entry = is_arm64() ? 8 : 12;
    functions_pos_ = take_table(Kind::kFunctions, entry * starts_.size());
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      const std::size_t at = functions_pos_ + entry * i;
      out_.put32(at, rva(starts_[i]));
      if (!is_arm64()) out_.put32(at + 4, rva(starts_[i]) + code_bytes(functions_[i]) - 1);
      const bool is_packed = is_arm64() && functions_[i] % 3 == 0;
      out_.put32(at + entry - 4, is_packed ? 0x00400001 | code_bytes(functions_[i]) : rva(unwind_[i]));
    }
  }

  void put_elf_tables() {
    const std::size_t head = program_.base_pos = take(12);
    out_.put32(head, 0x3b031b01).put32(head + 4, unwind_[0] - (head + 4)).put32(head + 8, starts_.size());
    next_ = head + 12;
    program_.tables.push_back({next_, 8 * starts_.size(), Kind::kUnwindIndex});
    for (std::size_t i = 0; i < starts_.size(); ++i, next_ += 8) {
      out_.put32(next_, address(starts_[i]) - address(head)).put32(next_ + 4, address(unwind_[i]) - address(head));
    }
    std::sort(pointers_.begin(), pointers_.end());
    const std::size_t entry = is_wide() ? 24 : 8;
    relocations_ = take_table(Kind::kRelativeRelocations, entry * pointers_.size());
    const std::uint64_t type = shape_ == SortedShape::kElfArm64 ? 1027 : shape_ == SortedShape::kElfArm32 ? 23 : 8;
    for (std::size_t i = 0; i < pointers_.size(); ++i) {
      const std::size_t at = relocations_ + entry * i;
      put_word(at, address(pointers_[i].first));
      put_word(at + word_bytes(), type);
      if (is_wide()) put_word(at + 16, pointers_[i].second);
    }
    dynamic_ = take(6 * word_bytes());
    const std::uint64_t numbers[] = {is_wide() ? 7u : 17u, address(relocations_), is_wide() ? 8u : 18u,
                                     entry * pointers_.size(), 0, 0};
    for (std::size_t i = 0; i < 6; ++i) put_word(dynamic_ + word_bytes() * i, numbers[i]);
  }

  // Most functions unwind as the entry of __eh_frame says that their encoding leads to.
  void put_macho_tables() {
    frames_end_ = next_;
    Bytes steps;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      append_varint(steps, rva(starts_[i]) - (i == 0 ? 0 : rva(starts_[i - 1])));
    }
    steps.resize(aligned_up(steps.size(), 8));
    out_.put_bytes(take_table(Kind::kFunctionStarts, steps.size()), steps);
    is_mixed() ? put_mixed_pages() : put_full_pages();
    unwind_info_end_ = next_;
  }

  std::uint32_t encoding_of(std::size_t i) const {
    const std::uint32_t place = static_cast<std::uint32_t>(unwind_[i] - program_.base_pos);
    return functions_[i] % 4 != 0 ? (is_arm64() ? 0x43000000 : 0x44000000) | place : 0x02000000 + functions_[i] % 3;
  }

  // Compressed pages of nine functions and regular ones of four in turn. Two of the encodings that don't lead are
  // common to all, and that of function 3.
  void put_mixed_pages() {
    std::vector<std::uint32_t> common = {0x02000001, 0x02000000};
    std::vector<exe::UnwindEntry> entries;
    std::vector<exe::PageBreak> breaks;
    std::size_t next_page = 0;
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      entries.push_back({static_cast<std::uint32_t>(rva(starts_[i])), encoding_of(i)});
      if (functions_[i] == 3) common.push_back(encoding_of(i));
      if (i != next_page) continue;
      breaks.push_back({entries[i].rva, breaks.size() % 2 == 0});
      next_page += breaks.back().is_compressed ? std::size_t{9} : std::size_t{4};
    }
    const UnwindSection section = unwind_section(entries, breaks, common);
    unwind_info_ = take(section.bytes.size());
    out_.put_bytes(unwind_info_, section.bytes);
    program_.tables.push_back({unwind_info_ + section.pages_at, section.bytes.size() - section.pages_at, Kind::kMixedUnwindPages});
  }

  void put_full_pages() {
    const std::size_t full_pages = (starts_.size() - 1) / exe::kUnwindPageEntries;
    const std::size_t index_bytes = 12 * (full_pages + 2);
    unwind_info_ = take(28 + index_bytes);
    out_.put32(unwind_info_, 1).put32(unwind_info_ + 20, 28).put32(unwind_info_ + 24, full_pages + 2);
    const auto entry = [&](std::size_t i) {
      return static_cast<std::size_t>(exe::entry_at(Kind::kUnwindPages, exe::Machine::kX86_64, i));
    };
    const std::size_t pages = take_table(Kind::kUnwindPages, entry(starts_.size() - 1) + 8);
    for (std::size_t page = 0; page <= full_pages; ++page) {
      const std::size_t first = page * exe::kUnwindPageEntries;
      const std::size_t at = pages + exe::kUnwindPageBytes * page;
      const std::size_t count = std::min<std::size_t>(starts_.size() - first, exe::kUnwindPageEntries);
      out_.put32(unwind_info_ + 28 + 12 * page, rva(starts_[first])).put32(unwind_info_ + 32 + 12 * page, at - unwind_info_);
      out_.put32(at, exe::kUnwindPageKind).put16(at + 4, exe::kUnwindPageHeadBytes).put16(at + 6, static_cast<unsigned>(count));
    }
    for (std::size_t i = 0; i < starts_.size(); ++i) {
      out_.put32(pages + entry(i), rva(starts_[i])).put32(pages + entry(i) + 4, encoding_of(i));
    }
  }

  void put_macho_headers() {
    constexpr std::size_t kSegment = 32, kSections = 4, kStarts = kSegment + 72 + 80 * kSections;
    out_.put32(0, 0xfeedfacf).put32(4, is_arm64() ? 0x0100000c : 0x01000007).put32(12, 6).put32(16, 2);
    out_.put32(20, kStarts + 16 - kSegment);
    out_.put32(kSegment, 0x19).put32(kSegment + 4, 72 + 80 * kSections).put32(kSegment + 64, kSections);
    out_.put64(kSegment + 24, kBase).put64(kSegment + 32, end_ + kDataShift).put64(kSegment + 48, end_);
    const auto section = [&](std::size_t index, const char* name, std::size_t pos, std::size_t end, std::uint32_t flags) {
      const std::size_t at = kSegment + 72 + 80 * index;
      out_.put_bytes(at, bytes_of(name));
      out_.put64(at + 32, address(pos)).put64(at + 40, end - pos).put32(at + 48, pos).put32(at + 64, flags);
    };
    section(0, "__text", kText, text_end_, 0x80000400);
    section(1, "__const", data_, program_.base_pos, 0);
    section(2, "__eh_frame", program_.base_pos, frames_end_, 0);
    section(3, "__unwind_info", unwind_info_, unwind_info_end_, 0);
    const exe::SortedTable& starts = program_.tables[0];
    out_.put32(kStarts, 0x26).put32(kStarts + 4, 16).put32(kStarts + 8, starts.pos).put32(kStarts + 12, starts.size_bytes);
  }

  void put_pe_headers() {
    constexpr std::size_t kCoff = 0x40, kOptional = kCoff + 24;
    const std::size_t optional_bytes = is_wide() ? 240 : 224;
    const std::size_t directories = kOptional + (is_wide() ? 112 : 96);
    out_.put_bytes(0, bytes_of("MZ"));
    out_.put32(60, kCoff).put32(kCoff, 0x4550).put16(kCoff + 4, is_arm64() ? 0xaa64 : is_wide() ? 0x8664 : 0x14c);
    out_.put16(kCoff + 6, 2).put16(kCoff + 20, static_cast<unsigned>(optional_bytes));
    out_.put16(kOptional, is_wide() ? 0x20b : 0x10b).put32(kOptional + 16, rva(starts_[0])).put32(directories - 4, 16);
    is_wide() ? out_.put64(kOptional + 24, kBase) : out_.put32(kOptional + 28, kBase);
    for (const exe::SortedTable& table : program_.tables) {
      const std::size_t at = directories + 8 * (table.kind == Kind::kFunctions ? 3u : 5u);
      out_.put32(at, rva(static_cast<std::size_t>(table.pos))).put32(at + 4, table.size_bytes);
    }
    const auto section = [&](std::size_t index, std::size_t pos, std::size_t size, std::uint32_t flags) {
      const std::size_t at = kOptional + optional_bytes + 40 * index;
      out_.put32(at + 8, size).put32(at + 12, rva(pos)).put32(at + 16, size).put32(at + 20, pos).put32(at + 36, flags);
    };
    section(0, kText, text_end_ - kText, 0x60000020);
    section(1, data_, end_ - data_, 0x40000040);
  }

  void put_elf_headers() {
    const unsigned machine = shape_ == SortedShape::kElf64      ? 62
                             : shape_ == SortedShape::kElfArm64 ? 183
                             : shape_ == SortedShape::kElf32    ? 3
                                                                : 40;
    const std::size_t header = is_wide() ? 64 : 52, entry = is_wide() ? 56 : 32;
    out_.put32(0, 0x464c457f).put8(4, is_wide() ? 2 : 1).put8(5, 1).put8(6, 1);
    out_.put16(16, 3).put16(18, machine).put32(20, 1);
    put_word(24 + word_bytes(), header);
    out_.put16(is_wide() ? 54 : 42, static_cast<unsigned>(entry)).put16(is_wide() ? 56 : 44, 4);
    const auto segment = [&](std::size_t index, std::uint32_t type, std::uint32_t flags, std::size_t pos, std::size_t size) {
      const std::size_t at = header + entry * index;
      out_.put32(at, type).put32(at + (is_wide() ? 4 : 24), flags);
      put_word(at + (is_wide() ? 8 : 4), pos);
      put_word(at + (is_wide() ? 16 : 8), address(pos));
      put_word(at + (is_wide() ? 32 : 16), size);
      put_word(at + (is_wide() ? 40 : 20), size);
    };
    segment(0, 1, 5, kText, text_end_ - kText);
    segment(1, 1, 6, data_, end_ - data_);
    segment(2, 2, 6, dynamic_, 6 * word_bytes());
    segment(3, 0x6474e550, 4, program_.base_pos, 12 + 8 * starts_.size());
  }

  const std::vector<unsigned>& functions_;
  const SortedShape shape_;
  std::vector<std::size_t> starts_, unwind_;
  std::vector<std::uint64_t> places_;
  std::vector<std::pair<std::size_t, std::uint64_t>> pointers_;  // position and what it points to
  std::size_t text_end_ = 0, data_ = 0, next_ = 0, end_ = 0;
  std::size_t relocations_ = 0, functions_pos_ = 0, dynamic_ = 0;
  std::size_t frames_end_ = 0, unwind_info_ = 0, unwind_info_end_ = 0;
  SortedProgram program_;
  CraftedBytes out_;
};

}  // namespace

SortedProgram sorted_program(const std::vector<unsigned>& functions, SortedShape shape) {
  return SortedLinker(functions, shape).link();
}

namespace {

ProgramPair pair_of(unsigned function_count, std::span<const SortedShape> shapes) {
  const TwoVersions versions(function_count);
  std::vector<unsigned> moved = versions.new_functions;
  // Stretches of functions change places, as those of object files do that a linker is given in another order.
  std::stable_sort(moved.begin(), moved.end(), [](unsigned a, unsigned b) { return a / 8 * 5 % 13 < b / 8 * 5 % 13; });
  ProgramPair pair;
  for (const SortedShape shape : shapes) {
    append(pair.old_version, sorted_program(versions.old_functions, shape).bytes);
    append(pair.new_version, sorted_program(moved, shape).bytes);
  }
  return pair;
}

// Where those of Mach-O begin, and of these those of mixed pages.
constexpr std::size_t kFirstMachO = 7, kFirstMixed = 9;

}  // namespace

ProgramPair sorted_pair(unsigned function_count) {
  return pair_of(function_count, std::span(kSortedShapes).first(kFirstMachO));
}

ProgramPair sorted_macho_pair(unsigned function_count) {
  return pair_of(function_count, std::span(kSortedShapes).subspan(kFirstMachO, kFirstMixed - kFirstMachO));
}

ProgramPair sorted_mixed_pair(unsigned function_count) {
  return pair_of(function_count, std::span(kSortedShapes).subspan(kFirstMixed));
}

}  // namespace bdelta::test
