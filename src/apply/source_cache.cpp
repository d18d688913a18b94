#include "apply/source_cache.hpp"

#include <algorithm>
#include <cstring>

#include "base/try.hpp"

namespace bdelta {

Status SourceCache::read(std::uint64_t pos, MutableByteSpan out) {
  if (!view_.empty()) {
    std::memcpy(out.data(), view_.data() + pos, out.size());
    return {};
  }
  if (out.size() >= kBlockBytes) return source_.read_at(pos, out);
  while (!out.empty()) {
    const std::uint64_t in_block = kBlockBytes - pos % kBlockBytes;
    const std::size_t part = static_cast<std::size_t>(std::min<std::uint64_t>(in_block, out.size()));
    BDELTA_TRY(read_block(pos, out.first(part)));
    pos += part;
    out = out.subspan(part);
  }
  return {};
}

Status SourceCache::read_block(std::uint64_t pos, MutableByteSpan out) {
  const std::uint64_t block = pos / kBlockBytes;
  Slot& slot = slots_[block % kSlots];
  if (slot.block != block) {
    const Slot& before = slots_[(block + kSlots - 1) % kSlots];
    const bool neighbourhood = slot.touched == block || (block > 0 && before.block == block - 1);
    if (!neighbourhood) {
      slot.touched = block;
      return source_.read_at(pos, out);
    }
    slot.block = kNone;
    slot.bytes.resize(kBlockBytes);
    slot.length = std::min<std::uint64_t>(kBlockBytes, source_.size() - block * kBlockBytes);
    BDELTA_TRY(source_.read_at(block * kBlockBytes, MutableByteSpan(slot.bytes).first(static_cast<std::size_t>(slot.length))));
    slot.block = block;
  }
  std::memcpy(out.data(), slot.bytes.data() + pos % kBlockBytes, out.size());
  return {};
}

}  // namespace bdelta
