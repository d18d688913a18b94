//   choice:  count, images
//   image:   number - number of the one before - 1, of the first one its number
#include "exe/image_choice.hpp"

#include <string>

#include "base/byte_cursor.hpp"
#include "exe/images.hpp"

namespace bdelta::exe {
namespace {

Error bad_choice(std::string what) { return {ErrorCode::kPatchCorrupt, "choice of images: " + std::move(what)}; }

}  // namespace

void append_image_choice(Bytes& to, std::span<const std::uint32_t> numbers) {
  append_varint(to, numbers.size());
  std::uint32_t next = 0;
  for (const std::uint32_t number : numbers) {
    append_varint(to, number - next);
    next = number + 1;
  }
}

Result<ImageChoice> parse_image_choice(ByteSpan bytes) {
  ByteCursor from(bytes);
  const std::uint64_t count = from.varint();
  if (!from.ok() || count > ImageLimits().image_count) {
    return bad_choice("expected at most " + std::to_string(ImageLimits().image_count) + ", found more; fetch the patch again");
  }
  ImageChoice choice;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t gap = from.varint();
    if (!from.ok() || gap >= kMostNumberedImages - next) {
      return bad_choice("expected a number below " + std::to_string(kMostNumberedImages) +
                     ", found none or a higher one; fetch the patch again");
    }
    choice.numbers.push_back(static_cast<std::uint32_t>(next + gap));
    next += gap + 1;
  }
  choice.size_bytes = bytes.size() - from.available();
  return choice;
}

}  // namespace bdelta::exe
