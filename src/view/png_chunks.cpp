#include "view/png_chunks.hpp"

#include <algorithm>
#include <array>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "hash/crc32.hpp"

namespace bdelta::view {
namespace {

constexpr std::array<std::uint8_t, 4> kDataType = {'I', 'D', 'A', 'T'};

void store_be(std::uint8_t* to, std::uint32_t value) {
  for (unsigned i = 0; i < 4; ++i) to[i] = static_cast<std::uint8_t>(value >> (24 - 8 * i));
}

}  // namespace

std::optional<JoinedChunks> join_chunks(FileWindow& file, std::uint64_t pos, std::uint64_t most_data_bytes) {
  JoinedChunks joined;
  while (range_fits(pos, kChunkFrameBytes, file.size())) {
    const ByteSpan head = file.from(pos, kChunkHeadBytes);
    if (head.size() < kChunkHeadBytes || !std::equal(kDataType.begin(), kDataType.end(), head.begin() + 4)) break;
    const std::uint32_t size = load_be(head.data());
    if (size > kMostChunkBytes || size > file.size() - pos - kChunkFrameBytes) break;
    if (size > most_data_bytes - joined.data.size()) return std::nullopt;
    const auto take = [&](ByteSpan bytes) -> Status {
      append(joined.data, bytes);
      return {};
    };
    if (!file.pass(pos + kChunkHeadBytes, pos + kChunkHeadBytes + size, take)) return std::nullopt;
    joined.sizes.push_back(size);
    joined.packed_bytes += kChunkFrameBytes + size;
    pos += kChunkFrameBytes + size;
  }
  return joined.sizes.empty() || !file.status() ? std::nullopt : std::optional(std::move(joined));
}

void ChunkSizes::encode(const std::vector<std::uint32_t>& sizes, Bytes& to) {
  if (sizes.size() < 2) return;
  const bool is_regular = sizes[0] != 0 && std::all_of(sizes.begin(), sizes.end() - 1, [&](std::uint32_t size) { return size == sizes[0]; });
  append_varint(to, is_regular ? sizes[0] : 0);
  if (is_regular) return;
  for (std::size_t i = 0; i + 1 < sizes.size(); ++i) append_varint(to, sizes[i]);
}

std::optional<ChunkSizes> ChunkSizes::decode(ByteCursor& from, const PackedStream& run) {
  if (run.packed_bytes <= run.raw_bytes || (run.packed_bytes - run.raw_bytes) % kChunkFrameBytes != 0) return std::nullopt;
  ChunkSizes sizes;
  sizes.count_ = (run.packed_bytes - run.raw_bytes) / kChunkFrameBytes;
  sizes.left_bytes_ = run.raw_bytes;
  if (sizes.count_ > 1) sizes.size_ = from.varint();
  std::uint64_t last_bytes = run.raw_bytes;
  if (sizes.size_ != 0) {
    if (sizes.size_ > last_bytes / (sizes.count_ - 1)) return std::nullopt;
    last_bytes -= (sizes.count_ - 1) * sizes.size_;
  } else if (sizes.count_ > 1) {
    if (sizes.count_ - 1 > from.available()) return std::nullopt;
    for (std::uint64_t i = 0; i + 1 < sizes.count_; ++i) {
      const std::uint64_t size = from.varint();
      if (size > std::min(last_bytes, kMostChunkBytes)) return std::nullopt;
      last_bytes -= size;
      sizes.sizes_.push_back(static_cast<std::uint32_t>(size));
    }
  }
  const bool fits = from.ok() && sizes.size_ <= kMostChunkBytes && last_bytes <= kMostChunkBytes;
  return fits ? std::optional(std::move(sizes)) : std::nullopt;
}

std::uint64_t ChunkSizes::next() {
  const std::uint64_t index = given_++;
  const std::uint64_t size = given_ == count_ ? left_bytes_ : size_ != 0 ? size_ : sizes_[static_cast<std::size_t>(index)];
  left_bytes_ -= size;
  return size;
}

Status ChunkWriter::begin_chunk() {
  ++begun_;
  left_bytes_ = sizes_.next();
  std::array<std::uint8_t, kChunkHeadBytes> head;
  store_be(head.data(), static_cast<std::uint32_t>(left_bytes_));
  std::copy(kDataType.begin(), kDataType.end(), head.begin() + 4);
  crc_ = crc32(kDataType);
  return sink_(head);
}

Status ChunkWriter::end_chunk() {
  std::array<std::uint8_t, 4> behind;
  store_be(behind.data(), crc_);
  return sink_(behind);
}

Status ChunkWriter::write(ByteSpan data) {
  while (!data.empty()) {
    while (left_bytes_ == 0) {
      if (begun_ != 0) BDELTA_TRY(end_chunk());
      BDELTA_TRY(begin_chunk());
    }
    const ByteSpan piece = data.first(static_cast<std::size_t>(std::min<std::uint64_t>(data.size(), left_bytes_)));
    crc_ = crc32(piece, crc_);
    BDELTA_TRY(sink_(piece));
    left_bytes_ -= piece.size();
    data = data.subspan(piece.size());
  }
  return {};
}

// What is behind the last data has none.
Status ChunkWriter::finish() {
  if (begun_ != 0) BDELTA_TRY(end_chunk());
  while (begun_ < sizes_.count()) {
    BDELTA_TRY(begin_chunk());
    BDELTA_TRY(end_chunk());
  }
  return {};
}

}  // namespace bdelta::view
