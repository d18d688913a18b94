// Bytes of the target that follow from others of it: digests of files that an archive has in a list, as installed Python
// packages have (RECORD). A patch names where the file and the digest stand, and windows may have any bytes in place of
// the digest; who applies it computes the digest once the file is made.
//
// A digest is the SHA-256 of a stretch, written in base64 with the alphabet for URLs and without padding (RFC 4648, 5).
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/error.hpp"

namespace bdelta {

// The digest of [data_pos, data_end()), written at text_pos. All of them are places of the target, in bytes.
struct FileDigest {
  static constexpr std::uint64_t kTextBytes = 43;
  static constexpr std::uint64_t kHeldBytes = 80;  // of an applier's memory

  std::uint64_t data_pos = 0;
  std::uint64_t data_bytes = 0;
  std::uint64_t text_pos = 0;

  [[nodiscard]] std::uint64_t data_end() const noexcept { return data_pos + data_bytes; }
  [[nodiscard]] std::uint64_t text_end() const noexcept { return text_pos + kTextBytes; }
  bool operator==(const FileDigest&) const = default;
};

using DigestText = std::array<std::uint8_t, FileDigest::kTextBytes>;

// In the order of their data.
using FileDigests = std::vector<FileDigest>;

// Of a patch.
inline constexpr std::size_t kMostFileDigests = std::size_t{1} << 16;

// Of a SHA-256.
[[nodiscard]] DigestText digest_text(const std::array<std::uint8_t, 32>& digest) noexcept;

// Their indices in the order of their texts.
[[nodiscard]] std::vector<std::uint32_t> by_text(const FileDigests& digests);

// Whether they are no more than that, and each has data that lies behind those before, and a text that stands behind its
// data, inside a target of this size, and shares no byte with another text. Texts may lie in data of others: a digest is
// of what the target has in the end. kPatchCorrupt else.
Status check_file_digests(const FileDigests& digests, std::uint64_t target_size);

}  // namespace bdelta
