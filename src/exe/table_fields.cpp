#include "exe/table_fields.hpp"

#include <algorithm>

#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

// Tables are added one after the other, each mostly ascending: merging these runs, each with its neighbour, is several
// times faster than sorting. Stable: of fields at one position the one added first stays in front.
void sort_fields(std::vector<Field>& fields, std::size_t from) {
  std::vector<std::size_t> borders{from};  // where runs begin, and the end
  for (std::size_t i = from + 1; i < fields.size(); ++i) {
    if (comes_before(fields[i], fields[i - 1])) borders.push_back(i);
  }
  borders.push_back(fields.size());
  const auto at = [&](std::size_t i) { return fields.begin() + static_cast<std::ptrdiff_t>(i); };
  while (borders.size() > 2) {
    std::vector<std::size_t> merged{from};
    for (std::size_t i = 2; i < borders.size(); i += 2) {
      std::inplace_merge(at(borders[i - 2]), at(borders[i - 1]), at(borders[i]), comes_before);
      merged.push_back(borders[i]);
    }
    if (borders.size() % 2 == 0) merged.push_back(borders.back());
    borders = std::move(merged);
  }
}

void drop_overlaps(std::vector<Field>& fields, std::size_t from) {
  std::size_t kept = from;
  std::uint64_t end = 0;
  for (std::size_t i = from; i < fields.size(); ++i) {
    if (fields[i].pos < end) continue;
    end = fields[i].pos + field_bytes(fields[i].form);
    fields[kept++] = fields[i];
  }
  fields.resize(kept);
}

}  // namespace

void find_table_fields(ByteSpan file, const Image& image, PredictorId predictor, std::vector<Field>& out) {
  const std::size_t before = out.size();
  const ImageLayout layout(image);
  FieldSink sink(file, image, layout, predictor, out);
  const bool has_go = image.format != ImageFormat::kToy && (image.bits64 || predictor >= PredictorId::k2);
  // In 32 bits an offset is easily taken for an address, so the offsets of Go's tables go first there.
  if (has_go && !image.bits64) find_go_fields(sink);
  switch (image.format) {
    case ImageFormat::kElf: find_elf_fields(sink); break;
    case ImageFormat::kPe: find_pe_fields(sink); break;
    case ImageFormat::kMachO: find_macho_fields(sink); break;
    case ImageFormat::kToy: find_toy_fields(sink); break;
  }
  if (has_go && image.bits64) find_go_fields(sink);
  sort_fields(out, before);
  drop_overlaps(out, before);
}

}  // namespace bdelta::exe
