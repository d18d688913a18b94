// Fields of AArch64 code. Every instruction is one word, so what it holds is seen from the word itself, with one
// exception. An address of data comes in two parts: ADRP for its page, and a later ADD, LDR or STR of the same register
// for the low 12 bits. Both get the whole address as their target.
//
// The eleven high bits of a word tell all that matters here; a table of 2,048 bytes holds the answer. Words are read
// twice. The first loop lists those that hold fields, without branches. A word is listed if its table entry says so. It
// is listed, too, if it may be a second part and its base register was loaded by ADRP shortly before. For that the loop
// keeps one bit a register. ADRP sets it, and any other instruction that writes the register clears it. So does age,
// which is counted in rows of 16 words: an ADRP serves its own row and the next. The second loop turns the list, about
// a quarter of the words, into fields.
#include <algorithm>
#include <array>

#include "base/bytes.hpp"
#include "exe/isa_kernels.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kPatternBytes = 4;

// Longer rows find more pairs, and more false ones. Rows begin at multiples of their size from the section's start.
constexpr std::uint32_t kRowWords = 16;

enum class Op : std::uint8_t {
  kNone, kB, kBl, kBCond, kCompareBranch, kTestBranch, kLoadLiteral, kAdr, kAdrp, kAdd, kAccess, kAccess16,
};

// Bits 0-3 of an entry; bits 4-7: Op.
constexpr unsigned kAlways = 1;  // holds a field by itself
constexpr unsigned kSecond = 2;  // holds a field if its base register comes from ADRP
constexpr unsigned kWrites = 4;  // writes the general register of bits 0-4
constexpr unsigned kPage = 8;    // is ADRP
constexpr unsigned kOpShift = 4;

// Bits [low, low + count) of a word of which the eleven high bits are known.
constexpr std::uint32_t bits(std::uint32_t word, unsigned low, unsigned count) noexcept {
  return word >> low & ((1u << count) - 1);
}

constexpr Op op_of(std::uint32_t word) noexcept {
  if (bits(word, 26, 6) == 0x05) return Op::kB;
  if (bits(word, 26, 6) == 0x25) return Op::kBl;
  if (bits(word, 24, 8) == 0x54) return Op::kBCond;
  if (bits(word, 25, 6) == 0x1A) return Op::kCompareBranch;
  if (bits(word, 25, 6) == 0x1B) return Op::kTestBranch;
  if (bits(word, 27, 3) == 3 && bits(word, 24, 2) == 0) {  // sizes 0-3 of LDR literal; size 3 of SIMD is not allocated
    return bits(word, 26, 1) == 1 && bits(word, 30, 2) == 3 ? Op::kNone : Op::kLoadLiteral;
  }
  if (bits(word, 24, 5) == 0x10) return bits(word, 31, 1) == 0 ? Op::kAdr : Op::kAdrp;
  if (bits(word, 22, 10) == 0x244) return Op::kAdd;  // of 64 bits, not shifted
  if (bits(word, 27, 3) == 7 && bits(word, 24, 2) == 1) {
    const bool simd16 = bits(word, 26, 1) == 1 && bits(word, 23, 1) == 1;
    if (simd16) return bits(word, 30, 2) == 0 ? Op::kAccess16 : Op::kNone;
    return Op::kAccess;
  }
  return Op::kNone;
}

// Whether the general register of bits 0-4 is written, as far as the high bits tell. What is overlooked can only pair a
// second part with an ADRP that it does not belong to.
constexpr bool writes_register(std::uint32_t word) noexcept {
  if (bits(word, 26, 3) == 4) return true;                                      // immediate arithmetic, ADR, ADRP
  if (bits(word, 25, 3) == 5) return bits(word, 21, 8) != 0xD2;                 // arithmetic of registers, but CCMP
  if (bits(word, 25, 1) != 0 || bits(word, 27, 1) == 0) return false;           // neither load nor store
  if (bits(word, 26, 1) == 1) return false;                                     // of SIMD registers
  if (bits(word, 27, 3) == 7) return bits(word, 22, 2) != 0;                    // LDR, not STR
  if (bits(word, 27, 3) == 3 && bits(word, 24, 1) == 0) return true;            // LDR literal
  return bits(word, 22, 1) == 1;                                                // LDP, LDXR, LDAR
}

