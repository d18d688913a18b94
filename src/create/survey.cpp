#include "create/survey.hpp"

#include <iterator>
#include <utility>

#include "create/create_work.hpp"
#include "create/hidden_streams.hpp"
#include "match/matcher.hpp"
#include "view/tar_members.hpp"
#include "view/zip_members.hpp"

namespace bdelta {
namespace {

// Of the archive that the file is, as it is.
view::Members members_of_file(ByteSpan file) {
  view::Members members;
  view::add_zip_members(file, {}, members);
  if (members.empty()) view::add_tar_members(file, 0, members);
  return members;
}

// Of a tree: its files, and in place of a tar archive what it holds.
view::Members members_of_tree(const TreePair::Parts& parts, ByteSpan stream) {
  view::Members members;
  for (view::Member& file : members_of(parts)) {
    view::Members inner = view::tar_members_of(stream, file);
    if (inner.empty()) members.push_back(std::move(file));
    std::move(inner.begin(), inner.end(), std::back_inserter(members));
  }
  return members;
}

}  // namespace

MemberPair find_members(const CreateTask& task, const CreateInputs& inputs, CreateWork& work) {
  if (!work.budget().ample) return {};
  work.begin_step(WorkStep::kSurvey);
  const Step step(work.pool(), PhaseId::kCompare);
  if (task.views) return {task.views->source_members(), task.views->target_members()};
  if (task.trees) {
    return {members_of_tree(task.trees->source_parts(), inputs.source.bytes()), members_of_tree(task.trees->target_parts(), inputs.target.bytes())};
  }
  return {members_of_file(inputs.source.bytes()), members_of_file(inputs.target.bytes())};
}

// Prediction looks at both files as a whole, and takes the memory of both again.
ImagesOfPair find_images(const CreateTask& task, const CreateInputs& inputs, const CreateWork& work) {
  if (!task.options.predict || !work.settings().predict || !work.sees_whole_files()) return {};
  exe::ImageSearch source = exe::search_images(inputs.source.bytes(), {});
  if (source.images.empty()) return {{}, {}, source.may_have_objects};
  return {std::move(source.images), exe::find_images(inputs.target.bytes()), source.may_have_objects};
}

Survey survey_pair(const CreateInputs& inputs, CreateWork& work) {
  if (!work.budget().ample) return {};
  work.begin_step(WorkStep::kSurvey);
  const ByteSpan target = inputs.target.bytes();
  Matcher matcher(inputs.source.bytes(), work.settings().match, work.budget().match, work.pool());
  Survey survey{true, matcher.find_seeds(target, inputs.diagonals()), {}};
  survey.plain = matcher.settled(target, survey.seeds);
  return survey;
}

bool hides_streams(const Survey& survey, const CreateInputs& inputs, CreateWork& work, UnpackReport::Streams& unscanned) {
  if (!survey.is_made) return false;
  const Step step(work.pool(), PhaseId::kUnpack);
  return has_hidden_streams(inputs.target.bytes(), survey.plain, unscanned);
}

}  // namespace bdelta
