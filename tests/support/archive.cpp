#include "support/archive.hpp"

#include <algorithm>

#include "deflate/zlib_stream.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::test {
namespace {

using namespace view;

constexpr std::uint32_t kElsewhere = 0xffffffff;  // in the extra field of 64-bit numbers

std::uint32_t crc32_of(ByteSpan bytes) {
  return static_cast<std::uint32_t>(::crc32(0, bytes.data(), static_cast<uInt>(bytes.size())));
}

template <class... Values>
void put_fields(Bytes& to, Values... values) {
  (append_le(to, values), ...);
}

void put_text(Bytes& to, const std::string& text) { to.insert(to.end(), text.begin(), text.end()); }

void put_be(Bytes& to, std::uint32_t value) {
  for (unsigned shift = 32; shift > 0; shift -= 8) to.push_back(static_cast<std::uint8_t>(value >> (shift - 8)));
}

std::uint16_t u16(std::size_t value) { return static_cast<std::uint16_t>(value); }
std::uint32_t u32(std::size_t value) { return static_cast<std::uint32_t>(value); }

// What the local header and the directory say of a member.
struct Written {
  const ZipMember* member;
  std::uint64_t local_pos;
  std::uint64_t packed_bytes;
  std::uint32_t crc;

  [[nodiscard]] std::uint16_t method() const { return member->level == 0 ? 0 : 8; }
  [[nodiscard]] std::uint16_t flags() const { return u16((member->descriptor ? 8u : 0u) | (member->encrypted ? 1u : 0u)); }
  [[nodiscard]] std::size_t raw_bytes() const { return member->content.size(); }
};

Written put_member(Bytes& archive, const ZipMember& member, std::uint64_t local_pos) {
  const Bytes packed = !member.packed.empty() ? member.packed
                       : member.level == 0    ? member.content
                                              : zlib_deflate(member.content, {.level = member.level});
  const Written written{&member, local_pos, packed.size(), crc32_of(member.content)};
  Bytes extra;
  if (member.zip64) put_fields(extra, u16(1), u16(16), std::uint64_t{written.raw_bytes()}, written.packed_bytes);
  const bool now = !member.descriptor;
  const auto size = [&](std::uint64_t bytes) { return member.zip64 ? kElsewhere : now ? u32(bytes) : 0; };
  put_fields(archive, kZipLocalMagic, u16(20), written.flags(), written.method(), u16(0), u16(0), now ? written.crc : 0,
             size(packed.size()), size(written.raw_bytes()), u16(member.name.size()), u16(extra.size()));
  put_text(archive, member.name);
  append(archive, extra);
  append(archive, packed);
  if (!now) put_fields(archive, std::uint32_t{0x08074b50}, written.crc, u32(packed.size()), u32(written.raw_bytes()));
  return written;
}

void put_entry(Bytes& archive, const Written& written) {
  const ZipMember& member = *written.member;
  Bytes extra;
  if (member.zip64) put_fields(extra, u16(1), u16(24), std::uint64_t{written.raw_bytes()}, written.packed_bytes, written.local_pos);
  const auto field = [&](std::uint64_t value) { return member.zip64 ? kElsewhere : u32(value); };
  put_fields(archive, kZipEntryMagic, u16(20), u16(20), written.flags(), written.method(), u16(0), u16(0), written.crc,
             field(written.packed_bytes), field(written.raw_bytes()), u16(member.name.size()), u16(extra.size()),
             u16(member.comment.size()), u16(0), u16(0), u32(0), field(written.local_pos));
  put_text(archive, member.name);
  append(archive, extra);
  put_text(archive, member.comment);
}

}  // namespace

Bytes gzip_of(ByteSpan content, int level, const GzipHead& head) {
  return gzip_with(content, zlib_deflate(content, {.level = level}), head);
}

Bytes gzip_with(ByteSpan content, ByteSpan packed, const GzipHead& head) {
  const unsigned flags = (head.check ? 2u : 0u) | (head.extra.empty() ? 0u : 4u) | (head.name.empty() ? 0u : 8u) |
                         (head.comment.empty() ? 0u : 16u);
  Bytes file = {0x1f, 0x8b, 8, static_cast<std::uint8_t>(flags), 0, 0, 0, 0, 0, 3};
  if (!head.extra.empty()) {
    append_le(file, u16(head.extra.size()));
    append(file, head.extra);
  }
  for (const std::string* const text : {&head.name, &head.comment}) {
    if (text->empty()) continue;
    put_text(file, *text);
    file.push_back(0);
  }
  if (head.check) append_le(file, u16(crc32_of(file) & 0xffff));
  append(file, packed);
  put_fields(file, crc32_of(content), u32(content.size()));
  return file;
}

Bytes zip_of(const std::vector<ZipMember>& members, const ZipShape& shape) {
  Bytes archive;
  std::vector<Written> entries;
  for (const ZipMember& member : members) entries.push_back(put_member(archive, member, archive.size()));
  if (shape.reversed) std::reverse(entries.begin(), entries.end());
  const std::size_t directory_pos = archive.size();
  for (const Written& entry : entries) put_entry(archive, entry);
  const std::size_t end = archive.size();
  const std::size_t directory_bytes = end - directory_pos;
  const auto count = std::uint64_t{entries.size()};
  if (shape.zip64) {
    put_fields(archive, kZip64EndMagic, std::uint64_t{44}, u16(45), u16(45), u32(0), u32(0), count, count,
               std::uint64_t{directory_bytes}, std::uint64_t{directory_pos});
    put_fields(archive, kZip64LocatorMagic, u32(0), std::uint64_t{end}, u32(1));
  }
  put_fields(archive, kZipEndMagic, u16(0), u16(0), shape.zip64 ? u16(0xffff) : u16(count),
             shape.zip64 ? u16(0xffff) : u16(count), shape.zip64 ? kElsewhere : u32(directory_bytes),
             shape.zip64 ? kElsewhere : u32(directory_pos), u16(shape.comment.size()));
  put_text(archive, shape.comment);
  Bytes file = shape.program;
  append(file, archive);
  return file;
}

Bytes zlib_with(ByteSpan content, ByteSpan packed) {
  Bytes made = {0x78, 0x9c};
  append(made, packed);
  put_be(made, u32(::adler32(1, content.data(), static_cast<uInt>(content.size()))));
  return made;
}

Bytes zlib_of(ByteSpan content, int level) { return zlib_with(content, zlib_deflate(content, {.level = level})); }

Bytes png_chunk(std::string_view type, ByteSpan data) {
  Bytes checked(type.begin(), type.end());
  append(checked, data);
  Bytes chunk;
  put_be(chunk, u32(data.size()));
  append(chunk, checked);
  put_be(chunk, crc32_of(checked));
  return chunk;
}

Bytes png_of(ByteSpan data, std::size_t chunk_bytes) {
  Bytes file = {0x89, 'P', 'N', 'G', '\r', '\n', 0x1a, '\n'};
  append(file, png_chunk("IHDR", Bytes(13, 1)));
  append(file, png_chunk("tEXt", Bytes(20, 't')));
  for (; !data.empty(); data = data.subspan(std::min(data.size(), chunk_bytes))) {
    append(file, png_chunk("IDAT", data.first(std::min(data.size(), chunk_bytes))));
  }
  append(file, png_chunk("IEND", {}));
  return file;
}

}  // namespace bdelta::test