constexpr std::array<std::uint8_t, 2048> make_classes() noexcept {
  std::array<std::uint8_t, 2048> classes{};
  for (std::uint32_t i = 0; i < classes.size(); ++i) {
    const std::uint32_t word = i << 21;
    const Op op = op_of(word);
    unsigned entry = static_cast<unsigned>(op) << kOpShift;
    if (op >= Op::kAdd) entry |= kSecond;
    if (op != Op::kNone && op < Op::kAdd) entry |= kAlways;
    if (writes_register(word)) entry |= kWrites;
    if (op == Op::kAdrp) entry |= kPage;
    classes[i] = static_cast<std::uint8_t>(entry);
  }
  return classes;
}

constexpr std::array<std::uint8_t, 2048> kClasses = make_classes();

// How the signed number of an instruction is taken out: shifted left, then right with the sign, times 4.
struct Form {
  std::uint8_t left = 0;
  std::uint8_t right = 0;
  std::uint8_t low_bits_mask = 0;  // of bits 29-30: ADR and ADRP hold their lowest two there
  FieldForm form = FieldForm::kArmBranch26;
  FieldKind kind = FieldKind::kOther;
};

constexpr std::array<Form, 9> kForms = {{
    {},
    {6, 6, 0, FieldForm::kArmBranch26, FieldKind::kJump},
    {6, 6, 0, FieldForm::kArmBranch26, FieldKind::kCall},
    {8, 13, 0, FieldForm::kArmBranch19, FieldKind::kBranch},
    {8, 13, 0, FieldForm::kArmBranch19, FieldKind::kBranch},
    {13, 18, 0, FieldForm::kArmBranch14, FieldKind::kShortBranch},
    {8, 13, 0, FieldForm::kArmBranch19, FieldKind::kDataReference},
    {8, 13, 3, FieldForm::kArmAdr, FieldKind::kDataReference},
    {8, 13, 3, FieldForm::kArmPage, FieldKind::kPageReference},
}};

constexpr std::uint32_t kBatchWords = 1024;
using WordList = std::array<std::uint32_t, kBatchWords>;

// The first loop.
class Lister {
 public:
  // Lists the words of [first, first + count) that hold fields, both multiples of kRowWords but for the last count;
  // `words` points at word 0.
  std::size_t list(const std::uint8_t* words, std::uint32_t first, std::uint32_t count, WordList& found) noexcept {
    std::size_t found_count = 0;
    for (std::uint32_t row = first; row < first + count; row += kRowWords) {
      older_ = newer_;
      newer_ = 0;
      const std::uint32_t row_end = std::min(row + kRowWords, first + count);
      for (std::uint32_t i = row; i < row_end; ++i) {
        const auto word = load_le<std::uint32_t>(words + std::size_t{i} * kPatternBytes);
        const unsigned entry = kClasses[word >> 21];
        found[found_count] = i;
        const unsigned paired = (older_ | newer_) >> (word >> 5 & 31) & (entry & kSecond) / kSecond;
        found_count += (entry & kAlways) | paired;
        const std::uint32_t written = std::uint32_t{(entry & kWrites) / kWrites} << (word & 31);
        const std::uint32_t set = std::uint32_t{(entry & kPage) / kPage} << (word & 31);
        older_ &= ~written;
        newer_ = (newer_ & ~written) | set;
      }
    }
    return found_count;
  }

 private:
  // Registers that hold a page: from the row before, from this row.
  std::uint32_t older_ = 0;
  std::uint32_t newer_ = 0;
};

// The second loop. Fields outside the block are not kept, but tell the pages and first uses of those inside.
class Arm64FieldWriter {
 public:
  Arm64FieldWriter(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) noexcept
      : section_(section), block_(block), image_(image), out_(out) {}

  void write(std::size_t sweep_begin, const WordList& found, std::size_t found_count) {
    const std::size_t before = out_.size();
    out_.resize(before + found_count);
    next_ = before;
    for (std::size_t i = 0; i < found_count; ++i) {
      const std::size_t pos = sweep_begin + std::size_t{found[i]} * kPatternBytes;
      const auto word = load_le<std::uint32_t>(section_.bytes.data() + pos);
      const Op op = static_cast<Op>(kClasses[word >> 21] >> kOpShift);
      if (op < Op::kAdrp) {
        write_relative(pos, word, kForms[static_cast<std::size_t>(op)]);
      } else if (op == Op::kAdrp) {
        write_page(pos, word);
      } else {
        write_second(pos, word, op);
      }
    }
    out_.resize(next_);
  }

