// What a patch brings for all of its windows, before the first of them. A format without such things has an empty plan;
// one with views or prediction tells the size of its target beforehand.
#pragma once

#include <optional>

#include "delta/fills.hpp"
#include "delta/moved_numbers.hpp"
#include "delta/substitution_table.hpp"
#include "format/prediction_plan.hpp"
#include "view/geometry.hpp"
#include "view/tree/plan.hpp"

namespace bdelta {

struct ApplyPlan {
  // What is said of trees; absent if the patch is of files. OLD and NEW are their streams then, for all that follows.
  std::optional<view::TreePlan> tree;

  // What is said of views of the files; empty if the patch is about the files as they are. Windows and all that follows
  // are about the last views then, but for info().
  view::ViewPlans views;

  // Computed when the patch is applied, sound for its target; windows have any bytes in their place, and checksums of
  // these.
  Fills fills;

  MovedNumbers moved_numbers;  // that copies have others in place of, sound for the source
  std::optional<SubstitutionTable> substitutions;  // likewise; windows with substitutions point here

  // For copied fields of programs. Covers are ascending and inside source and target; more than memory_limit_bytes of
  // open_patch are never taken.
  std::optional<PredictionPlan> prediction;
};

}  // namespace bdelta
