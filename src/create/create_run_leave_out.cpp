// What the files have others in place of before covers are found: what an applier computes by itself, and programs, whose
// addresses it foretells.
#include "create/create_run.hpp"

#include <algorithm>
#include <utility>

#include "base/checked.hpp"
#include "base/try.hpp"
#include "create/number_pass.hpp"
#include "create/page_hash_pass.hpp"
#include "create/survey.hpp"
#include "exe/images.hpp"
#include "view/file_digests.hpp"
#include "view/header_sums.hpp"

namespace bdelta {
namespace {

constexpr double kSurveyed = 0.25;  // goal of a stage

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
void CreateRun::find_images() {
  if (!options_.predict || !budget_.settings.predict || !sees_whole_files()) return;
  auto [source_images, may_have_objects] = exe::search_images(inputs_.source.bytes(), {});
  may_have_objects_ = may_have_objects;
  if (source_images.empty()) return;
  source_images_ = std::move(source_images);
  target_images_ = exe::find_images(inputs_.target.bytes());
}

// Like prediction, where both files are at hand as a whole. In the order of filling, as files of an archive may be signed
// programs. In a strange file what is found may not go together with what was found before, and is left as it is then.
Status CreateRun::find_fills() {
  const view::Members source_members = std::exchange(source_members_, {});
  const view::Members target_members = std::exchange(target_members_, {});
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
  if (!source_images_.empty()) add(find_page_digests(source, source_images_, target, target_images_, *pool_));
  if (settings.digest_share != 0) {
    const std::uint64_t most_hashed_bytes = target.size() / settings.digest_share;
    add(view::find_file_digests(source, source_members, target, target_members, most_hashed_bytes, *pool_));
  }
  if (fills_.empty()) return {};
  BDELTA_ASSIGN(const MutableByteSpan edited, inputs_.target.edit(*pool_));
  for (const auto& [pos, bytes] : others) {
    std::copy(bytes.begin(), bytes.end(), edited.begin() + static_cast<std::ptrdiff_t>(pos));
  }
  return writer_->add_fills(fills_);
}

void CreateRun::find_programs() {
  if (source_images_.empty() || target_images_.empty()) return;
  work_->set_predicts(true);
  begin_step(WorkStep::kSurvey);
  const ByteSpan source = inputs_.source.bytes(), target = inputs_.target.bytes();
  Survey survey;
  {
    const Watch::Part part(&watch_, kSurveyed);
    survey = Survey::make(source, target, diagonals(), budget_.settings.match, budget_.match, *pool_);
  }
  chosen_.programs = ProgramPass::begin(source, std::move(source_images_), target, std::move(target_images_), survey.plain,
                                        budget_.settings, *pool_);
  seeds_ = std::move(survey.seeds);
  work_->set_predicts(chosen_.programs != nullptr);
  if (chosen_.programs) work_->set_changed(chosen_.programs->plain_changed_bytes());
}

// Of kernel modules. A patch has programs or these.
Status CreateRun::move_numbers() {
  if (!may_have_objects_ || chosen_.programs) return {};
  MovedNumbers found = learn_moved_numbers(inputs_.source.bytes(), inputs_.target.bytes(), *pool_);
  if (found.lists.empty()) return {};
  BDELTA_ASSIGN(const MutableByteSpan source, inputs_.source.edit(*pool_));
  bdelta::move_numbers(source, found, &watch_);
  matcher_.emplace(inputs_.source.bytes(), budget_.settings.match, budget_.match, *pool_);
  seeds_.reset();
  inputs_.source_pieces = FilePieces(inputs_.source.bytes());
  moved_numbers_ = std::move(found);
  return writer_->add_moved_numbers(moved_numbers_);
}

}  // namespace bdelta
