// A patch of which nothing is given out before its SHA-256 proved to be the one that the caller expects.
//
// The digest covers the patch as a whole, so it has to be read twice. A regular file is read again from its start; a
// change meanwhile is kInputChanged. What comes as a stream waits in a spool.
#pragma once

#include <memory>
#include <optional>

#include "bdelta/files.hpp"
#include "hash/sha256.hpp"
#include "io/spool.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

// One thread at a time. The first read takes the digest: kPatchDigest if it is another, and of all later reads too.
class VerifiedPatch final : public SequentialReader {
 public:
  // Both readers must outlive the object.
  VerifiedPatch(SequentialReader& stream, const Sha256Digest& expected, const FileOptions& files);
  VerifiedPatch(RandomReader& file, const Sha256Digest& expected) : file_(&file), expected_(expected) {}

  // Looked at while the digest is taken; may be null.
  void set_watch(Watch* watch) noexcept { watch_ = watch; }

  Result<std::size_t> read(MutableByteSpan out) override;

  // kInputChanged if the file is no longer what was proven. To be asked once everything has been read.
  Status check_unchanged() { return file_ ? file_->check_unchanged() : Status(); }

 private:
  Status verify();
  Result<std::size_t> read_piece(std::uint64_t pos, MutableByteSpan out);
  Result<std::size_t> read_again(MutableByteSpan out);

  RandomReader* const file_ = nullptr;
  SequentialReader* const stream_ = nullptr;
  const Sha256Digest expected_;
  std::optional<io::Spool> spool_;  // of the stream
  std::unique_ptr<SequentialReader> spooled_;
  Watch* watch_ = nullptr;
  std::uint64_t pos_ = 0;           // of the file, given out
  Sha256Hasher hasher_again_;       // of those bytes
  std::optional<Status> verified_;  // absent before the first read
};

}  // namespace bdelta
