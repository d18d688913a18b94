#include "format/bdt1/writer.hpp"

#include <algorithm>
#include <string>

#include "base/try.hpp"
#include "format/bdt1/layout.hpp"
#include "format/patch_limit.hpp"

namespace bdelta::bdt1 {
namespace {

constexpr std::size_t kCopyBytes = 256 * 1024;
constexpr std::uint64_t kPieceBytes = std::uint64_t{1} << 20;  // compared or put aside between two looks at the watch

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

Status check_sizes(std::uint64_t source_size, std::uint64_t target_size) {
  const std::uint64_t larger = std::max(source_size, target_size);
  if (larger <= kMaxFileBytes) return {};
  return Error{.code = ErrorCode::kFormatCannotHold,
               .detail = "BDT version 1 holds files below 2 GiB, the larger one here has " + std::to_string(larger) + " bytes",
               .remedy = "use PatchFormat::kBdt2"};
}

Covers lower_covers(const FilePieces& source, const FilePieces& target, const Covers& covers, Watch* watch) {
  Covers exact;
  std::uint64_t done_bytes = 0;  // since the last look at the watch
  for (const Cover& cover : covers) {
    const std::uint8_t* s = source.at(cover.source_pos);
    const std::uint8_t* t = target.at(cover.target_pos);
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

Status Writer::append_literals(ByteSpan bytes) {
  do {
    const ByteSpan piece = bytes.first(std::min<std::size_t>(kPieceBytes, bytes.size()));
    if (kHeaderBytes + matches_.size() + literals_.size() + piece.size() > limit_bytes_) {
      return patch_too_large(limit_bytes_);
    }
    BDELTA_TRY(literals_.append(piece));
    watch_.advance(piece.size());
    bytes = bytes.subspan(piece.size());
  } while (!bytes.empty());
  return {};
}

// Both spools gather small appends, so records go out one by one.
Status Writer::add(const FilePieces& target, std::uint64_t target_end, const Covers& exact) {
  std::uint64_t literal_from = target_end_;
  Bytes record;
  record.reserve(kMatchBytes);
  for (const Cover& cover : exact) {
    record.clear();
    append_le(record, static_cast<std::uint32_t>(cover.source_pos - source_pos_));  // two's complement where it goes back
    append_le(record, static_cast<std::uint32_t>(cover.target_pos - target_pos_));
    append_le(record, static_cast<std::uint32_t>(cover.length));
    BDELTA_TRY(matches_.append(record));
    BDELTA_TRY(append_literals(target.span(literal_from, cover.target_pos - literal_from)));
    watch_.advance(cover.length);
    source_pos_ = cover.source_end();
    target_pos_ = literal_from = cover.target_end();
    ++match_count_;
  }
  BDELTA_TRY(append_literals(target.span(literal_from, target_end - literal_from)));
  target_end_ = target_end;
  return {};
}

Result<Bytes> Writer::finish(std::uint64_t source_size) {
  BDELTA_ASSIGN(const auto literals, literals_.open_reader());
  Bytes buffer(kCopyBytes);
  for (;;) {
    BDELTA_ASSIGN(const std::size_t count, literals->read(buffer));
    if (count == 0) break;
    BDELTA_TRY(matches_.append(ByteSpan(buffer).first(count)));
    watch_.advance(count);
  }
  Bytes head;
  head.reserve(kHeaderBytes);
  append(head, kMagic);
  append_le(head, kVersion);
  head.push_back(kIntegerSize);
  append_le(head, static_cast<std::uint32_t>(source_size));
  append_le(head, static_cast<std::uint32_t>(target_end_));
  append_le(head, static_cast<std::uint32_t>(match_count_));
  return head;
}

}  // namespace bdelta::bdt1
