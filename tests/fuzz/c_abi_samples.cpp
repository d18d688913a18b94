// The pairs and patches of c_abi_calls.
#include "bdelta/create.hpp"
#include "create/level.hpp"
#include "create/group_outline.hpp"
#include "format/native/writer.hpp"
#include "fuzz/c_abi_ends.hpp"
#include "hash/sha256.hpp"
#include "io/memory_io.hpp"
#include "match/matcher.hpp"
#include "support/generate.hpp"
#include "support/memory_writer.hpp"
#include "support/program_pair.hpp"

namespace bdelta::fuzz {
namespace {

Bytes made_by_create(const Sample& pair, int level, PatchFormat format, bool listed) {
  CreateOptions options;
  options.level = level;
  options.format = format;
  options.group_digests = listed;
  io::MemoryReader source(pair.source);
  io::MemoryReader target(pair.target);
  Bytes patch;
  test::MemoryWriter writer(patch);
  require(static_cast<bool>(create(source, target, writer, options)), "a sample's patch can be made");
  return patch;
}

// With windows and groups so small that there are several.
Bytes made_of_groups(const Sample& pair) {
  constexpr std::uint64_t kWindowBytes = 300;
  constexpr std::uint64_t kGroupBytes = 700;
  WorkerPool pool(1);
  io::Spool body;
  const CodecSettings codec{CodecId::kZstd, 3, 0};
  native::Writer writer({codec, codec, codec, true, 256 * 1024}, body, pool);
  const Covers covers = find_covers(pair.source, pair.target, level_settings(3).match, pool);
  std::vector<GroupDraft> drafts;
  for (const GroupOutline& plan :
       outline_groups(pair.source, pair.target, {0, pair.target.size()}, covers, kGroupBytes, pool)) {
    drafts.push_back(encode_group(pair.source, pair.target, covers, plan, kWindowBytes));
  }
  native::Header header;
  header.source_size = pair.source.size();
  header.target_size = pair.target.size();
  header.source_digest = xxh3_128(pair.source);
  header.target_digest = xxh3_128(pair.target);
  require(writer.add_groups(drafts) && writer.finish(), "a sample's groups can be written");
  writer.declare(header);
  Bytes patch = native::encode_header(header);
  Bytes rest(static_cast<std::size_t>(body.size()));
  require(static_cast<bool>(body.read_at(0, rest)), "a sample's groups can be read");
  append(patch, rest);
  return patch;
}

struct Whole {
  ByteSpan bytes;
};

std::int32_t read_whole(void* user, void* out, std::size_t size, std::size_t* count) {
  ByteSpan& rest = static_cast<Whole*>(user)->bytes;
  *count = std::min(size, rest.size());
  if (*count > 0) std::memcpy(out, rest.data(), *count);
  rest = rest.subspan(*count);
  return BDELTA_OK;
}

Sample described(Sample sample) {
  sample.sha256 = sha256(sample.patch);
  Whole whole{sample.patch};
  bdelta_input input{};
  input.struct_size = sizeof input;
  input.read = read_whole;
  input.user = &whole;
  sample.info.struct_size = sizeof sample.info;
  require(bdelta_info_stream(&input, &sample.info, nullptr) == BDELTA_OK, "a sample's patch can be described");
  return sample;
}

std::vector<Sample> make_samples() {
  using test::Edit;
  Sample words;
  words.source = test::wordy_bytes(2400, 1);
  words.target = test::edited(words.source, {{Edit::kInsert, 500, 90, 0, 2}, {Edit::kOverwrite, 900, 40, 0, 3},
                                             {Edit::kMove, 1200, 200, 300, 0}, {Edit::kDelete, 100, 60, 0, 0}});
  test::ProgramPair pair = test::program_pair(11, 20);
  Sample program;
  program.source = std::move(pair.old_version);
  program.target = std::move(pair.new_version);
  std::vector<Sample> all;
  const auto add = [&](const Sample& of, Bytes patch) {
    Sample sample = of;
    sample.patch = std::move(patch);
    all.push_back(described(std::move(sample)));
  };
  add(words, made_of_groups(words));
  add(words, made_by_create(words, 3, PatchFormat::kBdt2, true));
  add(words, made_by_create(words, 3, PatchFormat::kBdt1, false));
  add(program, made_by_create(program, 3, PatchFormat::kBdt2, true));
  add(words, made_by_create(words, kUltraLevel, PatchFormat::kBdt2, false));
  return all;
}

}  // namespace

const std::vector<Sample>& samples() {
  static const std::vector<Sample> made = make_samples();
  return made;
}

}  // namespace bdelta::fuzz
