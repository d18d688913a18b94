#include "create/derived.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "create/create_work.hpp"
#include "create/number_pass.hpp"
#include "create/page_hash_pass.hpp"
#include "view/file_digests.hpp"
#include "view/header_sums.hpp"
#include "view/tar_members.hpp"

namespace bdelta {
namespace {

// Where archives may stand: from some place on in a file, and around members in a tree.
ByteRanges archives_in(ByteSpan bytes, std::uint64_t archive_pos, const view::Members& members, bool is_tree) {
  return is_tree ? view::tar_ranges(bytes, members) : ByteRanges{{archive_pos, bytes.size()}};
}

// Whether a place is in what looks like a tar header of the archive: an applier takes that for none.
bool is_in_header(std::uint64_t place_pos, std::uint64_t place_end, ByteSpan target, const ByteRange& archive) {
  if (place_pos < archive.begin) return false;
  std::uint64_t block = place_pos - (place_pos - archive.begin) % kTarBlockBytes;
  for (; block < place_end && range_fits(block, kTarBlockBytes, archive.end); block += kTarBlockBytes) {
    if (is_tar_header(target.subspan(static_cast<std::size_t>(block), kTarBlockBytes))) return true;
  }
  return false;
}

bool are_in_headers(const Fills& fills, ByteSpan target, const ByteRanges& archives) {
  for (const FillRule& rule : fills) {
    for (const FillRange& range : rule.ranges) {
      // The last one that begins in front of its end.
      const auto behind = std::partition_point(archives.begin(), archives.end(),
                                               [&](const ByteRange& archive) { return archive.begin < rule.place_end(range); });
      if (behind != archives.begin() && is_in_header(range.place_pos, rule.place_end(range), target, *std::prev(behind))) return true;
    }
  }
  return false;
}

}  // namespace

// In the order of filling, as files of an archive may be signed programs. In a strange file what is found may not go together
// with what was found before, and is left as it is then.
Result<Fills> take_fills(const CreateTask& task, const MemberPair& members, const ImagesOfPair& images, CreateInputs& inputs,
                         CreateWork& work) {
  Fills fills;
  if (!work.sees_whole_files()) return fills;
  const LevelSettings& settings = work.settings();
  const ByteSpan source = inputs.source.bytes(), target = inputs.target.bytes();
  WorkerPool& pool = work.pool();
  const bool is_tree = task.trees != nullptr;
  const ByteRanges source_archives = archives_in(source, task.source_archive_pos(), members.source, is_tree);
  const ByteRanges target_archives = archives_in(target, task.target_archive_pos(), members.target, is_tree);
  std::vector<OtherBytes> others;
  const auto add = [&](const FoundFills& found) {
    Fills all = fills;
    all.insert(all.end(), found.fills.begin(), found.fills.end());
    if (!check_fills(all, target.size()) || are_in_headers(found.fills, target, target_archives)) return;
    fills = std::move(all);
    others.insert(others.end(), found.others.begin(), found.others.end());
  };
  if (settings.fills) add(view::find_header_sums(source, source_archives, target, target_archives, pool));
  if (!images.source.empty()) add(find_page_digests(source, images.source, target, images.target, pool));
  if (settings.fills) {
    add(view::find_file_digests(source, members.source, target, members.target, fills, settings.coding.apply_byte_ns, pool));
  }
  if (fills.empty()) return fills;
  BDELTA_ASSIGN(const MutableByteSpan edited, inputs.target.edit(pool));
  for (const auto& [pos, bytes] : others) {
    if (task.views) task.views->keep_target(pos, bytes.size());
    std::copy(bytes.begin(), bytes.end(), edited.begin() + static_cast<std::ptrdiff_t>(pos));
  }
  return fills;
}

std::unique_ptr<ProgramPass> find_programs(ImagesOfPair images, const Covers& plain_covers, const CreateInputs& inputs,
                                           CreateWork& work) {
  work.estimate().set_predicts(true);
  work.begin_step(WorkStep::kGate);
  std::unique_ptr<ProgramPass> programs =
      ProgramPass::begin(inputs.source.bytes(), std::move(images.source), inputs.target.bytes(), std::move(images.target),
                         plain_covers, work.settings(), work.pool());
  work.estimate().set_predicts(programs != nullptr);
  if (programs) work.estimate().set_changed(programs->plain_changed_bytes());
  return programs;
}

Result<MovedNumbers> take_moved_numbers(CreateInputs& inputs, CreateWork& work) {
  MovedNumbers found = learn_moved_numbers(inputs.source.bytes(), inputs.target.bytes(), work.pool());
  if (found.lists.empty()) return found;
  BDELTA_ASSIGN(const MutableByteSpan source, inputs.source.edit(work.pool()));
  move_numbers(source, found, &work.watch());
  inputs.source_pieces = FilePieces(inputs.source.bytes());
  return found;
}

}  // namespace bdelta
