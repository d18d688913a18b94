// Fields of 32-bit ARM code (the instructions of one word each, not Thumb). Branches and calls tell their target by
// themselves. Addresses of data don't fit into an instruction, so compilers put them into words between the functions,
// "literals", at most 4 KiB from the LDR that reads them. In programs that are loaded where they were linked for a
// literal is the address itself. In all others it is the distance from an ADD that adds the program counter a few
// instructions later, or from an LDR that reads at that sum.
//
// So the code is gone through twice. The first time all literals are marked, as they are no instructions even if they
// look like some. Those that an ADD or LDR counts from are listed. The second time fields are written in their order.
// Both depend on little more than the block itself: an LDR further than 4 KiB away reads nothing of it.
#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "exe/isa_kernels.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kPatternBytes = 4;
constexpr std::size_t kPipelineBytes = 8;  // what the program counter is ahead of the instruction that reads it
constexpr std::size_t kWindowWords = 32;   // a literal is used within so many words of its LDR
constexpr std::size_t kMarginBytes = 4224;  // > 4095 + 8 + kWindowWords * kPatternBytes - 4

constexpr std::uint64_t kAddressMask = 0xFFFFFFFF;
constexpr std::uint32_t kAlways = 14;  // condition
constexpr std::uint32_t kNoCondition = 15;

// LDR Rt, [PC, #+-imm12] of a whole word.
constexpr bool is_literal_load(std::uint32_t word) noexcept {
  return (word & 0x0F7F0000) == 0x051F0000 && word >> 28 != kNoCondition;
}

// ADD Rd, PC, Rm, or LDR Rd, [PC, Rm]; both without a shift.
constexpr bool is_literal_use(std::uint32_t word) noexcept {
  return ((word & 0x0FFF0FF0) == 0x008F0000 || (word & 0x0FFF0FF0) == 0x079F0000) && word >> 28 != kNoCondition;
}

struct BranchKind {
  bool is_branch = false;
  FieldKind kind = FieldKind::kCall;
};

// B, BL and, of instructions without a condition, BLX.
constexpr BranchKind branch_kind(std::uint32_t word) noexcept {
  if ((word & 0x0E000000) != 0x0A000000) return {};
  const std::uint32_t condition = word >> 28;
  const bool links = (word & 0x01000000) != 0;
  if (condition == kNoCondition || links) return {true, FieldKind::kCall};
  return {true, condition == kAlways ? FieldKind::kJump : FieldKind::kBranch};
}

// A literal of the block that counts from the address at `base`, both bytes of the section.
struct RelativeLiteral {
  std::size_t pos = 0;
  std::size_t base = 0;
};

class Arm32Search {
 public:
  Arm32Search(const CodeSection& section, CodeBlock block, AddressRange image) noexcept
      : section_(section), block_(block), image_(image) {}

  void find(std::vector<Field>& out) {
    marks_.assign((block_.end - block_.begin) / kPatternBytes + 1, false);
    find_literals();
    std::stable_sort(relative_.begin(), relative_.end(),
                     [](const RelativeLiteral& a, const RelativeLiteral& b) { return a.pos < b.pos; });
    write_fields(out);
  }

 private:
  [[nodiscard]] std::uint32_t word_at(std::size_t pos) const noexcept {
    return load_le<std::uint32_t>(section_.bytes.data() + pos);
  }
  [[nodiscard]] bool in_block(std::size_t pos) const noexcept {
    return pos >= block_.begin && pos + kPatternBytes <= block_.end;
  }
  [[nodiscard]] bool in_image(std::uint64_t address) const noexcept {
    return address - image_.low < image_.high - image_.low;
  }

  // The first use of a literal tells what it counts from.
  void find_literals() {
    constexpr std::size_t kNever = ~std::size_t{0};
    struct Load {
      std::size_t at = kNever;  // of the LDR
      std::size_t literal = 0;
    };
    std::array<Load, 16> loads;
    const std::size_t begin = block_.begin - std::min(block_.begin, kMarginBytes);
    const std::size_t end = block_.end + std::min(section_.bytes.size() - block_.end, kMarginBytes);
    for (std::size_t pos = begin; pos + kPatternBytes <= end; pos += kPatternBytes) {
      const std::uint32_t word = word_at(pos);
      if (is_literal_use(word)) {
        Load& load = loads[word & 15];
        if (load.at != kNever && pos - load.at < kWindowWords * kPatternBytes) {
          if (pos + kPipelineBytes < section_.bytes.size()) relative_.push_back({load.literal, pos + kPipelineBytes});
          load.at = kNever;
        }
      } else if (is_literal_load(word)) {
        const std::size_t distance = word & 0xFFF;
        const std::size_t from = pos + kPipelineBytes;
        const bool is_ahead = (word & 0x00800000) != 0;
        Load& load = loads[word >> 12 & 15];
        load.at = kNever;
        if (distance % kPatternBytes != 0 || (!is_ahead && distance > from)) continue;
        const std::size_t literal = is_ahead ? from + distance : from - distance;
        if (!in_block(literal)) continue;
        marks_[(literal - block_.begin) / kPatternBytes] = true;
        load = {pos, literal};
      }
    }
  }

  void write_fields(std::vector<Field>& out) const {
    std::size_t next = 0;
    for (std::size_t pos = block_.begin; pos + kPatternBytes <= block_.end; pos += kPatternBytes) {
      const std::uint32_t word = word_at(pos);
      if (!marks_[(pos - block_.begin) / kPatternBytes]) {
        const BranchKind branch = branch_kind(word);
        if (branch.is_branch) write_branch(pos, word, branch.kind, out);
        continue;
      }
      while (next < relative_.size() && relative_[next].pos < pos) ++next;
      const bool is_relative = next < relative_.size() && relative_[next].pos == pos;
      if (is_relative) {
        write_relative(relative_[next], word, out);
      } else if (section_.is_fixed) {
        put({section_.file_pos + pos, word, 0, FieldForm::kAbs32, FieldKind::kCodePointer, 0, 0}, out);
      }
    }
  }

  void write_branch(std::size_t pos, std::uint32_t word, FieldKind kind, std::vector<Field>& out) const {
    const auto number = static_cast<std::int32_t>(word << 8) >> 8;
    const std::uint64_t target =
        section_.address + pos + kPipelineBytes + static_cast<std::uint64_t>(std::int64_t{number}) * kPatternBytes;
    put({section_.file_pos + pos, target & kAddressMask, 0, FieldForm::kArm32Branch, kind, 0, 0}, out);
  }

  void write_relative(const RelativeLiteral& literal, std::uint32_t word, std::vector<Field>& out) const {
    const auto delta = static_cast<std::uint32_t>(literal.pos - literal.base);
    const std::uint64_t target = (section_.address + literal.base + word) & kAddressMask;
    put({section_.file_pos + literal.pos, target, delta, FieldForm::kOffset32, FieldKind::kDataReference, 0, 0}, out);
  }

  void put(const Field& field, std::vector<Field>& out) const {
    if (in_image(field.target_address)) out.push_back(field);
  }

  const CodeSection& section_;
  const CodeBlock block_;
  const AddressRange image_;
  std::vector<bool> marks_;  // of the words of the block: it is a literal
  std::vector<RelativeLiteral> relative_;
};

}  // namespace

void find_arm32_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) {
  Arm32Search(section, block, image).find(out);
}

}  // namespace bdelta::exe
