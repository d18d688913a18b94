#include "create/missing_text.hpp"

#include <algorithm>

#include "match/sample_hash.hpp"

namespace bdelta {
namespace {

template <class Use>
void for_each_sample(ByteSpan bytes, unsigned shift, Use&& use) {
  constexpr std::size_t kScanStep = std::size_t{64} << 10;
  const SampleScan scan = best_sample_scan();
  std::vector<std::uint32_t> offsets;
  const std::size_t stop = bytes.size() < kAnchorSpan ? 0 : bytes.size() - kAnchorSpan + 1;
  for (std::size_t at = 0; at < stop; at += kScanStep) {
    offsets.clear();
    scan(bytes.data() + at, static_cast<std::uint32_t>(std::min(kScanStep, stop - at)),
         static_cast<std::uint32_t>((std::uint64_t{1} << 32) >> shift), offsets);
    for (const std::uint32_t offset : offsets) use(anchor_hash(bytes.data() + at + offset));
  }
}

}  // namespace

MissingText::MissingText(ByteSpan target) {
  for_each_sample(target, kShift, [&](std::uint64_t key) { samples_.insert(key); });
}

std::uint64_t MissingText::take(ByteSpan text) {
  const std::uint64_t before = bytes();
  for_each_sample(text, kShift, [&](std::uint64_t key) { samples_.erase(key); });
  return before - bytes();
}

}  // namespace bdelta
