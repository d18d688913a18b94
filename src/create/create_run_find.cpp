// From files to covers: reading, hashing and matching, in one go or by segments of the target.
#include "create/create_run.hpp"

#include <algorithm>
#include <utility>

#include "base/try.hpp"
#include "create/cover_search.hpp"
#include "create/hidden_streams.hpp"
#include "create/number_pass.hpp"
#include "create/outside_file.hpp"
#include "exe/images.hpp"
#include "view/member_alignment.hpp"
#include "view/tar_members.hpp"
#include "view/zip_members.hpp"

namespace bdelta {
namespace {

// Takes in bytes that may have to come from a disk meanwhile.
void hash_watched(ByteSpan bytes, Watch& watch, FileHasher& hasher) {
  constexpr std::size_t kPieceBytes = 256 * 1024;
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(kPieceBytes, bytes.size()));
    hasher.update(piece);
    watch.advance(piece.size());
    bytes = bytes.subspan(piece.size());
  }
}

// As far as the patch and the report need.
bool knows_target(const CreateOptions& options) {
  return options.known_target.xxh3_128 && (options.known_target.sha256 || !options.sha256_inputs);
}

// Of the archive that the file is, as it is.
view::Members members_of_file(ByteSpan file) {
  view::Members members;
  view::add_zip_members(file, {}, members);
  if (members.empty()) view::add_tar_members(file, 0, members);
  return members;
}

}  // namespace

Status CreateRun::load_inputs() {
  const Step step(*pool_, PhaseId::kRead);
  const bool source_is_read = budget_.source_whole && !budget_request_.source_view;
  const bool target_is_read = budget_.target_whole && !budget_request_.target_view;
  if (source_is_read || target_is_read) {
    begin_step(WorkStep::kLoad);
    watch_.begin_stage(1, (source_is_read ? source_size() : 0) + (target_is_read ? target_size() : 0));
  }
  if (budget_.source_whole) {
    BDELTA_ASSIGN(inputs_.source, InputBytes::load(inputs_.source_reader, *pool_));
  }
  if (budget_.target_whole) {
    BDELTA_ASSIGN(inputs_.target, InputBytes::load(inputs_.target_reader, *pool_));
  }
  return {};
}

Status CreateRun::digest_inputs() {
  FileHasher source_hasher(options_.sha256_inputs);
  if (trees_) {
    report_.target_digests.xxh3_128 = trees_->target_digest();
  } else if (knows_target(options_)) {
    report_.target_digests = options_.known_target;
  } else {
    target_hasher_.emplace(options_.sha256_inputs);
  }
  const bool hashes_target = budget_.target_whole && target_hasher_;
  watch_.set_phase(PhaseId::kHash);
  begin_step(WorkStep::kDigest);
  watch_.begin_stage(1, source_size() + (hashes_target ? target_size() : 0));
  pool_->for_each(2, [&](std::size_t i) {
    if (!(i == 0 ? budget_.source_whole && !trees_ : hashes_target)) return;
    ByteSpan bytes = (i == 0 ? inputs_.source : inputs_.target).bytes();
    if (views_) bytes = i == 0 ? views_->source_bytes() : views_->target_bytes();
    const Span span(&timeline_, PhaseId::kHash, i, bytes.size());
    hash_watched(bytes, watch_, i == 0 ? source_hasher : *target_hasher_);
  });
  if (budget_.source_whole) {
    inputs_.source_pieces = FilePieces(inputs_.source.bytes());
  } else {
    gathered_.emplace(inputs_.source_reader, budget_, *pool_);
    BDELTA_TRY(gathered_->survey(source_hasher));
  }
  report_.source_digests = source_hasher.finish();
  if (trees_) report_.source_digests = {trees_->source_digest(), std::nullopt};
  return {};
}

