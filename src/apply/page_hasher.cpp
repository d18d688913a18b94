#include "apply/page_hasher.hpp"

#include <algorithm>

namespace bdelta {
namespace {

// A stretch of the target.
struct Stretch {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
  [[nodiscard]] bool empty() const noexcept { return begin >= end; }
};

Stretch overlap(std::uint64_t pos, std::uint64_t length, std::uint64_t other_pos, std::uint64_t other_end) noexcept {
  return {std::max(pos, other_pos), std::min(pos + length, other_end)};
}

Stretch page_of(const PageHashes& list, std::uint64_t page) noexcept {
  const std::uint64_t begin = list.data_pos + page * list.page_bytes();
  return {begin, std::min(begin + list.page_bytes(), list.data_end())};
}

ByteSpan part(ByteSpan bytes, std::uint64_t pos, const Stretch& of) {
  return bytes.subspan(static_cast<std::size_t>(of.begin - pos), static_cast<std::size_t>(of.end - of.begin));
}

}  // namespace

PageHasher::PageHasher(const PageHashLists& lists) {
  lists_.reserve(lists.size());
  for (const PageHashes& list : lists) lists_.push_back({list, Bytes(static_cast<std::size_t>(list.list_bytes()))});
}

bool PageHasher::fills(std::uint64_t pos, std::uint64_t length) const noexcept {
  return std::any_of(lists_.begin(), lists_.end(), [&](const List& list) {
    return !overlap(pos, length, list.of.list_pos, list.of.list_end()).empty();
  });
}

void PageHasher::store(List& list, std::uint64_t page, const Sha256Digest& digest) noexcept {
  std::copy(digest.begin(), digest.end(),
            list.hashes.begin() + static_cast<std::ptrdiff_t>(page * PageHashes::kHashBytes));
}

void PageHasher::hash_pages(std::uint64_t pos, ByteSpan bytes) {
  for (List& list : lists_) {
    const Stretch data = overlap(pos, bytes.size(), list.of.data_pos, list.of.data_end());
    if (data.empty()) continue;
    std::uint64_t page = (data.begin - list.of.data_pos + list.of.page_bytes() - 1) >> list.of.page_log;
    for (; page < list.of.page_count(); ++page) {
      const Stretch whole = page_of(list.of, page);
      if (whole.end > data.end) break;
      store(list, page, sha256(part(bytes, pos, whole)));
    }
  }
}

void PageHasher::hash_rest(std::uint64_t pos, ByteSpan bytes) {
  for (List& list : lists_) {
    const Stretch data = overlap(pos, bytes.size(), list.of.data_pos, list.of.data_end());
    if (data.empty()) continue;
    // The first page, and the last if that is another one; each unless it lies here as a whole.
    const std::uint64_t first = (data.begin - list.of.data_pos) >> list.of.page_log;
    const std::uint64_t last = (data.end - 1 - list.of.data_pos) >> list.of.page_log;
    for (const std::uint64_t page : {first, last}) {
      const Stretch whole = page_of(list.of, page);
      if (whole.begin >= data.begin && whole.end <= data.end) continue;
      shared_.update(part(bytes, pos, {std::max(whole.begin, data.begin), std::min(whole.end, data.end)}));
      if (whole.end <= data.end) store(list, page, shared_.finish());
      if (first == last) break;
    }
  }
}

void PageHasher::fill(std::uint64_t pos, MutableByteSpan bytes) const noexcept {
  for (const List& list : lists_) {
    const Stretch here = overlap(pos, bytes.size(), list.of.list_pos, list.of.list_end());
    if (here.empty()) continue;
    std::copy_n(list.hashes.begin() + static_cast<std::ptrdiff_t>(here.begin - list.of.list_pos), here.end - here.begin,
                bytes.begin() + static_cast<std::ptrdiff_t>(here.begin - pos));
  }
}

}  // namespace bdelta
