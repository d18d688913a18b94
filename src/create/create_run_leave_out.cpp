// What the files have others in place of before covers are found: what an applier computes by itself, and programs, whose
// addresses it foretells.
#include "create/create_run.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "create/number_pass.hpp"
#include "create/page_hash_pass.hpp"
#include "exe/images.hpp"
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

// Prediction looks at both files as a whole, and takes the memory of both again.
CreateRun::Images CreateRun::find_images() const {
  if (!options_.predict || !budget_.settings.predict || !sees_whole_files()) return {};
  exe::ImageSearch source = exe::search_images(inputs_.source.bytes(), {});
  if (source.images.empty()) return {{}, {}, source.may_have_objects};
  return {std::move(source.images), exe::find_images(inputs_.target.bytes()), source.may_have_objects};
}

// Like prediction, where both files are at hand as a whole. In the order of filling, as files of an archive may be signed
// programs. In a strange file what is found may not go together with what was found before, and is left as it is then.
Status CreateRun::find_fills(Members members, const Images& images) {
  if (!sees_whole_files()) return {};
  const LevelSettings& settings = budget_.settings;
  const ByteSpan source = inputs_.source.bytes();
  const ByteSpan target = inputs_.target.bytes();
  std::vector<OtherBytes> others;
  const auto add = [&](const FoundFills& found) {
    Fills all = fills_;
    all.insert(all.end(), found.fills.begin(), found.fills.end());
    if (!check_fills(all, target.size()) || are_in_headers(found.fills, target, target_archive_pos())) return;
    fills_ = std::move(all);
    others.insert(others.end(), found.others.begin(), found.others.end());
  };
  if (settings.header_sums) {
    add(view::find_header_sums(source, source_archive_pos(), target, target_archive_pos(), *pool_));
  }
  if (!images.source.empty()) add(find_page_digests(source, images.source, target, images.target, *pool_));
  if (settings.digest_share != 0) {
    const std::uint64_t most_hashed_bytes = target.size() / settings.digest_share;
    add(view::find_file_digests(source, members.source, target, members.target, most_hashed_bytes, *pool_));
  }
  if (fills_.empty()) return {};
  BDELTA_ASSIGN(const MutableByteSpan edited, inputs_.target.edit(*pool_));
  for (const auto& [pos, bytes] : others) {
    std::copy(bytes.begin(), bytes.end(), edited.begin() + static_cast<std::ptrdiff_t>(pos));
  }
  return writer_->add_fills(fills_);
}

std::unique_ptr<ProgramPass> CreateRun::find_programs(Images& images, const Covers& plain_covers) {
  work_->set_predicts(true);
  begin_step(WorkStep::kGate);
  std::unique_ptr<ProgramPass> programs =
      ProgramPass::begin(inputs_.source.bytes(), std::move(images.source), inputs_.target.bytes(), std::move(images.target),
                         plain_covers, budget_.settings, *pool_);
  work_->set_predicts(programs != nullptr);
  if (programs) work_->set_changed(programs->plain_changed_bytes());
  return programs;
}

// Of kernel modules. A patch has programs or these.
Result<bool> CreateRun::move_numbers() {
  MovedNumbers found = learn_moved_numbers(inputs_.source.bytes(), inputs_.target.bytes(), *pool_);
  if (found.lists.empty()) return false;
  BDELTA_ASSIGN(const MutableByteSpan source, inputs_.source.edit(*pool_));
  bdelta::move_numbers(source, found, &watch_);
  inputs_.source_pieces = FilePieces(inputs_.source.bytes());
  moved_numbers_ = std::move(found);
  BDELTA_TRY(writer_->add_moved_numbers(moved_numbers_));
  return true;
}

}  // namespace bdelta
