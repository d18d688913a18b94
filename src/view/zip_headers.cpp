#include "view/zip_headers.hpp"

#include <algorithm>

#include "view/zip_layout.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kZipDescriptorBytes = 16;      // with its magic
constexpr std::size_t kSharedOfHeaderAt = 4;              // of a local header
constexpr std::size_t kSharedChecksumAt = 10;     // from there on a descriptor has the same
constexpr std::uint16_t kSizesBehind = 8;         // a flag

// Of the record that begins as `held` does, as far as that tells; 0 if none does.
std::size_t needed_bytes(ByteSpan held) {
  constexpr std::array<std::uint8_t, 4> kLocal = {'P', 'K', 3, 4}, kDescriptor = {'P', 'K', 7, 8};
  const std::size_t count = std::min(held.size(), kLocal.size());
  const auto begins = [&](const auto& magic) { return std::equal(magic.begin(), magic.begin() + count, held.begin()); };
  const bool local = begins(kLocal);
  if (!local && !begins(kDescriptor)) return 0;
  if (count < kLocal.size()) return kLocal.size();
  if (!local) return kZipDescriptorBytes;
  if (held.size() < kZipLocalBytes) return kZipLocalBytes;
  return kZipLocalBytes + zip_field<std::uint16_t>(held, 26);
}

}  // namespace

ZipHeaders::ZipHeaders(std::uint64_t directory_bytes) : left_bytes_(directory_bytes), full_(directory_bytes == 0) {
  names_.reserve(static_cast<std::size_t>(directory_bytes));
  found_.reserve(static_cast<std::size_t>(directory_bytes / kZipEntryBytes));
}

// Whether one may begin; what is in front of it has passed.
bool ZipHeaders::skip_to_record(ByteSpan& bytes) const {
  const std::uint64_t pos = end_ - bytes.size();
  if (pos < skip_to_) bytes = bytes.subspan(static_cast<std::size_t>(std::min<std::uint64_t>(skip_to_ - pos, bytes.size())));
  while (!bytes.empty()) {
    const auto* const at = static_cast<const std::uint8_t*>(std::memchr(bytes.data(), 'P', bytes.size()));
    if (!at) break;
    bytes = bytes.subspan(static_cast<std::size_t>(at - bytes.data()));
    if (bytes.size() == 1 || bytes[1] == 'K') return true;
    bytes = bytes.subspan(1);
  }
  bytes = {};
  return false;
}

void ZipHeaders::drop_first() { held_.erase(held_.begin(), std::find(held_.begin() + 1, held_.end(), std::uint8_t{'P'})); }

void ZipHeaders::note_header(std::uint64_t pos) {
  const std::size_t name_bytes = held_.size() - kZipLocalBytes;
  const std::uint64_t entry_bytes = kZipEntryBytes + name_bytes;
  full_ = entry_bytes > left_bytes_;
  if (full_) return;
  left_bytes_ -= entry_bytes;
  ZipHeader header{pos, {}, names_.size(), name_bytes};
  std::copy_n(held_.begin() + kSharedOfHeaderAt, kZipSharedBytes, header.shared.begin());
  append(names_, ByteSpan(held_).subspan(kZipLocalBytes));
  found_.push_back(header);
  const std::uint64_t data_pos = pos + held_.size() + zip_field<std::uint16_t>(held_, 28);
  const bool sizes_behind = (zip_field<std::uint16_t>(held_, 6) & kSizesBehind) != 0;
  data_pos_ = sizes_behind ? data_pos : 0;
  skip_to_ = data_pos + (sizes_behind ? 0 : zip_field<std::uint32_t>(held_, 18));
}

// Whether the record that is held is one.
bool ZipHeaders::note(std::uint64_t pos) {
  if (held_[2] == 3) {
    note_header(pos);
    return true;
  }
  if (data_pos_ == 0 || pos - data_pos_ != zip_field<std::uint32_t>(held_, 8)) return false;
  std::copy(held_.begin() + 4, held_.end(), found_.back().shared.begin() + kSharedChecksumAt);
  data_pos_ = 0;
  return true;
}

void ZipHeaders::pass(std::uint64_t pos, ByteSpan bytes) {
  if (pos != end_) held_.clear();
  end_ = pos + bytes.size();
  while (!full_) {
    if (held_.empty() && !skip_to_record(bytes)) return;
    const std::size_t needed = needed_bytes(held_);
    if (held_.size() < needed) {
      if (bytes.empty()) return;
      const ByteSpan taken = bytes.first(std::min(needed - held_.size(), bytes.size()));
      append(held_, taken);
      bytes = bytes.subspan(taken.size());
    } else if (needed != 0 && note(end_ - bytes.size() - held_.size())) {
      held_.clear();
    } else {
      drop_first();
    }
  }
}

}  // namespace bdelta::view
