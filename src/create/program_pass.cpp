// Fields of both files are first overwritten by a constant, which makes relinked code equal but for what really changed:
// covers of that are found fast and are nearly right. They say where the source's addresses went. So each field can then
// be overwritten by a name of the place it leads to, the same in both files. The parse on that chooses the covers.
#include "create/program_pass.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/deciding/prediction.hpp"
#include "match/cover_ranges.hpp"
#include "create/program_gate.hpp"
#include "create/program_plan.hpp"
#include "create/work_estimate.hpp"
#include "exe/cover_pieces.hpp"
#include "exe/labels.hpp"
#include "exe/relabel.hpp"
#include "match/changed_bytes.hpp"
#include "match/parse.hpp"
#include "parallel/compare.hpp"
#include "parallel/large_buffer.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kTableFieldBytes = 4;  // of sorted tables, whose fields are not counted one by one
// Goals of stages, as steps take time beside each other.
constexpr double kImagesCompared = 0.35, kSourceFound = 0.6;                            // of begin
constexpr double kMasked = 0.25;                                                       // of masked_covers
constexpr double kLearned = 0.3, kLabelled = 0.45, kSetApart = 0.5;                    // of labelled_covers
constexpr double kPredicted = 0.7, kSettled = 0.8;                                     // of predict

// Those that meet on one diagonal become one.
Covers joined(const Covers& covers) {
  Covers all;
  all.reserve(covers.size());
  for (const Cover& cover : covers) add_joined(all, cover);
  return all;
}

// With labels in place of addresses, and only one set of covers to be chosen.
ParseParams for_labels(ParseParams params) {
  params.gram_bytes = SourceGrams::kShortGram;
  params.costs.resize(1);
  params.little_costs.clear();
  params.text_costs.clear();
  params.dense_costs.clear();
  return params;
}

// Zeros where no cover copies.
void clear_gaps(const Covers& covers, MutableByteSpan bytes) {
  std::uint64_t end = 0;
  const auto clear_to = [&](std::uint64_t begin) {
    std::fill(bytes.begin() + static_cast<std::ptrdiff_t>(end), bytes.begin() + static_cast<std::ptrdiff_t>(begin),
              std::uint8_t{0});
  };
  for (const Cover& cover : covers) {
    clear_to(cover.target_pos);
    end = cover.target_end();
  }
  clear_to(bytes.size());
}

}  // namespace

std::unique_ptr<ProgramPass> ProgramPass::begin(ByteSpan source, std::vector<exe::Image> source_images, ByteSpan target,
                                                std::vector<exe::Image> target_images, const Covers& plain_covers,
                                                const LevelSettings& settings, WorkerPool& pool) {
  pool.begin_stage(kImagesCompared, 0);
  ImagePair images = changed_images(source, std::move(source_images), target, std::move(target_images), plain_covers, pool);
  if (images.source.empty() || images.target.empty()) return nullptr;
  // It can't save more than differs.
  const std::uint64_t most_saved = cover_changes(source, target, plain_covers).changed_bytes();
  if (!is_prediction_worth_it(most_saved, target.size(), settings.make_byte_ns)) return nullptr;
  std::unique_ptr<ProgramPass> pass(new ProgramPass(source, target, settings, pool));
  const exe::Images target_layouts(images.target);
  const exe::OwnerMap map(plain_covers, pool.watch());
  if (!pass->may_pay(std::move(images.source), map, target_layouts)) return nullptr;
  pool.begin_stage(kSourceFound, 0);
  pass->find_source_code();
  if (!tables_fit_in_apply(*pass->old_)) return nullptr;
  if (!pass->keep_fitting_kinds(map, target_layouts)) return nullptr;
  pass->plain_changed_bytes_ = changed_bytes(source, target, plain_covers, {0, target.size()}, pool);
  pool.begin_stage(1, 0);
  pass->find_target_program(std::move(images.target));
  return pass;
}

exe::KindCounts ProgramPass::count_kinds(const exe::OwnerMap& map, const exe::Images& target_images,
                                         std::size_t most_share) const {
  const std::size_t share = std::clamp(old_->code_blocks() / kLeastBlocks, std::size_t{1}, most_share);
  return exe::count_kinds(*old_, target_images, target_, map, exe::LabelIndex({}), pool_, share);
}

// By a few blocks of code of OLD and some of its tables, all of which are found for that.
bool ProgramPass::may_pay(std::vector<exe::Image> images, const exe::OwnerMap& map, const exe::Images& target_images) {
  const Step step(pool_, PhaseId::kPredict);
  old_.emplace(source_, std::move(images), pool_, exe::Program::WithoutJumpTables());
  const std::uint64_t saved = saved_bytes(count_kinds(map, target_images, kGlancedShare));
  return is_prediction_worth_it(saved * kGlanceFactor, target_.size(), settings_.make_byte_ns);
}

