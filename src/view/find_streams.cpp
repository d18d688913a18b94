#include "view/find_streams.hpp"

#include <algorithm>
#include <optional>

#include "base/try.hpp"
#include "view/gzip_head.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint64_t kLeastPackedBytes = 64;  // a shorter stream saves nothing
constexpr std::uint64_t kMostComment = 65535;
constexpr std::uint16_t kDeflated = 8;
constexpr std::uint32_t kIn64 = 0xffffffff;      // the field stands in the zip64 extra field

struct Directory {
  std::uint64_t pos = 0;
  std::uint64_t entry_count = 0;
  std::uint64_t shift = 0;  // what stands in front of the archive: positions in it are too small by that
};

std::optional<std::uint64_t> find_end_record(ByteSpan file) {
  if (file.size() < kZipEndBytes) return std::nullopt;
  const std::uint64_t last = file.size() - kZipEndBytes;
  for (std::uint64_t back = 0; back <= std::min(last, kMostComment); ++back) {
    const std::uint64_t pos = last - back;
    if (zip_field<std::uint32_t>(file, pos) == kZipEndMagic && zip_field<std::uint16_t>(file, pos + 20) == back) return pos;
  }
  return std::nullopt;
}

// Where there is one, its numbers are those that count.
std::optional<Directory> zip64_directory(ByteSpan file, std::uint64_t end_pos) {
  if (end_pos < kZip64LocatorBytes + kZip64EndBytes) return std::nullopt;
  const std::uint64_t locator = end_pos - kZip64LocatorBytes;
  if (zip_field<std::uint32_t>(file, locator) != kZip64LocatorMagic) return std::nullopt;
  const std::uint64_t record = locator - kZip64EndBytes;
  if (zip_field<std::uint32_t>(file, record) != kZip64EndMagic) return std::nullopt;
  const auto bytes = zip_field<std::uint64_t>(file, record + 40);
  const auto pos = zip_field<std::uint64_t>(file, record + 48);
  if (bytes > record || pos > record - bytes) return std::nullopt;
  return Directory{record - bytes, zip_field<std::uint64_t>(file, record + 32), record - bytes - pos};
}

std::optional<Directory> find_directory(ByteSpan file) {
  const std::optional<std::uint64_t> end = find_end_record(file);
  if (!end) return std::nullopt;
  if (const auto large = zip64_directory(file, *end)) return large;
  const std::uint64_t bytes = zip_field<std::uint32_t>(file, *end + 12);
  const std::uint64_t pos = zip_field<std::uint32_t>(file, *end + 16);
  if (bytes > *end || pos > *end - bytes) return std::nullopt;
  return Directory{*end - bytes, zip_field<std::uint16_t>(file, *end + 10), *end - bytes - pos};
}

// Of the entry at pos; 0 if none stands there.
std::uint64_t entry_bytes_at(ByteSpan file, std::uint64_t pos) {
  if (!range_fits(pos, kZipEntryBytes, file.size()) || zip_field<std::uint32_t>(file, pos) != kZipEntryMagic) return 0;
  const std::uint64_t bytes = kZipEntryBytes + zip_field<std::uint16_t>(file, pos + 28) + zip_field<std::uint16_t>(file, pos + 30) +
                              zip_field<std::uint16_t>(file, pos + 32);
  return range_fits(pos, bytes, file.size()) ? bytes : 0;
}

struct Entry {
  std::uint64_t raw_bytes = 0;
  std::uint64_t packed_bytes = 0;
  std::uint64_t local_pos = 0;
};

// Fields that don't fit into 32 bits stand in an extra field of 64-bit ones, in this order: raw, packed, position.
bool read_zip64_fields(ByteSpan extra, Entry& entry) {
  while (extra.size() >= 4) {
    const auto id = load_le<std::uint16_t>(extra.data());
    const std::size_t size = load_le<std::uint16_t>(extra.data() + 2);
    if (size > extra.size() - 4) return false;
    ByteSpan fields = extra.subspan(4, size);
    extra = extra.subspan(4 + size);
    if (id != 1) continue;
    const auto take = [&](std::uint64_t& value) {
      if (fields.size() < 8) return false;
      value = load_le<std::uint64_t>(fields.data());
      fields = fields.subspan(8);
      return true;
    };
    if (entry.raw_bytes == kIn64 && !take(entry.raw_bytes)) return false;
    if (entry.packed_bytes == kIn64 && !take(entry.packed_bytes)) return false;
    return entry.local_pos != kIn64 || take(entry.local_pos);
  }
  return entry.raw_bytes != kIn64 && entry.packed_bytes != kIn64 && entry.local_pos != kIn64;
}

}  // namespace

