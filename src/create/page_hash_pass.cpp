// A digest that changed costs its 32 bytes and cannot be predicted. One that did not change costs nothing, as it is
// copied: so a list is left out where enough of its digests are not among those of the source.
#include "create/page_hash_pass.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <unordered_set>

#include "base/bytes.hpp"
#include "exe/code_signature.hpp"
#include "hash/sha256.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kWorthHashes = 8;     // changed ones; a record and the zeros in their place cost less
constexpr std::uint64_t kPagesPerTask = 512;

// Enough of a digest to know it by.
std::uint64_t name_of(const std::uint8_t* hash) { return load_le<std::uint64_t>(hash); }

std::unordered_set<std::uint64_t> known_hashes(ByteSpan source, const std::vector<exe::Image>& images) {
  std::unordered_set<std::uint64_t> known;
  for (const exe::Image& image : images) {
    const auto list = exe::find_page_hashes(source, image);
    if (!list) continue;
    for (std::uint64_t at = list->list_pos; at < list->list_end(); at += PageHashes::kHashBytes) {
      known.insert(name_of(source.data() + at));
    }
  }
  return known;
}

bool is_worth_it(ByteSpan target, const PageHashes& list, const std::unordered_set<std::uint64_t>& known) {
  std::uint64_t changed_count = 0;
  for (std::uint64_t at = list.list_pos; at < list.list_end(); at += PageHashes::kHashBytes) {
    changed_count += known.count(name_of(target.data() + at)) == 0;
  }
  return changed_count >= kWorthHashes;
}

bool is_right(ByteSpan target, const PageHashes& list, WorkerPool& pool) {
  std::atomic<bool> right{true};
  const std::uint64_t task_count = (list.page_count() + kPagesPerTask - 1) / kPagesPerTask;
  pool.for_each(static_cast<std::size_t>(task_count), [&](std::size_t task) {
    const std::uint64_t end = std::min(list.page_count(), (task + 1) * kPagesPerTask);
    for (std::uint64_t page = task * kPagesPerTask; page < end && right; ++page) {
      const std::uint64_t pos = list.data_pos + page * list.page_bytes();
      const std::uint64_t length = std::min(list.page_bytes(), list.data_end() - pos);
      const Sha256Digest found = sha256(target.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(length)));
      if (!std::equal(found.begin(), found.end(), target.data() + list.list_pos + page * found.size())) right = false;
    }
    pool.advance();
  });
  return right;
}

}  // namespace

PageHashLists find_page_hash_lists(ByteSpan source, const std::vector<exe::Image>& source_images, ByteSpan target,
                                   const std::vector<exe::Image>& target_images, WorkerPool& pool) {
  PageHashLists lists;
  for (const exe::Image& image : target_images) {
    if (const auto list = exe::find_page_hashes(target, image)) lists.push_back(*list);
  }
  if (lists.empty()) return lists;
  const Step step(pool, PhaseId::kPredict, target.size());
  const std::unordered_set<std::uint64_t> known = known_hashes(source, source_images);
  const auto is_of_no_use = [&](const PageHashes& list) {
    return !is_worth_it(target, list, known) || !is_right(target, list, pool);
  };
  lists.erase(std::remove_if(lists.begin(), lists.end(), is_of_no_use), lists.end());
  if (lists.size() > kMostPageHashLists) lists.resize(kMostPageHashLists);
  return lists;
}

}  // namespace bdelta
