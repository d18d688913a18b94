// A source with other numbers in its lists (delta/moved_numbers.hpp), as copies of a patch have them.
#pragma once

#include <memory>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "delta/moved_numbers.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// Holds the lists with their new numbers; all else is read from the source, which has no view any more. Any number of
// threads may read.
class MovedSource final : public RandomReader {
 public:
  // `numbers` are sound for the source, which must outlive the object and is the one that the patch was made from; `watch`
  // may be null. Errors: those of reading, kPatchCorrupt where the source has no such lists or others than the patch says.
  static Result<std::unique_ptr<MovedSource>> make(RandomReader& source, const MovedNumbers& numbers, Watch* watch);

  [[nodiscard]] std::uint64_t size() const noexcept override { return source_.size(); }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;
  Status check_unchanged() override { return source_.check_unchanged(); }

 private:
  struct Held {
    std::uint64_t begin = 0;  // in the source
    std::uint64_t end = 0;
    std::uint64_t at = 0;  // in bytes_
  };

  explicit MovedSource(RandomReader& source) : source_(source) {}
  Status add_list(const NumberList& list, const MovedNumbers& numbers, Watch* watch);

  RandomReader& source_;
  Bytes bytes_;
  std::vector<Held> lists_;  // ascending and apart
};

}  // namespace bdelta
