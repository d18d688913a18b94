// Fields of Thumb-2 code, the form of 32-bit ARM whose instructions are one halfword or two. Where an instruction begins
// tells only the one before, but few bytes are enough to fall in step. Data between the functions are literals. The
// loads before have marked them by then, so they are passed over.
//
// Branches and calls of two halfwords tell their target; shorter ones stay inside of a function and are left alone.
// Literals are addresses or distances as in isa_arm32. There, too, the ADD that adds the program counter is an
// instruction of its own, and here it counts from four bytes behind itself.
#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "exe/field_codec.hpp"
#include "exe/isa_kernels.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kHalfBytes = 2;
constexpr std::size_t kLiteralBytes = 4;
constexpr std::size_t kAheadBytes = 4;         // what the program counter is ahead of the instruction that reads it
constexpr std::size_t kUseReachBytes = 128;    // a literal is used within so many bytes of its load
constexpr std::size_t kBeforeBytes = 4224;     // > 4095 + kAheadBytes: loads in front of it read nothing of a block

constexpr std::uint64_t kThumbAddressMask = 0xFFFFFFFF;

constexpr bool is_first_of_two(unsigned half) noexcept { return half >= 0xE800; }

struct ThumbLoad {
  bool is_load = false;
  unsigned to = 0;  // register
  std::size_t distance = 0;
};

// LDR Rt, [PC, #imm8 * 4]
constexpr ThumbLoad short_load(unsigned half) noexcept {
  return {(half & 0xF800) == 0x4800, half >> 8 & 7, std::size_t{half & 0xFF} * 4};
}
// LDR Rt, [PC, #imm12], which reads ahead
constexpr ThumbLoad long_load(unsigned first, unsigned second) noexcept {
  return {first == 0xF8DF, second >> 12, second & 0xFFF};
}

// ADD Rd, PC
constexpr bool is_thumb_use(unsigned half) noexcept { return (half & 0xFF78) == 0x4478; }
constexpr unsigned used_register(unsigned half) noexcept { return (half >> 4 & 8) | (half & 7); }

class ThumbSearch {
 public:
  ThumbSearch(const CodeSection& section, CodeBlock block, AddressRange image) noexcept
      : section_(section), block_(block), image_(image),
        start_(block.begin - std::min(block.begin, kBeforeBytes)) {}

  void find(std::vector<Field>& out) {
    origins_.assign((block_.end - block_.begin) / kLiteralBytes + 1, kNoLiteral);
    std::size_t pos = start_;
    while (pos + kHalfBytes <= block_.end) {
      if (is_literal(pos)) {
        write_literal(pos, out);
        pos += kLiteralBytes;
        continue;
      }
      const unsigned first = half_at(pos);
      if (!is_first_of_two(first) || is_literal(pos + kHalfBytes)) {
        note_short(pos, first);
        pos += kHalfBytes;
        continue;
      }
      if (pos + 2 * kHalfBytes > section_.bytes.size()) break;
      const unsigned second = half_at(pos + kHalfBytes);
      note_load(pos, long_load(first, second));
      if (pos >= block_.begin && pos + 2 * kHalfBytes <= block_.end) write_branch(pos, first, second, out);
      pos += 2 * kHalfBytes;
    }
  }

 private:
  // Of a word of the block: not a literal, one that counts from nothing, else what it counts from, in bytes from start_.
  static constexpr std::uint32_t kNoLiteral = 0, kUncounted = 1, kFirstOrigin = 2;

  struct Load {
    static constexpr std::size_t kNone = ~std::size_t{0};
    std::size_t at = kNone;
    std::size_t literal = 0;
  };

  [[nodiscard]] unsigned half_at(std::size_t pos) const noexcept {
    return load_le<std::uint16_t>(section_.bytes.data() + pos);
  }
  [[nodiscard]] bool is_literal(std::size_t pos) const noexcept {
    return pos >= block_.begin && pos % kLiteralBytes == 0 && pos + kLiteralBytes <= block_.end &&
           origins_[word_of(pos)] != kNoLiteral;
  }
  // Of the block, by its number.
  [[nodiscard]] std::size_t word_of(std::size_t literal) const noexcept {
    return (literal - block_.begin) / kLiteralBytes;
  }

