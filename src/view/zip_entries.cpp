#include "view/zip_entries.hpp"

#include <algorithm>

#include "view/packed_streams.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::view {
namespace {

constexpr std::uint16_t kEncrypted = 1;      // a flag
constexpr std::uint32_t kIn64 = 0xffffffff;  // the field stands in the zip64 extra field

struct Directory {
  std::uint64_t pos = 0;
  std::uint64_t entry_count = 0;
  std::uint64_t shift = 0;  // what stands in front of the archive: positions in it are too small by that
};

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
  const std::optional<std::uint64_t> end = find_zip_end(file);
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
  const std::uint64_t bytes = kZipEntryBytes + zip_field<std::uint16_t>(file, pos + 28) +
                              zip_field<std::uint16_t>(file, pos + 30) + zip_field<std::uint16_t>(file, pos + 32);
  return range_fits(pos, bytes, file.size()) ? bytes : 0;
}

// Fields that don't fit into 32 bits stand in an extra field of 64-bit ones, in this order: raw, packed, position.
bool read_zip64_fields(ByteSpan extra, ZipEntry& entry) {
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
    return entry.begin != kIn64 || take(entry.begin);
  }
  return entry.raw_bytes != kIn64 && entry.packed_bytes != kIn64 && entry.begin != kIn64;
}

// Where the directory says that the member stands; nothing if no member of these sizes can stand there.
std::optional<ZipEntry> read_entry(ByteSpan file, std::uint64_t pos, const Directory& directory) {
  ZipEntry entry;
  entry.raw_bytes = zip_field<std::uint32_t>(file, pos + 24);
  entry.packed_bytes = zip_field<std::uint32_t>(file, pos + 20);
  entry.begin = zip_field<std::uint32_t>(file, pos + 42);
  entry.is_encrypted = (zip_field<std::uint16_t>(file, pos + 8) & kEncrypted) != 0;
  entry.method = zip_field<std::uint16_t>(file, pos + 10);
  const std::size_t name_bytes = zip_field<std::uint16_t>(file, pos + 28);
  const std::size_t extra_bytes = zip_field<std::uint16_t>(file, pos + 30);
  const auto name_pos = static_cast<std::size_t>(pos + kZipEntryBytes);
  if (!read_zip64_fields(file.subspan(name_pos + name_bytes, extra_bytes), entry)) return std::nullopt;
  if (!checked_add(entry.begin, directory.shift, entry.begin)) return std::nullopt;
  entry.data_pos = zip_data_pos(file, entry.begin);
  if (entry.data_pos == 0 || !range_fits(entry.data_pos, entry.packed_bytes, directory.pos)) return std::nullopt;
  entry.name = {reinterpret_cast<const char*>(file.data() + name_pos), name_bytes};
  return entry;
}

}  // namespace

std::optional<std::uint64_t> find_zip_end(ByteSpan file) {
  constexpr std::string_view kMagic = "PK\5\6";
  constexpr auto kMostBytes = static_cast<std::size_t>(kZipEndBytes + kMostZipComment);
  const ByteSpan last = file.last(std::min(file.size(), kMostBytes));
  const std::string_view text(reinterpret_cast<const char*>(last.data()), last.size());
  std::optional<std::uint64_t> found;
  for (std::size_t pos = text.find(kMagic); pos != std::string_view::npos; pos = text.find(kMagic, pos + 1)) {
    if (!range_fits(pos, kZipEndBytes, last.size())) break;
    const bool is_last = zip_field<std::uint16_t>(last, pos + 20) == last.size() - pos - kZipEndBytes;
    if (is_last) found = file.size() - last.size() + pos;
  }
  return found;
}

std::vector<ZipEntry> find_zip_entries(ByteSpan file) {
  std::vector<ZipEntry> entries;
  const std::optional<Directory> directory = find_directory(file);
  if (!directory) return entries;
  std::uint64_t pos = directory->pos;
  for (std::uint64_t i = 0; i < directory->entry_count && entries.size() < kMostStreams; ++i) {
    const std::uint64_t bytes = entry_bytes_at(file, pos);
    if (bytes == 0) return {};
    if (auto entry = read_entry(file, pos, *directory)) entries.push_back(std::move(*entry));
    pos += bytes;
  }
  return entries;
}

std::vector<ZipEntry> find_zip_entries_apart(ByteSpan file) {
  std::vector<ZipEntry> entries = find_zip_entries(file);
  std::stable_sort(entries.begin(), entries.end(), [](const ZipEntry& a, const ZipEntry& b) { return a.begin < b.begin; });
  std::uint64_t end = 0;
  std::erase_if(entries, [&](const ZipEntry& entry) {
    if (entry.begin < end) return true;
    end = entry.data_end();
    return false;
  });
  return entries;
}

std::optional<ZipDirectory> find_zip_directory(ByteSpan file) {
  const std::optional<Directory> directory = find_directory(file);
  if (!directory) return std::nullopt;
  std::uint64_t end = directory->pos;
  for (std::uint64_t i = 0; i < directory->entry_count; ++i) {
    const std::uint64_t bytes = entry_bytes_at(file, end);
    if (bytes == 0) return std::nullopt;
    end += bytes;
  }
  if (end == directory->pos) return std::nullopt;
  return ZipDirectory{directory->pos, end - directory->pos, directory->shift, 0};
}

}  // namespace bdelta::view
