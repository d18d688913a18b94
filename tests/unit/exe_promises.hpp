// What holds of the fields of any file, however damaged: they are inside and apart, and say what their bytes say.
#pragma once

#include <gtest/gtest.h>

#include "base/checked.hpp"
#include "exe/field_codec.hpp"
#include "exe/layout.hpp"
#include "unit/exe_seen_fields.hpp"

namespace bdelta::test {

// What is promised of any file; false tells which promise was broken.
inline ::testing::AssertionResult keeps_promises(ByteSpan file) {
  using namespace exe;
  std::uint64_t images_end = 0;
  const std::vector<Image> images = find_images(file);
  for (const Image& image : images) {
    if (image.file_pos < images_end || !range_fits(image.file_pos, image.size_bytes, file.size())) {
      return ::testing::AssertionFailure() << "image at " << image.file_pos;
    }
    images_end = image.file_pos + image.size_bytes;
    const ImageLayout layout(image);
    std::vector<Field> fields;
    FieldBlocks blocks(file, images, static_cast<std::size_t>(&image - images.data()));
    find_table_fields(file, image, blocks);
    FieldBlocks::Unpacked last;
    blocks.add_fields(0, file.size(), last, fields);
    std::uint64_t end = image.file_pos;
    for (const Field& field : fields) {
      if (field.pos < end) return ::testing::AssertionFailure() << "overlap at " << field.pos;
      end = field.pos + field_bytes(field.form);
      if (end > images_end) return ::testing::AssertionFailure() << "outside of the image at " << field.pos;
      if (leads_into_file(field.form)) {
        if (field.target_address - kFileSpace - image.file_pos < image.size_bytes) continue;
        return ::testing::AssertionFailure() << "leads out of the image at " << field.pos;
      }
      FieldOrigin place{0, image.base_address, image.bits64};
      if (!layout.address_of(field.pos, place.own_address)) place.own_address = 0;
      if (has_base(field.form) && !layout.address_of(base_pos(field), place.base_address)) {
        return ::testing::AssertionFailure() << "base without address at " << field.pos;
      }
      Field again = field;
      again.target_address = 0;
      if (!read_field(file, place, again) || again.target_address != field.target_address ||
          !layout.is_mapped(field.target_address)) {
        return ::testing::AssertionFailure() << "wrong address at " << field.pos;
      }
    }
  }
  return ::testing::AssertionSuccess();
}

}  // namespace bdelta::test