void ProgramPass::find_source_code() {
  const Step step(pool_, PhaseId::kPredict, source_.size());
  old_->find_all(pool_, exe::Program::kKeepAll);
  field_bytes_ = field_bytes_in_apply(*old_);
}

void ProgramPass::find_target_program(std::vector<exe::Image> images) {
  const Step step(pool_, PhaseId::kPredict, target_.size());
  new_.emplace(target_, std::move(images), pool_, exe::Program::kKeepAll);
  predicted_ranges_ = image_ranges(new_->images().all, target_.size());
}

Covers ProgramPass::masked_covers(const Diagonals& diagonals) {
  {
    const Step step(pool_, PhaseId::kPredict, source_.size() + target_.size());
    pool_.begin_stage(kMasked, 0);
    old_image_ = copy_of(source_, pool_);
    new_image_ = copy_of(target_, pool_);
    exe::mask_fields(*old_, fitting_kinds_, old_image_.span(), pool_);
    exe::mask_fields(*new_, fitting_kinds_, new_image_.span(), pool_);
  }
  const Watch::Part part(pool_.watch(), 1);
  const LevelSettings quick = level_settings(kMaskedLevel);
  Matcher matcher(std::as_const(old_image_).span(), quick.match, {}, pool_);
  return std::move(matcher.find(std::as_const(new_image_).span(), diagonals).front());
}

// The first covers are used up as soon as the parse has them as seeds.
Covers ProgramPass::labelled_covers(const Covers& first, const ParseParams& level_params) {
  ByteBuffer scale;
  Covers seeds;
  {
    const Step step(pool_, PhaseId::kPredict, source_.size() + target_.size());
    pool_.begin_stage(kLearned, 0);
    const exe::OwnerMap map(first, pool_.watch());
    const std::vector<exe::Label> labels =
        exe::learn_labels(*old_, new_->images(), target_, map, fitting_kinds_, exe::LabelUse::kRelabel, pool_);
    pool_.begin_stage(kLabelled, 0);
    const exe::LabelIndex index(labels);
    exe::label_source(*old_, new_->images(), map, index, fitting_kinds_, old_image_.span(), pool_);
    exe::label_target(*new_, fitting_kinds_, new_image_.span(), pool_);
    const Watch::Part part(pool_.watch(), kSetApart);
    seeds = tables_->set_apart(first, map, labels, old_image_.span(), new_image_.span());
    scale = exe::miss_scale(*new_, fitting_kinds_, pool_);
  }
  const Watch::Part part(pool_.watch(), 1);
  ParseScope scope;
  scope.targets = predicted_ranges_;
  return joined(parse_covers(old_image_.span(), new_image_.span(), seeds, for_labels(level_params), scale.span(), pool_,
                             scope).front());
}

// Where code was linked anew, most fields that covers copy are predicted by them, whichever covers these are. Where bytes
// of programs are changed at random, code is told from data no more, and prediction spoils what copies give. Where a
// compiler of another kind made them, it is right about few fields. Where they weren't moved, nothing is left to foretell.
bool ProgramPass::keep_fitting_kinds(const exe::OwnerMap& map, const exe::Images& target_images) {
  const Step step(pool_, PhaseId::kPredict, target_.size());
  const std::size_t share = target_.size() >= kSampledProgramBytes ? kSampledBlockShare : 1;
  const exe::KindCounts counts = count_kinds(map, target_images, share);
  for (std::size_t kind = 0; kind < counts.size(); ++kind) {
    const exe::KindCount& count = counts[kind];
    if (count.predicted_misses > kMisfitRatio * count.plain_misses + share * kMisfitBytes) {
      fitting_kinds_ &= ~(exe::KindSet{1} << kind);
    }
  }
  return is_prediction_worth_it(saved_bytes(counts), target_.size(), settings_.make_byte_ns);
}

bool ProgramPass::is_distant() const noexcept {
  return covered_bytes(covers_) < target_.size() - target_.size() / kDistantShare;
}

void ProgramPass::find_covers(const Diagonals& diagonals, const Covers& outside_covers) {
  Watch* const watch = pool_.watch();
  const int most_passes = settings_.label_passes;
  const auto goal = [&](double passes) { return passes / (kMaskedPasses + most_passes + kPredictPasses); };
  {
    const Watch::Part part(watch, goal(kMaskedPasses));
    covers_ = masked_covers(diagonals);
  }
  tables_.emplace(*old_, *new_, pool_);
  // Better covers give better labels, and these better covers. All but the last need not be the best.
  const int pass_count = is_distant() ? std::min(most_passes, kDistantPasses) : most_passes;
  for (int pass = 1; pass < pass_count; ++pass) {
    const Watch::Part part(watch, goal(kMaskedPasses + pass));
    covers_ = labelled_covers(covers_, level_settings(kMaskedLevel).match.parse_params);
  }
  {
    const Watch::Part part(watch, goal(kMaskedPasses + most_passes));
    covers_ = labelled_covers(covers_, settings_.match.parse_params);
  }
  old_image_ = {};
  {
    const Watch::Part part(watch, 1);
    const Covers labelled = std::exchange(covers_, {});
    predict(labelled, outside_covers);
  }
  old_.reset();  // what is coded next takes memory of its own
  new_.reset();
}

