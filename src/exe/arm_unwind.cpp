// The unwind tables of 32-bit ARM (ARM IHI 0038, "Exception Handling ABI for the Arm Architecture"). .ARM.exidx has two
// words a function: its start and how to unwind it. The second word holds that itself, or is 1 for "not", or leads to
// an entry of .ARM.extab. That begins with the start of a personality routine, or with a number whose high bit is set.
#include "exe/elf_tables.hpp"

namespace bdelta::exe {
namespace {

constexpr std::uint64_t kEntryBytes = 8;
constexpr std::uint32_t kNoUnwinding = 1;
constexpr std::uint32_t kIsInline = 0x80000000;


void add_index(FieldSink& sink, const ElfSegment& segment) {
  for (std::uint64_t i = 0; i < segment.size_bytes / kEntryBytes && sink.step(); ++i) {
    const std::uint64_t at = segment.file_pos + kEntryBytes * i;
    sink.prel31(at, FieldKind::kUnwindStart);
    const std::uint32_t how = sink.number32(at + 4);
    std::uint64_t own = 0;
    std::uint64_t entry = 0;
    if (how == kNoUnwinding || (how & kIsInline) != 0 || !sink.layout().address_of(at + 4, own)) continue;
    sink.prel31(at + 4, FieldKind::kUnwindEntry);
    if (!sink.layout().file_pos_of(own + prel31_distance(how), entry)) continue;
    if ((sink.number32(entry) & kIsInline) == 0) sink.prel31(entry, FieldKind::kUnwindEntry);
  }
}

}  // namespace

void find_arm_unwind_fields(FieldSink& sink, const ElfHeader& header) {
  for (const ElfSegment& segment : header.segments) {
    if (segment.type == kPtArmUnwind) add_index(sink, segment);
  }
}

}  // namespace bdelta::exe
