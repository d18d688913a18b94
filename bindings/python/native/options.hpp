// Options of the library, set by name from keyword arguments. What is not named keeps the library's default.
#pragma once

#include <nanobind/nanobind.h>

#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"
#include "bdelta/in_place.hpp"
#include "bdelta/tree.hpp"
#include "call.hpp"

namespace bdelta::python {

namespace nb = nanobind;

struct CreateCall {
  CreateOptions create;
  TreeOptions tree;

  [[nodiscard]] bool has_tree_options() const { return !tree.exclude.empty() || tree.times || tree.source_list; }
};

struct InPlaceCall {
  ApplyOptions apply;
  InPlaceOptions in_place;
};

// Whether any of the options that are about directories alone is set.
[[nodiscard]] bool has_tree_options(const ApplyOptions& options);

// TypeError for names that there are not and values of another type, UsageError for numbers out of range and words that an
// option does not know. `progress` and `trace` are the caller's to take out: see take_told. With the GIL.
[[nodiscard]] CreateCall create_options(const nb::dict& named);
[[nodiscard]] ApplyOptions apply_options(const nb::dict& named);
[[nodiscard]] InPlaceCall in_place_options(const nb::dict& named);
[[nodiscard]] FileOptions file_options(const nb::dict& named);

// Takes out who is to be told. TypeError for a progress that can't be called, and a trace that is no list.
[[nodiscard]] Told take_told(nb::dict& named);

// The names that each of the functions above takes, `progress` and `trace` not included.
[[nodiscard]] nb::dict option_names();

}  // namespace bdelta::python
