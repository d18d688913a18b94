// A patch of which nothing is given out before it proved to be what the caller expects. The caller's SHA-256 proves the
// head. The list in the head proves each part behind it.
//
// The part at hand is held until all of it was read, so a patch that comes as a stream is read once and waits nowhere.
#pragma once

#include <vector>

#include "apply/part_prover.hpp"
#include "bdelta/io.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// One thread at a time. Errors, and then of all later reads: kPatchDigest, kPatchTruncated, kMemoryLimit for a part beyond
// the limit, those of telling what is no patch, and those of `from`.
class ListedPatch final : public SequentialReader {
 public:
  // `from` must outlive the object.
  ListedPatch(SequentialReader& from, const Sha256Digest& expected_head, std::uint64_t limit_bytes) noexcept
      : from_(from), prover_(expected_head, limit_bytes, known_formats()) {}

  // Looked at while a part is read; may be null.
  void set_watch(Watch* watch) noexcept { watch_ = watch; }

  Result<std::size_t> read(MutableByteSpan out) override;

 private:
  [[nodiscard]] ByteSpan unproven() const noexcept { return ByteSpan(bytes_).subspan(proven_end_); }
  Status read_more(std::uint64_t wanted_bytes);
  Status recognise();
  Status next_part();

  SequentialReader& from_;
  PartProver prover_;
  Watch* watch_ = nullptr;
  std::vector<std::uint8_t> bytes_;
  std::size_t given_end_ = 0;   // of bytes_: given out up to here
  std::size_t proven_end_ = 0;  // and proven up to here
  bool recognised_ = false;
  bool no_more_ = false;        // `from_` has ended
  bool ended_ = false;          // behind the last part; what else comes is for the reader to refuse
  Status status_;               // the first error stays
};

}  // namespace bdelta
