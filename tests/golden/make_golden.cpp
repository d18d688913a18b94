// make_golden FOLDER: writes the golden sets in place of those there. The target `golden_sets` builds and runs it. Only
// for a new draft number, never to make a failing test pass: a frozen patch that no longer applies is a broken promise.
#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>

#include "bdelta/tree.hpp"
#include "create/number_pass.hpp"
#include "match/cover_ranges.hpp"
#include "exe/image_extents.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/labels.hpp"
#include "exe/page_breaks.hpp"
#include "golden/archive_sets.hpp"
#include "support/code_program.hpp"
#include "support/craft.hpp"
#include "support/exe_craft_more.hpp"
#include "support/fixed_program.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/kernel_modules.hpp"
#include "support/linked_programs.hpp"
#include "support/pe_program.hpp"
#include "support/sorted_program.hpp"
#include "support/program_pair.hpp"
#include "support/renumbered.hpp"
#include "support/repeated.hpp"
#include "support/signed_program.hpp"
#include "support/package.hpp"
#include "support/signed_jar.hpp"
#include "support/tar.hpp"
#include "support/woven.hpp"
#include "support/thumb_program.hpp"
#include "view/file_digests.hpp"

namespace bdelta::test {
namespace {

std::filesystem::path g_folder;

void save(const std::string& name, const Bytes& source, const Bytes& target, const Bytes& patch) {
  std::filesystem::create_directories(g_folder / name);
  put(g_folder / name / "old", source);
  put(g_folder / name / "new", target);
  put(g_folder / name / "patch", patch);
}

// Directories instead of files. What a checkout may not keep, such as empty ones and permission bits, is not in it.
void save_tree() {
  const std::filesystem::path folder = g_folder / "trees";
  std::filesystem::remove_all(folder);
  const Bytes words = wordy_bytes(900, 1);
  for (const char* const name : {"old", "new"}) {
    std::filesystem::create_directories(folder / name / "lib/inner");
    put(folder / name / "lib/kept", words);
    put(folder / name / "lib/inner/same name", wordy_bytes(name[0] == 'o' ? 60 : 70, 2));
    std::filesystem::create_symlink(name[0] == 'o' ? "lib/kept" : "lib/changed", folder / name / "link");
  }
  put(folder / "old/moved", wordy_bytes(500, 3));
  put(folder / "new/lib/moved", wordy_bytes(500, 3));
  put(folder / "new/empty", Bytes());
  put(folder / "new/lib/changed", edited(words, random_edits(2, words.size(), 30, 4)));
  put(folder / "old/lib/changed", words);
  TreeOptions options;
  options.exclude = {"*.log"};
  options.source_list = true;
  auto made = create_tree(folder / "old", folder / "new", folder / "patch", {}, options);
  if (!made) std::printf("trees: %s\n", to_string(made.error()).c_str());
}

void remove_sets() {
  if (!std::filesystem::exists(g_folder)) return;
  std::vector<std::filesystem::path> sets;
  for (const auto& entry : std::filesystem::directory_iterator(g_folder)) {
    if (entry.is_directory() && entry.path().filename().string().starts_with("bdt")) sets.push_back(entry.path());
  }
  for (const std::filesystem::path& set : sets) std::filesystem::remove_all(set);
}

void by_tool(const std::string& name, const Bytes& source, const Bytes& target, const CreateOptions& options) {
  auto patch = make_patch(source, target, options);
  if (!patch) std::printf("%s: %s\n", name.c_str(), to_string(patch.error()).c_str());
  if (patch) save(name, source, target, *patch);
}

void by_hand(const std::string& name, const Bytes& source, const Bytes& target, const Craft& craft) {
  save(name, source, target, craft_patch(source, target, covers_of(source, target), craft));
}

// What is held back, in small windows: lists in front of their files, the second of them in front of the first.
void by_hand_jar() {
  JarShape shape;
  shape.file_count = 12;
  shape.seed = 34;
  shape.signer_count = 2;
  shape.signatures_first = true;
  const JarPair jars = jar_pair(shape);
  const Bytes source = tar_of(jars.old_version), target = tar_of(jars.new_version);
  WorkerPool pool(1);
  Craft craft;
  craft.fills = view::find_file_digests(source, members_of(source), target, members_of(target), {}, 0, pool).fills;
  craft.window_bytes = 700;
  craft.group_bytes = 5000;
  by_hand("bdt2-jar-digests-cut", source, target, craft);
}

// Each byte behind certain pairs is another, as a model of misses is quick to learn.
Bytes bent(const Bytes& words) {
  Bytes bytes = words;
  for (std::size_t i = 2; i < words.size(); ++i) {
    if ((words[i - 2] * 31 + words[i - 1] * 7) % 61 == 3) ++bytes[i];
  }
  return bytes;
}

constexpr std::size_t kSteadyBytes = 60'000;

Bytes steady_old() { return Bytes(kSteadyBytes, 7); }

// Residual gaps that repeat over hundreds of runs, which a codec copies and the model has to guess one by one.
Bytes steady_new() {
  Bytes bytes = steady_old();
  Random random(7);
  std::vector<std::size_t> gaps(300);
  for (std::size_t& gap : gaps) gap = static_cast<std::size_t>(random.between(1, 60));
  std::size_t at = 0;
  for (std::size_t i = 0; at < bytes.size(); ++i) {
    bytes[at] = static_cast<std::uint8_t>(random.next());
    at += gaps[i % gaps.size()];
  }
  return bytes;
}

// Copies cut by windows of 700 bytes, and a program with numbers behind it.
void make_substitutions() {
  const RenumberedPair pair = renumbered_pair(600, 20, 1);
  by_tool("bdt2-substitutions", pair.old_version, pair.new_version, create_options(6));
  const Covers covers = {{0, 0, pair.old_version.size()}};
  Craft craft;
  craft.codec = {CodecId::kLzma, 6, 0};
  craft.substitutions = pair.substitutions;
  craft.window_bytes = 700;
  craft.group_bytes = 100'000;
  craft.modelled_literals = craft.modelled_misses = craft.model = true;
  craft.lane_bytes = 0;
  save("bdt2-substitutions-modelled", pair.old_version, pair.scrambled,
       craft_patch(pair.old_version, pair.scrambled, covers, craft));
  craft.modelled_literals = craft.modelled_misses = false;
  craft.covers_apart = true;
  save("bdt2-substitutions-covers", pair.old_version, pair.new_version,
       craft_patch(pair.old_version, pair.new_version, covers, craft));
  ProgramPair programs = program_pair(11, 60);
  append(programs.old_version, pair.old_version);
  append(programs.new_version, pair.new_version);
  by_tool("bdt2-substitutions-predicted", programs.old_version, programs.new_version, create_options(6));
}

// By the tool, in one window; and by hand, in windows and groups of any size, of text, with bytes that differ.
void make_target_copies() {
  const RepeatedPair repeated = repeated_pair(4000, 50, 2);
  by_tool("bdt2-target", repeated.old_version, repeated.new_version, create_options(6));
  const SelfCopied many = self_copied(6000, 2500, 3);
  Craft craft;
  craft.codec = {CodecId::kLzma, 6, 0};
  craft.model = true;
  craft.window_bytes = 700;
  craft.group_bytes = 2500;
  craft.substitutions.emplace(std::vector<Substitution>{{load_le<std::uint32_t>(many.source.data() + 90), 0x41414141}});
  save("bdt2-target-many", many.source, many.target, craft_patch(many.source, many.target, many.covers, craft));
}

// Files behind heads of 512 bytes, as archives have them, in another order, with other numbers in their heads.
void make_positions() {
  constexpr std::size_t kFiles = 60;
  std::vector<Bytes> files;
  for (std::size_t i = 0; i < kFiles; ++i) {
    Bytes file = bytes_of("archive/of/files/number-" + std::to_string(i));
    file.resize(512);
    append(file, wordy_bytes(200 + 370 * (i % 7), i));
    file.resize((file.size() + 511) / 512 * 512);
    files.push_back(std::move(file));
  }
  Bytes old_version;
  for (const Bytes& file : files) append(old_version, file);
  Random random(17);
  Bytes new_version;
  for (std::size_t left = kFiles; left > 0; --left) {
    std::swap(files[left - 1], files[static_cast<std::size_t>(random.below(left))]);
    Bytes& file = files[left - 1];
    for (const std::size_t at : {136u, 139u, 140u, 150u, 151u}) file[at] = static_cast<std::uint8_t>(random.between(48, 55));
    append(new_version, file);
  }
  by_tool("bdt2-positions", old_version, new_version, create_options(6));
}

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

// Copies that go on from several places in turn.
void make_tracks() {
  const WovenPair woven = woven_pair(250, 21);
  by_tool("bdt2-tracks", woven.old_version, woven.new_version, create_options(6));
}

void make_modelled_misses(const Bytes& source) {
  // Numbers that moved by the same behind the same bytes, and by chance somewhere else.
  const Bytes words = wordy_bytes(60'000, 22);
  Bytes moved = bent(words);
  for (std::size_t i = 1000; i < moved.size(); i += 1777) moved[i] ^= 9;
  by_tool("bdt2-modelled-misses", words, moved, create_options(9));
  Craft craft;
  craft.modelled_literals = craft.modelled_misses = craft.model = true;
  craft.window_bytes = 700;
  craft.group_bytes = 5000;
  Bytes behind_e = source;
  for (std::size_t i = 1; i < source.size(); ++i) behind_e[i] = static_cast<std::uint8_t>(source[i] + (source[i - 1] == 'e'));
  append(behind_e, wordy_bytes(1500, 2));
  by_hand("bdt2-modelled-misses-many", source, behind_e, craft);
  craft.lane_bytes = 0;
  craft.group_bytes = 100'000;
  const Bytes cut = wordy_bytes(24'000, 9);
  by_hand("bdt2-modelled-misses-lanes", cut, bent(cut), craft);
  const ProgramPair programs = program_pair(12, 300);
  by_tool("bdt2-modelled-misses-predicted", programs.old_version, bent(programs.new_version), create_options(9));
}

// By the tool; and by hand, of 32-bit objects, in windows that end inside numbers.
void make_moved_numbers() {
  ModuleShape shape;
  shape.module_count = 14;
  shape.type_count = 60;
  const ModulePair modules = module_pair(shape);
  by_tool("bdt2-moved-numbers", modules.old_version, modules.new_version, create_options(6));
  shape.seed = 2;
  shape.bits64 = false;
  const ModulePair more = module_pair(shape);
  WorkerPool pool(1);
  Craft craft;
  craft.moved_numbers = learn_moved_numbers(more.old_version, more.new_version, pool);
  craft.window_bytes = 701;
  craft.group_bytes = 5000;
  craft.modelled_literals = craft.model = true;
  by_hand("bdt2-moved-numbers-cut", more.old_version, more.new_version, craft);
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

// Programs of all formats and machines, which have all kinds of sorted table among them.
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

void make_all() {
  const Bytes source = wordy_bytes(6000, 1);
  const Bytes target = edited(source, {{Edit::kInsert, 500, 90, 0, 2}, {Edit::kOverwrite, 3000, 40, 0, 3},
                                       {Edit::kMove, 5000, 700, 1200, 0}, {Edit::kDelete, 100, 60, 0, 0}});
  Bytes busy = source;
  for (std::size_t i = 0; i < busy.size(); i += 9) busy[i] = static_cast<std::uint8_t>(busy[i] + 1);
  append(busy, wordy_bytes(1500, 2));

  by_tool("bdt2-level1", source, target, create_options(1));
  by_tool("bdt2-level3", source, target, create_options(3));
  by_tool("bdt2-level6", source, busy, create_options(6));
  CreateOptions with_digests = create_options(3);
  with_digests.group_digests = true;
  by_tool("bdt2-digests", source, target, with_digests);
  by_tool("bdt2-same", source, source, create_options(3));
  by_tool("bdt2-strange", random_bytes(900, 3), random_bytes(1100, 4), create_options(3));
  by_tool("bdt2-empty-new", source, {}, create_options(3));
  by_tool("bdt2-empty-old", {}, target, create_options(3));
  by_tool("bdt2-empty-all", {}, {}, create_options(3));

  Craft craft;
  craft.window_bytes = 1 << 20;
  craft.group_bytes = 1 << 20;
  craft.codec = {CodecId::kStore, 0, 0};
  by_hand("bdt2-store", source, busy, craft);
  craft.codec = {CodecId::kZstd, 9, 0};
  by_hand("bdt2-zstd", source, busy, craft);
  craft.codec = {CodecId::kLzma, 6, 0};
  by_hand("bdt2-lzma", source, busy, craft);
  craft.model = true;
  craft.window_bytes = 700;
  craft.group_bytes = 5000;
  by_hand("bdt2-model", source, busy, craft);
  craft.window_bytes = 1 << 20;
  craft.group_bytes = 1 << 20;
  save("bdt2-mixed", steady_old(), steady_new(), craft_patch(steady_old(), steady_new(), {{0, 0, kSteadyBytes}}, craft));
  craft.model = false;
  craft.codec = {CodecId::kZstd, 9, 0};
  craft.window_bytes = 700;
  craft.group_bytes = 2500;
  by_hand("bdt2-many", source, busy, craft);

  make_programs();
  const SignedPair signed_programs = signed_pair(33'000, 14);  // whose pages bdelta leaves to be filled in, too
  Craft cut;
  cut.fills = {signed_programs.new_version.digests};
  cut.window_bytes = 3000;
  cut.group_bytes = 8000;
  by_hand("bdt2-signed", signed_programs.old_version.bytes, signed_programs.new_version.bytes, cut);
  const SignedPair small = signed_pair(9'000, 14);
  cut.fills = {small.new_version.digests};
  cut.covers_apart = true;
  by_hand("bdt2-signed-covers", small.old_version.bytes, small.new_version.bytes, cut);

  const TarPair archive = tar_pair(40, 16);
  by_tool("bdt2-header-sums", archive.old_version, archive.new_version, create_options(6));
  const TarPair rust = tar_pair(12, 17, "crate-1.0.9", "crate-1.0.10", FillEncoding::kSevenNul);
  const TarPair npm = tar_pair(9, 18, "package", "package", FillEncoding::kSixSpaceNul);
  Bytes two_old = rust.old_version;
  append(two_old, npm.old_version);
  Bytes two_new = rust.new_version;
  append(two_new, npm.new_version);
  Craft both;
  FillRule behind = npm.checksums(FillEncoding::kSixSpaceNul);
  behind.ranges[0].pos = rust.new_version.size();
  both.fills = {rust.checksums(FillEncoding::kSevenNul), behind};
  both.window_bytes = 1700;
  both.group_bytes = 8000;
  by_hand("bdt2-header-sums-cut", two_old, two_new, both);

  PackageShape package;
  package.file_count = 60;
  package.seed = 19;
  const PackagePair packages = package_pair(package);
  by_tool("bdt2-file-digests", packages.old_version, packages.new_version, create_options(6));
  package.file_count = 20;
  package.seed = 20;
  package.reversed_list = true;
  const PackagePair backwards = package_pair(package);
  Craft files;
  files.fills = {{tar_checksums(FillEncoding::kSixNulSpace), 0, {{0, backwards.new_version.size(), 0}}}, backwards.changed};
  files.window_bytes = 1700;
  files.group_bytes = 8000;
  by_hand("bdt2-file-digests-cut", backwards.old_version, backwards.new_version, files);

  by_hand_jar();

  const Bytes story = wordy_bytes(30'000, 15);
  const Bytes told(story.begin(), story.begin() + 20'000);
  Bytes retold = told;
  retold.insert(retold.begin() + 9000, story.end() - 900, story.end());
  by_tool("bdt2-modelled-literals", told, retold, create_options(9));
  Craft literals;
  literals.modelled_literals = literals.model = true;
  literals.window_bytes = 700;
  literals.group_bytes = 5000;
  by_hand("bdt2-modelled-literals-many", source, busy, literals);
  make_substitutions();
  make_target_copies();
  make_positions();
  make_tracks();
  make_modelled_misses(source);
  make_moved_numbers();
  for (const ArchivePair& archives : archive_pairs(g_folder.parent_path() / "deflate")) {
    by_tool(archives.name, archives.old_version, archives.new_version, create_options(6));
  }

  Bytes moved(source.begin() + 2000, source.end());
  append(moved, wordy_bytes(600, 5));
  append(moved, ByteSpan(source).first(1500));
  Craft plain;
  plain.outlines = {{{0, 4000, true, 2000}, {4000, 600, false, 0}, {4600, 1500, true, -4600}}};
  save("bdt2-plain", source, moved, craft_patch(source, moved, {{2000, 0, 4000}, {0, 4600, 1500}}, plain));

  by_tool("bdt1-edited", source, target, create_options(3, PatchFormat::kBdt1));
  Bytes reversed;
  for (std::size_t block = 6; block-- > 0;) append(reversed, ByteSpan(source).subspan(block * 1000, 1000));
  by_tool("bdt1-back", source, reversed, create_options(3, PatchFormat::kBdt1));
  by_tool("bdt1-literal", {}, random_bytes(700, 6), create_options(3, PatchFormat::kBdt1));
  by_tool("bdt1-empty-new", source, {}, create_options(3, PatchFormat::kBdt1));
}

}  // namespace
}  // namespace bdelta::test

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[2]) == "trees") {  // these alone
    bdelta::test::g_folder = argv[1];
    bdelta::test::save_tree();
    return 0;
  }
  if (argc != 2) {
    std::puts("usage: make_golden FOLDER [trees]");
    return 1;
  }
  bdelta::test::g_folder = argv[1];
  bdelta::test::remove_sets();
  bdelta::test::make_all();
  bdelta::test::save_tree();
  return 0;
}
