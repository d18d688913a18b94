#include "view/deflate/search_cost.hpp"

#include <algorithm>
#include <array>

namespace bdelta::deflate {
namespace {

constexpr std::uint64_t kSpotBytes = 4 << 10;
constexpr std::uint64_t kSpots = 32;  // where strides are neither short nor long
constexpr std::uint64_t kLeastStrideBytes = 64 << 10;
constexpr std::uint64_t kMostStrideBytes = 256 << 10;

}  // namespace

bool same_search(Parameters one, const Parameters& other) noexcept {
  one.block_end = other.block_end;
  one.block_tokens = other.block_tokens;
  return one == other;
}

std::uint64_t estimate_looked_at(MatcherSet& matchers, const Parameters& parameters, ByteSpan raw, std::uint64_t pos,
                                 Watch* watch) {
  std::array<Token, 1024> tokens;
  std::uint64_t looked_at = 0;
  const std::uint64_t stride_bytes = std::clamp((raw.size() - std::min<std::uint64_t>(pos, raw.size())) / kSpots, kLeastStrideBytes, kMostStrideBytes);
  while (pos < raw.size()) {
    const std::uint64_t stride = std::min<std::uint64_t>(stride_bytes, raw.size() - pos);
    const std::uint64_t spot_bytes = std::min(kSpotBytes, stride);
    const std::uint64_t spot = pos + (stride - spot_bytes) / 2;
    Matcher& matcher = matchers.begin(parameters, raw.size(), known_before(parameters, spot), spot);
    matcher.set_text(raw.data(), 0);
    matcher.set_end(raw.size());
    const std::uint64_t before = matcher.looked_at();
    while (matcher.pos() < spot + spot_bytes) matcher.run(tokens.data(), tokens.size(), spot + spot_bytes);
    looked_at += (matcher.looked_at() - before) * stride / spot_bytes;
    pos += stride;
    if (watch) watch->advance();
  }
  return looked_at;
}

}  // namespace bdelta::deflate
