#include "format/native/literal_cache.hpp"

#include <algorithm>

namespace bdelta::native {
namespace {

constexpr std::size_t kLeastCachedBytes = 64 * 1024;  // shorter literals are compressed in no time
constexpr std::uint64_t kKeptBatches = 2;             // that an entry outlives its last use by
constexpr std::uint64_t kMostBytes = std::uint64_t{64} << 20;  // of literals in all; their code is no larger

}  // namespace

void LiteralCache::begin(const std::vector<GroupDraft>& drafts) {
  places_.assign(drafts.size(), {});
  const auto is_long = [](const GroupDraft& draft) { return draft.streams[kLiterals].size() >= kLeastCachedBytes; };
  if (std::none_of(drafts.begin(), drafts.end(), is_long)) return;  // nobody's turn to be used again has passed
  ++batch_;
  std::erase_if(entries_, [&](const Entry& entry) { return entry.last_batch + kKeptBatches < batch_; });
  std::uint64_t held_bytes = 0;
  for (const Entry& entry : entries_) held_bytes += entry.raw_bytes;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    if (!is_long(drafts[g])) continue;
    const Bytes& literals = drafts[g].streams[kLiterals];
    const Digest128 key = xxh3_128(literals);
    const auto found =
        std::find_if(entries_.begin(), entries_.end(), [&](const Entry& entry) { return entry.key == key; });
    if (found != entries_.end()) {
      found->last_batch = batch_;
      places_[g] = {static_cast<std::size_t>(found - entries_.begin()), true};
    } else if (held_bytes + literals.size() <= kMostBytes) {
      places_[g] = {entries_.size(), false};
      entries_.push_back({key, {}, literals.size(), batch_});
      held_bytes += literals.size();
    }
  }
}

void LiteralCache::keep(std::size_t g, const CodedStream& coded) {
  if (g < places_.size() && places_[g].entry < entries_.size()) entries_[places_[g].entry].coded = coded;
}

}  // namespace bdelta::native
