// What a patch says of programs beside covers, and how much memory whoever applies it takes for that.
#pragma once

#include <cstdint>
#include <span>

#include "create/table_pass.hpp"
#include "exe/images.hpp"
#include "exe/labels.hpp"
#include "exe/program.hpp"
#include "format/prediction_plan.hpp"

namespace bdelta {

// False: the tables of OLD alone would take more than bpatch has with its usual limit.
[[nodiscard]] bool tables_fit_in_apply(const exe::Program& old_program);

// For the fields of OLD: of tables, and of all code or some at a time.
[[nodiscard]] std::uint64_t field_bytes_in_apply(const exe::Program& old_program);

// Covers that fit into what bpatch has by its usual limit: of more the shortest are better dropped, which save least. Any
// number where tables take so much that few would be left.
[[nodiscard]] std::size_t most_covers_in_apply(const exe::Program& old_program, const TablePass& tables,
                                               std::uint64_t field_bytes);

struct PlanInputs {
  const exe::Program& old_program;
  const exe::Images& new_images;
  const TablePass& tables;
  std::span<const exe::Label> labels;
  std::size_t stretch_count = 0;  // of the owner map of the plan's covers
  std::uint64_t field_bytes = 0;  // by field_bytes_in_apply
};

// Makes the images and labels of a plan that has all else. Gives the memory that prediction takes when applying, in all.
[[nodiscard]] std::uint64_t complete_plan(const PlanInputs& inputs, PredictionPlan& plan);

}  // namespace bdelta
