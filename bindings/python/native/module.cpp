// The functions of bdelta over paths, bytes-like objects and file objects: bdelta/_native. The package wraps and documents
// and types them; their signatures stand in _native.pyi.
#include <nanobind/nanobind.h>
#include <nanobind/stl/string.h>

#include <algorithm>

#include "arguments.hpp"
#include "bdelta/apply.hpp"
#include "bdelta/bdelta.h"
#include "bdelta/create.hpp"
#include "bdelta/in_place.hpp"
#include "bdelta/members.hpp"
#include "bdelta/tree.hpp"
#include "bytes_output.hpp"
#include "options.hpp"
#include "push.hpp"
#include "results.hpp"
#include "trees.hpp"

namespace bdelta::python {
namespace {

// Where all three are paths, the library opens them: it knows what permissions and holes of files ask for.
nb::object py_create(nb::handle old_version, nb::handle new_version, nb::handle patch, nb::dict named) {
  Call call(take_told(named));
  CreateCall all = create_options(named);
  CreateOptions& options = all.create;
  options.progress = call.progress();
  options.trace = call.trace();
  RandomInput source(call, old_version, "old");
  RandomInput target(call, new_version, "new");
  Output output(call, patch, "patch");
  return to_python(*call.run([&]() -> Result<Report> {
    const auto trees = are_trees({&source.path(), &target.path()}, output.path(), all.has_tree_options());
    if (!trees) return trees.error();
    if (*trees) return create_tree(*source.path(), *target.path(), *output.path(), options, all.tree);
    if (source.path() && target.path() && output.path()) {
      return create_file(*source.path(), *target.path(), *output.path(), options);
    }
    auto from = source.open(options.files);
    if (!from) return from.error();
    auto to = target.open(options.files);
    if (!to) return to.error();
    if (Status opened = output.open(options.files); !opened) return opened.error();
    auto report = create(**from, **to, *output.forward(), options);
    if (!report) return report;
    if (Status finished = output.finish(); !finished) return finished.error();
    return report;
  }));
}

nb::bytes py_create_bytes(nb::handle old_version, nb::handle new_version, nb::dict named) {
  Call call(take_told(named));
  CreateCall all = create_options(named);
  CreateOptions& options = all.create;
  options.progress = call.progress();
  options.trace = call.trace();
  RandomInput source(call, old_version, "old");
  RandomInput target(call, new_version, "new");
  MadePatch patch;
  const auto report = call.run([&]() -> Result<Report> {
    const auto trees = are_trees({&source.path(), &target.path()}, std::nullopt, all.has_tree_options());
    if (!trees) return trees.error();
    auto from = source.open(options.files);
    if (!from) return from.error();
    auto to = target.open(options.files);
    if (!to) return to.error();
    return create(**from, **to, patch, options);
  });
  return nb::bytes(patch.bytes().data(), patch.bytes().size());
}

Result<Report> apply_to(RandomReader& source, SequentialReader& patch, Output& output, const ApplyOptions& options) {
  PositionedWriter* const positioned = output.positioned();
  auto report = positioned ? apply(source, patch, *positioned, options) : apply(source, patch, *output.forward(), options);
  if (!report) return report;
  if (Status finished = output.finish(); !finished) return finished.error();
  return report;
}

nb::object py_apply(nb::handle old_version, nb::handle new_version, nb::handle patch, nb::dict named) {
  Call call(take_told(named));
  ApplyOptions options = apply_options(named);
  options.progress = call.progress();
  options.trace = call.trace();
  RandomInput source(call, old_version, "old");
  StreamInput stream(call, patch, "patch");
  Output output(call, new_version, "new");
  options.output_limit_bytes = std::min(options.output_limit_bytes, output.room_bytes());
  return to_python(*call.run([&]() -> Result<Report> {
    const auto trees = are_trees({&source.path(), &output.path()}, stream.path(), has_tree_options(options));
    if (!trees) return trees.error();
    if (*trees) return apply_tree(*source.path(), *output.path(), *stream.path(), options);
    if (source.path() && output.path() && stream.path()) {
      return apply_file(*source.path(), *output.path(), *stream.path(), options);
    }
    auto read = stream.open(options.files);
    if (!read) return read.error();
    if (source.path() && output.path()) return apply_file(*source.path(), *output.path(), **read, options);
    auto from = source.open(options.files);
    if (!from) return from.error();
    if (Status opened = output.open(options.files); !opened) return opened.error();
    return apply_to(**from, **read, output, options);
  }));
}

nb::object py_apply_bytes(nb::handle old_version, nb::handle patch, nb::dict named) {
  Call call(take_told(named));
  ApplyOptions options = apply_options(named);
  options.progress = call.progress();
  options.trace = call.trace();
  RandomInput source(call, old_version, "old");
  StreamInput stream(call, patch, "patch");
  TargetBytes target(call);
  const auto report = call.run([&]() -> Result<Report> {
    const auto trees = are_trees({&source.path()}, std::nullopt, has_tree_options(options));
    if (!trees) return trees.error();
    auto read = stream.open(options.files);
    if (!read) return read.error();
    auto from = source.open(options.files);
    if (!from) return from.error();
    AgainReader again(**read);
    const auto info = inspect(again);
    if (!info) return info.error();
    if (!info->target_size) {
      return Error{.code = ErrorCode::kUnsupportedFeature,
                   .detail = "the head of this patch does not tell the size of NEW",
                   .remedy = "apply it to a file"};
    }
    target.expect(*info->target_size);
    again.rewind();
    return apply(**from, again, target, options);
  });
  return target.take();
}

// The paths of calls that take nothing else.
std::filesystem::path given_path(nb::handle what, const char* name) {
  auto given = path_of(what);
  if (!given) throw nb::type_error((std::string(name) + ": expected a path").c_str());
  return *given;
}

nb::object py_apply_in_place(nb::handle file, nb::handle patch, nb::dict named) {
  Call call(take_told(named));
  InPlaceCall all = in_place_options(named);
  all.apply.progress = call.progress();
  all.apply.trace = call.trace();
  const auto file_path = given_path(file, "file"), patch_path = given_path(patch, "patch");
  return to_python(*call.run([&]() -> Result<Report> {
    if (has_tree_options(all.apply)) return for_trees_alone();
    return apply_in_place(file_path, patch_path, all.apply, all.in_place);
  }));
}

nb::object py_resume_in_place(nb::handle file, nb::dict named) {
  Call call(take_told(named));
  InPlaceCall all = in_place_options(named);
  all.apply.progress = call.progress();
  const auto path = given_path(file, "file");
  return to_python(*call.run([&] { return resume_in_place(path, all.apply, all.in_place); }));
}

bool py_is_unfinished(nb::handle file, const nb::dict& named) {
  Call call{Told()};
  const InPlaceOptions options = in_place_options(named).in_place;
  const auto path = given_path(file, "file");
  return *call.run([&] { return is_unfinished(path, options); });
}

nb::object py_tree_state(nb::handle directory) {
  Call call{Told()};
  const auto path = given_path(directory, "directory");
  return to_python(*call.run([&] { return tree_state(path); }));
}

nb::object py_resume_tree(nb::handle directory, nb::dict named) {
  Call call(take_told(named));
  ApplyOptions options = apply_options(named);
  options.progress = call.progress();
  const auto path = given_path(directory, "directory");
  return to_python(*call.run([&] { return resume_tree(path, options); }));
}

nb::object py_check(nb::handle old_version, nb::handle patch, nb::dict named) {
  Call call(take_told(named));
  ApplyOptions options = apply_options(named);
  options.progress = call.progress();
  options.trace = call.trace();
  RandomInput source(call, old_version, "old");
  StreamInput stream(call, patch, "patch");
  return to_python(*call.run([&]() -> Result<Report> {
    const auto trees = are_trees({&source.path()}, stream.path(), has_tree_options(options));
    if (!trees) return trees.error();
    if (*trees) return check_tree(*source.path(), *stream.path(), options);
    if (source.path() && stream.path()) return check_file(*source.path(), *stream.path(), options);
    auto read = stream.open(options.files);
    if (!read) return read.error();
    auto from = source.open(options.files);
    if (!from) return from.error();
    return check(**from, **read, options);
  }));
}

using OfStream = Result<PatchInfo> (*)(SequentialReader&);
using OfPath = Result<PatchInfo> (*)(const std::filesystem::path&, const FileOptions&);

nb::object info_of(OfStream of_stream, OfPath of_path, nb::handle patch, const nb::dict& named) {
  Call call{Told()};
  const FileOptions options = file_options(named);
  StreamInput stream(call, patch, "patch");
  return to_python(*call.run([&]() -> Result<PatchInfo> {
    if (stream.path()) return of_path(*stream.path(), options);
    auto read = stream.open(options);
    return read ? of_stream(**read) : Result<PatchInfo>(read.error());
  }));
}

nb::object py_inspect(nb::handle patch, const nb::dict& named) { return info_of(inspect, inspect_file, patch, named); }

nb::object py_verify_patch(nb::handle patch, const nb::dict& named) {
  return info_of(verify_patch, verify_patch_file, patch, named);
}

// None in the place of OLD: of the patch alone.
nb::object py_inspect_members(nb::handle old_version, nb::handle patch, nb::dict named) {
  Call call(take_told(named));
  ApplyOptions options = apply_options(named);
  options.progress = call.progress();
  options.trace = call.trace();
  const auto source = old_version.is_none() ? std::filesystem::path() : given_path(old_version, "old");
  const auto patch_path = given_path(patch, "patch");
  return to_python(*call.run([&] {
    return source.empty() ? inspect_bytes(patch_path, options) : inspect_members(source, patch_path, options);
  }));
}

std::uint64_t py_apply_buffer_bytes(nb::handle info, unsigned threads) {
  return apply_buffer_bytes(needs_of(info), threads);
}

std::uint64_t py_estimate_memory(std::uint64_t old_bytes, std::uint64_t new_bytes, const nb::dict& named) {
  const auto bytes = estimate_memory(old_bytes, new_bytes, create_options(named).create);
  if (!bytes) throw_error(bytes.error());
  return *bytes;
}

}  // namespace
}  // namespace bdelta::python