  void note_short(std::size_t pos, unsigned half) {
    if (is_thumb_use(half)) {
      Load& load = loads_[used_register(half)];
      if (load.at == Load::kNone || pos - load.at >= kUseReachBytes) return;
      std::uint32_t& origin = origins_[word_of(load.literal)];
      if (origin == kUncounted) origin = kFirstOrigin + static_cast<std::uint32_t>(pos + kAheadBytes - start_);
      load.at = Load::kNone;
    } else {
      note_load(pos, short_load(half));
    }
  }

  void note_load(std::size_t pos, ThumbLoad found) {
    if (!found.is_load) return;
    Load& load = loads_[found.to];
    load.at = Load::kNone;
    const std::size_t literal = (pos + kAheadBytes) / kLiteralBytes * kLiteralBytes + found.distance;
    if (literal % kLiteralBytes != 0 || literal < block_.begin || literal + kLiteralBytes > block_.end) return;
    std::uint32_t& origin = origins_[word_of(literal)];
    if (origin == kNoLiteral) origin = kUncounted;
    load = {pos, literal};
  }

  void write_literal(std::size_t pos, std::vector<Field>& out) const {
    const auto word = load_le<std::uint32_t>(section_.bytes.data() + pos);
    const std::uint32_t origin = origins_[word_of(pos)];
    if (origin >= kFirstOrigin) {
      const std::size_t base = start_ + (origin - kFirstOrigin);
      const std::uint64_t target = (section_.address + base + word) & kThumbAddressMask;
      put({section_.file_pos + pos, target, static_cast<std::uint32_t>(pos - base), FieldForm::kOffset32,
           FieldKind::kDataReference, 0, 0}, out);
    } else if (section_.is_fixed) {
      put({section_.file_pos + pos, word, 0, FieldForm::kAbs32, FieldKind::kCodePointer, 0, 0}, out);
    }
  }

  void write_branch(std::size_t pos, unsigned first, unsigned second, std::vector<Field>& out) const {
    if ((first & 0xF800) != 0xF000) return;
    constexpr unsigned kFirstNoCondition = 14;
    switch (second & 0xD000) {
      case 0xD000: return write_field(pos, FieldForm::kThumbBranch, FieldKind::kCall, 0, out);       // BL
      case 0xC000: return write_field(pos, FieldForm::kThumbBranch, FieldKind::kCall, kToArm, out);  // BLX
      case 0x9000: return write_field(pos, FieldForm::kThumbBranch, FieldKind::kJump, 0, out);       // B
      case 0x8000:                                                                                   // B<c>
        if ((first >> 6 & 15) < kFirstNoCondition) {
          write_field(pos, FieldForm::kThumbCondition, FieldKind::kBranch, 0, out);
        }
        return;
      default: return;
    }
  }

  void write_field(std::size_t pos, FieldForm form, FieldKind kind, std::uint8_t trailing_bytes,
                   std::vector<Field>& out) const {
    Field field{pos, 0, 0, form, kind, trailing_bytes, 0};
    FieldOrigin place;
    place.own_address = section_.address + pos;
    if (!read_field(section_.bytes, place, field)) return;
    field.pos += section_.file_pos;
    put(field, out);
  }

  void put(const Field& field, std::vector<Field>& out) const {
    if (field.target_address - image_.low < image_.high - image_.low) out.push_back(field);
  }

  const CodeSection& section_;
  const CodeBlock block_;
  const AddressRange image_;
  const std::size_t start_;  // where reading begins, in front of the block
  std::array<Load, 16> loads_;
  std::vector<std::uint32_t> origins_;
};

}  // namespace

void find_thumb_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) {
  ThumbSearch(section, block, image).find(out);
}

}  // namespace bdelta::exe