// Sizes alone say the most that any files of such sizes take. If the limit is below that, and would do for files that are the
// same, how much differs is found out by the way of level 1, which takes little of both.
void CreateRun::settle_budget() {
  if (budget_.ample || options_.memory_limit_bytes == 0) return;
  std::optional<std::uint64_t> needed_bytes = ample_limit(budget_request_);
  if (!needed_bytes) return;
  begin_step(WorkStep::kSurvey);
  const bool holds_both = budget_.source_whole && budget_.target_whole;
  if (holds_both && budget_for_similar(budget_request_, {})) {
    const Likeness likeness = look_for_likeness();
    if (auto similar = budget_for_similar(budget_request_, likeness)) return take_budget(std::move(*similar));
    needed_bytes = std::min(*needed_bytes, ample_limit(budget_request_, likeness));
  }
  list_left_out(*needed_bytes + (views_ ? views_->held_bytes() : 0));
}

bool CreateRun::may_predict() const {
  return options_.predict && level_settings(options_.level).predict && options_.format != PatchFormat::kBdt1;
}

Likeness CreateRun::look_for_likeness() {
  const ByteSpan source = inputs_.source.bytes(), target = inputs_.target.bytes();
  const LevelSettings fast = level_settings(kMinLevel);
  const Covers covers = Matcher(source, fast.match, budget_.match, *pool_).find(target, diagonals()).front();
  Likeness likeness{cover_changes(source, target, covers).changed_bytes() + covers.size() * sizeof(Cover)};
  if (!may_predict()) return likeness;
  const exe::ImageSearch search = exe::search_images(source, {1});
  likeness.has_programs = !search.images.empty();
  if (search.may_have_objects) likeness.type_bytes = learned_type_bytes(source, &watch_);
  return likeness;
}

void CreateRun::take_budget(Budget budget) {
  budget_ = std::move(budget);
  pool_.emplace(budget_.threads, &timeline_, &watch_);
}

// What the level does to such files where there is room.
void CreateRun::list_left_out(std::uint64_t needed_bytes) {
  const LevelSettings settings = level_settings(options_.level);
  const auto list = [&](const char* name) { report_.left_out.push_back({name, needed_bytes}); };
  if (options_.format == PatchFormat::kBdt1) return;
  if (may_predict() && budget_.source_whole) {
    const exe::ImageSearch search = exe::search_images(inputs_.source.bytes(), {1});
    if (!search.images.empty()) {
      list("prediction");
    } else if (search.may_have_objects) {
      list("moved_numbers");
    }
  }
  if (settings.substitution_search != 0) list("substitutions");
  if (settings.history_bytes != 0) list("copies_of_new");
  if (settings.header_sums) list("fills");
  if (settings.model_bytes) list("modelled_bytes");
}

CreateRun::Members CreateRun::find_members() {
  if (!budget_.ample) return {};
  begin_step(WorkStep::kSurvey);
  const Step step(*pool_, PhaseId::kCompare);
  Members members;
  if (views_) {
    members = {views_->source_members(), views_->target_members()};
  } else if (trees_) {
    members = {members_of(trees_->source_parts()), members_of(trees_->target_parts())};
  } else {
    members = {members_of_file(inputs_.source.bytes()), members_of_file(inputs_.target.bytes())};
  }
  member_ranges_ = view::align_members(members.source, members.target);
  return members;
}

Survey CreateRun::survey() {
  if (!budget_.ample) return {};
  begin_step(WorkStep::kSurvey);
  return Survey::make(inputs_.source.bytes(), inputs_.target.bytes(), diagonals(), budget_.settings.match, budget_.match, *pool_);
}

bool CreateRun::hides_streams(const Survey& survey) const {
  if (!survey.is_made) return false;
  const Step step(*pool_, PhaseId::kUnpack);
  return has_hidden_streams(inputs_.target.bytes(), survey.plain);
}

Diagonals CreateRun::diagonals() const noexcept {
  const auto begin = static_cast<std::int64_t>(inputs_.segment.begin);
  const auto from_end =
      static_cast<std::int64_t>(source_size()) - static_cast<std::int64_t>(target_size());
  return {begin, begin + from_end, member_ranges_};
}

