// What NEW has that is not in OLD's view, told by samples: which text would help, and what it would save.
#pragma once

#include <unordered_map>
#include <vector>

#include "base/bytes.hpp"
#include "delta/cover.hpp"

namespace bdelta {

class MissingText {
 public:
  // What the covers leave of the target, and what changes in what they copy.
  MissingText(ByteSpan source, ByteSpan target, const Covers& covers);

  // Of what is missing, about so many bits of a patch are for what `text` has; it is no longer missing.
  std::uint64_t take(ByteSpan text);

  // Of a patch, for all that is missing; about.
  [[nodiscard]] std::uint64_t bits() const noexcept { return bits_; }

 private:
  // Bytes of the target that each take so much of a patch.
  struct Stretch {
    std::uint64_t begin = 0, end = 0;
    std::uint64_t byte_bits = 0;
  };
  template <class Use>
  static void for_each_stretch(ByteSpan source, ByteSpan target, const Covers& covers, Use&& use);
  void add(ByteSpan target, std::vector<Stretch>& stretches);
  [[nodiscard]] std::vector<bool>::reference filter_bit(const std::uint8_t* sample);

  unsigned shift_ = 0;  // one position in 2^shift_ is a sample
  std::uint64_t bits_ = 0;
  std::unordered_map<std::uint64_t, std::uint64_t> samples_;  // what each stands for in bits, by its key
  std::vector<bool> filter_;  // by hashes of the first bytes: whether there may be such a sample
};

}  // namespace bdelta
