// The images of NEW in a patch, against those of a program with changes. Searches for images and sections that pass as
// consistent and are not, and for tables and page breaks that mean something else once they are written again.
#include "exe/image_table.hpp"

#include "exe/images.hpp"
#include "exe/page_breaks.hpp"
#include "fuzz/field_check.hpp"
#include "fuzz/program_input.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

bool same(const std::vector<exe::Image>& a, const std::vector<exe::Image>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const exe::Image& x, const exe::Image& y) {
    return x.format == y.format && x.machine == y.machine && x.bits64 == y.bits64 && x.file_pos == y.file_pos &&
           x.size_bytes == y.size_bytes && x.base_address == y.base_address && x.sections == y.sections;
  });
}

constexpr std::size_t kMostImages = 1000;

// Page breaks, which stand in front of the table: what is read is what would be written.
void check_page_breaks(ByteSpan bytes) {
  const auto breaks = exe::parse_page_breaks(bytes);
  if (!breaks) return require(breaks.error().code == ErrorCode::kPatchCorrupt, "bad page breaks are a corrupt patch");
  Bytes again;
  exe::append_page_breaks(again, breaks->lists);
  require(again.size() == breaks->size_bytes && std::equal(again.begin(), again.end(), bytes.begin()),
          "page breaks are written as they were read");
}

}  // namespace

void run(Input& input) {
  const exe::Images source(exe::find_images(take_program(input)));
  const std::uint64_t target_size = input.u16();
  const test::GuardedBytes bytes(input.rest());
  check_page_breaks(bytes.bytes());
  const auto images = exe::parse_image_table(bytes.bytes(), source, target_size, kMostImages);
  if (!images) return require(images.error().code == ErrorCode::kPatchCorrupt, "a bad table is a corrupt patch");
  check_images(*images, target_size);
  Bytes again;
  exe::append_image_table(again, source, exe::Images(*images));
  const auto parsed = exe::parse_image_table(again, source, target_size, kMostImages);
  require(parsed && same(*parsed, *images), "images are written as they were read");
}

}  // namespace bdelta::fuzz
