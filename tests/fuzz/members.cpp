// What is told of where the bytes of a patch go: members of any bytes, and shares of a hostile patch with OLD and without.
// Searches for reads beyond the file, for lists that contradict themselves, and for shares that do not add up.
#include "apply/apply_run.hpp"
#include "base/guard.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/patch_fixer.hpp"
#include "inspect/member_bytes.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

// Streams that are unpacked, one behind the other, as far as the bytes reach.
view::PackedStreams some_streams(Input& input, std::uint64_t view_bytes) {
  view::PackedStreams streams;
  std::uint64_t file_pos = 0, view_pos = 0;
  for (unsigned left = input.u8() % 4; left > 0; --left) {
    view::PackedStream stream;
    const std::uint64_t gap = input.u8();
    stream.raw_bytes = input.u16();
    stream.packed_bytes = input.u8() + 1u;
    if (view_pos + gap + stream.raw_bytes > view_bytes) break;
    stream.file_pos = file_pos + gap;
    file_pos = stream.file_end();
    view_pos += gap + stream.raw_bytes;
    streams.push_back(stream);
  }
  return streams;
}

void try_list(Input& input) {
  const std::size_t head_bytes = input.u8();
  const ByteSpan head_span = input.bytes(head_bytes);
  Input head(head_span.data(), head_span.size());
  const test::GuardedBytes file(input.rest());
  const std::vector<view::PackedStreams> streams{some_streams(head, file.bytes().size())};
  const auto list = inspecting::list_members({file.bytes(), streams, nullptr, nullptr});
  require(!list.members.empty() && !list.regions.empty(), "a file is a member of itself");
  require(list.regions.front().begin == 0, "regions begin with the file");
  for (std::size_t i = 0; i < list.members.size(); ++i) {
    require(i == 0 ? list.members[i].parent == inspecting::kNone : list.members[i].parent < i, "parents stand in front");
    require(!list.path_of(static_cast<std::uint32_t>(i)).empty() || list.members[i].name.empty(), "members have paths");
  }
  for (std::size_t i = 0; i < list.regions.size(); ++i) {
    const inspecting::Region& region = list.regions[i];
    require(i == 0 || region.begin > list.regions[i - 1].begin, "regions ascend");
    require(region.begin <= file.bytes().size(), "regions are of the file");
    require(region.member < list.members.size(), "regions are of members");
    require(region.section < list.members[region.member].sections.size(), "regions are of sections");
    require(list.region_of(region.begin) == i, "regions are found");
  }
}

std::uint64_t sum_of(const std::vector<NamedBytes>& kinds) {
  std::uint64_t sum = 0;
  for (const NamedBytes& kind : kinds) sum += kind.bytes;
  return sum;
}

void check_sums(const PatchBytes& bytes) {
  require(sum_of(bytes.kinds) == bytes.patch_bytes, "kinds add up to the patch");
  std::uint64_t of_members = 0;
  for (const MemberBytes& member : bytes.members) {
    require(sum_of(member.kinds) == member.patch_bytes, "kinds add up to the member");
    require(member.copied_bytes <= member.target_bytes, "no more is copied than there is");
    of_members += member.patch_bytes;
  }
  require(of_members <= bytes.patch_bytes, "members have no more than the patch");
}

void try_patch(Input& input) {
  const std::size_t source_bytes = input.u16();
  const test::GuardedBytes source(input.bytes(source_bytes));
  const FixedPatch fixed = fix_patch(source.bytes(), input.rest());
  const ApplyOptions options = hostile_options();
  {
    io::MemorySequentialReader patch(fixed.patch);
    const auto bytes = inspecting::read_alone(patch, options);
    require(bytes || bytes.error().code != ErrorCode::kInternal, "no patch is an internal error");
    if (bytes) check_sums(*bytes);
    require(bytes || !fixed.target, "what can be applied can be looked into");
  }
  io::MemoryReader reader(source.bytes());
  io::MemorySequentialReader patch(fixed.patch);
  inspecting::MemberBytesTap tap;
  ApplyRun run(reader, patch, options);
  run.take_tap(&tap);
  const auto steps = [&]() -> Status {
    Status done = run.read_header();
    if (done) done = run.verify_source();
    if (done) done = run.prepare();
    return done ? run.write_target({}) : done;
  };
  if (!guarded(steps)) return;
  PatchBytes bytes;
  bytes.patch_bytes = run.take_report().patch_bytes;
  const Status finished = tap.finish(bytes);
  require(static_cast<bool>(finished), "what was applied can be told of");
  check_sums(bytes);
}

}  // namespace

void run(Input& input) { input.u8() % 2 == 0 ? try_list(input) : try_patch(input); }

}  // namespace bdelta::fuzz
