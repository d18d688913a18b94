#include "apply/filler.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace bdelta {
namespace {

std::size_t size_of(std::uint64_t begin, std::uint64_t end) noexcept { return static_cast<std::size_t>(end - begin); }

}  // namespace

Filler::Filler(const Fills& fills) : digests_(fills), held_parts_(held_parts(fills)) {
  for (const FillRule& rule : fills) {
    if (rule.has_places()) continue;
    for (const FillRange& range : rule.ranges) headers_.push_back({range.pos, range.end(), rule.kind.encoding});
  }
  std::sort(headers_.begin(), headers_.end(), [](const Headers& a, const Headers& b) { return a.begin < b.begin; });
}

// The stretch with headers that `pos` lies in, or the first one behind it.
std::vector<Filler::Headers>::const_iterator Filler::headers_at(std::uint64_t pos) const noexcept {
  return std::partition_point(headers_.begin(), headers_.end(), [&](const Headers& headers) { return headers.end <= pos; });
}

// Likewise the held part; null behind the last one.
const Stretch* Filler::held_at(std::uint64_t pos) const noexcept {
  const auto part = std::partition_point(held_parts_.begin(), held_parts_.end(),
                                         [&](const Stretch& each) { return each.end <= pos; });
  return part == held_parts_.end() ? nullptr : &*part;
}

bool Filler::fills(std::uint64_t pos, std::uint64_t length) const noexcept {
  const std::uint64_t end = pos + length;
  const auto headers = headers_at(pos);
  const Stretch* const held = held_at(pos);
  return length != 0 && (digests_.has_place(pos, end) || (headers != headers_.end() && headers->begin < end) ||
                         (held && held->begin < end));
}

// Whether nothing of a part of the window is filled in. A block that reaches out of the window may be a header.
bool Filler::is_final(std::uint64_t begin, std::uint64_t end, std::uint64_t pos, ByteSpan window) const noexcept {
  if (digests_.has_place(begin, end)) return false;
  for (auto headers = headers_at(begin); headers != headers_.end() && headers->begin < end; ++headers) {
    const std::uint64_t from = std::max(begin, headers->begin);
    std::uint64_t block = from - (from - headers->begin) % kTarBlockBytes;
    for (; block < std::min(end, headers->end); block += kTarBlockBytes) {
      if (block < pos || block + kTarBlockBytes > pos + window.size()) return false;
      if (is_tar_header(window.subspan(size_of(pos, block), kTarBlockBytes))) return false;
    }
  }
  return true;
}

void Filler::hash_early(std::uint64_t pos, ByteSpan bytes) {
  digests_.hash_early(pos, bytes, [&](std::uint64_t begin, std::uint64_t end) { return is_final(begin, end, pos, bytes); });
}

void Filler::hash(std::uint64_t pos, ByteSpan bytes) { digests_.hash(pos, bytes); }

// All whole headers; gives where a block begins that the bytes end inside, else their end.
std::uint64_t Filler::fill_headers(std::uint64_t pos, MutableByteSpan bytes) const noexcept {
  const std::uint64_t end = pos + bytes.size();
  for (auto headers = headers_at(pos); headers != headers_.end() && headers->begin < end; ++headers) {
    // The bytes begin at a block, or outside of all stretches with headers.
    for (std::uint64_t block = std::max(pos, headers->begin); block < std::min(end, headers->end); block += kTarBlockBytes) {
      if (block + kTarBlockBytes > end) return block;
      const MutableByteSpan header = bytes.subspan(size_of(pos, block), kTarBlockBytes);
      if (!is_tar_header(header) || digests_.has_place(block, block + kTarBlockBytes)) continue;
      const TarChecksum sum = tar_checksum(header, headers->form);
      std::copy(sum.begin(), sum.end(), header.begin() + kTarChecksumAt);
    }
  }
  return end;
}

// What is in front of a place is hashed before its result is asked for.
Status Filler::fill_places(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass) {
  if (bytes.empty()) return {};
  const std::uint64_t end = pos + bytes.size();
  std::uint64_t hashed_end = pos;
  for (std::uint64_t place = digests_.next_place(pos, end); place < end;) {
    digests_.hash(hashed_end, bytes.subspan(size_of(pos, hashed_end), size_of(hashed_end, place)));
    hashed_end = place;
    place = digests_.next_place(digests_.write(place, bytes.subspan(size_of(pos, place))), end);
  }
  digests_.hash(hashed_end, bytes.subspan(size_of(pos, hashed_end)));
  return pass(pos, bytes);
}

// Bytes of which nothing is held back but a block.
Status Filler::fill_final(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass) {
  if (!block_.empty()) {
    const std::uint64_t block = pos - block_.size();
    const std::size_t count = std::min<std::size_t>(bytes.size(), kTarBlockBytes - block_.size());
    append(block_, bytes.first(count));
    if (block_.size() < kTarBlockBytes) return {};
    fill_headers(block, block_);
    BDELTA_TRY(fill_places(block, block_, pass));
    block_.clear();
    pos += count;
    bytes = bytes.subspan(count);
  }
  const auto whole = size_of(pos, fill_headers(pos, bytes));
  append(block_, bytes.subspan(whole));
  return fill_places(pos, bytes.first(whole), pass);
}

// Bytes of a held part that follow those that have come of it.
Status Filler::fill_held(const Stretch& held, MutableByteSpan bytes, const Pass& pass) {
  const std::size_t whole_bytes = size_of(held.begin, held.end);
  MutableByteSpan all = bytes;
  if (bytes.size() < whole_bytes) {
    held_.reserve(whole_bytes);
    append(held_, bytes);
    if (held_.size() < whole_bytes) return {};
    all = held_;
  }
  digests_.fill(held.begin, all);
  BDELTA_TRY(fill_final(held.begin, all, pass));
  held_ = Bytes();
  return {};
}

Status Filler::fill(std::uint64_t pos, MutableByteSpan bytes, const Pass& pass) {
  const std::uint64_t end = pos + bytes.size();
  while (pos < end) {
    const Stretch* const held = held_at(pos);
    const bool is_held = held && held->begin <= pos;
    const std::uint64_t stop = std::min(end, !held ? end : is_held ? held->end : held->begin);
    const MutableByteSpan part = bytes.subspan(bytes.size() - size_of(pos, end), size_of(pos, stop));
    BDELTA_TRY(is_held ? fill_held(*held, part, pass) : fill_final(pos, part, pass));
    pos = stop;
  }
  return {};
}

}  // namespace bdelta
