// Computes the digests of files that a patch leaves out, while the target comes by in order, and puts them in.
#pragma once

#include <vector>

#include "delta/file_digests.hpp"
#include "hash/sha256.hpp"

namespace bdelta {

class FileDigester {
 public:
  // `digests` are sound and outlive the object.
  explicit FileDigester(const FileDigests& digests)
      : digests_(digests), by_text_(by_text(digests)), made_(digests.size()) {}

  // Whether bytes of a digest are in the window: then it has to go through `fill`. By any thread.
  [[nodiscard]] bool fills(std::uint64_t pos, std::uint64_t length) const noexcept;

  // All bytes of the target in order, each once, one call at a time, by one of these: `hash` takes bytes as they shall be,
  // `fill` those that may have something else in place of digests.
  void hash(std::uint64_t pos, ByteSpan bytes);
  void fill(std::uint64_t pos, MutableByteSpan bytes);

 private:
  const FileDigests& digests_;
  const std::vector<std::uint32_t> by_text_;
  std::vector<Sha256Digest> made_;
  std::size_t next_data_ = 0;  // the first digest whose data are not all hashed
  std::size_t next_text_ = 0;  // of by_text_: the first that is not all there
  Sha256Hasher hasher_;        // of next_data_, as far as it came by
};

}  // namespace bdelta
