#include "delta/header_sums.hpp"

#include <algorithm>
#include <numeric>
#include <string_view>

namespace bdelta {
namespace {

constexpr std::string_view kMagic = "ustar";
constexpr std::size_t kMagicAt = 257;

}  // namespace

bool is_sum_header(ByteSpan block) noexcept {
  return std::equal(kMagic.begin(), kMagic.end(), block.begin() + kMagicAt);
}

HeaderSum header_sum(ByteSpan block, HeaderSumForm form) noexcept {
  const ByteSpan behind = block.subspan(kHeaderSumAt + kHeaderSumBytes);
  std::uint32_t sum = kHeaderSumBytes * ' ';
  sum = std::accumulate(block.begin(), block.begin() + kHeaderSumAt, sum);
  sum = std::accumulate(behind.begin(), behind.end(), sum);
  HeaderSum written{};
  const std::size_t digit_count = form == HeaderSumForm::kSevenNul ? 7 : 6;  // 512 x 255 has six
  for (std::size_t i = digit_count; i-- > 0; sum /= 8) written[i] = static_cast<std::uint8_t>('0' + sum % 8);
  if (form == HeaderSumForm::kSixNulSpace) written[7] = ' ';
  if (form == HeaderSumForm::kSixSpaceNul) written[6] = ' ';
  return written;
}

void fill_header_sum(MutableByteSpan block, HeaderSumForm form) noexcept {
  if (!is_sum_header(block)) return;
  const HeaderSum sum = header_sum(block, form);
  std::copy(sum.begin(), sum.end(), block.begin() + kHeaderSumAt);
}

Status check_header_sums(const HeaderSumSpans& spans, std::uint64_t target_size) {
  if (spans.size() > kMostHeaderSumSpans) {
    return Error{ErrorCode::kPatchCorrupt, "it names more stretches with header checksums than a patch may have"};
  }
  const std::uint64_t target_blocks = target_size / kHeaderBlockBytes;
  std::uint64_t end_before = 0;
  for (const HeaderSumSpan& span : spans) {
    const bool is_sound = static_cast<unsigned>(span.form) < kHeaderSumForms && span.block_count != 0 &&
                          span.first_block >= end_before && span.first_block <= target_blocks &&
                          span.block_count <= target_blocks - span.first_block;
    if (!is_sound) {
      return Error{ErrorCode::kPatchCorrupt, "a stretch with header checksums is out of order or reaches beyond NEW"};
    }
    end_before = span.first_block + span.block_count;
  }
  return {};
}

}  // namespace bdelta
