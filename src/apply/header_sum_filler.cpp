#include "apply/header_sum_filler.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace bdelta {

// The span that `pos` lies in or the first one behind it; null if there is none.
const HeaderSumSpan* HeaderSumFiller::span_of(std::uint64_t pos) const noexcept {
  const auto at = std::partition_point(spans_.begin(), spans_.end(),
                                       [&](const HeaderSumSpan& span) { return span.end() <= pos; });
  return at == spans_.end() ? nullptr : &*at;
}

bool HeaderSumFiller::fills(std::uint64_t pos, std::uint64_t length) const noexcept {
  const HeaderSumSpan* const span = span_of(pos);
  return span != nullptr && length != 0 && span->begin() < pos + length;
}

// The block that the window before has begun; `pos` and `bytes` become what is behind it.
Status HeaderSumFiller::complete(std::uint64_t& pos, MutableByteSpan& bytes, const Pass& pass) {
  if (held_.empty()) return {};
  const std::uint64_t block_pos = pos - held_.size();
  const std::size_t count = std::min<std::size_t>(bytes.size(), kHeaderBlockBytes - held_.size());
  append(held_, bytes.first(count));
  pos += count;
  bytes = bytes.subspan(count);
  if (held_.size() < kHeaderBlockBytes) return {};
  fill_header_sum(held_, span_of(block_pos)->form);
  BDELTA_TRY(pass(block_pos, held_));
  held_.clear();
  return {};
}

Status HeaderSumFiller::fill(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass) {
  BDELTA_TRY(complete(pos, bytes, pass));
  const std::uint64_t end = pos + bytes.size();
  std::uint64_t whole_end = end;  // of what is passed on
  for (const HeaderSumSpan* span = span_of(pos); span != nullptr && span != spans_.data() + spans_.size(); ++span) {
    if (span->begin() >= end) break;
    // A window begins at the start of a block or outside of the spans, as what was held back is complete now.
    std::uint64_t block = std::max(pos, span->begin());
    for (; block < span->end() && block + kHeaderBlockBytes <= end; block += kHeaderBlockBytes) {
      fill_header_sum(bytes.subspan(static_cast<std::size_t>(block - pos), kHeaderBlockBytes), span->form);
    }
    if (block < std::min(span->end(), end)) whole_end = block;
  }
  const auto whole = static_cast<std::size_t>(whole_end - pos);
  append(held_, bytes.subspan(whole));
  return whole == 0 ? Status() : pass(pos, bytes.first(whole));
}

}  // namespace bdelta
