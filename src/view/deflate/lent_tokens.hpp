// Tokens of an older stream that may be taken for those of the stream that is made.
//
// A lazy M remembers every position. So where it has no match to carry, what it decides depends on the text alone. That is
// the 32 KiB in front, and as much behind as two matches reach. Where a text goes on like that of another stream for longer,
// both may have a match that ends at the same place. From there the other's encoder went on as M would, if it was the same
// encoder. So its tokens need not be searched for. Whether it was is known to who has both streams; a recipe says so
// (StreamRecipe::lends).
#pragma once

#include <vector>

#include "view/deflate/bit_reader.hpp"
#include "view/deflate/recipe.hpp"

namespace bdelta::deflate {

// Bytes of the text from `pos` on that are those of another stream's text from `from` on.
struct TextCopy {
  std::uint64_t pos = 0;
  std::uint64_t bytes = 0;
  std::uint64_t stream = 0;  // its number, for the lender
  std::uint64_t from = 0;
  bool to_end = false;       // the other text ends with them

  [[nodiscard]] std::uint64_t end() const noexcept { return pos + bytes; }
  [[nodiscard]] bool goes_on(const TextCopy& next) const noexcept {
    return end() == next.pos && stream == next.stream && from + bytes == next.from;
  }

  // The first place for tokens to be taken: there what M knows of the text is alike.
  [[nodiscard]] std::uint64_t first_pos() const noexcept { return pos == 0 && from == 0 ? 0 : pos + kWindowBytes; }
  // No token that begins there or behind is taken: M looks further than what is alike. text_bytes: of all of it.
  [[nodiscard]] std::uint64_t limit(std::uint64_t text_bytes) const noexcept {
    if (to_end && end() == text_bytes) return text_bytes;
    return end() - std::min<std::uint64_t>(bytes, kLookedAtBytes);
  }

  static constexpr std::uint64_t kLookedAtBytes = 520;
};

// Adds a copy behind the others. The last one of these is then as long as it gets; if it is too short it goes.
inline void add_joined(std::vector<TextCopy>& copies, const TextCopy& copy) {
  if (!copies.empty() && copies.back().goes_on(copy)) {
    copies.back().bytes += copy.bytes;
    copies.back().to_end = copy.to_end;
    return;
  }
  if (!copies.empty() && copies.back().bytes < kWindowBytes) copies.pop_back();
  copies.push_back(copy);
}

// Whoever has other streams.
class StreamLender {
 public:
  virtual ~StreamLender() = default;

  // Its packed bytes. For one thread and no longer than the lender lives; others may open streams meanwhile.
  [[nodiscard]] virtual PackedPieces open(std::uint64_t stream) const = 0;
};

}  // namespace bdelta::deflate
