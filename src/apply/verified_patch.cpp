#include "apply/verified_patch.hpp"

#include <algorithm>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "hash/xxh3.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kPieceBytes = 256 * 1024;  // hashed between two looks at the watch

}  // namespace

VerifiedPatch::VerifiedPatch(SequentialReader& stream, const Sha256Digest& expected, const FileOptions& files)
    : stream_(&stream), expected_(expected), spool_(std::in_place, io::SpoolOptions{.directory = files.temp_dir}) {}

Result<std::size_t> VerifiedPatch::read_piece(std::uint64_t pos, MutableByteSpan out) {
  if (!file_) return stream_->read(out);
  const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), file_->size() - pos));
  BDELTA_TRY(file_->read_at(pos, out.first(count)));
  return count;
}

Status VerifiedPatch::verify() {
  Sha256Hasher hasher;
  Bytes buffer(kPieceBytes);
  for (std::uint64_t pos = 0;;) {
    BDELTA_ASSIGN(const std::size_t count, read_piece(pos, buffer));
    if (count == 0) break;
    const ByteSpan piece = ByteSpan(buffer).first(count);
    hasher.update(piece);
    if (spool_) BDELTA_TRY(spool_->append(piece));
    pos += count;
    if (watch_) BDELTA_TRY(watch_->check());
  }
  const Sha256Digest found = hasher.finish();
  if (found != expected_) {
    return Error{ErrorCode::kPatchDigest, "expected SHA-256 " + to_hex(expected_) + ", found " + to_hex(found) +
                                              ", and nothing in it was looked at; fetch it again from a source you trust"};
  }
  if (spool_) {
    BDELTA_ASSIGN(spooled_, spool_->open_reader());
  }
  return {};
}

Result<std::size_t> VerifiedPatch::read(MutableByteSpan out) {
  if (!verified_) verified_ = verify();
  if (!*verified_) return verified_->error();
  return file_ ? read_again(out) : spooled_->read(out);
}

// Its times and size tell at once that a file changed, but not what happens within one tick of their clock. So the
// digest is taken again, and the last bytes are given out only if it is the same.
Result<std::size_t> VerifiedPatch::read_again(MutableByteSpan out) {
  BDELTA_ASSIGN(const std::size_t count, read_piece(pos_, out));
  BDELTA_TRY(file_->check_unchanged());
  hasher_again_.update(out.first(count));
  pos_ += count;
  if (count > 0 && pos_ == file_->size() && hasher_again_.finish() != expected_) {
    return Error{ErrorCode::kInputChanged, "its SHA-256 is another one now; run again when nothing writes to it"};
  }
  return count;
}

}  // namespace bdelta
