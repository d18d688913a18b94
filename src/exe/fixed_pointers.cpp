// An image that is always loaded at the address it was linked for needs no relocations, so nothing says where its
// pointers are. A word of a data section that is the address of something probably is one. Addresses of such images
// begin at millions, and of 2^64 values few lead into the image. Small integers are what can be mistaken for them.
#include "exe/table_kernels.hpp"

namespace bdelta::exe {
namespace {

template <class Word>
void scan_words(FieldSink& sink, const Section& section) {
  constexpr std::uint64_t kPatternBytes = sizeof(Word);
  const std::uint64_t low = sink.layout().low();
  const std::uint64_t span = sink.layout().high() - low;
  const std::uint64_t skipped = (0 - section.address) % kPatternBytes;
  if (skipped >= section.size_bytes) return;
  const ByteSpan bytes = bytes_at(sink.file(), section.file_pos + skipped, section.size_bytes - skipped);
  for (std::size_t i = 0; i + kPatternBytes <= bytes.size(); i += kPatternBytes) {
    const std::uint64_t word = load_le<Word>(bytes.data() + i);
    if (word - low < span) sink.absolute(section.file_pos + skipped + i, FieldKind::kPointer);
  }
}

}  // namespace

void find_fixed_pointers(FieldSink& sink) {
  for (const Section& section : sink.image().sections) {
    if (section.kind != SectionKind::kData) continue;
    sink.image().bits64 ? scan_words<std::uint64_t>(sink, section) : scan_words<std::uint32_t>(sink, section);
  }
}

}  // namespace bdelta::exe
