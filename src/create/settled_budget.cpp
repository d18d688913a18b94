#include "create/settled_budget.hpp"

#include <algorithm>
#include <utility>

#include "create/create_work.hpp"
#include "create/number_pass.hpp"
#include "exe/images.hpp"
#include "match/changed_bytes.hpp"
#include "match/matcher.hpp"

namespace bdelta {
namespace {

bool may_predict(const CreateTask& task) {
  return task.options.predict && level_settings(task.options.level).predict && task.is_native();
}

// By the way of the first level, which takes little of the memory that there is.
Likeness look_for_likeness(const CreateTask& task, const CreateInputs& inputs, CreateWork& work) {
  const ByteSpan source = inputs.source.bytes(), target = inputs.target.bytes();
  const LevelSettings fast = level_settings(kMinLevel);
  const Covers covers =
      Matcher(source, fast.match, work.budget().match, work.pool()).find(target, whole_diagonals(source, target)).front();
  Likeness likeness{cover_changes(source, target, covers).changed_bytes() + covers.size() * sizeof(Cover)};
  if (!may_predict(task)) return likeness;
  const exe::ImageSearch search = exe::search_images(source, {1});
  likeness.has_programs = !search.images.empty();
  if (search.may_have_objects) likeness.type_bytes = learned_type_bytes(source, &work.watch());
  return likeness;
}

// What the level does to such files where there is room.
std::vector<LeftOut> left_out(const CreateTask& task, const CreateInputs& inputs, bool source_is_whole,
                              std::uint64_t needed_bytes) {
  std::vector<LeftOut> left;
  if (!task.is_native()) return left;
  const LevelSettings settings = level_settings(task.options.level);
  const auto list = [&](bool is_done, const char* name) {
    if (is_done) left.push_back({name, needed_bytes});
  };
  if (may_predict(task) && source_is_whole) {
    const exe::ImageSearch search = exe::search_images(inputs.source.bytes(), {1});
    list(!search.images.empty(), "prediction");
    list(search.images.empty() && search.may_have_objects, "moved_numbers");
  }
  list(settings.substitution_search != 0, "substitutions");
  list(settings.history_bytes != 0, "copies_of_new");
  list(settings.fills, "fills");
  list(settings.coding.model_misses, "modelled_bytes");
  return left;
}

}  // namespace

std::vector<LeftOut> settle_budget(const CreateTask& task, const CreateInputs& inputs, CreateWork& work) {
  const Budget& budget = work.budget();
  if (budget.ample || task.options.memory_limit_bytes == 0) return {};
  const BudgetRequest request = CreateWork::request_of(task);
  std::optional<std::uint64_t> needed_bytes = ample_limit(request);
  if (!needed_bytes) return {};
  work.begin_step(WorkStep::kSurvey);
  if (budget.source_whole && budget.target_whole && ample_budget(request, Likeness())) {
    const Likeness likeness = look_for_likeness(task, inputs, work);
    if (auto ample = ample_budget(request, likeness)) {
      work.set_budget(std::move(*ample));
      return {};
    }
    needed_bytes = std::min(*needed_bytes, *ample_limit(request, likeness));
  }
  return left_out(task, inputs, budget.source_whole, *needed_bytes + (task.views ? task.views->held_bytes() : 0));
}

}  // namespace bdelta
