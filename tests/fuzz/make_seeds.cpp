// make_seeds FOLDER: writes the seeds of all fuzz targets in place of those there, from generated data alone. Run again, by
// the target `fuzz_seeds`, when an input's shape or the patch format changes.
#include <cstdio>
#include <filesystem>
#include <set>
#include <string>

#include "create/number_pass.hpp"
#include "create/unpack_streams.hpp"
#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/labels.hpp"
#include "exe/page_breaks.hpp"
#include "format/native/fill_record.hpp"
#include "format/native/envelope.hpp"
#include "format/native/global_record.hpp"
#include "fuzz/patch_fixer.hpp"
#include "fuzz/program_input.hpp"
#include "support/archive.hpp"
#include "support/craft.hpp"
#include "support/exe_craft_more.hpp"
#include "support/fixed_program.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/kernel_modules.hpp"
#include "support/pe_program.hpp"
#include "support/sorted_program.hpp"
#include "support/program_pair.hpp"
#include "support/rebased_program.hpp"
#include "support/renumbered.hpp"
#include "support/repeated.hpp"
#include "support/signed_program.hpp"
#include "support/package.hpp"
#include "support/tar.hpp"
#include "support/views.hpp"

namespace bdelta::fuzz {
namespace {

std::filesystem::path g_folder;

void save(const std::string& target, const std::string& name, const Bytes& bytes) {
  static std::set<std::string> begun;
  if (begun.insert(target).second) std::filesystem::remove_all(g_folder / target);
  std::filesystem::create_directories(g_folder / target);
  test::put(g_folder / target / name, bytes);
}

Bytes joined(std::initializer_list<ByteSpan> parts) {
  Bytes bytes;
  for (const ByteSpan part : parts) append(bytes, part);
  return bytes;
}

template <class T>
Bytes number(T value) {
  Bytes bytes;
  append_le(bytes, value);
  return bytes;
}

// --- programs and code ---

void save_programs() {
  save("exe_elf", "sections", test::craft_elf());
  save("exe_elf", "segments", test::craft_elf_without_sections());
  save("exe_elf", "i386", test::craft_elf32());
  save("exe_elf", "module", test::module_pair({1, 1, 60}).old_version);
  save("exe_elf", "module_32", test::module_pair({1, 2, 60, false, false}).old_version);
  save("exe_elf", "go", test::craft_go());
  save("exe_elf", "go_64", test::craft_go_program(true));
  save("exe_elf", "go_32", test::craft_go_program(false));
  save("exe_elf", "go_127", test::craft_go_program(true, test::GoVersion::k127));
  save("exe_elf", "arm32", test::craft_arm32());
  save("exe_elf", "linked", test::program_pair(11, 8).old_version);
  save("exe_elf", "with_pe", sound_program(9));
  save("exe_elf", "fixed", test::fixed_program({1, 2, 3, 4}).bytes);
  save("exe_pe", "sections", test::craft_pe());
  save("exe_pe", "exceptions", test::pe_program({2, 3}, false).bytes);
  save("exe_pe", "exceptions_arm64", test::pe_program({2, 3, 4}, true).bytes);
  for (const test::SortedShape shape : test::kSortedShapes) {
    const char* const target = shape <= test::SortedShape::kPeArm64    ? "exe_pe"
                               : shape <= test::SortedShape::kElfArm32 ? "exe_elf"
                                                                       : "exe_macho";
    save(target, "sorted" + std::to_string(static_cast<int>(shape)),
         test::sorted_program({1, 2, 3, 4, 5, 6}, shape).bytes);
  }
  save("exe_macho", "thin", test::craft_macho());
  save("exe_macho", "exports", test::craft_macho_exports());
  save("exe_macho", "rebases", test::rebased_program({1, 2, 3}).bytes);
  Bytes two = test::craft_macho();
  append(two, test::craft_macho());
  save("exe_macho", "two", two);
  Bytes universal = {0xca, 0xfe, 0xba, 0xbe, 0, 0, 0, 2};
  universal.resize(64);
  append(universal, two);
  save("exe_macho", "universal", universal);
  save("exe_toy", "toy", test::craft_toy());
  save("exe_toy", "empty", test::bytes_of("~toy-image\ncode 1000 0\nend\n"));
  save("exe_toy", "overlapping", test::bytes_of("~toy-image\ncode 1000 10\ndata 1008 8\nunbacked ffffffffffffffff 2\n"
                                                "end\n012345678901234567890123456789"));
}

void save_code() {
  const Bytes linked = test::program_pair(11, 12).old_version;
  const ByteSpan code = ByteSpan(linked).subspan(0x100, 400);
  const Bytes far = joined({Bytes{0}, number(std::uint64_t{0x400000}), Bytes{38}});
  const Bytes wrapping = joined({Bytes{0}, number(~std::uint64_t{0xfff}), Bytes{20}});
  for (const auto& [name, start] : {std::pair{"linked", far}, {"at_the_end", wrapping}}) {
    save("isa_x86_64", name, joined({start, code}));
  }
  save("isa_x86_64", "any", joined({far, test::random_bytes(300, 1)}));
  save("isa_x86_64", "across_blocks", joined({Bytes{0x80}, number(std::uint64_t{0x400000}), Bytes{38}, code}));
  const Bytes low = joined({Bytes{0}, number(std::uint32_t{0x8048000}), Bytes{31}});
  save("isa_x86_32", "linked", joined({low, code}));
  save("isa_x86_32", "any", joined({low, test::random_bytes(300, 2)}));
  Bytes arm;
  // bl, b.ne, cbz, tbz, adr; adrp with add, ldr and str behind it; ldr of a literal
  for (const std::uint32_t word :
       {0x94000010u, 0x54000041u, 0xb4000060u, 0x36000080u, 0x10000100u, 0xb0000001u, 0x91010021u, 0xb0000002u,
        0xf9400443u, 0xb0000003u, 0xb9000864u, 0x58000120u, 0x17fffff0u}) {
    append_le(arm, word);
  }
  save("isa_arm64", "references", joined({far, arm}));
  Bytes last_page;  // adrp of its own page, with an add behind it
  for (const std::uint32_t word : {0x90000001u, 0x91002021u}) append_le(last_page, word);
  save("isa_arm64", "at_the_end", joined({wrapping, last_page}));
  save("isa_arm64", "any", joined({far, test::random_bytes(400, 3)}));
  Bytes arm32;
  // ldr of a literal, add of it to pc, bl, b, b.ne, blx, ldr of a literal that pc is added to, ldr of one as such
  for (const std::uint32_t word : {0xe59f2018u, 0xe08f2002u, 0xeb000001u, 0xea000002u, 0x1afffffeu, 0xfa000000u,
                                   0xe59f3004u, 0xe79f3003u, 0x00000010u, 0xfffffff0u, 0xe51f1008u, 0x08048010u}) {
    append_le(arm32, word);
  }
  Bytes thumb;
  // ldr of a literal, add of pc, bl, blx, beq, b, short branches, a long ldr and its add, nop, literals
  for (const unsigned half : {0x4a05u, 0x447au, 0xf000u, 0xf802u, 0xf000u, 0xe802u, 0xf000u, 0x8002u, 0xf000u, 0xb802u, 0xe7feu,
                              0xe001u, 0xf8dfu, 0xa004u, 0x44fau, 0xbf00u, 0x0010u, 0x0000u, 0xf000u, 0xf802u}) {
    append_le(thumb, static_cast<std::uint16_t>(half));
  }
  save("isa_arm32", "thumb", joined({low, thumb, thumb}));
  save("isa_arm32", "mixed", joined({Bytes{0x80}, number(std::uint32_t{0x8048000}), Bytes{31}, thumb, arm32}));
  save("isa_arm32", "references", joined({low, arm32}));
  save("isa_arm32", "any", joined({low, test::random_bytes(400, 4)}));
  save("isa_arm32", "across_blocks", joined({Bytes{0x80}, number(std::uint32_t{0x8048000}), Bytes{31}, arm32, arm32}));
  save("isa_arm64", "across_blocks", joined({Bytes{0x80}, number(std::uint64_t{0x400000}), Bytes{38}, arm, arm}));
}

// --- patches ---

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
  plain.plans = {{{0, 1000, true, 500}, {1000, moved.size() - 1000, false, 0}}};
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
    test::Craft words;
    words.words = renumbered.words;
    words.covers_apart = covers_apart;
    words.window_bytes = 700;
    pairs.push_back({covers_apart ? "words_covers" : "words", renumbered.old_version, renumbered.new_version,
                     test::craft_patch(renumbered.old_version, renumbered.new_version,
                                       {{0, 0, renumbered.old_version.size()}}, words)});
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
}

// Coded contents, in one lane and in two.
void save_contents() {
  const Bytes source = test::wordy_bytes(3000, 7);
  Bytes target = source;
  for (std::size_t i = 9; i < target.size(); i += source[i] % 8u + 5) ++target[i];
  append(target, test::wordy_bytes(300, 8));
  for (const bool lanes : {false, true}) {
    test::Craft craft;
    craft.coded_literals = craft.coded_misses = true;
    craft.model = lanes;
    craft.lane_bytes = lanes ? 0 : 1 << 20;
    craft.window_bytes = lanes ? 400 : 4096;
    const std::string name = lanes ? "contents_lanes" : "contents";
    save_patch({name, source, target, test::craft_patch(source, target, {{0, 0, source.size()}}, craft)});
  }
}

void save_patches() {
  save_contents();
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
  const std::pair<const char*, Fills> examples[] = {{"headers", {headers}}, {"moved", {moved, last}}, {"pages", {pages}},
                                                    {"files", {files}}, {"all", {headers, pages, files}}};
  for (const auto& [name, fills] : examples) {
    const Bytes sizes = joined({number(std::uint32_t{20'043}), number(std::uint16_t{2000})});
    const Bytes start = joined({sizes, number(std::uint16_t{4500}), Bytes{3}});
    save("native_fills", name, joined({start, *native::open_record(native::encode_fills(fills))}));
  }
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

void save_deflate() {
  for (std::uint64_t seed = 0; seed < 6; ++seed) {
    const Bytes packed = test::odd_stream(seed, 40);
    save("deflate_streams", "stream" + std::to_string(seed), joined({Bytes{0}, packed}));
    deflate::Analyser analyser;
    const auto analysis = analyser.analyse(packed);
    if (!analysis) continue;
    deflate::RecipeWriter writer;
    if (!writer.add(analysis->recipe, analysis->sizes())) continue;
    const ByteSpan raw = analysis->stream.raw();
    save("deflate_streams", "recipe" + std::to_string(seed),
         joined({Bytes{1}, number(static_cast<std::uint16_t>(packed.size())), number(static_cast<std::uint16_t>(raw.size())), raw,
                 writer.finish()}));
  }
}

// Of an archive that has nothing but streams that are unpacked.
Bytes view_of(const Bytes& file) {
  Bytes made;
  std::size_t end = 0;
  for (const view::FoundStream& stream : find_streams(file, 1 << 20)) {
    const auto pos = static_cast<std::size_t>(stream.file_pos);
    append(made, ByteSpan(file).subspan(end, pos - end));
    if (const auto inflated = test::zlib_inflate(ByteSpan(file).subspan(pos))) append(made, inflated->raw);
    end = pos + static_cast<std::size_t>(stream.packed_bytes);
  }
  append(made, ByteSpan(file).subspan(end));
  return made;
}

void save_views() {
  const std::vector<test::ZipMember> members = {{"one", test::wordy_bytes(400, 1)}, {"two", test::wordy_bytes(300, 2), 0},
                                                {"three", test::wordy_bytes(500, 3), 9, true, false, false, "a comment"}};
  std::vector<test::ZipMember> large = members;
  for (test::ZipMember& member : large) member.zip64 = true;
  const Bytes zipped = test::zip_of(members);
  save("views", "zip", joined({Bytes{0}, zipped}));
  save("views", "zip64", joined({Bytes{0}, test::zip_of(large, {test::random_bytes(50, 1), "end", true, true})}));
  const Bytes text = test::wordy_bytes(500, 4);
  const Bytes gzipped = test::gzip_of(text, 6, {"name", "comment", Bytes(9), true});
  save("views", "gzip", joined({Bytes{1}, gzipped, test::gzip_of(text)}));
  std::vector<test::ZipMember> next = members;
  next[0].content[7] ^= 1;
  next[2].content[9] ^= 1;
  Bytes next_text = text;
  next_text[3] ^= 1;
  const std::pair<const char*, std::pair<Bytes, Bytes>> pairs[] = {
      {"record_zip", {zipped, test::zip_of(next)}}, {"record_gzip", {gzipped, test::gzip_of(next_text)}}, {"record_new", {text, gzipped}}};
  for (const auto& [name, pair] : pairs) {
    const auto patch = test::make_patch(pair.first, pair.second, test::create_options(3));
    if (!patch || !test::has_feature(*patch, native::kFeatureView)) continue;
    const auto record = native::encode_view(test::view_plan_of(*patch), {CodecId::kStore, 0, 0});
    if (!record) continue;
    const Bytes target_view = view_of(pair.second);
    const auto size = [](const Bytes& bytes) { return number(static_cast<std::uint16_t>(bytes.size())); };
    save("views", name, joined({Bytes{2}, size(pair.second), number(std::uint16_t{0xffff}), Bytes{50}, size(target_view), target_view,
                                size(pair.first), pair.first, *native::open_record(*record)}));
  }
}

// --- structured inputs: the shapes are those of the targets ---

void save_structured() {
  for (std::uint8_t program = 0; program < kProgramCount; ++program) {
    Bytes covers = {3};
    for (const unsigned at : {0x100u, 0x200u, 0x80u, 0x300u}) {
      append(covers, joined({Bytes{16}, number(static_cast<std::uint16_t>(at)), number(std::uint16_t{0x1f0})}));
    }
    const Bytes labels = {2, 0, 0x10, 0, 0, 0x20, 0, 0, 0x40, 0, 0, 0x90, 0};
    const auto save_predicted = [&](const char* name, std::uint8_t options, const Bytes& images) {
      save("apply_predicted", name + std::to_string(program),
           joined({Bytes{program, 0, options}, number(std::uint32_t{0x1ffffff}), covers, Bytes{5}, images, labels,
                   Bytes{7, 1, 80, 160}}));
    };
    // How images are told, which are chosen, page breaks with tables, the program that NEW's images are of.
    save_predicted("program", program, {0, 1, program, 0});
    if (program >= kFirstSorted) {
      save_predicted("tables", 32, {0, 1, 0, program, 0});
      save_predicted("page_breaks", 32, {0, 1, 3, 0x00, 0x10, 0x01, 0x04, 0x80, 0x01, program, 0});
    }
    const auto other = static_cast<std::uint8_t>(program == 0 ? 1 : program);
    save("round_trip_program", "program" + std::to_string(program),
         Bytes{static_cast<std::uint8_t>(program + 189), program, 0, other, 2, 0x82, 0x40, 1, 1, 2, 3, 4, 0x01, 20, 0,
               5, 6, 2, 0, 0, 2, 40, 0x30, 0, 3, 0x80, 1, 60, 0x10, 1});
  }
  for (std::uint8_t level = 0; level < 9; ++level) {
    save("round_trip", "level" + std::to_string(level + 1),
         joined({Bytes{level, 4, 1, 0, 2, 2, 0, 8, 3, 0, 1, 0, 16, 0}, test::bytes_of("sixteen of these"),
                 Bytes{5, 0, 100, 0, 90, 0, 0, 0, 1, 2, 0, 2, 0, 1, 0, 0, 2, 3, 0, 3, 0, 2, 200, 0, 4,
                       4, 1, 0, 1, 9, 9, 9, 5, 3, 3, 40, 0, 0, 0, 0},
                 test::wordy_bytes(200, level)}));
  }
  save("round_trip", "bdt1", joined({Bytes{250, 1, 2, 0, 16, 2, 0, 0, 1, 50, 0, 0, 0, 5, 3, 0, 2, 100, 0, 0, 0, 0}}));
}

// --- programs of calls of the C interface ---

// A program is such parts one behind the other; the numbers are those of c_abi_calls.cpp.
struct Calls {
  static constexpr std::uint8_t kPlain = 0;   // ends, arguments or options as they should be
  static constexpr std::uint8_t kAll = 0x80;  // feeds what is left

  Bytes bytes;

  Calls& raw(std::initializer_list<std::uint8_t> call) {
    bytes.insert(bytes.end(), call);
    return *this;
  }
  // A struct that is filled, or an error, of the right size.
  Calls& out() { return raw({0, 0}); }
  Calls& apply(std::uint8_t sample) { return raw({1, sample, kPlain, kPlain, kPlain}).out().out(); }
  Calls& check(std::uint8_t sample) { return raw({3, sample, kPlain, kPlain, kPlain}).out().out(); }
  Calls& info(std::uint8_t sample) { return raw({4, sample, kPlain, kPlain}).out().out(); }
  Calls& open(std::uint8_t sample) { return raw({5, sample, kPlain, kPlain, kPlain}).out(); }
  Calls& feed(std::uint8_t how) { return raw({12, how}).out(); }
  Calls& finish() { return raw({7}).out().out(); }
  Calls& close() { return raw({8}); }
  Calls& create(std::uint8_t sample, std::uint8_t how) {
    return raw({11, sample, kPlain, kPlain, how}).out().out();
  }
};

void save_calls() {
  for (std::uint8_t sample = 0; sample < 5; ++sample) {
    const std::string name = "sample" + std::to_string(sample);
    save("c_abi_calls", name + "-whole", Calls().info(sample).check(sample).apply(sample).bytes);
    Calls pieces;
    pieces.open(sample).feed(7).feed(1).feed(60).feed(0x41).raw({200, 0}).feed(Calls::kAll).finish();
    save("c_abi_calls", name + "-pieces", pieces.feed(1).finish().close().finish().bytes);
  }
  save("c_abi_calls", "create", Calls().create(0, 1).create(3, 3).bytes);
  // An altered OLD and an altered patch, callbacks that fail or ask for an end, limits, digests, structs of other ages.
  save("c_abi_calls", "altered",
       Calls().raw({1, 0, 1, 0, 5, 0, 0, 0}).out().out().raw({1, 1, 4, 0, 50, 0, 0, 0}).out().out().bytes);
  save("c_abi_calls", "failing",
       Calls().raw({1, 0, 2, 3, 1, 0, 0}).out().out().raw({2, 1, 0x18, 9, 2, 0, 0, 0}).out().out()
           .raw({1, 4, 0xa0, 1, 1, 0, 0}).out().out().raw({3, 3, 0x40, 1, 3, 9, 4, 0, 0}).out().out().bytes);
  save("c_abi_calls", "limits",
       Calls().raw({1, 0, 0, 0, 7, 12, 16, 9, 0, 2}).out().out().raw({5, 1, 0, 0, 9, 12, 1}).out()
           .feed(Calls::kAll).finish().raw({5, 1, 0, 0, 8, 1}).out().feed(Calls::kAll).finish().bytes);
  save("c_abi_calls", "allocator",
       Calls().raw({5, 0, 0x40, 9, 0, 2, 0, 0, 0x40, 0}).out().feed(9).feed(60).feed(60).feed(Calls::kAll).finish()
           .bytes);
  save("c_abi_calls", "sizes",
       Calls().raw({1, 0, 0, 0, 0x80, 0x26, 0, 0x41, 0, 0x23}).raw({4, 0, 0, 0, 0, 0x22, 0, 0x62}).bytes);
  save("c_abi_calls", "others", Calls().raw({0, 1, 2, 0, 0, 3, 9, 1, 0, 3, 0}).out().raw({10, 0, 0}).out().bytes);
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
  save_tables();
  save_codecs();
  save_deflate();
  save_views();
  save_structured();
  save_calls();
  return 0;
}
