// Golden sets of programs, which are predicted: made by the library as linkers make programs, and by hand.
#include <algorithm>
#include <array>

#include "exe/image_extents.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/labels.hpp"
#include "exe/page_breaks.hpp"
#include "golden/save_set.hpp"
#include "match/cover_ranges.hpp"
#include "support/code_program.hpp"
#include "support/exe_craft_more.hpp"
#include "support/fixed_program.hpp"
#include "support/linked_programs.hpp"
#include "support/pe_program.hpp"
#include "support/program_pair.hpp"
#include "support/repeated.hpp"
#include "support/sorted_program.hpp"
#include "support/thumb_program.hpp"

namespace bdelta::test {
namespace {

// An archive of programs of which two were linked anew, one has another byte, and the others are as they were.
void make_image_choice() {
  constexpr std::size_t kFunctions = 60;
  const TwoVersions versions(120);
  std::vector<unsigned> moved = versions.new_functions;
  std::rotate(moved.begin() + 10, moved.begin() + 50, moved.end());
  const ProgramPair sorted = {sorted_program(versions.old_functions, SortedShape::kPe64).bytes,
                              sorted_program(moved, SortedShape::kPe64).bytes};
  const std::array<ProgramPair, 2> changed = {program_pair(20, kFunctions), sorted};
  Bytes old_version, new_version;
  for (std::size_t i = 0; i < 9; ++i) {
    const bool is_changed = i == 1 || i == 6;
    const ProgramPair& pair = changed[i / 4];
    const Bytes same = is_changed ? Bytes() : program_pair(30 + i, kFunctions).old_version;
    append(old_version, is_changed ? pair.old_version : same);
    append(new_version, is_changed ? pair.new_version : same);
    if (i == 3) ++new_version[new_version.size() - 40];
  }
  by_tool("bdt2-image-choice", old_version, new_version, create_options(6));
}

// Programs of all formats, each cut in two with some bytes in between, so that what leads into the second part moves.
struct CutPrograms {
  Bytes source;
  PredictionPlan plan;
};

CutPrograms cut_programs() {
  const Bytes programs[] = {craft_elf(),           craft_elf_without_sections(), craft_elf32(), craft_go(), craft_pe(), craft_macho(),
                            craft_macho_exports(), x86_code_program(1), arm64_code_program(2), craft_arm32(), craft_toy()};
  constexpr std::size_t kGapBytes = 16;
  CutPrograms cut;
  for (const Bytes& program : programs) {
    const std::uint64_t begin = cut.source.size(), half = program.size() / 32 * 16;
    cut.plan.covers.push_back({begin, begin, half});
    cut.plan.covers.push_back({begin + half, begin + half + kGapBytes, program.size() - half - kGapBytes});
    append(cut.source, program);
  }
  cut.plan.kinds = exe::kAllKinds | exe::kAllTables;
  const exe::Images images(exe::find_images(cut.source));
  exe::append_image_extents(cut.plan.images, images.all);
  exe::append_page_breaks(cut.plan.images, {});
  exe::append_image_table(cut.plan.images, images, images);
  std::vector<exe::Label> labels;
  for (std::uint32_t i = 0; i < images.all.size(); ++i) {
    const std::uint64_t low = images.layouts[i].low();
    for (const std::uint64_t at : {0x200u, 0x400u}) labels.push_back({low + at, low + at + 8, i});
  }
  exe::append_labels(cut.plan.labels, labels);
  return cut;
}

Craft craft_of(const PredictionPlan& plan) {
  Craft craft;
  craft.codec = {CodecId::kLzma, 6, 0};
  craft.covers_apart = craft.model = true;
  craft.window_bytes = 1700;
  craft.group_bytes = 8000;
  craft.plan = plan;
  return craft;
}

// NEW is what prediction makes of them, with some bytes wrong; so all it predicts is frozen, also where no linker would.
void make_every_field() {
  const auto [source, plan] = cut_programs();
  Bytes target = predicted_copies(source, source.size(), plan);
  for (std::size_t i = 40; i < target.size(); i += 97) ++target[i];
  save("bdt2-every-field", source, target, craft_patch(source, target, plan.covers, craft_of(plan)));
}

// Windows that are predicted and others, in the same groups. Some of these copy of NEW, others have modelled bytes.
void make_windows() {
  const auto [source, plan] = cut_programs();
  const std::uint64_t size = source.size();
  Craft craft = craft_of(plan);
  craft.predicted = {{0, 3000}, {4700, 7000}, {7100, 9000}, {12'000, size - 2000}};
  craft.plan->covers = covers_in(craft.predicted, plan.covers);
  const Bytes predicted = predicted_copies(source, source.size(), *craft.plan);
  Bytes target = source;
  for (const ByteRange& range : craft.predicted) {
    std::copy_n(predicted.begin() + static_cast<std::ptrdiff_t>(range.begin), range.end - range.begin,
                target.begin() + static_cast<std::ptrdiff_t>(range.begin));
  }
  for (std::size_t i = 40; i < target.size(); i += 97) ++target[i];
  Craft coded = craft;
  coded.modelled_literals = coded.modelled_misses = true;
  save("bdt2-windows-modelled", source, target, craft_patch(source, target, plan.covers, coded));
  const Covers copies = {{size + 2000, 3100, 900}, {size + 6000, size - 1500, 1200}};
  const Covers others = covers_in({{0, 3100}, {4000, size - 1500}, {size - 300, size}}, plan.covers);
  save("bdt2-windows", source, target, craft_patch(source, target, merged(others, copies), craft));
}

// Windows with modelled bytes, in two lanes, beside windows that copy NEW. Once their numbers are packed.
void make_mixed_windows() {
  const SelfCopied parts = partly_self_copied(8000, 12);
  Craft craft;
  craft.codec = {CodecId::kLzma, 6, 0};
  craft.modelled_literals = craft.modelled_misses = true;
  craft.window_bytes = 3000;
  craft.group_bytes = 1 << 20;
  craft.lane_bytes = 0;
  save("bdt2-windows-mixed", parts.source, parts.target, craft_patch(parts.source, parts.target, parts.covers, craft));
  craft.model = true;
  save("bdt2-windows-mixed-packed", parts.source, parts.target, craft_patch(parts.source, parts.target, parts.covers, craft));
}

}  // namespace

void make_programs() {
  make_every_field();
  make_windows();
  make_mixed_windows();
  const ProgramPair programs = program_pair(11, 60);
  by_tool("bdt2-predicted", programs.old_version, programs.new_version, create_options(6));
  const ProgramPair more = program_pair(12, 300);
  by_tool("bdt2-predicted-fast", more.old_version, more.new_version, create_options(3));
  const FixedPair fixed = fixed_pair(120);
  by_tool("bdt2-fixed", fixed.old_version.bytes, fixed.new_version.bytes, create_options(6));
  const ProgramPair linked = linked_pair(100);
  by_tool("bdt2-arm-and-go", linked.old_version, linked.new_version, create_options(6));
  const ProgramPair thumb = thumb_pair(300);
  by_tool("bdt2-thumb", thumb.old_version, thumb.new_version, create_options(6));
  const ProgramPair windows = pe_pair(70);
  by_tool("bdt2-pe-exceptions", windows.old_version, windows.new_version, create_options(6));
  const ProgramPair sorted = sorted_pair(40);
  by_tool("bdt2-sorted-tables", sorted.old_version, sorted.new_version, create_options(6));
  const ProgramPair macho = sorted_macho_pair(640);
  by_tool("bdt2-macho-tables", macho.old_version, macho.new_version, create_options(6));
  ProgramPair newer = newer_pair(100);
  const ProgramPair mixed = sorted_mixed_pair(120);
  append(newer.old_version, mixed.old_version);
  append(newer.new_version, mixed.new_version);
  by_tool("bdt2-mixed-pages", newer.old_version, newer.new_version, create_options(6));
  make_image_choice();
}

}  // namespace bdelta::test
