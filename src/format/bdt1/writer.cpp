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

namespace {

constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;  // compared between two looks at the watch

// Where the equal bytes from `at` on end, `length` at most.
std::uint64_t equal_end(const std::uint8_t* s, const std::uint8_t* t, std::uint64_t at, std::uint64_t length,
                        Watch* watch) {
  while (at < length) {
    const std::uint64_t stop = std::min(length, at + kPieceBytes);
    while (at < stop && s[at] == t[at]) ++at;
    if (at < stop) break;
    if (watch) watch->advance();
  }
  return at;
}

}  // namespace

Covers lower_covers(ByteSpan source, ByteSpan target, const Covers& covers, Watch* watch) {
  Covers exact;
  std::uint64_t done_bytes = 0;  // since the last look at the watch
  for (const Cover& cover : covers) {
    const std::uint8_t* s = source.data() + cover.source_pos;
    const std::uint8_t* t = target.data() + cover.target_pos;
    for (std::uint64_t at = 0; at < cover.length;) {
      const std::uint64_t end = equal_end(s, t, at, cover.length, watch);
      if (end - at > kMatchBytes) exact.push_back({cover.source_pos + at, cover.target_pos + at, end - at});
      at = end;
      while (at < cover.length && s[at] != t[at]) ++at;
    }
    done_bytes += cover.length;
    if (watch && done_bytes >= kPieceBytes) {
      watch->advance(done_bytes);
      done_bytes = 0;
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