Result<bool> may_be_archive(RandomReader& file) {
  constexpr std::uint64_t kMagicBytes = 3;
  Bytes held;
  const auto part = [&](std::uint64_t pos, std::uint64_t bytes) -> Result<ByteSpan> {
    const ByteSpan view = file.view();
    if (!view.empty()) return view.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(bytes));
    held.resize(static_cast<std::size_t>(bytes));
    BDELTA_TRY(file.read_at(pos, held));
    return ByteSpan(held);
  };
  BDELTA_ASSIGN(const ByteSpan first, part(0, std::min(file.size(), kMagicBytes)));
  if (first.size() == kMagicBytes && first[0] == 0x1f && first[1] == 0x8b && first[2] == 8) return true;
  const std::uint64_t end_bytes = std::min(file.size(), kZipEndBytes + kMostComment);
  BDELTA_ASSIGN(const ByteSpan end, part(file.size() - end_bytes, end_bytes));
  return find_end_record(end).has_value();
}

std::vector<FoundStream> find_zip_streams(ByteSpan file) {
  std::vector<FoundStream> found;
  const std::optional<Directory> directory = find_directory(file);
  if (!directory) return found;
  std::uint64_t pos = directory->pos;
  for (std::uint64_t i = 0; i < directory->entry_count && found.size() < kMostStreams; ++i) {
    const std::uint64_t all_bytes = entry_bytes_at(file, pos);
    if (all_bytes == 0) return {};
    const std::uint64_t name_bytes = zip_field<std::uint16_t>(file, pos + 28);
    const std::uint64_t extra_bytes = zip_field<std::uint16_t>(file, pos + 30);
    Entry entry{zip_field<std::uint32_t>(file, pos + 24), zip_field<std::uint32_t>(file, pos + 20),
                zip_field<std::uint32_t>(file, pos + 42)};
    const bool encrypted = (zip_field<std::uint16_t>(file, pos + 8) & 1) != 0;
    const bool deflated = zip_field<std::uint16_t>(file, pos + 10) == kDeflated;
    const auto name_pos = static_cast<std::size_t>(pos + kZipEntryBytes);
    const ByteSpan extra = file.subspan(name_pos + static_cast<std::size_t>(name_bytes), static_cast<std::size_t>(extra_bytes));
    const bool sizes_known = read_zip64_fields(extra, entry);
    pos += all_bytes;
    std::uint64_t local_pos = 0;
    if (encrypted || !deflated || !sizes_known || entry.packed_bytes < kLeastPackedBytes) continue;
    if (!checked_add(entry.local_pos, directory->shift, local_pos)) continue;
    const std::uint64_t data_pos = zip_data_pos(file, local_pos);
    if (data_pos == 0 || !range_fits(data_pos, entry.packed_bytes, directory->pos)) continue;
    if (entry.raw_bytes / kMostRatio > entry.packed_bytes) continue;
    const ByteSpan name = file.subspan(name_pos, static_cast<std::size_t>(name_bytes));
    found.push_back({data_pos, entry.packed_bytes, entry.raw_bytes, std::string(name.begin(), name.end())});
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const FoundStream& a, const FoundStream& b) { return a.file_pos < b.file_pos; });
  std::uint64_t end = 0;
  std::erase_if(found, [&](const FoundStream& stream) {
    if (stream.file_pos < end) return true;
    end = stream.file_pos + stream.packed_bytes;
    return false;
  });
  return found;
}

ZipDirectory find_zip_directory(ByteSpan file) {
  const std::optional<Directory> directory = find_directory(file);
  if (!directory) return {};
  std::uint64_t end = directory->pos;
  for (std::uint64_t i = 0; i < directory->entry_count; ++i) {
    const std::uint64_t bytes = entry_bytes_at(file, end);
    if (bytes == 0) return {};
    end += bytes;
  }
  return {end - directory->pos, file.size() - end, directory->shift};
}

std::vector<FoundStream> find_gzip_stream(ByteSpan file, std::uint64_t pos) {
  const std::uint64_t head_bytes = gzip_head_bytes(file, pos);
  if (head_bytes == 0) return {};
  return {{pos + head_bytes, 0, 0, {}}};
}

}  // namespace bdelta::view
