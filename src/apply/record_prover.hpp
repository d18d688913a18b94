// Whether the head of a patch, and then each of its parts, are what the caller and the head's list of digests expect: asked
// before anything but its length is looked at.
#pragma once

#include <optional>

#include "format/native/framing.hpp"

namespace bdelta {

// For one patch, record after record: measure until a record is whole, prove it, read it, pass it. The head (header and
// list of digests) is the first. One thread at a time.
class RecordProver {
 public:
  // limit_bytes: the most that a record may have that has to be held.
  RecordProver(const std::optional<Sha256Digest>& expected_head, std::uint64_t limit_bytes) noexcept
      : expected_head_(expected_head), framer_(limit_bytes) {}

  // For the first bytes of a patch of a format that has no list.
  [[nodiscard]] Status refuse_unlisted() const;

  // As RecordFramer has it.
  Result<native::Measure> measure(ByteSpan bytes) { return framer_.measure(bytes); }

  // kPatchDigest unless `record` is as expected. Without an expected head, a head may be any.
  Status prove(ByteSpan record);

  // The next record follows. kPatchDigest behind an expected head that has no list.
  Status pass(ByteSpan record);

  // The patch has ended: kPatchDigest unless all digests were used.
  [[nodiscard]] Status check_end() const;

  // Of the patch, where the record at hand begins.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  const std::optional<Sha256Digest> expected_head_;
  native::RecordFramer framer_;
  bool has_head_ = false;
  std::size_t digest_index_ = 0;  // of the record at hand
  std::uint64_t position_ = 0;
};

}  // namespace bdelta