// Those of windows with programs stand apart and are the owner map; the others are as without prediction.
void ProgramPass::predict(const Covers& covers, const Covers& outside_covers) {
  const Step step(pool_, PhaseId::kPredict, target_.size());
  pool_.begin_stage(kPredicted, 0);
  plan_.covers = covers_in(predicted_ranges_, covers);
  keep_longest(plan_.covers, most_covers_in_apply(*old_, *tables_, field_bytes_));
  exe::LearnedPrediction learned = exe::learn_prediction(
      *old_, new_->images(), target_, exe::OwnerMap(plan_.covers, pool_.watch()), exe::LabelUse::kPredict, pool_);
  {
    const Watch::Part part(pool_.watch(), kSettled);
    plan_.covers = joined(covers_in(predicted_ranges_, tables_->settled(std::move(plan_.covers),
                                                                        for_labels(settings_.match.parse_params),
                                                                        learned.labels)));
  }
  covers_ = merged(plan_.covers, outside_covers);
  plan_.kinds = learned.kinds | tables_->kinds();
  const exe::OwnerMap map(plan_.covers, pool_.watch());
  apply_bytes_ = complete_plan({*old_, new_->images(), *tables_, learned.labels, map.stretch_count(), field_bytes_}, plan_);
  pool_.begin_stage(1, 0);
  make_copies(map, outside_covers, learned.labels);
  const std::uint64_t left_bytes = count_differing(target_, copied(), pool_);
  in_doubt_ = is_doubtful(learned.counts, left_bytes);
  is_close_call_ = plain_changed_bytes_ <= kFewChangedBytes && left_bytes > plain_changed_bytes_ / kClearlyLeftShare;
}

// Programs that resemble each other are mostly covered, nearly all fields are then predicted, and far fewer bytes are left
// to tell than without.
bool ProgramPass::is_doubtful(const exe::KindCounts& counts, std::uint64_t left_bytes) const {
  std::uint64_t field_count = 0;
  std::uint64_t right_count = 0;
  for (const exe::KindCount& count : counts) {
    field_count += count.field_count;
    right_count += std::max(count.right_count, count.plain_count);
  }
  for (const exe::SortedTable& table : new_->left_out()) {
    const auto pos = static_cast<std::size_t>(table.pos);
    const auto size = static_cast<std::size_t>(table.size_bytes);
    field_count += size / kTableFieldBytes;
    right_count += (size - count_differing(target_.subspan(pos, size), copied().subspan(pos, size))) / kTableFieldBytes;
  }
  return right_count < field_count / 10 * kRightTenths || covered_bytes(covers_) < target_.size() / 10 * kCoveredTenths ||
         left_bytes > plain_changed_bytes_ / kLeftShare;
}

void ProgramPass::make_copies(const exe::OwnerMap& map, const Covers& outside_covers, std::span<const exe::Label> labels) {
  copied_ = std::exchange(new_image_, {});  // of the right size, and done with
  const MutableByteSpan copied = copied_.span();
  clear_gaps(covers_, copied);
  const exe::CoverPieces outside_pieces(outside_covers);
  outside_pieces.for_each(pool_, [](std::size_t) { return 0; }, [&](int, const exe::CoverPiece& piece) {
    const Cover& cover = outside_covers[piece.cover];
    std::memcpy(copied.data() + cover.target_pos + piece.begin, source_.data() + cover.source_pos + piece.begin,
                static_cast<std::size_t>(piece.length));
  });
  old_->leave_out({});  // who applies knows no such tables: those that are not rebuilt have fields like all else
  const exe::FieldPredictor predictor(*old_, new_->images(), map, labels, plan_.kinds,
                                      tables_->source_tables(), tables_->target_breaks());
  const exe::CoverPieces pieces(plan_.covers);
  pieces.for_each(
      pool_, [&](std::size_t) { return exe::FieldPredictor::Cache(predictor); },
      [&](exe::FieldPredictor::Cache& cache, const exe::CoverPiece& piece) {
        const Cover& cover = plan_.covers[piece.cover];
        const MutableByteSpan to = copied.subspan(static_cast<std::size_t>(cover.target_pos + piece.begin),
                                                  static_cast<std::size_t>(piece.length));
        std::memcpy(to.data(), source_.data() + cover.source_pos + piece.begin, to.size());
        predictor.predict(piece.cover, piece.begin, to, cache);
      });
}

}  // namespace bdelta
