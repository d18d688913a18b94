// What a patch says of trees: its record, its manifest and its marks. Searches for memory that is taken before it is declared, for
// names that lead out of a tree, and for what means something else once it is written again.
#include "format/native/envelope.hpp"
#include "format/native/tree_record.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {
namespace {

Result<view::TreePlan> read(ByteSpan record, const native::Header& header) {
  io::MemorySequentialReader from(record);
  io::TypedReader reader(from, 64);
  auto found = native::read_tree(reader, header);
  require(found || found.error().code != ErrorCode::kInternal, "no record is an internal error");
  return found;
}

void try_record(Input& input) {
  native::Header header;
  header.target_size = input.u32();
  header.decoder_memory_bytes = input.u32();
  const test::GuardedBytes record(input.rest());
  const auto plan = read(record.bytes(), header);
  if (!plan) return;
  require(native::held_bytes(*plan) <= header.decoder_memory_bytes, "a record takes what is declared");
  const auto written = native::encode_tree(*plan, {});
  require(static_cast<bool>(written), "what was read can be written");
  const auto body = native::open_record(*written);
  header.decoder_memory_bytes = ~std::uint64_t{0} >> 1;
  const auto again = body ? read(*body, header) : Result<view::TreePlan>(body.error());
  require(again && again->code == plan->code && again->excluded == plan->excluded && again->times == plan->times &&
              again->source_list == plan->source_list && again->made_bytes == plan->made_bytes,
          "a written record is read as it was");
}

// As a path of the system would be gone through.
bool stays_inside(std::string_view path) {
  int depth = 0;
  while (!path.empty()) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view part = path.substr(0, end);
    path.remove_prefix(std::min(end + 1, path.size()));
    if (part.empty() || part == "." || part == "..") return false;
    ++depth;
  }
  return depth > 0;
}

void try_manifest(Input& input) {
  const auto rules = input.u8() % 2 == 0 ? view::NameRules::kAny : view::NameRules::kWindows;
  const test::GuardedBytes code(input.bytes(input.u8()));
  const ByteSpan bytes = input.rest();
  const auto manifest = view::Manifest::decode(Bytes(bytes.begin(), bytes.end()), rules);
  if (!manifest) {
    require(exit_class(manifest.error().code) == 3, "a manifest that is refused is the patch's fault");
    return;
  }
  Bytes again;
  std::string_view before;
  for (const view::TreeEntry& entry : manifest->entries()) {
    require(stays_inside(entry.path), "names lead into the tree");
    require(before < entry.path, "names ascend");
    before = entry.path;
    view::append_entry(again, entry);
  }
  require(again == Bytes(bytes.begin(), bytes.end()), "a manifest is written as it was read");
  const auto counterparts = view::counterparts_of(*manifest, *manifest);
  const auto marks = view::decode_marks(*manifest, *manifest, counterparts, code.bytes());
  if (!marks) return;
  const auto same = view::decode_marks(*manifest, *manifest, counterparts, view::encode_marks(*manifest, *manifest, counterparts, *marks));
  require(same && same->is_kept == marks->is_kept && same->modes == marks->modes, "marks come back");
}

}  // namespace

void run(Input& input) { input.u8() % 2 == 0 ? try_record(input) : try_manifest(input); }

}  // namespace bdelta::fuzz
