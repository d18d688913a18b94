// Bytes of the target that follow from others of it: lists of the digests of its pages, as signed programs have them.
// A patch names the list and leaves its bytes out; who applies it computes them once the pages are made.
#pragma once

#include <cstdint>
#include <vector>

#include "bdelta/error.hpp"

namespace bdelta {

// The SHA-256 of each page of [data_pos, data_end()), the last of which may be shorter, one behind the other at list_pos.
struct PageHashes {
  static constexpr unsigned kMinPageLog = 12;
  static constexpr unsigned kMaxPageLog = 16;
  static constexpr std::uint64_t kHashBytes = 32;

  std::uint64_t data_pos = 0;  // in the target
  std::uint64_t data_bytes = 0;
  std::uint64_t list_pos = 0;  // in the target
  unsigned page_log = kMinPageLog;

  [[nodiscard]] std::uint64_t page_bytes() const noexcept { return std::uint64_t{1} << page_log; }
  [[nodiscard]] std::uint64_t page_count() const noexcept {
    return data_bytes / page_bytes() + (data_bytes % page_bytes() != 0 ? 1 : 0);
  }
  [[nodiscard]] std::uint64_t list_bytes() const noexcept { return page_count() * kHashBytes; }
  [[nodiscard]] std::uint64_t data_end() const noexcept { return data_pos + data_bytes; }
  [[nodiscard]] std::uint64_t list_end() const noexcept { return list_pos + list_bytes(); }
  bool operator==(const PageHashes&) const = default;
};

using PageHashLists = std::vector<PageHashes>;

// Images of a file are no more than these, and neither are the lists of a patch: each window is held against all.
inline constexpr std::size_t kMostPageHashLists = 255;

// Whether they are no more than that, and each has pages and stands behind them, whole, in a target of this size, and
// begins with its pages behind the list before: then a single way through the target in order has all pages of a list in
// front of it. kPatchCorrupt else.
Status check_page_hashes(const PageHashLists& lists, std::uint64_t target_size);

// Of the lists, all together.
[[nodiscard]] std::uint64_t list_bytes_of(const PageHashLists& lists) noexcept;

}  // namespace bdelta
