//   extents:  count, extents
//   extent:   its position - the end of the one before, of the first one its position; bytes * 4 + format
#include "exe/image_extents.hpp"

#include <string>

#include "base/byte_cursor.hpp"

namespace bdelta::exe {
namespace {

constexpr unsigned kFormatBits = 2;

Error bad_extents(std::string what) {
  return {ErrorCode::kPatchCorrupt, "programs of OLD: " + std::move(what) + "; fetch the patch again"};
}

}  // namespace

void append_image_extents(Bytes& to, std::span<const Image> images) {
  append_varint(to, images.size());
  std::uint64_t end = 0;
  for (const Image& image : images) {
    append_varint(to, image.file_pos - end);
    append_varint(to, image.size_bytes << kFormatBits | static_cast<std::uint64_t>(image.format));
    end = image.file_pos + image.size_bytes;
  }
}

Result<ImageExtents> parse_image_extents(ByteSpan bytes, std::uint64_t source_size, std::size_t most) {
  ByteCursor from(bytes);
  const std::uint64_t count = from.varint();
  if (!from.ok()) return bad_extents("expected their number, found none");
  if (count > most) {
    return bad_extents("found " + std::to_string(count) + ", for more than " + std::to_string(most) + " there is no room");
  }
  ImageExtents extents;
  std::uint64_t end = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = from.varint();
    const std::uint64_t form = from.varint();
    const std::uint64_t size_bytes = form >> kFormatBits;
    if (!from.ok()) return bad_extents("the last one is cut");
    if (size_bytes == 0 || gap > source_size - end || size_bytes > source_size - end - gap) {
      return bad_extents("number " + std::to_string(i) + " is empty or passes the end of OLD");
    }
    extents.all.push_back({end + gap, size_bytes, static_cast<ImageFormat>(form & ((1u << kFormatBits) - 1))});
    end += gap + size_bytes;
  }
  extents.size_bytes = bytes.size() - from.available();
  return extents;
}

}  // namespace bdelta::exe
