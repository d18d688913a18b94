#include "apply/part_prover.hpp"

#include <string>

#include "base/bytes.hpp"
#include "base/try.hpp"
#include "hash/xxh3.hpp"

namespace bdelta {
namespace {

Status require_digest(const char* what, const Sha256Digest& expected, ByteSpan bytes, std::uint64_t offset) {
  const Sha256Digest found = sha256(bytes);
  if (found == expected) return {};
  return Error{.code = ErrorCode::kPatchDigest,
               .detail = std::string(what) + ": expected SHA-256 " + to_hex(expected) + ", found " + to_hex(found) +
                         "; it was not decoded",
               .offset = offset,
               .remedy = "fetch the patch again from a source you trust"};
}

}  // namespace

Result<bool> PartProver::recognise(ByteSpan first_bytes) {
  BDELTA_ASSIGN(const Format* const format, recognise_format(first_bytes, formats_));
  if (format->make_framer) {
    framer_ = format->make_framer(limit_bytes_);
    return true;
  }
  if (!expected_head_) return false;
  return Error{.code = ErrorCode::kPatchDigest, .detail = "its format has no list of digests",
               .remedy = "take it whole and expect the SHA-256 of all of it"};
}

Status PartProver::prove(ByteSpan part) {
  if (!has_head_) return expected_head_ ? require_digest("the head", *expected_head_, part, 0) : Status();
  const std::vector<Sha256Digest>& digests = framer_->digests();
  if (digests.empty()) return {};
  if (digest_index_ == digests.size()) {
    return Error{ErrorCode::kPatchDigest, "it has more parts than digests", position_};
  }
  return require_digest("a part", digests[digest_index_++], part, position_);
}

Status PartProver::pass(ByteSpan part) {
  BDELTA_TRY(framer_->advance(part));
  position_ += part.size();
  if (has_head_) return {};
  has_head_ = true;
  if (!expected_head_ || !framer_->digests().empty()) return {};
  return Error{.code = ErrorCode::kPatchDigest, .detail = "it has no list of digests",
               .remedy = "make it with CreateOptions::group_digests"};
}

Status PartProver::check_end() const {
  if (digest_index_ == framer_->digests().size()) return {};
  return Error{ErrorCode::kPatchDigest, "it has fewer parts than digests", position_};
}

}  // namespace bdelta
