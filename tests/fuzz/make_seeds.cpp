// make_seeds FOLDER: writes the seeds of all fuzz targets in place of those there, from generated data alone. Run
// again, by the target `fuzz_seeds`, when an input's shape or the patch format changes.
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <string>

#include "apply/block_journal.hpp"
#include "create/number_pass.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/labels.hpp"
#include "exe/page_breaks.hpp"
#include "format/native/fill_record.hpp"
#include "format/native/envelope.hpp"
#include "format/native/global_record.hpp"
#include "fuzz/patch_fixer.hpp"
#include "fuzz/program_input.hpp"
#include "fuzz/seeds.hpp"
#include "support/archive.hpp"
#include "support/craft.hpp"
#include "support/fixed_program.hpp"
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
#include "support/views.hpp"

namespace bdelta::fuzz {
namespace {

std::filesystem::path g_folder;

}  // namespace

void save(const std::string& target, const std::string& name, const Bytes& bytes) {
  static std::set<std::string> begun;
  if (begun.insert(target).second) std::filesystem::remove_all(g_folder / target);
  std::filesystem::create_directories(g_folder / target);
  test::put(g_folder / target / name, bytes);
}

namespace {

struct Pair {
  std::string name;
  Bytes source;
  Bytes target;
  Bytes patch;
};

Pair crafted(const char* name, const Bytes& source, const Bytes& target, test::Craft craft) {
  craft.window_bytes = 3000;
  return {name, source, target, test::craft_patch(source, target, test::covers_of(source, target), craft)};
}

// Patches with a record each of what windows leave out, or copy as something else.
void add_pairs_with_records(std::vector<Pair>& pairs) {
  const test::SignedPair programs = test::signed_pair(9000, 3);
  test::Craft cut;
  cut.fills = {programs.new_version.digests};
  pairs.push_back(crafted("signed", programs.old_version.bytes, programs.new_version.bytes, cut));
  const test::TarPair archives = test::tar_pair(5, 4);
  test::Craft sums;
  sums.fills = {archives.checksums()};
  pairs.push_back(crafted("header_sums", archives.old_version, archives.new_version, sums));
  test::PackageShape package;
  package.file_count = 8;
  const test::PackagePair packages = test::package_pair(package);
  test::Craft digests;
  digests.fills = {packages.changed};
  pairs.push_back(crafted("file_digests", packages.old_version, packages.new_version, digests));
  test::JarShape jar;
  jar.file_count = 8;
  const test::JarArchives jars = test::jar_archives(jar);
  test::Craft held;
  held.fills = jars.fills;
  pairs.push_back(crafted("jar_digests", jars.old_version, jars.new_version, held));
  test::ModuleShape shape;
  shape.module_count = 6;
  shape.type_count = 40;
  const test::ModulePair modules = test::module_pair(shape);
  WorkerPool pool(1);
  test::Craft moving;
  moving.moved_numbers = learn_moved_numbers(modules.old_version, modules.new_version, pool);
  pairs.push_back(crafted("moved_numbers", modules.old_version, modules.new_version, moving));
}

std::vector<Pair> native_pairs() {
  const Bytes source = test::wordy_bytes(1500, 1);
  using test::Edit;
  const Bytes target = test::edited(source, {{Edit::kInsert, 500, 90, 0, 2}, {Edit::kOverwrite, 900, 40, 0, 3},
                                             {Edit::kMove, 1200, 200, 300, 0}, {Edit::kDelete, 100, 60, 0, 0}});
  Bytes busy = source;
  for (std::size_t i = 0; i < busy.size(); i += 9) busy[i] = static_cast<std::uint8_t>(busy[i] + 1);
  std::vector<Pair> pairs;
  const auto add = [&](const char* name, const Bytes& to, CodecId codec, bool model, std::uint64_t window_bytes) {
    test::Craft craft;
    craft.codec = {codec, codec == CodecId::kStore ? 0 : 5, 0};
    craft.model = model;
    craft.window_bytes = window_bytes;
    craft.group_bytes = 3 * window_bytes;
    pairs.push_back({name, source, to, test::craft_patch(source, to, test::covers_of(source, to), craft)});
  };
  add("store", target, CodecId::kStore, false, 600);
  add("zstd", busy, CodecId::kZstd, false, 1 << 16);
  add("lzma", busy, CodecId::kLzma, false, 1 << 16);
  add("model", busy, CodecId::kLzma, true, 1 << 16);
  add("model_windows", target, CodecId::kStore, true, 300);
  test::Craft plain;
  Bytes moved(source.begin() + 500, source.end());
  append(moved, test::bytes_of("and an end of its own"));
  plain.outlines = {{{0, 1000, true, 500}, {1000, moved.size() - 1000, false, 0}}};
  pairs.push_back({"plain", source, moved, test::craft_patch(source, moved, {{500, 0, 1000}}, plain)});
  const test::ProgramPair programs = test::program_pair(11, 20);
  for (const int level : {3, 6}) {
    const std::string name = "predicted" + std::to_string(level);
    auto patch = test::make_patch(programs.old_version, programs.new_version, test::create_options(level));
    if (patch) pairs.push_back({name, programs.old_version, programs.new_version, *patch});
  }
  add_pairs_with_records(pairs);
  const test::RenumberedPair renumbered = test::renumbered_pair(120, 8, 5);
  for (const bool covers_apart : {false, true}) {
    test::Craft craft;
    craft.substitutions = renumbered.substitutions;
    craft.covers_apart = covers_apart;
    craft.window_bytes = 700;
    pairs.push_back({covers_apart ? "substitutions_covers" : "substitutions", renumbered.old_version, renumbered.new_version,
                     test::craft_patch(renumbered.old_version, renumbered.new_version,
                                       {{0, 0, renumbered.old_version.size()}}, craft)});
  }
  const test::SelfCopied self_copied = test::self_copied(3000, 1500, 6);
  test::Craft windows;
  windows.window_bytes = 700;
  pairs.push_back({"target_copies", self_copied.source, self_copied.target,
                   test::craft_patch(self_copied.source, self_copied.target, self_copied.covers, windows)});
  return pairs;
}

void save_groups(const Pair& pair) {
  std::size_t count = 0;
  for (const GroupPlace& group : find_groups(pair.patch)) {
    if (group.target_bytes > 65536 || count > 3) continue;
    Bytes input = {static_cast<std::uint8_t>(group.kind)};
    append_le(input, static_cast<std::uint16_t>(group.target_bytes - 1));
    append_le(input, std::uint16_t{0xffff});
    if (group.kind == GroupKind::kWhole) {
      input.push_back(1);
      append(input, Bytes{0, 0, 0, 255});
    }
    const ByteSpan body = ByteSpan(pair.patch).subspan(group.body_pos, group.body_bytes);
    append(input, body);
    std::size_t form_at = 0;
    while (form_at < body.size() && body[form_at] >= 0x80) ++form_at;
    const bool packed = form_at + 1 < body.size() && (body[form_at + 1] & native::kFormPacked) != 0;
    save(packed ? "group_packed" : "group_plain", pair.name + "-" + std::to_string(count++), input);
  }
}

void save_patch(const Pair& pair) {
  const auto source_bytes = static_cast<std::uint16_t>(pair.source.size());
  save("apply_native", pair.name, joined({number(source_bytes), pair.source, pair.patch}));
  save("members", pair.name, joined({Bytes{1}, number(source_bytes), pair.source, pair.patch}));
}

// Modelled bytes, in one lane and in two.
void save_modelled() {
  const Bytes source = test::wordy_bytes(3000, 7);
  Bytes target = source;
  for (std::size_t i = 9; i < target.size(); i += source[i] % 8u + 5) ++target[i];
  append(target, test::wordy_bytes(300, 8));
  for (const bool lanes : {false, true}) {
    test::Craft craft;
    craft.modelled_literals = craft.modelled_misses = true;
    craft.model = lanes;
    craft.lane_bytes = lanes ? 0 : 1 << 20;
    craft.window_bytes = lanes ? 400 : 4096;
    const std::string name = lanes ? "modelled_lanes" : "modelled";
    save_patch({name, source, target, test::craft_patch(source, target, {{0, 0, source.size()}}, craft)});
  }
}

// Windows with modelled bytes beside others that copy NEW.
void save_mixed() {
  const test::SelfCopied parts = test::partly_self_copied(1500, 4);
  test::Craft craft;
  craft.modelled_literals = craft.modelled_misses = true;
  craft.window_bytes = 800;
  save_patch({"mixed_windows", parts.source, parts.target, test::craft_patch(parts.source, parts.target, parts.covers, craft)});
}

// Of archives: of streams that are unpacked, with checksums of a tar that are filled in, of a program that is predicted.
void save_patches_of_archives() {
  const test::TarPair tars = test::tar_pair(4, 9);
  const test::ProgramPair programs = test::program_pair(11, 20);
  const auto zipped = [](const Bytes& program) { return test::zip_of({{"program", program}, {"text", test::wordy_bytes(500, 5)}}); };
  const std::pair<const char*, std::pair<Bytes, Bytes>> pairs[] = {
      {"view_tar", {test::gzip_of(tars.old_version), test::gzip_of(tars.new_version)}},
      {"view_program", {zipped(programs.old_version), zipped(programs.new_version)}}};
  for (const auto& [name, pair] : pairs) {
    const auto patch = test::make_patch(pair.first, pair.second, test::create_options(6));
    if (patch && test::has_feature(*patch, native::kFeatureView)) save_patch({name, pair.first, pair.second, *patch});
  }
}

void save_patches() {
  save_modelled();
  save_mixed();
  save_patches_of_archives();
  for (const Pair& pair : native_pairs()) {
    save_patch(pair);
    save_groups(pair);
    const ByteSpan head = ByteSpan(pair.patch).first(std::min<std::size_t>(pair.patch.size(), 80));
    save("native_header", pair.name + "-patch", Bytes(head.begin(), head.end()));
    save("native_header", pair.name + "-fields", Bytes(head.begin() + 7, head.end()));
  }
}

void save_bdt1() {
  const Bytes source = test::wordy_bytes(800, 6);
  using test::Edit;
  const Bytes target = test::edited(source, {{Edit::kInsert, 500, 90, 0, 2}, {Edit::kMove, 400, 70, 120, 0}});
  auto patch = test::make_patch(source, target, test::create_options(3, PatchFormat::kBdt1));
  if (patch) save("bdt1_reader", "edited", *patch);
  const std::vector<test::Bdt1Match> matches = {{0, 3, 10}, {-10, 0, 10}, {0, 0, 0}, {-5, 7, 5}};
  save("bdt1_reader", "matches", test::bdt1_patch(10, 40, matches, Bytes(12)));
  save("bdt1_reader", "many", test::bdt1_header(10, 10, 0xffffffff));
  save("bdt1_reader", "literal", test::bdt1_patch(0, 9, {}, test::bytes_of("all of it")));
}

void save_fills() {
  const FillRule headers{tar_checksums(FillEncoding::kSixNulSpace), 0, {{0, 11 * 512, 0}}};
  const FillRule moved{tar_checksums(FillEncoding::kSixSpaceNul), 0, {{700, 512, 0}, {1300, 1024, 0}}};
  const FillRule last{tar_checksums(FillEncoding::kSevenNul), 0, {{5000, 512, 0}}};
  const FillRule pages{kPageDigests, 12, {{512, 4096, 4608}, {7000, 9000, 16'100}}};
  const FillRule files{kListedDigests, 0, {{512, 4128, 20'000}, {5000, 700, 19'000}}};
  const FillRule listed{kPaddedDigests, 0, {{3000, 900, 1000}, {4000, 5000, 1200}}};
  const FillRule parts{kPaddedDigests, 0, {{990, 60, 500}, {1190, 60, 12'000}}};
  const std::pair<const char*, Fills> examples[] = {{"headers", {headers}}, {"moved", {moved, last}}, {"pages", {pages}},
                                                    {"files", {files}}, {"in_front", {listed, parts}}, {"all", {headers, pages, files}}};
  for (const auto& [name, fills] : examples) {
    const auto memory_bytes = static_cast<std::uint16_t>(std::max<std::uint64_t>(2000, held_bytes(fills)));
    const Bytes sizes = joined({number(std::uint32_t{20'043}), number(memory_bytes)});
    const Bytes start = joined({sizes, number(std::uint16_t{4500}), Bytes{3}});
    save("native_fills", name, joined({start, *native::open_record(native::encode_fills(fills))}));
  }
}

class JournalBytes final : public JournalOutput {
 public:
  Status write_at(std::uint64_t, ByteSpan bytes) override {
    append(bytes_, bytes);
    return {};
  }
  Status sync() override { return {}; }
  [[nodiscard]] const Bytes& bytes() const noexcept { return bytes_; }

 private:
  Bytes bytes_;
};

void save_journals() {
  JournalBytes whole;
  JournalWriter writer(whole);
  Bytes run{3};
  append(run, Bytes(5000, 7));
  if (!writer.begin(JournalKind::kBlocks) || !writer.add(1, run) || !add_owner(writer, {20'000, 21'000, Digest128{}}) ||
      !writer.mark(JournalMark::kCommit)) {
    std::abort();
  }
  save("journals", "bytes", joined({Bytes{0}, whole.bytes()}));
  Bytes owner = number(std::uint64_t{20'000});
  append(owner, number(std::uint64_t{3 * 4096 + 5}));
  append(owner, Bytes(16, 1));
  save("journals", "entries", joined({Bytes{1, 1, 6, 0, 3, 1, 2, 3, 4, 5, 2, 32, 0}, owner, Bytes{240, 0, 0, 241, 0, 0}}));
}

void save_tables() {
  PredictionPlan plan;
  plan.kinds = 0x1ffffff;
  plan.images = test::wordy_bytes(300, 1);
  plan.labels = test::wordy_bytes(200, 2);
  for (const CodecId codec : {CodecId::kStore, CodecId::kZstd, CodecId::kLzma}) {
    const auto record = native::encode_global(plan, {codec, 5, 0});
    if (!record) continue;
    const Bytes start = joined({number(std::uint16_t{0xffff}), Bytes{static_cast<std::uint8_t>(codec)}});
    save("native_global", codec_name(codec), joined({start, *native::open_record(*record)}));
  }
  for (std::size_t i = 0; i < kProgramCount; ++i) {
    const exe::Images source(exe::find_images(sound_program(i)));
    Bytes table;
    exe::append_image_table(table, source, exe::Images(exe::find_images(sound_program((i + 1) % kProgramCount))));
    const Bytes start = joined({Bytes{static_cast<std::uint8_t>(i), 0}, number(std::uint16_t{0xffff})});
    save("image_table", "program" + std::to_string(i), joined({start, table}));
    save("image_table", "same" + std::to_string(i), joined({start, Bytes{0, 0, 0}}));
  }
  Bytes breaks;
  exe::append_page_breaks(breaks, std::vector<exe::PageBreaks>{{0, {{0x1000, true}, {0x2000, false}}}, {3, {{0, false}}}});
  save("image_table", "page_breaks", joined({Bytes{0, 0}, number(std::uint16_t{0xffff}), breaks}));
  Bytes labels;
  constexpr std::uint64_t kLast = ~std::uint64_t{0};
  exe::append_labels(labels, std::vector<exe::Label>{
      {0x1000, 0x1010, 0}, {0x2000, 0x1ff0, 0}, {0x10, kLast, 2}, {kLast, 0, 2}});
  save("label_code", "three_images", joined({Bytes{3}, number(std::uint16_t{100}), labels}));
  save("label_code", "none", Bytes{0, 0, 0, 0});
}

void save_codecs() {
  const Bytes text = test::wordy_bytes(900, 4);
  for (const CodecId codec : {CodecId::kStore, CodecId::kZstd, CodecId::kLzma}) {
    const auto option = static_cast<std::uint8_t>(static_cast<unsigned>(codec) << 1);
    save("codec_streams", std::string("encode_") + codec_name(codec),
         joined({Bytes{static_cast<std::uint8_t>(option | 1), 3, 0, 3, 0}, number(std::uint16_t{300}), text}));
    const auto encoder = make_encoder({codec, 3, 0, 16}, text.size());
    Bytes frames = {option, 4};
    for (std::size_t pos = 0; pos < text.size(); pos += 300) {
      Bytes coded;
      if (!encoder || !(*encoder)->encode(ByteSpan(text).subspan(pos, 300), pos + 300 >= text.size(), coded)) break;
      append_le(frames, static_cast<std::uint16_t>(coded.size()));
      append_le(frames, std::uint16_t{299});
      append(frames, coded);
    }
    save("codec_streams", std::string("decode_") + codec_name(codec), frames);
  }
}

}  // namespace
}  // namespace bdelta::fuzz

int main(int argc, char** argv) {
  if (argc != 2) {
    std::puts("usage: make_seeds FOLDER");
    return 1;
  }
  using namespace bdelta::fuzz;
  g_folder = argv[1];
  save_programs();
  save_code();
  save_patches();
  save_bdt1();
  save_fills();
  save_journals();
  save_trees();
  save_members();
  save_tables();
  save_codecs();
  save_deflate();
  save_views();
  save_structured();
  save_calls();
  return 0;
}
