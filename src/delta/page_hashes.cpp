#include "delta/page_hashes.hpp"

#include <string>

#include "base/checked.hpp"

namespace bdelta {
namespace {

bool is_sound(const PageHashes& list, std::uint64_t begin, std::uint64_t target_size) noexcept {
  if (list.page_log < PageHashes::kMinPageLog || list.page_log > PageHashes::kMaxPageLog) return false;
  if (list.data_bytes == 0 || list.data_pos < begin) return false;
  if (!range_fits(list.data_pos, list.data_bytes, target_size) || list.list_pos < list.data_end()) return false;
  return range_fits(list.list_pos, list.list_bytes(), target_size);
}

}  // namespace

Status check_page_hashes(const PageHashLists& lists, std::uint64_t target_size) {
  if (lists.size() > kMostPageHashLists) {
    return Error{ErrorCode::kPatchCorrupt, "expected at most 255 lists of page digests, found " +
                                               std::to_string(lists.size())};
  }
  std::uint64_t begin = 0;
  for (const PageHashes& list : lists) {
    if (!is_sound(list, begin, target_size)) {
      return Error{ErrorCode::kPatchCorrupt, "a list of page digests is out of order or reaches beyond NEW"};
    }
    begin = list.list_end();
  }
  return {};
}

std::uint64_t list_bytes_of(const PageHashLists& lists) noexcept {
  std::uint64_t bytes = 0;
  for (const PageHashes& list : lists) bytes += list.list_bytes();
  return bytes;
}

}  // namespace bdelta
