// What the library tells, as objects of bdelta/_results.py. With the GIL.
#pragma once

#include <nanobind/nanobind.h>

#include "bdelta/inspect.hpp"
#include "bdelta/members.hpp"
#include "bdelta/report.hpp"
#include "bdelta/tree.hpp"

namespace bdelta::python {

namespace nb = nanobind;

[[nodiscard]] nb::object to_python(const Report& report);
[[nodiscard]] nb::object to_python(const PatchInfo& info);
[[nodiscard]] nb::object to_python(const PatchBytes& bytes);
[[nodiscard]] nb::object to_python(TreeState state);
[[nodiscard]] nb::object to_python(Resumed resumed);

// What apply_buffer_bytes asks of a PatchInfo, taken from its attributes.
[[nodiscard]] PatchInfo needs_of(nb::handle info);

}  // namespace bdelta::python
