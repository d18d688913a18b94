#include "format/bdt1/writer.hpp"

#include <algorithm>
#include <string>

#include "format/bdt1/layout.hpp"

namespace bdelta::bdt1 {

Status check_sizes(std::uint64_t source_size, std::uint64_t target_size) {
  const std::uint64_t larger = std::max(source_size, target_size);
  if (larger <= kMaxFileBytes) return {};
  return Error{ErrorCode::kFormatCannotHold, "bdt1 holds files below 2 GiB, the larger one here has " + std::to_string(larger) +
                                                 " bytes; use --format bdt2"};
}

Covers lower_covers(ByteSpan source, ByteSpan target, const Covers& covers) {
  Covers exact;
  for (const Cover& cover : covers) {
    const std::uint8_t* s = source.data() + cover.source_pos;
    const std::uint8_t* t = target.data() + cover.target_pos;
    for (std::uint64_t at = 0; at < cover.length;) {
      std::uint64_t end = at;
      while (end < cover.length && s[end] == t[end]) ++end;
      if (end - at > kMatchBytes) exact.push_back({cover.source_pos + at, cover.target_pos + at, end - at});
      at = end;
      while (at < cover.length && s[at] != t[at]) ++at;
    }
  }
  return exact;
}

Status write_patch(std::uint64_t source_size, ByteSpan target, const Covers& exact, io::RecordWriter& out) {
  out.put_bytes(kMagic);
  out.put_le(kVersion);
  out.put_u8(kIntegerSize);
  out.put_le(static_cast<std::uint32_t>(source_size));
  out.put_le(static_cast<std::uint32_t>(target.size()));
  out.put_le(static_cast<std::uint32_t>(exact.size()));
  std::uint64_t source_pos = 0;
  std::uint64_t target_pos = 0;
  for (const Cover& cover : exact) {
    out.put_le(static_cast<std::uint32_t>(cover.source_pos - source_pos));  // two's complement where it goes back
    out.put_le(static_cast<std::uint32_t>(cover.target_pos - target_pos));
    out.put_le(static_cast<std::uint32_t>(cover.length));
    source_pos = cover.source_end();
    target_pos = cover.target_end();
  }
  target_pos = 0;
  for (const Cover& cover : exact) {
    out.put_bytes(target.subspan(target_pos, cover.target_pos - target_pos));
    target_pos = cover.target_end();
  }
  out.put_bytes(target.subspan(target_pos));
  return out.flush();
}

}  // namespace bdelta::bdt1
