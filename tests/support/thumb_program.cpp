#include "support/thumb_program.hpp"

#include <algorithm>
#include <array>
#include <string>

#include "exe/field_codec.hpp"
#include "support/exe_craft_more.hpp"
#include "support/generate.hpp"

namespace bdelta::test {
namespace {

constexpr std::size_t kSections = 8;

bool is_of_words(unsigned number) { return number % 4 == 0; }

std::size_t thumb_code_bytes(unsigned number) { return 40 + 4 * Random(number + 7).below(12); }

std::string thumb_name(unsigned number) { return "f" + std::to_string(number * 7919 % 10'007); }

std::uint64_t thumb_rank(unsigned number, std::uint64_t salt) { return Random(number * 100 + salt).next(); }

class ThumbLinker {
 public:
  explicit ThumbLinker(const std::vector<unsigned>& functions) : functions_(functions) {
    std::stable_sort(functions_.begin(), functions_.end(),
                     [](unsigned a, unsigned b) { return !is_of_words(a) && is_of_words(b); });
    const auto first = std::find_if(functions_.begin(), functions_.end(), is_of_words);
    first_of_words_ = static_cast<std::size_t>(first - functions_.begin());
  }

  ThumbProgram link() {
    lay_out();
    out_.grow_to(at_.end);
    put_headers();
    for (std::size_t i = 0; i < functions_.size(); ++i) is_of_words(functions_[i]) ? put_words(i) : put_halves(i);
    put_symbols();
    return {out_.take(), at_};
  }

 private:
  void lay_out() {
    std::size_t at = kThumbText;
    for (const unsigned number : functions_) {
      // Functions of words stand apart, so that each KiB is of one sort.
      if (starts_.size() == first_of_words_) at = aligned_up(at, 2048);
      starts_.push_back(at);
      at += thumb_code_bytes(number);
    }
    text_end_ = at;
    std::size_t name_bytes = 1;
    for (const unsigned number : functions_) {
      name_starts_.push_back(name_bytes);
      name_bytes += thumb_name(number).size() + 1;
    }
    const std::size_t count = functions_.size();
    const auto take = [&](std::size_t bytes) {
      const std::size_t pos = aligned_up(at, 16);
      at = pos + bytes;
      return pos;
    };
    at_.data = take(4 * count);
    at_.names = take(name_bytes);
    at_.symbols = take(kThumbSymbolBytes * (count + 1));
    at_.hash = take(4 * (2 * count + 3));
    at_.gnu_hash = take(4 * (2 * count + 5));
    at_.relocations = take(8 * count);
    at_.dynamic = take(32);
    at_.headers = take(40 * kSections);
    at_.end = at;
  }

  void put_headers() {
    const std::size_t count = functions_.size();
    ElfHeaders headers(out_, false, 40, 2);
    headers.segment(1, 7, 0, at_.headers);
    headers.segment(2, 6, at_.dynamic, 32);
    out_.put32(24, kElfBase + kThumbText).put32(32, at_.headers).put16(46, 40).put16(48, kSections);
    struct Part {
      std::uint32_t type, flags;
      std::size_t pos, size;
      unsigned link;
    };
    const std::array<Part, kSections> parts = {{{0, 0, 0, 0, 0},
                                                {1, 6, kThumbText, text_end_ - kThumbText, 0},
                                                {1, 3, at_.data, 4 * count, 0},
                                                {3, 2, at_.names, at_.symbols - at_.names, 0},
                                                {11, 2, at_.symbols, kThumbSymbolBytes * (count + 1), 3},
                                                {5, 2, at_.hash, 4 * (2 * count + 3), 4},
                                                {0x6ffffff6, 2, at_.gnu_hash, 4 * (2 * count + 5), 4},
                                                {9, 2, at_.relocations, 8 * count, 4}}};
    for (std::size_t i = 1; i < kSections; ++i) {
      const std::size_t at = at_.headers + 40 * i;
      out_.put32(at + 4, parts[i].type).put32(at + 8, parts[i].flags).put32(at + 12, kElfBase + parts[i].pos);
      out_.put32(at + 16, parts[i].pos).put32(at + 20, parts[i].size).put32(at + 24, parts[i].link);
    }
    const std::uint64_t dynamic[] = {6, kElfBase + at_.symbols, 17, kElfBase + at_.relocations, 18, 8 * count, 0, 0};
    for (std::size_t i = 0; i < 8; ++i) out_.put32(at_.dynamic + 4 * i, dynamic[i]);
  }

  // PUSH, LDR and ADD of an address, BL, BLX, B<c>, B, a short branch, constants, and the literal.
  void put_halves(std::size_t i) {
    const unsigned number = functions_[i];
    const std::size_t at = starts_[i], literal = at + thumb_code_bytes(number) - 4;
    out_.put16(at, 0xB510).put16(at + 2, static_cast<unsigned>(0x4A00 | (literal - (at + 4)) / 4)).put16(at + 4, 0x447A);
    put_branch(at + 6, 0xF800F000, exe::FieldForm::kThumbBranch, 0, callee(number, 1, false));
    put_branch(at + 10, 0xE800F000, exe::FieldForm::kThumbBranch, exe::kToArm, callee(number, 2, true));
    put_branch(at + 14, 0x8000F000 | (number % 14) << 6, exe::FieldForm::kThumbCondition, 0, callee(number, 3, false));
    put_branch(at + 18, 0x9000F000, exe::FieldForm::kThumbBranch, 0, callee(number, 4, false));
    out_.put16(at + 22, 0xE7FE);
    Random random(number);
    for (std::size_t pos = at + 24; pos < literal; pos += 2) {
      out_.put16(pos, static_cast<unsigned>(pos % 4 == 0 ? 0xE000 | random.below(8) : 0x2000 | random.below(256)));
    }
    out_.put32(literal, at_.data + 4 * index_of(number, 5, true) - (at + 8));
  }

  void put_words(std::size_t i) {
    const unsigned number = functions_[i];
    const std::size_t at = starts_[i], to = callee(number, 1, true);
    Random random(number);
    for (std::size_t pos = at; pos < at + thumb_code_bytes(number); pos += 4) {
      out_.put32(pos, 0xE3000000 | random.below(1 << 16));
    }
    out_.put32(at + 4, 0xEB000000 | ((to - (at + 4) - 8) / 4 & 0xffffff));
  }

  void put_branch(std::size_t pos, std::uint32_t bytes, exe::FieldForm form, std::uint8_t trailing_bytes, std::size_t to) {
    exe::Field field;
    field.form = form;
    field.trailing_bytes = trailing_bytes;
    Bytes code;
    append_le(code, bytes);
    (void)exe::write_field(code.data(), field, {kElfBase + pos, 0, false}, kElfBase + to);
    out_.put_bytes(pos, code);
  }

  // Some function of the sort, the same of all versions that have it.
  std::size_t index_of(unsigned number, std::uint64_t salt, bool of_words) {
    const auto border = functions_.begin() + static_cast<std::ptrdiff_t>(first_of_words_);
    const auto rank = [&](unsigned other) { return thumb_rank(other, 10 + number + salt); };
    const auto found = std::min_element(of_words ? border : functions_.begin(), of_words ? functions_.end() : border,
                                        [&](unsigned a, unsigned b) { return rank(a) < rank(b); });
    return static_cast<std::size_t>(found - functions_.begin());
  }
  std::size_t callee(unsigned number, std::uint64_t salt, bool of_words) {
    return starts_[index_of(number, salt, of_words)];
  }

  std::vector<std::size_t> order(std::uint64_t salt) {
    std::vector<std::size_t> all(functions_.size());
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = i;
    std::sort(all.begin(), all.end(), [&](std::size_t a, std::size_t b) {
      return thumb_rank(functions_[a], salt) < thumb_rank(functions_[b], salt);
    });
    return all;
  }

  void put_symbols() {
    const std::size_t count = functions_.size();
    std::vector<std::size_t> symbol_of(count);
    const std::vector<std::size_t> symbols = order(1), buckets = order(2);
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t i = symbols[k], entry = at_.symbols + kThumbSymbolBytes * (k + 1);
      symbol_of[i] = k + 1;
      out_.put_bytes(at_.names + name_starts_[i], bytes_of(thumb_name(functions_[i])));
      out_.put32(entry, name_starts_[i]).put32(entry + 4, kElfBase + starts_[i] + (is_of_words(functions_[i]) ? 0 : 1));
      out_.put32(entry + 8, thumb_code_bytes(functions_[i])).put8(entry + 12, 0x12).put16(entry + 14, 1);
    }
    out_.put32(at_.hash, count).put32(at_.hash + 4, count + 1).put32(at_.gnu_hash, count).put32(at_.gnu_hash + 8, 1);
    for (std::size_t k = 0; k < count; ++k) {
      out_.put32(at_.hash + 8 + 4 * k, symbol_of[buckets[k]]).put32(at_.gnu_hash + 20 + 4 * k, symbol_of[buckets[k]]);
      out_.put32(at_.relocations + 8 * k, kElfBase + at_.data + 4 * k);
      out_.put32(at_.relocations + 8 * k + 4, symbol_of[k] << 8 | 2);
    }
  }

  std::vector<unsigned> functions_;
  std::size_t first_of_words_ = 0;
  std::vector<std::size_t> starts_;
  std::vector<std::size_t> name_starts_;
  std::size_t text_end_ = 0;
  ThumbLayout at_{};
  CraftedBytes out_;
};

}  // namespace

ThumbProgram thumb_program(const std::vector<unsigned>& functions) { return ThumbLinker(functions).link(); }

ProgramPair thumb_pair(unsigned function_count) {
  const TwoVersions versions(function_count);
  return {thumb_program(versions.old_functions).bytes, thumb_program(versions.new_functions).bytes};
}

}  // namespace bdelta::test