NB_MODULE(_native, module) {
  using namespace bdelta::python;
  namespace nb = nanobind;
  nb::set_leak_warnings(false);  // objects that live as long as the interpreter are the program's own affair
  module.attr("version") = bdelta_version();
  // None is refused by what says which arguments are welcome.
  const auto from = nb::arg("old").none();
  const auto to = nb::arg("new").none();
  const auto patch = nb::arg("patch").none();
  const auto options = nb::arg("options");
  module.def("create", &py_create, from, to, patch, options);
  module.def("create_bytes", &py_create_bytes, from, to, options);
  module.def("apply", &py_apply, from, to, patch, options);
  module.def("apply_bytes", &py_apply_bytes, from, patch, options);
  module.def("apply_in_place", &py_apply_in_place, nb::arg("file").none(), patch, options);
  module.def("resume_in_place", &py_resume_in_place, nb::arg("file").none(), options);
  module.def("is_unfinished", &py_is_unfinished, nb::arg("file").none(), options);
  module.def("tree_state", &py_tree_state, nb::arg("directory").none());
  module.def("resume_tree", &py_resume_tree, nb::arg("directory").none(), options);
  module.def("check", &py_check, from, patch, options);
  module.def("inspect", &py_inspect, patch, options);
  module.def("verify_patch", &py_verify_patch, patch, options);
  module.def("inspect_members", &py_inspect_members, from, patch, options);
  module.def("estimate_memory", &py_estimate_memory);
  module.def("apply_buffer_bytes", &py_apply_buffer_bytes);
  module.def("option_names", &option_names);
  bind_push(module);
}
