// What M's tables have in common: positions of 16 bits in a window that moves, and zlib's search.
#pragma once

#include <algorithm>
#include <vector>

#include "base/bytes.hpp"
#include "view/deflate/matcher.hpp"

namespace bdelta::deflate {

class WindowTables : public Matcher {
 public:
  // Takes `by` off, down to 0.
  static void move_down(std::uint16_t* at, std::size_t count, std::uint32_t by) noexcept;

 protected:
  static constexpr std::uint32_t kSlideAbove = 2 * kWindowBytes - kLeastLookahead;
  template <Hash kHash>
  static constexpr std::uint32_t kMostInserted = 2 * kWindowBytes - (kHash == Hash::kGo ? 0 : 36);

  template <Hash kHash>
  void set_window(const Parameters& parameters) noexcept {
    parameters_ = parameters;
    most_distance_ = (1u << parameters.window_bits) - (kHash == Hash::kGo ? 0 : kLeastLookahead);
    too_far_ = most_distance_ + (kHash == Hash::kGo ? 1 : 0);
  }

  // The text is known from `first` on; `first` itself is a candidate with Go alone.
  template <Hash kHash>
  void start(std::uint64_t first, std::uint64_t pos) noexcept {
    oldest_ = static_cast<std::uint32_t>(inserted_ - base_);
    base_ = first - oldest_ - (kHash == Hash::kGo ? 1 : 0);
    first_ = inserted_ = first;
    pos_ = pos;
  }

  // The tables have been cleared.
  void forget() noexcept { inserted_ = base_; }

  // How far the window is to be moved before it is looked at `pos`, as it is full; or 0. Go never looks beyond its own
  // window, so it is to be moved where Go moves it: the numbers of streams before go first.
  template <Hash kHash>
  [[nodiscard]] std::uint32_t slides_by(std::uint64_t pos) const noexcept {
    const std::uint64_t at = pos - base_;
    if constexpr (kHash != Hash::kGo) return at > kSlideAbove ? kWindowBytes : 0;
    if (at <= kSlideAbove + 1) return 0;
    return oldest_ != 0 ? oldest_ : end_ - base_ > 2 * kWindowBytes + 1 ? kWindowBytes : 0;
  }

  template <Hash kHash>
  void move_base(std::uint32_t by) noexcept {
    base_ += by;
    oldest_ = oldest_ > by ? oldest_ - by : 0;
    if constexpr (kHash == Hash::kGo) inserted_ = std::max(inserted_, base_ + 1);
  }

  // Where a table with a place for each of the last positions has that of `at`.
  template <Hash kHash>
  static constexpr std::uint32_t kPlaces = kHash == Hash::kGo ? 2 * kWindowBytes : kWindowBytes;
  template <Hash kHash>
  [[nodiscard]] std::uint32_t place(std::uint32_t at) const noexcept {
    return (kHash == Hash::kGo ? at + static_cast<std::uint32_t>(base_) : at) % kPlaces<kHash>;
  }

  [[nodiscard]] static std::vector<std::uint16_t> make_table(std::size_t count);  // of 0

  // The four bytes at `pos` as zlib sees them. Three bytes before the end the fourth is what its window held.
  template <Hash kHash>
  [[nodiscard]] std::uint32_t four_bytes(std::uint64_t pos) const noexcept {
    const std::uint32_t bytes = load_le<std::uint32_t>(text_at(pos));
    if (kHash != Hash::kFourBytes || end_ - pos > 3) return bytes;
    const std::uint32_t stale = pos > kSlideAbove ? *text_at(end_ - kWindowBytes) : 0u;
    return (bytes & 0xffffff) | stale << 24;
  }

  [[nodiscard]] unsigned chain_for(unsigned best) const noexcept {
    return best >= parameters_.good ? std::max(parameters_.chain / 4u, 1u) : parameters_.chain;
  }

  // zlib's search: a match at `pos` that is longer than `best`, from `candidate` on back; link() gives the next one.
  template <class Link>
  Token longest_on_chain(std::uint64_t pos, std::uint32_t at, std::uint32_t candidate, unsigned best, Link link) noexcept {
    const auto most = static_cast<unsigned>(std::min<std::uint64_t>(end_ - pos, kMostMatch));
    if (best >= most) return 0;
    const unsigned nice = std::min<unsigned>(parameters_.nice, most);
    const std::uint32_t limit = at > too_far_ ? std::max(at - too_far_, oldest_) : oldest_;
    const unsigned most_chain = chain_for(best);
    unsigned chain = most_chain;
    const std::uint8_t* here = text_at(pos);
    const std::uint8_t* text = text_;
    const std::uint64_t offset = base_ - text_pos_;
    const auto next = [&]() noexcept {
      candidate = link(candidate);
      return candidate > limit && --chain != 0;
    };
    Token found = 0;
    const auto end = [&]() noexcept {
      looked_at_ += most_chain - chain + 1;
      return found;
    };
    for (;;) {
      if (best < kLeastMatch) {
        const std::uint32_t head = load_le<std::uint32_t>(here) << 8;
        while (load_le<std::uint32_t>(text + (offset + candidate)) << 8 != head) {
          if (!next()) return end();
        }
      } else {
        const std::uint32_t tail = load_le<std::uint32_t>(here + best - 3);
        const std::uint64_t tail_offset = offset + best - 3;
        while (load_le<std::uint32_t>(text + (tail_offset + candidate)) != tail) {
          if (!next()) return end();
        }
      }
      const auto length = static_cast<unsigned>(count_equal(text + (offset + candidate), here, most));
      if (length > best) {
        best = length;
        found = match_token(length, at - candidate);
        if (length >= nice) return end();
      }
      if (!next()) return end();
    }
  }

  Parameters parameters_;
  std::uint32_t most_distance_ = 0;  // of the first candidate
  std::uint32_t too_far_ = 0;   // for others
  std::uint64_t base_ = 0;      // the position that is 0 in the tables; before the first byte it wraps
  std::uint32_t oldest_ = 0;    // above base_: this position and all before are no candidates
  std::uint64_t first_ = 0;     // where the text begins that M knows of
  std::uint64_t inserted_ = 0;  // all positions before are in the tables
};

}  // namespace bdelta::deflate
