// Whether the parts of a patch are what is expected. The caller has the digest of the first part, the head. The head's
// list has those of the other parts. A part is proved before anything but its length is looked at.
#pragma once

#include <optional>

#include "format/format.hpp"

namespace bdelta {

// For one patch, part after part: recognise it, measure until a part is whole, prove it, read it, pass it. One thread at a
// time.
class PartProver {
 public:
  // limit_bytes: the most that a part may have that has to be held.
  PartProver(const std::optional<Sha256Digest>& expected_head, std::uint64_t limit_bytes, Formats formats) noexcept
      : expected_head_(expected_head), limit_bytes_(limit_bytes), formats_(formats) {}

  // Whether a patch that begins so has parts; nothing below is to be called for one without. Errors: those of
  // recognise_format, kPatchDigest where a head is expected of a format without parts.
  Result<bool> recognise(ByteSpan first_bytes);

  Result<Measure> measure(ByteSpan bytes) { return framer_->measure(bytes); }

  // kPatchDigest unless `part` is as expected. Without an expected head, a head may be any.
  Status prove(ByteSpan part);

  // The next part follows. kPatchDigest behind an expected head that has no list; kPatchCorrupt for a part that no reader
  // has read and that is damaged.
  Status pass(ByteSpan part);

  // The patch has ended: kPatchDigest unless all digests were used.
  [[nodiscard]] Status check_end() const;

  // Of the patch, where the part at hand begins.
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }

 private:
  const std::optional<Sha256Digest> expected_head_;
  const std::uint64_t limit_bytes_;
  const Formats formats_;
  std::unique_ptr<PartFramer> framer_;
  bool has_head_ = false;
  std::size_t digest_index_ = 0;  // of the part at hand
  std::uint64_t position_ = 0;
};

}  // namespace bdelta
