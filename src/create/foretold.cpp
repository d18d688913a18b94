#include "create/foretold.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "create/create_work.hpp"
#include "create/number_pass.hpp"
#include "create/page_hash_pass.hpp"
#include "view/file_digests.hpp"
#include "view/header_sums.hpp"

namespace bdelta {
namespace {

// Whether a place is in what looks like a tar header of the archive that begins at archive_pos: an applier takes that for none.
bool are_in_headers(const Fills& fills, ByteSpan target, std::uint64_t archive_pos) {
  for (const FillRule& rule : fills) {
    for (const FillRange& range : rule.ranges) {
      if (range.place_pos < archive_pos) continue;
      std::uint64_t block = range.place_pos - (range.place_pos - archive_pos) % kTarBlockBytes;
      for (; block < rule.place_end(range) && range_fits(block, kTarBlockBytes, target.size()); block += kTarBlockBytes) {
        if (is_tar_header(target.subspan(static_cast<std::size_t>(block), kTarBlockBytes))) return true;
      }
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
  std::vector<OtherBytes> others;
  const auto add = [&](const FoundFills& found) {
    Fills all = fills;
    all.insert(all.end(), found.fills.begin(), found.fills.end());
    if (!check_fills(all, target.size()) || are_in_headers(found.fills, target, task.target_archive_pos())) return;
    fills = std::move(all);
    others.insert(others.end(), found.others.begin(), found.others.end());
  };
  if (settings.header_sums) {
    add(view::find_header_sums(source, task.source_archive_pos(), target, task.target_archive_pos(), pool));
  }
  if (!images.source.empty()) add(find_page_digests(source, images.source, target, images.target, pool));
  if (settings.digest_share != 0) {
    const std::uint64_t most_hashed_bytes = target.size() / settings.digest_share;
    add(view::find_file_digests(source, members.source, target, members.target, most_hashed_bytes, pool));
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