 private:
  // What an ADRP left in a register.
  struct Page {
    std::uint64_t address = 0;
    std::size_t field = kNoField;  // in out_, while its whole address is not known
  };
  static constexpr std::size_t kNoField = ~std::size_t{0};

  static std::uint64_t number_of(std::uint32_t word, const Form& form) noexcept {
    const auto high = static_cast<std::int32_t>(word << form.left) >> form.right;
    return static_cast<std::uint64_t>(std::int64_t{high}) * 4 + (word >> 29 & form.low_bits_mask);
  }

  bool in_image(std::uint64_t address) const noexcept { return address - image_.low < image_.high - image_.low; }

  // The page need not begin inside the image.
  bool page_in_image(std::uint64_t page) const noexcept { return page < image_.high && page + 0xFFF >= image_.low; }

  // Writes the field always and keeps it where `counts`.
  void put(std::size_t pos, std::uint64_t target, FieldForm form, FieldKind kind, unsigned scale, bool counts) {
    Field& field = out_[next_];
    field.pos = section_.file_pos + pos;
    field.target_address = target;
    field.base_delta = 0;
    field.form = form;
    field.kind = kind;
    field.trailing_bytes = static_cast<std::uint8_t>(scale);
    field.image = 0;
    const bool in_block = (pos >= block_.begin) & (pos + kPatternBytes <= block_.end);
    next_ += (in_block & counts) ? 1 : 0;
  }

  void write_relative(std::size_t pos, std::uint32_t word, const Form& form) {
    const std::uint64_t target = section_.address + pos + number_of(word, form);
    put(pos, target, form.form, form.kind, 0, in_image(target));
  }

  void write_page(std::size_t pos, std::uint32_t word) {
    const Form& form = kForms[static_cast<std::size_t>(Op::kAdrp)];
    const std::uint64_t own_page = (section_.address + pos) & ~std::uint64_t{0xFFF};
    const std::uint64_t page = own_page + (number_of(word, form) << 12);
    const std::size_t field = next_;
    put(pos, page, form.form, form.kind, 0, page_in_image(page));
    pages_[word & 31] = {page, next_ > field ? field : kNoField};
  }

  // The first use of a page gives its ADRP the whole address.
  void write_second(std::size_t pos, std::uint32_t word, Op op) {
    Page& page = pages_[word >> 5 & 31];
    const unsigned scale = op == Op::kAdd ? 0 : op == Op::kAccess16 ? 4 : word >> 30;
    const std::uint64_t target = page.address + (std::uint64_t{word >> 10 & 0xFFF} << scale);
    // A page holds 4096 bytes; a scaled offset beyond it is no low part of an address.
    const bool counts = in_image(target) && target - page.address <= 0xFFF;
    const FieldForm form = op == Op::kAdd ? FieldForm::kArmLow12 : FieldForm::kArmLow12Scaled;
    put(pos, target, form, FieldKind::kPageOffset, scale, counts);
    if (!counts || page.field == kNoField) return;
    out_[page.field].target_address = target;
    page.field = kNoField;
  }

  const CodeSection& section_;
  CodeBlock block_;
  AddressRange image_;
  std::vector<Field>& out_;
  std::size_t next_ = 0;
  std::array<Page, 32> pages_{};
};

}  // namespace

void find_arm64_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) {
  constexpr std::size_t kRowBytes = kRowWords * kPatternBytes;
  const std::size_t begin = block.begin - std::min(block.begin, kRowBytes);
  const std::size_t end = block.end + std::min(section.bytes.size() - block.end, kRowBytes);
  const auto word_count = static_cast<std::uint32_t>((end - begin) / kPatternBytes);
  Lister lister;
  Arm64FieldWriter writer(section, block, image, out);
  WordList found;
  for (std::uint32_t first = 0; first < word_count; first += kBatchWords) {
    const std::uint32_t count = std::min(kBatchWords, word_count - first);
    const std::size_t found_count = lister.list(section.bytes.data() + begin, first, count, found);
    writer.write(begin, found, found_count);
  }
}

}  // namespace bdelta::exe
