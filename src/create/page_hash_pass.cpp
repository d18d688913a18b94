// A digest that changed costs its 32 bytes and cannot be predicted. One that did not change costs nothing, as it is
// copied: so a list is left out where enough of its digests are not among those of the source.
#include "create/page_hash_pass.hpp"

#include <algorithm>
#include <atomic>
#include <unordered_set>

#include "base/bytes.hpp"
#include "base/deciding/prediction.hpp"
#include "exe/code_signature.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kPagesPerTask = 512;

// Enough of a digest to know it by.
std::uint64_t name_of(const std::uint8_t* hash) { return load_le<std::uint64_t>(hash); }

template <class Visit>
void for_each_digest(const FillRule& rule, const Visit& visit) {
  const FillRange& list = rule.ranges[0];
  for (std::uint64_t at = list.place_pos; at < rule.place_end(list); at += kDigestBytes) visit(at);
}

std::unordered_set<std::uint64_t> known_digests(ByteSpan source, const std::vector<exe::Image>& images) {
  std::unordered_set<std::uint64_t> known;
  for (const exe::Image& image : images) {
    const auto rule = exe::find_page_digests(source, image);
    if (rule) for_each_digest(*rule, [&](std::uint64_t at) { known.insert(name_of(source.data() + at)); });
  }
  return known;
}

bool is_worth_it(ByteSpan target, const FillRule& rule, const std::unordered_set<std::uint64_t>& known) {
  std::uint64_t changed_count = 0;
  for_each_digest(rule, [&](std::uint64_t at) { changed_count += known.count(name_of(target.data() + at)) == 0; });
  return changed_count >= kWorthDigests;
}

bool is_right(ByteSpan target, const FillRule& rule, WorkerPool& pool) {
  const FillRange& range = rule.ranges[0];
  const std::uint64_t page_count = rule.result_count(range);
  std::atomic<bool> right{true};
  const std::uint64_t task_count = (page_count + kPagesPerTask - 1) / kPagesPerTask;
  pool.for_each(static_cast<std::size_t>(task_count), [&](std::size_t task) {
    const std::uint64_t first = task * kPagesPerTask;
    if (right && !has_results(target, rule, range, first, std::min(page_count, first + kPagesPerTask))) right = false;
    pool.advance();
  });
  return right;
}

}  // namespace

FoundFills find_page_digests(ByteSpan source, const std::vector<exe::Image>& source_images, ByteSpan target,
                             const std::vector<exe::Image>& target_images, WorkerPool& pool) {
  std::vector<FillRule> rules;
  for (const exe::Image& image : target_images) {
    if (auto rule = exe::find_page_digests(target, image)) rules.push_back(std::move(*rule));
  }
  if (rules.empty()) return {};
  const Step step(pool, PhaseId::kPredict, target.size());
  const std::unordered_set<std::uint64_t> known = known_digests(source, source_images);
  FoundFills found;
  for (const FillRule& rule : rules) {
    if (!is_worth_it(target, rule, known) || !is_right(target, rule, pool)) continue;
    const FillRange& range = rule.ranges[0];
    add_range(found.fills, rule.kind, rule.page_log, range);
    found.others.push_back({range.place_pos, Bytes(static_cast<std::size_t>(rule.place_bytes(range)))});
  }
  return found;
}

}  // namespace bdelta
