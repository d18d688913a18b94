// Labels in a patch: the count for each image of the source up to the last one that has any, then two columns over all
// labels. Neighbours in the old file mostly moved by the same distance, so the second column is mostly small; a codec
// behind finds more in columns than in pairs.
//
//   count of images; counts; address - the one before in its image; (new - old) - (new - old) of the one before
#include "base/byte_cursor.hpp"
#include "exe/labels.hpp"

namespace bdelta::exe {
namespace {

Error corrupt(const char* what) { return {ErrorCode::kPatchCorrupt, std::string("labels: ") + what}; }

}  // namespace

void append_labels(Bytes& to, std::span<const Label> labels) {
  std::vector<std::uint64_t> counts;
  for (const Label& label : labels) {
    counts.resize(label.image + std::size_t{1});
    ++counts.back();
  }
  append_varint(to, counts.size());
  for (const std::uint64_t count : counts) append_varint(to, count);
  const Label* before = nullptr;
  for (const Label& label : labels) {
    const bool first = before == nullptr || before->image != label.image;
    append_varint(to, label.address - (first ? 0 : before->address));
    before = &label;
  }
  std::uint64_t shift = 0;
  for (const Label& label : labels) {
    const std::uint64_t own_shift = label.new_address - label.address;
    append_varint(to, zigzag(static_cast<std::int64_t>(own_shift - shift)));
    shift = own_shift;
  }
}

Result<std::vector<Label>> parse_labels(ByteSpan bytes, std::size_t image_count, std::size_t most) {
  ByteCursor from(bytes);
  const std::uint64_t coded_images = from.varint();
  if (coded_images > image_count) return corrupt("expected images of OLD only, found more");
  std::vector<Label> labels;
  // A label takes two bytes at least, so the counts are bounded by what is there.
  for (std::uint64_t image = 0; image < coded_images; ++image) {
    const std::uint64_t count = from.varint();
    if (count > most - labels.size() || count > bytes.size() / 2) {
      return corrupt("expected fewer, found a count beyond the limit");
    }
    labels.resize(labels.size() + static_cast<std::size_t>(count), Label{0, 0, static_cast<std::uint32_t>(image)});
  }
  const Label* before = nullptr;
  for (Label& label : labels) {
    const std::uint64_t step = from.varint();
    const bool first = before == nullptr || before->image != label.image;
    if (!first && (step == 0 || !checked_add(before->address, step, label.address))) {
      return corrupt("addresses don't ascend");
    }
    if (first) label.address = step;
    before = &label;
  }
  std::uint64_t shift = 0;
  for (Label& label : labels) {
    shift += static_cast<std::uint64_t>(from.svarint());
    label.new_address = label.address + shift;
  }
  if (!from.ok() || from.available() != 0) return corrupt("the bytes end too early, or some follow the end");
  return labels;
}

}  // namespace bdelta::exe
