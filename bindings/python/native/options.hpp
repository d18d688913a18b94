// Options of the library, set by name from keyword arguments. What is not named keeps the library's default.
#pragma once

#include <nanobind/nanobind.h>

#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"
#include "bdelta/tree.hpp"

namespace bdelta::python {

namespace nb = nanobind;

struct CreateCall {
  CreateOptions create;
  TreeOptions tree;

  [[nodiscard]] bool has_tree_options() const { return !tree.exclude.empty() || tree.times || tree.source_list; }
};

// TypeError for names that there are not and values of another type, UsageError for numbers out of range and words that an
// option does not know. `progress` is the caller's to take out: see take_progress. With the GIL.
[[nodiscard]] CreateCall create_options(const nb::dict& named);
[[nodiscard]] ApplyOptions apply_options(const nb::dict& named);
[[nodiscard]] FileOptions file_options(const nb::dict& named);

// The callback among them, or None. TypeError if it can't be called.
[[nodiscard]] nb::object take_progress(nb::dict& named);

// The names that each of the functions above takes, `progress` not included.
[[nodiscard]] nb::dict option_names();

}  // namespace bdelta::python
