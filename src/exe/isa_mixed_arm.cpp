// Code of 32-bit ARM is words or Thumb's halfwords, by function, and nothing in a program without symbols says which. But
// nearly all words of ARM's code begin with the same four bits, "always"; of Thumb's code hardly one in ten does. So each
// KiB is taken for what most of it looks like, and gets the fields that the search for that finds there.
#include <algorithm>

#include "base/bytes.hpp"
#include "exe/isa_kernels.hpp"

namespace bdelta::exe {
namespace {

constexpr std::size_t kStretchBytes = 1024;
constexpr std::size_t kArmWordBytes = 4;

// Highest bytes of words of ARM's code: any instruction that is always carried out, and those of vectors.
constexpr bool is_frequent(std::uint8_t byte) noexcept {
  return byte >= 0xE0 && byte <= 0xF4 && byte != 0xF0 && byte != 0xF1;
}

// How frequent those bytes are among the highest and among the second lowest of the stretch's words: in code of halfwords
// there is no difference.
enum class CodeLook : std::uint8_t { kWords, kHalfwords, kUnclear };

CodeLook look_of(ByteSpan stretch) noexcept {
  const std::size_t words = stretch.size() / kArmWordBytes;
  std::size_t high_count = 0;
  std::size_t low_count = 0;
  for (std::size_t i = 0; i < words; ++i) {
    const std::uint8_t* const word = stretch.data() + i * kArmWordBytes;
    high_count += is_frequent(word[3]) ? 1u : 0u;
    low_count += is_frequent(word[1]) ? 1u : 0u;
  }
  if (5 * high_count >= words && high_count >= 3 * low_count) return CodeLook::kWords;
  return 16 * low_count >= words && high_count < 2 * low_count ? CodeLook::kHalfwords : CodeLook::kUnclear;
}

// For each stretch of the block whether it is of words. Where it does not tell, as tables of constants between the
// functions don't, it is what most are that do.
std::vector<bool> stretches_of_words(const CodeSection& section, CodeBlock block) {
  std::vector<CodeLook> looks;
  for (std::size_t begin = block.begin; begin < block.end; begin += kStretchBytes) {
    looks.push_back(look_of(section.bytes.subspan(begin, std::min(block.end - begin, kStretchBytes))));
  }
  const auto count = [&](CodeLook look) { return std::count(looks.begin(), looks.end(), look); };
  const bool unclear_are_words = count(CodeLook::kWords) > count(CodeLook::kHalfwords);
  std::vector<bool> are_words;
  for (const CodeLook look : looks) {
    are_words.push_back(look == CodeLook::kWords || (look == CodeLook::kUnclear && unclear_are_words));
  }
  return are_words;
}

}  // namespace

void find_mixed_arm_fields(const CodeSection& section, CodeBlock block, AddressRange image, std::vector<Field>& out) {
  const std::vector<bool> are_words = stretches_of_words(section, block);
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  // A field may begin in one stretch and end in the next; both have to be of its kind.
  const auto keep_behind = [&](std::ptrdiff_t pos, bool of_words) {
    const auto is_strange = [&](const Field& field) {
      const std::size_t at = static_cast<std::size_t>(field.pos - section.file_pos) - block.begin;
      return are_words[at / kStretchBytes] != of_words || are_words[(at + kArmWordBytes - 1) / kStretchBytes] != of_words;
    };
    out.erase(std::remove_if(out.begin() + pos, out.end(), is_strange), out.end());
  };
  if (std::find(are_words.begin(), are_words.end(), true) != are_words.end()) {
    find_arm32_fields(section, block, image, out);
    keep_behind(begin, true);
  }
  const auto middle = static_cast<std::ptrdiff_t>(out.size());
  if (std::find(are_words.begin(), are_words.end(), false) != are_words.end()) {
    find_thumb_fields(section, block, image, out);
    keep_behind(middle, false);
  }
  std::inplace_merge(out.begin() + begin, out.begin() + middle, out.end(), comes_before);
}

}  // namespace bdelta::exe
