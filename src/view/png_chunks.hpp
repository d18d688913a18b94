// Image data of PNG files, which stands in chunks (ISO/IEC 15948, 5.3): in a view they are joined to the one stream that they
// hold. A run of chunks is told by its sizes; lengths, types and CRC-32s follow.
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string_view>

#include "base/byte_cursor.hpp"
#include "bdelta/error.hpp"
#include "view/file_window.hpp"
#include "view/packed_streams.hpp"

namespace bdelta::view {

inline constexpr std::string_view kPngSignature("\x89PNG\r\n\x1a\n", 8);
inline constexpr std::size_t kChunkHeadBytes = 8;        // length and type
inline constexpr std::size_t kChunkFrameBytes = 12;      // with the CRC-32 behind
inline constexpr std::uint64_t kMostChunkBytes = 0x7fffffff;

// Numbers of PNG files begin with their most significant byte.
[[nodiscard]] inline std::uint32_t load_be(const std::uint8_t* from) noexcept {
  return std::uint32_t{from[0]} << 24 | std::uint32_t{from[1]} << 16 | std::uint32_t{from[2]} << 8 | from[3];
}

// Whether a file begins as a PNG file.
[[nodiscard]] inline bool is_png(ByteSpan file) noexcept {
  return std::string_view(reinterpret_cast<const char*>(file.data()), std::min(file.size(), kPngSignature.size())) == kPngSignature;
}

struct JoinedChunks {
  std::uint64_t packed_bytes = 0;  // in the file
  Bytes data;
  std::vector<std::uint32_t> sizes;  // of the chunks' data
};

// All chunks of image data from pos on, whatever their CRC-32s are; nothing if there is none, or they have more data.
// Nothing, too, if the file can't be read, which its status tells.
[[nodiscard]] std::optional<JoinedChunks> join_chunks(FileWindow& file, std::uint64_t pos, std::uint64_t most_data_bytes);
[[nodiscard]] inline std::optional<JoinedChunks> join_chunks(ByteSpan file, std::uint64_t pos, std::uint64_t most_data_bytes) {
  FileWindow window(file);
  return join_chunks(window, pos, most_data_bytes);
}

// How a run is cut. Of one chunk nothing is told; of chunks of one size, with the rest in the last, that size; else 0, and the
// size of each but the last.
class ChunkSizes {
 public:
  static void encode(const std::vector<std::uint32_t>& sizes, Bytes& to);

  // Of a run in NEW. Nothing if that can't be.
  [[nodiscard]] static std::optional<ChunkSizes> decode(ByteCursor& from, const PackedStream& run);

  // Of the next chunk, of which there are count.
  [[nodiscard]] std::uint64_t next();
  [[nodiscard]] std::uint64_t count() const noexcept { return count_; }

 private:
  std::uint64_t count_ = 0;
  std::uint64_t size_ = 0;        // of each but the last, if they are of one size
  std::uint64_t left_bytes_ = 0;  // of data, behind the chunks that were asked for
  std::uint64_t given_ = 0;
  std::vector<std::uint32_t> sizes_;  // else
};

// Makes the chunks again, as their data comes.
class ChunkWriter {
 public:
  using Sink = std::function<Status(ByteSpan)>;
  ChunkWriter(ChunkSizes sizes, Sink sink) : sizes_(std::move(sizes)), sink_(std::move(sink)) {}

  // The next bytes of the data, no more than there are.
  Status write(ByteSpan data);
  Status finish();

 private:
  Status begin_chunk();
  Status end_chunk();

  ChunkSizes sizes_;
  Sink sink_;
  std::uint64_t begun_ = 0;       // chunks
  std::uint64_t left_bytes_ = 0;  // of the chunk at hand
  std::uint32_t crc_ = 0;
};

}  // namespace bdelta::view
