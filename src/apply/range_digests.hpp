// Digests of ranges of the target, made while it comes by, and what they write at their places (delta/fills.hpp).
#pragma once

#include <algorithm>
#include <memory>
#include <vector>

#include "delta/fills.hpp"
#include "hash/sha256.hpp"

namespace bdelta {

class RangeDigests {
 public:
  // Of sound fills.
  explicit RangeDigests(const Fills& fills);

  // Where the first place goes on that has bytes of these; else their end.
  [[nodiscard]] std::uint64_t next_place(std::uint64_t begin, std::uint64_t end) const noexcept;

  [[nodiscard]] bool has_place(std::uint64_t begin, std::uint64_t end) const noexcept { return next_place(begin, end) < end; }

  // What lies in the window as a whole, and will not change by `is_final`, which takes two positions. By any thread, once for
  // each window. Takes time in proportion to what it hashes and the window.
  template <class IsFinal>
  void hash_early(std::uint64_t pos, ByteSpan window, const IsFinal& is_final);

  // Bytes of the target as they shall be, one behind the other; those outside of all ranges may be left out.
  void hash(std::uint64_t pos, ByteSpan bytes);

  // Writes as much of a place that goes on at `pos` as there are bytes, once its range was hashed. Gives where that ends.
  std::uint64_t write(std::uint64_t pos, MutableByteSpan bytes) const noexcept;

  // All places that have bytes of a held part, which follows what was hashed, in the order of filling. The ranges of those
  // that are not known yet end inside of it.
  void fill(std::uint64_t pos, MutableByteSpan held);

 private:
  struct Input {
    FillRange range;
    FillEncoding encoding;
    std::uint64_t each_bytes;    // of a result's input
    std::size_t result_bytes;
    std::size_t first_result;    // its index in is_known_
    std::size_t results_at;      // its place in results_
    std::size_t place_bytes;
    std::uint64_t latest_end = 0;                    // of all inputs that begin up to here
    std::unique_ptr<Sha256Hasher> hasher = nullptr;  // of a result that takes several turns

    [[nodiscard]] std::uint64_t place_end() const noexcept { return range.place_pos + place_bytes; }
  };
  // Of a window, for each range that is looked at early: keeps time to the window where many ranges overlap.
  static constexpr std::size_t kBytesPerLook = 64;

  using Before = bool (*)(const Input*, const Input*);

  static void sort(std::vector<Input*>& inputs, Before before);
  [[nodiscard]] std::vector<Input*>::const_iterator place_at(std::uint64_t pos) const noexcept;
  void store(const Input& input, std::uint64_t result, const Sha256Digest& digest) noexcept;
  void hash_range(Input& input, std::uint64_t pos, ByteSpan bytes);
  void write(const Input& input, std::uint64_t pos, MutableByteSpan bytes) const noexcept;

  std::vector<Input> inputs_;               // in the order of filling
  std::vector<Input*> by_pos_;
  std::vector<Input*> by_place_;
  Bytes results_;
  std::vector<std::uint8_t> is_known_;      // for each result
  std::vector<Input*> active_;              // that the target has come to
  std::size_t next_input_ = 0;              // the first of by_pos_ that the target has not come to
};

template <class IsFinal>
void RangeDigests::hash_early(std::uint64_t pos, ByteSpan window, const IsFinal& is_final) {
  Sha256Hasher hasher;
  const std::uint64_t end = pos + window.size();
  auto at = std::partition_point(by_pos_.begin(), by_pos_.end(), [&](const Input* each) { return each->range.pos < end; });
  for (std::size_t looks = window.size() / kBytesPerLook; looks > 0 && at != by_pos_.begin(); --looks) {
    const Input& input = **--at;
    if (input.latest_end <= pos) return;
    const FillRange& range = input.range;
    std::uint64_t result = range.pos >= pos ? 0 : (pos - range.pos - 1) / input.each_bytes + 1;
    for (; range.pos + result * input.each_bytes < range.end(); ++result) {
      const std::uint64_t begin = range.pos + result * input.each_bytes;
      const std::uint64_t stop = std::min(begin + input.each_bytes, range.end());
      if (stop > end) break;
      if (!is_final(begin, stop)) continue;
      hasher.update(window.subspan(static_cast<std::size_t>(begin - pos), static_cast<std::size_t>(stop - begin)));
      store(input, result, hasher.finish());
    }
  }
}

}  // namespace bdelta
