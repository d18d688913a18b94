#include "apply/listed_patch.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kListedPieceBytes = 256 * 1024;  // read between two looks at the watch

}  // namespace

Result<std::size_t> ListedPatch::read(MutableByteSpan out) {
  std::size_t count = 0;
  while (status_ && count < out.size()) {
    const std::size_t piece = std::min(out.size() - count, proven_end_ - given_end_);
    if (piece != 0) std::memcpy(out.data() + count, bytes_.data() + given_end_, piece);
    given_end_ += piece;
    count += piece;
    if (count == out.size() || (no_more_ && ended_ && given_end_ == bytes_.size())) break;
    status_ = next_part();
  }
  if (!status_) return status_.error();
  return count;
}

// So that `wanted_bytes` are there that are not proven yet, or all that there are.
Status ListedPatch::read_more(std::uint64_t wanted_bytes) {
  bytes_.erase(bytes_.begin(), bytes_.begin() + static_cast<std::ptrdiff_t>(given_end_));
  proven_end_ -= std::exchange(given_end_, 0);
  bytes_.reserve(proven_end_ + static_cast<std::size_t>(wanted_bytes) + kListedPieceBytes);  // the framer keeps to its limit
  while (!no_more_ && unproven().size() < wanted_bytes) {
    const std::size_t size = bytes_.size();
    bytes_.resize(size + kListedPieceBytes);
    BDELTA_ASSIGN(const std::size_t count, from_.read(MutableByteSpan(bytes_).subspan(size)));
    bytes_.resize(size + count);
    no_more_ = count < kListedPieceBytes;
    if (watch_) BDELTA_TRY(watch_->check());
  }
  return {};
}

Status ListedPatch::recognise() {
  recognised_ = true;
  BDELTA_TRY(read_more(kDetectBytes));
  const Result<bool> has_parts = prover_.recognise(unproven().first(std::min(unproven().size(), kDetectBytes)));
  return has_parts ? Status() : Status(has_parts.error());
}

// Proves the next part. All before it has been given out.
Status ListedPatch::next_part() {
  if (!recognised_) BDELTA_TRY(recognise());
  if (ended_) {
    BDELTA_TRY(read_more(1));
    proven_end_ = bytes_.size();
    return {};
  }
  Measure measure;
  do {
    BDELTA_TRY(read_more(std::max<std::uint64_t>(1, measure.bytes)));
    const std::size_t size = unproven().size();
    if (no_more_ && (size == 0 || size < measure.bytes)) {
      return Error{ErrorCode::kPatchTruncated, "inside a part or before its end record",
                   prover_.position() + size};
    }
    BDELTA_ASSIGN(measure, prover_.measure(unproven()));
  } while (!measure.whole || measure.bytes > unproven().size());
  const ByteSpan part = unproven().first(static_cast<std::size_t>(measure.bytes));
  BDELTA_TRY(prover_.prove(part));
  ended_ = measure.last;
  proven_end_ += part.size();
  BDELTA_TRY(prover_.pass(part));
  return ended_ ? prover_.check_end() : Status();
}

}  // namespace bdelta
