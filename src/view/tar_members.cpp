#include "view/tar_members.hpp"

#include <algorithm>
#include <optional>

#include "delta/fills.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kMostExtensionBytes = std::size_t{1} << 16;

// A field, up to its first zero byte.
std::string_view tar_text(ByteSpan header, std::size_t at, std::size_t most) noexcept {
  const auto* text = reinterpret_cast<const char*>(header.data() + at);
  return {text, static_cast<std::size_t>(std::find(text, text + most, '\0') - text)};
}

// Octal digits; nullopt for anything else, as for the binary form of sizes from 8 GiB on.
std::optional<std::uint64_t> size_of(ByteSpan header) noexcept {
  const std::string_view digits = tar_size_text(header);
  std::uint64_t size = 0;
  for (const char digit : digits.substr(0, digits.find(' '))) {
    if (digit < '0' || digit > '7') return std::nullopt;
    size = size * 8 + static_cast<std::uint64_t>(digit - '0');
  }
  return size;
}

// What stands behind "path=" in the records "LENGTH path=NAME" of a pax header.
std::string_view pax_path(std::string_view records) noexcept {
  constexpr std::string_view kKey = " path=";
  while (!records.empty()) {
    std::size_t length = 0;
    std::size_t digit_count = 0;
    for (; digit_count < std::min<std::size_t>(records.size(), 6); ++digit_count) {
      const char digit = records[digit_count];
      if (digit < '0' || digit > '9') break;
      length = length * 10 + static_cast<std::size_t>(digit - '0');
    }
    if (length <= digit_count || length > records.size()) return {};
    const std::string_view record = records.substr(digit_count, length - digit_count - 1);
    if (record.substr(0, kKey.size()) == kKey) return record.substr(kKey.size());
    records.remove_prefix(length);
  }
  return {};
}

// The name that an extension gives the next entry; empty if it gives none.
std::string_view extended_name(char kind, std::string_view content) noexcept {
  if (kind == 'x') return pax_path(content);
  return kind == 'L' ? content.substr(0, content.find('\0')) : std::string_view();
}

}  // namespace

char tar_kind(ByteSpan header) noexcept { return static_cast<char>(header[156]); }

std::string_view tar_size_text(ByteSpan header) noexcept { return tar_text(header, 124, 12); }

std::string tar_name(ByteSpan header) {
  std::string name(tar_text(header, 345, 155));
  if (!name.empty()) name += '/';
  return name += tar_text(header, 0, 100);
}

bool is_tar_extension(ByteSpan header) noexcept {
  constexpr std::string_view kKinds = "LKxg";
  return kKinds.find(tar_kind(header)) != std::string_view::npos;
}

void add_tar_members(ByteSpan view, std::uint64_t archive_pos, Members& members) {
  std::string long_name;
  std::uint64_t pos = archive_pos;
  std::uint64_t begin = pos;
  while (view.size() - pos >= kTarBlockBytes) {
    const ByteSpan header = view.subspan(static_cast<std::size_t>(pos), kTarBlockBytes);
    const std::optional<std::uint64_t> size = is_tar_header(header) ? size_of(header) : std::nullopt;
    const std::uint64_t data_pos = pos + kTarBlockBytes;
    if (!size || *size > view.size() - data_pos) return;
    pos = std::min<std::uint64_t>(view.size(), data_pos + (*size + kTarBlockBytes - 1) / kTarBlockBytes * kTarBlockBytes);
    if (is_tar_extension(header)) {
      const ByteSpan content = view.subspan(static_cast<std::size_t>(data_pos),
                                            static_cast<std::size_t>(std::min<std::uint64_t>(*size, kMostExtensionBytes)));
      const std::string_view name =
          extended_name(tar_kind(header), {reinterpret_cast<const char*>(content.data()), content.size()});
      if (!name.empty()) long_name = name;
      continue;
    }
    const bool is_file = tar_kind(header) == '0' || tar_kind(header) == '\0';
    members.push_back({long_name.empty() ? tar_name(header) : long_name, is_file, begin, data_pos, *size, pos});
    long_name.clear();
    begin = pos;
  }
}

Members tar_members_of(ByteSpan view, const Member& file) {
  const ByteSpan bytes = view.subspan(static_cast<std::size_t>(file.data_pos), static_cast<std::size_t>(file.data_bytes));
  Members members;
  if (bytes.size() < kTarBlockBytes || !is_tar_header(bytes.first(kTarBlockBytes))) return members;
  add_tar_members(bytes, 0, members);
  for (Member& member : members) {
    if (!file.name.empty()) member.name = file.name + '/' + member.name;
    for (std::uint64_t* const pos : {&member.begin, &member.data_pos, &member.end}) *pos += file.data_pos;
  }
  return members;
}

ByteRanges tar_ranges(ByteSpan view, const Members& members) {
  ByteRanges ranges;
  for (const Member& member : members) {
    if (member.data_pos - member.begin < kTarBlockBytes) continue;
    if (!is_tar_header(view.subspan(static_cast<std::size_t>(member.begin), kTarBlockBytes))) continue;
    if (ranges.empty() || ranges.back().end != member.begin) ranges.push_back({member.begin, member.begin});
    ranges.back().end = member.end;
  }
  return ranges;
}

}  // namespace bdelta::view
