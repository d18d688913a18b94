// Which of the places under way a copy goes on from.
//
// New text is often woven from several places at once: from OLD, from another file of OLD, from what NEW itself had a
// while ago. Each copy then jumps from one of them to another and back, far, but lands near where that place was left. A
// track is such a place as the diagonal of its latest copy, so a jump is coded as the track that it starts from and a
// short distance.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

namespace bdelta::mix {

class DiagonalTracks {
 public:
  static constexpr unsigned kCountLog = 4;
  static constexpr unsigned kCount = 1u << kCountLog;

  // The diagonal of the copy before, for 0; those of other tracks behind it, the latest used first.
  [[nodiscard]] std::uint64_t at(unsigned track) const { return diagonals_[track]; }

  // Every diagonal in turn: the track that it goes on from moves to the front, or a new one goes there.
  void use(std::uint64_t diagonal) {
    unsigned from = 0;
    for (unsigned i = 1; i < kCount; ++i) {
      if (distance(i, diagonal) < distance(from, diagonal)) from = i;
    }
    if (distance(from, diagonal) >= kNear) from = kCount - 1;
    for (unsigned i = from; i > 0; --i) diagonals_[i] = diagonals_[i - 1];
    diagonals_[0] = diagonal;
  }

  // For an encoder: the track from which a new diagonal likely takes the fewest bits. usual: the one that the last
  // started from.
  [[nodiscard]] unsigned choose(std::uint64_t diagonal, unsigned usual) {
    unsigned best = usual;
    for (unsigned i = 0; i < kCount; ++i) {
      if (cost(i, diagonal, usual) < cost(best, diagonal, usual)) best = i;
    }
    others_ += ((best == usual ? 0 : kOne) - others_) / 32;
    return best;
  }

 private:
  static constexpr std::uint64_t kNear = 1 << 16;

  [[nodiscard]] std::uint64_t distance(unsigned track, std::uint64_t diagonal) const {
    const std::uint64_t difference = diagonal - diagonals_[track];
    return difference >> 63 ? 0 - difference : difference;
  }

  // In bits. Another track than the usual one takes the more the rarer that is.
  [[nodiscard]] int cost(unsigned track, std::uint64_t diagonal, unsigned usual) const {
    const int distance_bits = bits_of(distance(track, diagonal));
    return distance_bits + (track == usual ? 0 : kOneLog - bits_of(static_cast<unsigned>(others_)) + bits_of(track + 1));
  }

  static int bits_of(std::uint64_t number) { return static_cast<int>(std::bit_width(number)); }

  static constexpr int kOneLog = 16;
  static constexpr int kOne = 1 << kOneLog;

  std::array<std::uint64_t, kCount> diagonals_{};
  int others_ = kOne / 4;  // how often another track than the usual one was chosen lately; of kOne
};

}  // namespace bdelta::mix
