#include "exe/code_signature.hpp"

#include "base/checked.hpp"
#include "exe/file_number.hpp"
#include "exe/macho.hpp"

namespace bdelta::exe {
namespace {

// Numbers of a signature are big-endian.
constexpr std::uint32_t kEmbeddedSignature = 0xfade0cc0;
constexpr std::uint32_t kCodeDirectory = 0xfade0c02;
constexpr std::uint32_t kWithScatter = 0x20100;    // versions from which on a field is there
constexpr std::uint32_t kWithLongLimit = 0x20300;
constexpr std::uint64_t kDirectoryBytes = 44;      // that every version has
constexpr std::uint64_t kMostBlobs = 64;
constexpr std::uint8_t kSha256 = 2;

std::uint32_t big32(ByteSpan file, std::uint64_t pos) {
  const auto little = number_at<std::uint32_t>(file, pos);
  return little >> 24 | (little >> 8 & 0xff00) | (little << 8 & 0xff0000) | little << 24;
}

std::uint64_t big64(ByteSpan file, std::uint64_t pos) {
  return std::uint64_t{big32(file, pos)} << 32 | big32(file, pos + 4);
}

// `size` bytes from pos on belong to the signature.
std::optional<FillRule> read_directory(ByteSpan file, std::uint64_t pos, std::uint64_t size, const Image& image) {
  if (size < kDirectoryBytes || big32(file, pos) != kCodeDirectory) return std::nullopt;
  const std::uint32_t version = big32(file, pos + 8);
  if (file[pos + 36] != kDigestBytes || file[pos + 37] != kSha256) return std::nullopt;
  if (version >= kWithScatter && (size < kDirectoryBytes + 4 || big32(file, pos + 44) != 0)) return std::nullopt;
  FillRule rule{kPageDigests, file[pos + 39], {{image.file_pos, big32(file, pos + 32), 0}}};
  if (rule.page_log < FillRule::kMinPageLog || rule.page_log > FillRule::kMaxPageLog) return std::nullopt;
  FillRange& range = rule.ranges[0];
  if (version >= kWithLongLimit && size >= kDirectoryBytes + 20) {
    if (const std::uint64_t limit = big64(file, pos + 56); limit != 0) range.bytes = limit;
  }
  const std::uint64_t hashes_at = big32(file, pos + 16);
  if (range.bytes == 0 || range.bytes > image.size_bytes) return std::nullopt;
  if (big32(file, pos + 28) != rule.result_count(range)) return std::nullopt;
  if (!range_fits(hashes_at, rule.place_bytes(range), size)) return std::nullopt;
  range.place_pos = pos + hashes_at;
  return range.place_pos >= range.end() ? std::optional(std::move(rule)) : std::nullopt;
}

// The signature is a list of blobs, of which one or more are directories.
std::optional<FillRule> read_signature(ByteSpan file, std::uint64_t pos, std::uint64_t size, const Image& image) {
  if (size < 12 || big32(file, pos) != kEmbeddedSignature) return std::nullopt;
  const std::uint64_t count = big32(file, pos + 8);
  for (std::uint64_t i = 0; i < count && i < kMostBlobs && 20 + 8 * i <= size; ++i) {
    const std::uint64_t blob_at = big32(file, pos + 16 + 8 * i);
    if (blob_at >= size) continue;
    if (auto rule = read_directory(file, pos + blob_at, size - blob_at, image)) return rule;
  }
  return std::nullopt;
}

}  // namespace

std::optional<FillRule> find_page_digests(ByteSpan file, const Image& image) {
  constexpr std::uint32_t kLcCodeSignature = 0x1d;
  if (image.format != ImageFormat::kMachO) return std::nullopt;
  const std::optional<MachoHeader> header = read_macho_header(file, image.file_pos, {});
  if (!header) return std::nullopt;
  for (const MachoCommand& command : header->commands) {
    if (command.type != kLcCodeSignature || command.size_bytes < 16) continue;
    const std::uint64_t offset = number_at<std::uint32_t>(file, command.file_pos + 8);
    const std::uint64_t size = number_at<std::uint32_t>(file, command.file_pos + 12);
    if (!range_fits(offset, size, image.size_bytes)) return std::nullopt;
    return read_signature(file, image.file_pos + offset, size, image);
  }
  return std::nullopt;
}

}  // namespace bdelta::exe
