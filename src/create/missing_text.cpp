// A text that has a sample of NEW is likely to have what stands around it. So each sample stands for what the bytes from there on
// to the next one take in a patch. Samples lie where bytes are missing, and a key's length in front.
#include "create/missing_text.hpp"

#include <algorithm>
#include <bit>
#include <tuple>

#include "base/deciding/archives.hpp"
#include "match/sample_hash.hpp"

namespace bdelta {
namespace {

constexpr unsigned kFilterLog = 20;

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
    for (const std::uint32_t offset : offsets) use(bytes.data() + at + offset);
  }
}

}  // namespace

std::vector<bool>::reference MissingText::filter_bit(const std::uint8_t* sample) {
  return filter_[static_cast<std::size_t>((load_le<std::uint64_t>(sample) * 0x9FB21C651E98DF25ull) >> (64 - kFilterLog))];
}

// In the order of the target.
template <class Use>
void MissingText::for_each_stretch(ByteSpan source, ByteSpan target, const Covers& covers, Use&& use) {
  std::uint64_t end = 0;
  for (const Cover& cover : covers) {
    if (end < cover.target_pos) use(Stretch{end, cover.target_pos, kNewByteBits});
    end = cover.target_end();
    const std::uint8_t* copied = source.data() + cover.source_pos;
    const std::uint8_t* wanted = target.data() + cover.target_pos;
    const std::uint8_t* const wanted_end = target.data() + end;
    while (std::tie(wanted, copied) = std::mismatch(wanted, wanted_end, copied), wanted != wanted_end) {
      const auto pos = static_cast<std::uint64_t>(wanted - target.data());
      use(Stretch{pos, pos + 1, kChangedByteBits});
      ++wanted, ++copied;
    }
  }
  if (end < target.size()) use(Stretch{end, target.size(), kNewByteBits});
}

MissingText::MissingText(ByteSpan source, ByteSpan target, const Covers& covers) {
  std::uint64_t bytes = 0;
  for_each_stretch(source, target, covers, [&](const Stretch& stretch) { bytes += stretch.end - stretch.begin; });
  shift_ = std::max(kMissingSampleShift, static_cast<unsigned>(std::bit_width(bytes / kMostMissingSamples)));
  filter_.resize(std::size_t{1} << kFilterLog);
  std::vector<Stretch> near_each_other;
  for_each_stretch(source, target, covers, [&](const Stretch& stretch) {
    if (!near_each_other.empty() && stretch.begin >= near_each_other.back().end + kAnchorSpan) add(target, near_each_other);
    near_each_other.push_back(stretch);
  });
  add(target, near_each_other);
}

void MissingText::add(ByteSpan target, std::vector<Stretch>& stretches) {
  if (stretches.empty()) return;
  const std::uint64_t begin = stretches.front().begin - std::min(stretches.front().begin, kAnchorSpan - 1);
  const std::uint64_t end = std::min<std::uint64_t>(target.size(), stretches.back().end + kAnchorSpan - 1);
  auto next = stretches.begin();
  const auto bits_until = [&](std::uint64_t pos) {
    std::uint64_t bits = 0;
    for (; next != stretches.end() && next->begin < pos; ++next) {
      const std::uint64_t taken = std::min(pos, next->end) - next->begin;
      bits += taken * next->byte_bits;
      next->begin += taken;
      if (next->begin < next->end) break;
    }
    return bits;
  };
  std::uint64_t* sample_bits = nullptr;  // of the sample before
  const auto settle = [&](std::uint64_t pos) {
    const std::uint64_t bits = bits_until(pos);
    if (!sample_bits) return;
    *sample_bits += bits;
    bits_ += bits;
  };
  const ByteSpan bytes = target.subspan(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
  for_each_sample(bytes, shift_, [&](const std::uint8_t* sample) {
    settle(static_cast<std::uint64_t>(sample - target.data()));
    sample_bits = &samples_[anchor_hash(sample)];
    filter_bit(sample) = true;
  });
  settle(end);
  stretches.clear();
}

std::uint64_t MissingText::take(ByteSpan text) {
  const std::uint64_t before = bits_;
  for_each_sample(text, shift_, [&](const std::uint8_t* sample) {
    if (!filter_bit(sample)) return;
    const auto known = samples_.find(anchor_hash(sample));
    if (known == samples_.end()) return;
    bits_ -= known->second;
    samples_.erase(known);
  });
  return before - bits_;
}

}  // namespace bdelta
