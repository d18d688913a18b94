// make_golden FOLDER: writes the golden sets in place of those there. The target `golden_sets` builds and runs it. Only
// for a new draft number, never to make a failing test pass: a frozen patch that no longer applies is a broken promise.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <numeric>
#include <string>

#include "bdelta/tree.hpp"
#include "create/number_pass.hpp"
#include "golden/archive_sets.hpp"
#include "golden/save_set.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/kernel_modules.hpp"
#include "support/program_pair.hpp"
#include "support/renumbered.hpp"
#include "support/repeated.hpp"
#include "support/signed_program.hpp"
#include "support/package.hpp"
#include "support/signed_jar.hpp"
#include "support/tar.hpp"
#include "support/woven.hpp"

namespace bdelta::test {
namespace {

std::filesystem::path g_folder;

}  // namespace

void save(const std::string& name, const Bytes& source, const Bytes& target, const Bytes& patch) {
  std::filesystem::create_directories(g_folder / name);
  put(g_folder / name / "old", source);
  put(g_folder / name / "new", target);
  put(g_folder / name / "patch", patch);
}

void by_tool(const std::string& name, const Bytes& source, const Bytes& target, const CreateOptions& options) {
  auto patch = make_patch(source, target, options);
  if (!patch) std::printf("%s: %s\n", name.c_str(), to_string(patch.error()).c_str());
  if (patch) save(name, source, target, *patch);
}

void by_hand(const std::string& name, const Bytes& source, const Bytes& target, const Craft& craft) {
  save(name, source, target, craft_patch(source, target, covers_of(source, target), craft));
}

namespace {

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

// What is held back, in small windows: lists in front of their files, the second of them in front of the first.
void by_hand_jar() {
  JarShape shape;
  shape.file_count = 12;
  shape.seed = 34;
  shape.signer_count = 2;
  shape.signatures_first = true;
  const JarArchives jars = jar_archives(shape);
  Craft craft;
  craft.fills = jars.fills;
  craft.window_bytes = 700;
  craft.group_bytes = 5000;
  by_hand("bdt2-jar-digests-cut", jars.old_version, jars.new_version, craft);
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
