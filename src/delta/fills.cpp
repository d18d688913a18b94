#include "delta/fills.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <string_view>

#include "base/checked.hpp"
#include "base/try.hpp"

namespace bdelta {
namespace {

Error corrupt(const char* what) { return {ErrorCode::kPatchCorrupt, what}; }

// Such that share no byte, by where they begin.
class Stretches {
 public:
  // False if it meets one that is there.
  bool add(std::uint64_t begin, std::uint64_t end) {
    const auto behind = ends_.lower_bound(end);
    if (behind != ends_.begin() && std::prev(behind)->second > begin) return false;
    ends_.emplace_hint(behind, begin, end);
    return true;
  }

  [[nodiscard]] bool meets(std::uint64_t begin, std::uint64_t end) const {
    const auto behind = ends_.lower_bound(end);
    return behind != ends_.begin() && std::prev(behind)->second > begin;
  }

 private:
  std::map<std::uint64_t, std::uint64_t> ends_;
};

// The range and its place by themselves.
Status check_range(const FillRule& rule, const FillRange& range, std::uint64_t target_size) {
  if (range.bytes == 0 || !range_fits(range.pos, range.bytes, target_size)) {
    return corrupt("a fill is of bytes that NEW does not have");
  }
  if (!rule.has_places()) return {};
  return range_fits(range.place_pos, rule.place_bytes(range), target_size) ? Status()
                                                                            : corrupt("a fill has its place behind NEW");
}

// All of them, without a look at where places lie.
Status check_ranges(const Fills& fills, std::uint64_t target_size) {
  constexpr std::uint64_t kMost = ~std::uint64_t{0};
  std::uint64_t room = target_size > kMost / kMostFillInputs ? kMost : target_size * kMostFillInputs;
  std::size_t count = 0;
  for (const FillRule& rule : fills) {
    count += rule.ranges.size();
    for (const FillRange& range : rule.ranges) {
      BDELTA_TRY(check_range(rule, range, target_size));
      const std::uint64_t hashed_bytes = rule.has_places() ? range.bytes : 0;
      if (hashed_bytes > room) return corrupt("fills are of more bytes than a patch may have");
      room -= hashed_bytes;
    }
  }
  return count > kMostFillRanges ? Status(corrupt("it has more ranges of fills than a patch may have")) : Status();
}

// Whoever applies has a held part as a whole before anything in it is filled, and headers block by block.
Status check_held(const std::vector<Stretch>& parts, const Stretches& headers) {
  for (const Stretch& part : parts) {
    if (part.end - part.begin > kMostHeldPartBytes) return corrupt("fills hold back more bytes than a patch may have");
    if (headers.meets(part.begin, part.end)) return corrupt("fills hold back tar headers");
  }
  return {};
}

}  // namespace

std::uint64_t FillRule::input_bytes(const FillRange& range) const noexcept {
  return kind.shape == FillShape::kPages ? std::uint64_t{1} << page_log : range.bytes;
}

std::uint64_t FillRule::result_count(const FillRange& range) const noexcept {
  if (!has_places()) return 0;
  const std::uint64_t each = input_bytes(range);
  return range.bytes / each + (range.bytes % each != 0 ? 1 : 0);
}

std::vector<Stretch> joined(std::vector<Stretch> stretches) {
  std::sort(stretches.begin(), stretches.end(), [](const Stretch& a, const Stretch& b) { return a.begin < b.begin; });
  std::vector<Stretch> joined;
  for (const Stretch& stretch : stretches) {
    if (joined.empty() || joined.back().end <= stretch.begin) {
      joined.push_back(stretch);
    } else {
      joined.back().end = std::max(joined.back().end, stretch.end);
    }
  }
  return joined;
}

std::vector<Stretch> held_parts(const Fills& fills) {
  std::vector<Stretch> stretches;
  for (const FillRule& rule : fills) {
    for (const FillRange& range : rule.ranges) {
      if (rule.is_in_front(range)) stretches.push_back({range.place_pos, range.end()});
    }
  }
  return joined(std::move(stretches));
}

std::uint64_t hashed_bytes(const Fills& fills) noexcept {
  std::uint64_t bytes = 0;
  for (const FillRule& rule : fills) {
    if (!rule.has_places()) continue;
    for (const FillRange& range : rule.ranges) bytes += range.bytes;
  }
  return bytes;
}

std::uint64_t held_bytes(const Fills& fills) {
  std::uint64_t bytes = 0;
  for (const Stretch& stretch : held_parts(fills)) bytes = std::max(bytes, stretch.end - stretch.begin);
  for (const FillRule& rule : fills) {
    for (const FillRange& range : rule.ranges) {
      bytes += kHeldFillBytes + rule.result_count(range) * (rule.kind.result_bytes + 1);
    }
  }
  return bytes;
}

// From the last one on, so that all places that a range meets are its own or those of later ones.
Status check_fills(const Fills& fills, std::uint64_t target_size) {
  BDELTA_TRY(check_ranges(fills, target_size));
  Stretches places;
  Stretches headers;
  for (auto rule = fills.rbegin(); rule != fills.rend(); ++rule) {
    for (auto range = rule->ranges.rbegin(); range != rule->ranges.rend(); ++range) {
      if (!rule->has_places()) {
        if (!headers.add(range->pos, range->end())) return corrupt("two ranges of tar headers share bytes");
        continue;
      }
      if (!places.add(range->place_pos, rule->place_end(*range))) return corrupt("two places of fills share bytes");
      if (places.meets(range->pos, range->end()) || headers.meets(range->pos, range->end())) {
        return corrupt("a fill is of bytes that a later one fills");
      }
    }
  }
  return check_held(held_parts(fills), headers);
}

void write_digest(FillEncoding encoding, const std::array<std::uint8_t, kDigestBytes>& digest, std::uint8_t* out) noexcept {
  if (encoding == FillEncoding::kRaw) {
    std::copy(digest.begin(), digest.end(), out);
    return;
  }
  const bool is_padded = encoding == FillEncoding::kBase64;
  const std::string_view alphabet = is_padded ? "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
                                              : "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
  std::array<std::uint8_t, kDigestBytes + 1> padded{};
  std::copy(digest.begin(), digest.end(), padded.begin());
  std::uint32_t three = 0;  // bytes
  for (std::size_t i = 0; i < kDigestTextBytes; ++i) {
    const std::uint8_t* const from = padded.data() + i / 4 * 3;
    if (i % 4 == 0) three = std::uint32_t{from[0]} << 16 | std::uint32_t{from[1]} << 8 | from[2];
    out[i] = static_cast<std::uint8_t>(alphabet[three >> (18 - i % 4 * 6) & 63]);
  }
  if (is_padded) out[kDigestTextBytes] = '=';
}

bool is_tar_header(ByteSpan block) noexcept {
  constexpr std::string_view kMagic = "ustar";
  return std::equal(kMagic.begin(), kMagic.end(), block.begin() + 257);
}

TarChecksum tar_checksum(ByteSpan block, FillEncoding form) noexcept {
  const auto has = block.begin() + kTarChecksumAt;
  std::uint32_t sum = std::accumulate(block.begin(), has, std::uint32_t{kTarChecksumBytes} * ' ');
  sum = std::accumulate(has + kTarChecksumBytes, block.end(), sum);
  TarChecksum written{};
  const std::size_t digit_count = form == FillEncoding::kSevenNul ? 7 : 6;  // 512 x 255 has six
  for (std::size_t i = digit_count; i-- > 0; sum /= 8) written[i] = static_cast<std::uint8_t>('0' + sum % 8);
  if (form == FillEncoding::kSixNulSpace) written[7] = ' ';
  if (form == FillEncoding::kSixSpaceNul) written[6] = ' ';
  return written;
}

}  // namespace bdelta
