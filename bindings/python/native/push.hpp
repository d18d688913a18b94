// bdelta.PushApply: see include/bdelta/push.hpp.
#pragma once

#include <nanobind/nanobind.h>

namespace bdelta::python {

// Adds the class Push, which the package makes a context manager of.
void bind_push(nanobind::module_& module);

}  // namespace bdelta::python