Status CreateRun::load_target(const TargetRange& segment) {
  const std::uint64_t length = segment.end - segment.begin;
  if (budget_.target_whole) {
    inputs_.target_pieces = FilePieces(inputs_.target.bytes());
    return {};
  }
  if (joiner_) joiner_->forget_target();
  segment_bytes_.resize(static_cast<std::size_t>(length));
  {
    const Step step(*pool_, PhaseId::kRead, length);
    BDELTA_TRY(read_pieces(inputs_.target_reader, segment.begin, segment_bytes_, &watch_));
  }
  if (target_hasher_) {
    const Step step(*pool_, PhaseId::kHash, length);
    hash_watched(segment_bytes_, watch_, *target_hasher_);
  }
  inputs_.target_pieces = FilePieces(segment_bytes_, segment.begin);
  return {};
}

Status CreateRun::load_segment(const TargetRange& segment) {
  inputs_.segment = segment;
  const std::uint64_t length = segment.end - segment.begin;
  work_->set_segment(segment.begin, segment.end, !budget_.target_whole);
  begin_step(WorkStep::kFetch);
  watch_.begin_stage(1, (budget_.target_whole ? 0 : (target_hasher_ ? 2 : 1) * length) +
                            (gathered_ ? length + budget_.gathered_bytes : 0));
  BDELTA_TRY(load_target(segment));
  if (!gathered_) return {};
  const ByteSpan bytes = inputs_.target_pieces.span(segment.begin, length);
  BDELTA_TRY(gathered_->gather(bytes, segment.begin, target_size()));
  inputs_.source_pieces = gathered_->pieces();
  return {};
}

Result<Covers> CreateRun::find_outside_covers(const TargetRanges& predicted) {
  TargetRanges outside = outside_of(predicted, target_size());
  if (outside.empty()) return Covers();
  OutsideFile file(std::move(outside), inputs_.target.bytes());
  io::MemoryReader source_reader(inputs_.source.bytes()), target_reader(file.bytes());
  BDELTA_ASSIGN(InputBytes source, InputBytes::load(source_reader, *pool_));
  BDELTA_ASSIGN(InputBytes target, InputBytes::load(target_reader, *pool_));
  CreateInputs inputs{source_reader, target_reader, std::move(source), std::move(target), {0, target_reader.size()},
                      inputs_.source_pieces, FilePieces(file.bytes())};
  BodyCoder coder(budget_, inputs, *writer_, *pool_);
  Matcher matcher(inputs_.source.bytes(), budget_.settings.match, budget_.match, *pool_);
  CoverSearch search(matcher, coder, inputs, {});
  BDELTA_ASSIGN(const Covers covers, search.find_best(file.bytes(), file.diagonals(diagonals())));
  return file.placed(covers);
}

// What a survey found goes on from there. In segments there is none, and one index for all that need it.
Result<std::vector<Covers>> CreateRun::find_sets(Survey survey, const ProgramPass* doubted) {
  begin_step(WorkStep::kSearch, WorkStep::kParse);
  const ByteSpan target = inputs_.target_pieces.span(inputs_.segment.begin, inputs_.segment.end - inputs_.segment.begin);
  std::vector<Covers> found;
  if (gathered_) {
    Matcher matcher(gathered_->bytes(), budget_.settings.match, budget_.match, *pool_);
    found = matcher.find(target, gathered_->diagonals());
    for (Covers& covers : found) covers = gathered_->place(std::move(covers));
  } else {
    if (!matcher_) matcher_.emplace(inputs_.source.bytes(), budget_.settings.match, budget_.match, *pool_);
    const auto tell = [&](const CoverChanges& changes, bool searches) {
      work_->set_seeds(changes.free_bytes, changes.changed_bytes() - changes.free_bytes);
      begin_step(searches ? WorkStep::kSearch : WorkStep::kParse, WorkStep::kParse);
    };
    if (survey.is_made && !budget_.settings.match.parse) return std::vector<Covers>{std::move(survey.plain)};
    Covers().swap(survey.plain);
    Covers seeds = survey.is_made ? std::move(survey.seeds) : matcher_->find_seeds(target, diagonals(), tell);
    if (coder_) {
      BDELTA_ASSIGN(found, CoverSearch(*matcher_, *coder_, inputs_, tell).find_from(target, std::move(seeds), doubted));
    } else {
      found = matcher_->find_from(target, std::move(seeds));
    }
  }
  for (Covers& covers : found) inputs_.move_to_segment(covers);
  return found;
}

}  // namespace bdelta
