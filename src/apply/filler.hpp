// Puts the bytes into the target that a patch leaves to who applies it (delta/fills.hpp), while the target comes by.
//
// What lies in one window and holds no place of a fill is hashed by the thread that makes the window, at any time. All else
// is done when it is the window's turn, as turns follow the target: places lie behind what they are of, so their results
// are known then. A block that may be a tar header is filled in when it is whole. What a window has of one that the next
// window goes on with is held back, so that a target that is a stream gets nothing that changes later.
#pragma once

#include <functional>
#include <memory>
#include <vector>

#include "delta/fills.hpp"
#include "hash/sha256.hpp"

namespace bdelta {

class Filler {
 public:
  // Takes bytes of the target as they shall be.
  using Pass = std::function<Status(std::uint64_t pos, ByteSpan bytes)>;

  // `fills` are sound. Takes held_bytes of them.
  explicit Filler(const Fills& fills);

  // Whether the window may have bytes to be filled in: then it has to go through `fill`. By any thread.
  [[nodiscard]] bool fills(std::uint64_t pos, std::uint64_t length) const noexcept;

  // Once for each window, by any thread: `bytes` go to `pos`, and are as the window gives them. Takes time in proportion to
  // what it hashes and the window.
  void hash_early(std::uint64_t pos, ByteSpan bytes);

  // Then all windows in the order of the target, one at a time, each by one of these: `hash` if nothing is filled in, else
  // `fill`, where `pass` gets what was held back of windows before and this one, but for what is held back of it. Nothing is
  // left in the end. Errors: those of `pass`.
  void hash(std::uint64_t pos, ByteSpan bytes);
  Status fill(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass);

 private:
  // A range that has a place.
  struct Input {
    FillRange range;
    FillEncoding encoding;
    std::uint64_t each_bytes;    // of a result's input
    std::size_t result_bytes;
    std::size_t first_result;    // its index in is_known_
    std::size_t results_at;      // its place in results_
    std::size_t place_bytes;
    std::uint64_t latest_end;    // of all inputs up to this one

    [[nodiscard]] std::uint64_t place_end() const noexcept { return range.place_pos + place_bytes; }
  };
  // One that the target has come to.
  struct Active {
    const Input* input;
    std::unique_ptr<Sha256Hasher> hasher;  // of a result that takes several turns
  };
  struct Headers {
    std::uint64_t begin;
    std::uint64_t end;
    FillEncoding form;
  };

  [[nodiscard]] std::vector<Headers>::const_iterator headers_at(std::uint64_t pos) const noexcept;
  [[nodiscard]] std::vector<const Input*>::const_iterator place_at(std::uint64_t pos) const noexcept;
  [[nodiscard]] bool has_place(std::uint64_t begin, std::uint64_t end) const noexcept;
  [[nodiscard]] bool is_final(std::uint64_t begin, std::uint64_t end, std::uint64_t pos, ByteSpan window) const noexcept;
  void store(const Input& input, std::uint64_t result, const Sha256Digest& digest) noexcept;
  void hash_range(Active& active, std::uint64_t pos, ByteSpan bytes);
  std::uint64_t fill_headers(std::uint64_t pos, MutableByteSpan bytes) const noexcept;
  Status fill_places(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass);

  std::vector<Input> inputs_;               // by where they begin
  std::vector<const Input*> by_place_;
  std::vector<Headers> headers_;            // in the order of the target
  Bytes results_;
  std::vector<std::uint8_t> is_known_;      // for each result
  std::vector<Active> active_;
  std::size_t next_input_ = 0;              // the first that the target has not come to
  Bytes held_;                              // the beginning of a block, if any
};

}  // namespace bdelta
