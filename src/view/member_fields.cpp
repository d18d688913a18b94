#include "view/member_fields.hpp"

#include <algorithm>

#include "view/gzip_head.hpp"
#include "view/zlib_head.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint16_t kSizesBehindFlag = 8;

void swap_with_zero(std::uint8_t* at, std::uint64_t right) noexcept {
  const auto value = load_le<std::uint32_t>(at);
  const auto low = static_cast<std::uint32_t>(right);
  if (value == low) store_le(at, std::uint32_t{0});
  else if (value == 0) store_le(at, low);
}

// The same of a number that begins with its most significant byte.
void swap_adler(std::uint8_t* at, const MemberFields& fields) noexcept {
  if (!fields.tells_crc()) return;
  std::reverse(at, at + kZlibTrailerBytes);
  fields.crc ? swap_with_zero(at, fields.adler) : store_le(at, std::uint32_t{0});
  std::reverse(at, at + kZlibTrailerBytes);
}

void swap_crc(std::uint8_t* at, const MemberFields& fields) noexcept {
  if (!fields.tells_crc()) return;
  fields.crc ? swap_with_zero(at, *fields.crc) : store_le(at, std::uint32_t{0});
}

}  // namespace

FieldPlace find_fields(ByteSpan gap) noexcept {
  const std::size_t first = gap.size() - static_cast<std::size_t>(std::min<std::uint64_t>(gap.size(), kMostHeadBytes));
  for (std::size_t pos = first; range_fits(pos, kZipLocalBytes, gap.size()); ++pos) {
    if (zip_data_pos(gap, pos) != gap.size()) continue;
    const bool behind = (zip_field<std::uint16_t>(gap, pos + 6) & kSizesBehindFlag) != 0;
    return {behind ? FieldKind::kZipDescriptor : FieldKind::kZipHeader, pos};
  }
  for (std::size_t pos = first; pos < gap.size(); ++pos) {
    if (gap[pos] != kGzipMagic[0]) continue;
    if (const std::uint64_t bytes = whole_gzip_head_bytes(gap, pos); bytes != 0 && pos + bytes == gap.size()) return {FieldKind::kGzipTrailer, 0};
  }
  const ByteSpan last = gap.last(std::min(gap.size(), kZlibHeadBytes));
  if (last.size() == kZlibHeadBytes && is_zlib_head(last[0], last[1])) return {FieldKind::kZlibTrailer, 0};
  return {};
}

void swap_sizes_in_front(MutableByteSpan head, const MemberFields& fields) noexcept {
  swap_with_zero(head.data() + 18, fields.packed_bytes);
  swap_with_zero(head.data() + 22, fields.raw_bytes);
}

void swap_crc_in_front(MutableByteSpan head, const MemberFields& fields) noexcept { swap_crc(head.data() + 14, fields); }

void swap_behind(FieldKind kind, MutableByteSpan behind, const MemberFields& fields) noexcept {
  std::uint8_t* const at = behind.data();
  if (kind == FieldKind::kZipDescriptor && behind.size() >= 16 && load_le<std::uint32_t>(at) == kZipDescriptorMagic) {
    swap_crc(at + 4, fields);
    swap_with_zero(at + 8, fields.packed_bytes);
    swap_with_zero(at + 12, fields.raw_bytes);
  } else if (kind == FieldKind::kGzipTrailer && behind.size() >= kGzipTrailerBytes) {
    swap_crc(at, fields);
    swap_with_zero(at + 4, fields.raw_bytes);
  } else if (kind == FieldKind::kZlibTrailer && behind.size() >= kZlibTrailerBytes) {
    swap_adler(at, fields);
  }
}

bool GapTeller::add(ByteSpan gap, const MemberFields* next, Bytes& view) {
  const std::size_t begin = view.size();
  append(view, gap);
  const MutableByteSpan gap_view = MutableByteSpan(view).subspan(begin);
  const FieldPlace place = next ? find_fields(gap) : FieldPlace();
  if (place.kind == FieldKind::kZipHeader) {
    const MutableByteSpan head = gap_view.subspan(place.pos);
    swap_sizes_in_front(head, *next);
    swap_crc_in_front(head, *next);
  }
  const bool found_again = !next || !next->crc || find_fields(gap_view) == place;
  swap_behind(kind_, gap_view.first(std::min<std::size_t>(gap_view.size(), kMostFieldsBehindBytes)), fields_);
  kind_ = place.kind;
  if (next) fields_ = *next;
  return found_again;
}

}  // namespace bdelta::view
