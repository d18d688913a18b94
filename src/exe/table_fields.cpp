#include "exe/table_fields.hpp"

#include "exe/table_kernels.hpp"

namespace bdelta::exe {

void find_table_fields(ByteSpan file, const Image& image, FieldBlocks& out, Watch* watch) {
  const ImageLayout layout(image);
  FieldSink sink(file, image, layout, out, watch);
  const bool has_go = image.format != ImageFormat::kToy;
  // In 32 bits an offset is easily taken for an address, so the offsets of Go's tables go first there.
  if (has_go && !image.bits64) find_go_fields(sink);
  switch (image.format) {
    case ImageFormat::kElf: find_elf_fields(sink); break;
    case ImageFormat::kPe: find_pe_fields(sink); break;
    case ImageFormat::kMachO: find_macho_fields(sink); break;
    case ImageFormat::kToy: find_fixed_pointers(sink); break;
  }
  if (has_go && image.bits64) find_go_fields(sink);
  sink.finish();
  out.settle(watch);
}

}  // namespace bdelta::exe
