// Seeds of archives, of the deflate streams in them, and of directories.
#include <string>

#include "create/view_parts.hpp"
#include "deflate/round_trip.hpp"
#include "deflate/zlib_stream.hpp"
#include "format/native/envelope.hpp"
#include "format/native/tree_record.hpp"
#include "fuzz/seeds.hpp"
#include "support/archive.hpp"
#include "support/fixed_program.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/own_deflate.hpp"
#include "support/tar.hpp"
#include "support/views.hpp"
#include "view/deflate/guesses.hpp"
#include "view/member_fields.hpp"
#include "view/zip_entries.hpp"

namespace bdelta::fuzz {
namespace {

deflate::Parameters parameters_of_seed(unsigned seed) {
  if (seed < 9) return deflate::go_parameters(3 * (seed - 6));
  deflate::Parameters parameters = deflate::two_hash_parameters(5 + seed % 2);
  parameters.block_end = static_cast<deflate::BlockEnd>(seed - 9);
  return parameters;
}

std::vector<view::FoundStream> streams_of(const Bytes& file) {
  return find_parts(file, {whole_part(file.size())}, {false, false, 1 << 20}).streams;
}

// Of an archive all of whose streams are unpacked.
Bytes view_of(const Bytes& file) {
  Bytes made;
  std::size_t end = 0;
  view::GapTeller gaps;
  for (const view::FoundStream& stream : streams_of(file)) {
    const auto pos = static_cast<std::size_t>(stream.file_pos);
    const view::MemberFields fields{{}, stream.packed_bytes, stream.raw_bytes};
    (void)gaps.add(ByteSpan(file).subspan(end, pos - end), &fields, made);
    if (const auto inflated = test::zlib_inflate(ByteSpan(file).subspan(pos))) append(made, inflated->raw);
    end = pos + static_cast<std::size_t>(stream.packed_bytes);
  }
  view::PackedStreams streams;
  for (const view::FoundStream& stream : streams_of(file)) streams.push_back({stream.file_pos, stream.packed_bytes, 0});
  const ByteSpan all(file);
  if (const auto directory = view::find_zip_directory(file)) {
    const auto pos = static_cast<std::size_t>(directory->file_pos);
    (void)gaps.add(all.subspan(end, pos - end), nullptr, made);
    view::FileWindow window(all);
    if (const auto told = view::describe_directory(window, streams, *directory)) append(made, *told);
    end = static_cast<std::size_t>(directory->file_end());
  }
  append(made, all.subspan(end));
  return made;
}

}  // namespace

void save_members() {
  const Bytes words = test::wordy_bytes(300, 1);
  const Bytes tar = test::tar_of({{"a", 1, words}, {"b", 2, test::bytes_of("b")}});
  const Bytes gzip = test::gzip_of(tar);
  constexpr std::uint8_t kHeadBytes = 10;
  save("members", "tar", joined({Bytes{0, 0}, tar}));
  const auto raw_bytes = static_cast<std::uint16_t>(tar.size());
  save("members", "gzip", joined({Bytes{0, 5, 1, kHeadBytes}, number(raw_bytes), Bytes{99}, ByteSpan(gzip).first(kHeadBytes), tar,
                                  ByteSpan(gzip).last(8)}));
  save("members", "packed", joined({Bytes{0, 0}, gzip}));
  save("members", "zip", joined({Bytes{0, 0}, test::zip_of({{.name = "x/y", .content = words}, {.name = "z", .content = tar, .level = 0}})}));
  save("members", "program", joined({Bytes{0, 0}, test::fixed_program({1, 2, 3}).bytes}));
}

void save_trees() {
  Bytes manifest;
  for (const view::TreeEntry& entry : std::initializer_list<view::TreeEntry>{{view::EntryKind::kDirectory, "a", 0, {}},
                                                                             {view::EntryKind::kFile, "a-b", 300, {}},
                                                                             {view::EntryKind::kFile, "a/b", 0, {}},
                                                                             {view::EntryKind::kLink, "a/l", 0, "../a-b"}}) {
    view::append_entry(manifest, entry);
  }
  save("trees", "manifest", joined({Bytes{1, 0, 4, 0x80, 1, 2, 3}, manifest}));
  save("trees", "windows", joined({Bytes{1, 1, 0}, manifest}));
  view::TreePlan plan;
  plan.made_bytes = 500;
  plan.manifest_bytes = manifest.size();
  plan.entry_count = 4;
  plan.files = {1, 2, 3, 4};
  plan.excluded = {"*.log", "/cache"};
  plan.code = {1, 2, 3};
  const Bytes limits = joined({Bytes{0}, number(std::uint32_t{1000}), number(std::uint32_t{1} << 24)});
  save("trees", "record", joined({limits, *native::open_record(*native::encode_tree(plan, {}))}));
  plan.has_times = true;
  plan.times = {2, 4, 6};
  plan.source_list = manifest;
  save("trees", "lists", joined({limits, *native::open_record(*native::encode_tree(plan, {}))}));
}

void save_deflate() {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const auto kind = static_cast<deflate::JointKind>(seed < 9 ? 0 : seed - 9);
    const Bytes packed = seed < 6 ? test::odd_stream(seed, 40)
                                  : test::own_deflate(test::wordy_bytes(700, seed), parameters_of_seed(static_cast<unsigned>(seed)),
                                                      {{300, kind, deflate::JointMarker::kStored}});
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
  const Bytes image = test::png_of(test::zlib_of(test::wordy_bytes(900, 5)), 100);
  save("views", "image", joined({Bytes{4}, image}));
  const Bytes nested = joined({test::bytes_of("%PDF"), test::zlib_of(text), image, gzipped});
  save("views", "anything", joined({Bytes{3}, nested}));
  save("views", "nested", joined({Bytes{3}, test::zip_of({{"inner", zipped, 0}, {"document", nested, 0}, {"packed", zipped}})}));
  Bytes next_nested = joined({test::bytes_of("%PDF"), test::zlib_of(test::wordy_bytes(400, 9)), test::png_of(test::zlib_of(test::wordy_bytes(800, 5)), 100)});
  std::vector<test::ZipMember> next = members;
  next[0].content[7] ^= 1;
  next[2].content[9] ^= 1;
  Bytes next_text = text;
  next_text[3] ^= 1;
  std::vector<test::ZipMember> copied = {{"one", test::wordy_bytes(3000, 1)}, {"two", test::wordy_bytes(300, 2)}};
  const Bytes kept = test::zip_of(copied);
  copied.push_back({"copy", joined({test::bytes_of("changed"), copied[0].content})});
  const std::pair<const char*, std::pair<Bytes, Bytes>> pairs[] = {
      {"record_kept", {kept, test::zip_of(copied)}}, {"record_zip", {zipped, test::zip_of(next)}}, {"record_gzip", {gzipped, test::gzip_of(next_text)}}, {"record_new", {text, gzipped}},
      {"record_nested", {nested, next_nested}}};
  for (const auto& [name, pair] : pairs) {
    const auto patch = test::make_patch(pair.first, pair.second, test::create_options(3));
    if (!patch || !test::has_feature(*patch, native::kFeatureView)) continue;
    const auto record = native::encode_view(test::view_plans_of(*patch), {CodecId::kStore, 0, 0});
    if (!record) continue;
    const Bytes target_view = view_of(pair.second);
    const auto size = [](const Bytes& bytes) { return number(static_cast<std::uint16_t>(bytes.size())); };
    save("views", name, joined({Bytes{2}, size(pair.second), number(std::uint16_t{0xffff}), Bytes{50}, size(target_view), target_view,
                                size(pair.first), pair.first, *native::open_record(*record)}));
  }
}

}  // namespace bdelta::fuzz
