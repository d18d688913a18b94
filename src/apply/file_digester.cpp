#include "apply/file_digester.hpp"

#include <algorithm>

namespace bdelta {

bool FileDigester::fills(std::uint64_t pos, std::uint64_t length) const noexcept {
  const auto at = std::partition_point(by_text_.begin(), by_text_.end(),
                                       [&](std::uint32_t index) { return digests_[index].text_end() <= pos; });
  return at != by_text_.end() && length != 0 && digests_[*at].text_pos < pos + length;
}

void FileDigester::hash(std::uint64_t pos, ByteSpan bytes) {
  const std::uint64_t end = pos + bytes.size();
  for (; next_data_ < digests_.size(); ++next_data_) {
    const FileDigest& digest = digests_[next_data_];
    const std::uint64_t begin = std::max(pos, digest.data_pos);
    const std::uint64_t stop = std::min(end, digest.data_end());
    if (begin >= stop) return;
    hasher_.update(bytes.subspan(static_cast<std::size_t>(begin - pos), static_cast<std::size_t>(stop - begin)));
    if (digest.data_end() > end) return;
    made_[next_data_] = hasher_.finish();
  }
}

// A digest stands behind its data, so these are hashed when what is in front of the digest is.
void FileDigester::fill(std::uint64_t pos, MutableByteSpan bytes) {
  const std::uint64_t end = pos + bytes.size();
  const auto part = [&](std::uint64_t from, std::uint64_t to) {
    return bytes.subspan(static_cast<std::size_t>(from - pos), static_cast<std::size_t>(to - from));
  };
  std::uint64_t hashed_end = pos;
  while (next_text_ < by_text_.size()) {
    const std::uint32_t index = by_text_[next_text_];
    const FileDigest& digest = digests_[index];
    if (digest.text_pos >= end) break;
    const std::uint64_t begin = std::max(pos, digest.text_pos);
    const std::uint64_t stop = std::min(end, digest.text_end());
    hash(hashed_end, part(hashed_end, begin));
    hashed_end = begin;
    const DigestText text = digest_text(made_[index]);
    std::copy_n(text.begin() + static_cast<std::ptrdiff_t>(begin - digest.text_pos), stop - begin, part(begin, stop).begin());
    if (digest.text_end() > end) break;
    ++next_text_;
  }
  hash(hashed_end, part(hashed_end, end));
}

}  // namespace bdelta
