// Labels of a patch: columns of differences. Searches for counts that are believed before they are paid for, for labels
// out of order, and for such as mean something else once they are written again.
#include "exe/labels.hpp"
#include "fuzz/fuzz_input.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

void check_order(const std::vector<exe::Label>& labels, std::size_t image_count) {
  for (std::size_t i = 0; i < labels.size(); ++i) {
    require(labels[i].image < image_count, "a label is of an image that is there");
    if (i == 0 || labels[i].image > labels[i - 1].image) continue;
    require(labels[i].image == labels[i - 1].image && labels[i].address > labels[i - 1].address, "labels ascend");
  }
}

}  // namespace

void run(Input& input) {
  const std::size_t image_count = input.u8();
  const std::size_t most = input.u16();
  const test::GuardedBytes bytes(input.rest());
  const auto labels = exe::parse_labels(bytes.bytes(), image_count, most);
  if (!labels) return require(labels.error().code == ErrorCode::kPatchCorrupt, "bad labels are a corrupt patch");
  require(labels->size() <= most, "there are no more labels than allowed");
  check_order(*labels, image_count);
  const exe::LabelIndex index(*labels);
  for (const exe::Label& label : *labels) require(index.find(label.image, label.address) == &label, "labels are found");
  Bytes again;
  exe::append_labels(again, *labels);
  const auto parsed = exe::parse_labels(again, image_count, most);
  require(parsed && *parsed == *labels, "labels are written as they were read");
}

}  // namespace bdelta::fuzz
