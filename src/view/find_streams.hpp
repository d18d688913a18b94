// Streams in archives: what could be unpacked of a file.
#pragma once

#include "bdelta/io.hpp"
#include "view/packed_streams.hpp"
#include "view/zip_entries.hpp"

namespace bdelta::view {

struct FoundStream {
  std::uint64_t file_pos = 0;
  std::uint64_t packed_bytes = 0;  // 0 where only the stream itself says it
  std::uint64_t raw_bytes = 0;     // that the archive says it has; likewise
  std::string name;                // of a member; empty if it has none
};

// Whether a file may be an archive (gzip, tar, zip; PNG counts as one), by its first bytes and its last 64 KiB: no more is read.
Result<bool> may_be_archive(RandomReader& file);

inline constexpr std::uint64_t kLeastStreamBytes = 64;  // packed: a shorter one in an archive saves nothing

// Whether an entry says that it is a stream of a size that is worth it.
[[nodiscard]] bool is_unpackable(const ZipEntry& entry) noexcept;

// Of a gzip file: the stream of the member at pos; nothing if there is none. The next member stands behind its trailer.
[[nodiscard]] std::vector<FoundStream> find_gzip_stream(ByteSpan file, std::uint64_t pos);

}  // namespace bdelta::view
