#include "options.hpp"

#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arguments.hpp"

namespace bdelta::python {
namespace {

// A value with the name of its option, for messages.
class Value {
 public:
  Value(const char* name, nb::handle value) : name_(name), value_(value) {}

  template <class T>
  void to(T& number) const {
    if (!PyLong_Check(value_.ptr()) || PyBool_Check(value_.ptr())) mistyped("int");
    if (nb::try_cast(value_, number)) return;
    refuse("from " + std::to_string(std::numeric_limits<T>::min()) + " to " + std::to_string(std::numeric_limits<T>::max()));
  }

  void to(double& number) const {
    if (!PyFloat_Check(value_.ptr()) && !PyLong_Check(value_.ptr())) mistyped("float");
    if (!nb::try_cast(value_, number)) refuse("a number of type float");
  }

  void to(bool& flag) const {
    if (!PyBool_Check(value_.ptr())) mistyped("bool");
    flag = value_.is(nb::handle(Py_True));
  }

  template <class T>
  void to(std::optional<T>& maybe) const {
    if (value_.is_none()) return maybe.reset();
    T set{};
    to(set);
    maybe = std::move(set);
  }

  void to(std::filesystem::path& path) const {
    auto given = path_of(value_);
    if (!given) mistyped("str or os.PathLike");
    path = std::move(*given);
  }

  // Bytes of a name, as os.fsencode gives them.
  void to(std::vector<std::string>& names) const {
    if (PyUnicode_Check(value_.ptr()) || PyBytes_Check(value_.ptr())) mistyped("a sequence of str");
    if (!nb::hasattr(value_, "__iter__")) mistyped("a sequence of str");
    for (const nb::handle name : nb::borrow<nb::iterable>(value_)) {
      if (!PyUnicode_Check(name.ptr())) Value(name_, name).mistyped("str");
      names.push_back(path_of(name)->string());
    }
  }

  template <std::size_t kSize>
  void to(std::array<std::uint8_t, kSize>& digest) const {
    if (!PyBytes_Check(value_.ptr())) mistyped("bytes");
    if (static_cast<std::size_t>(PyBytes_Size(value_.ptr())) != kSize) refuse(std::to_string(kSize) + " bytes");
    std::memcpy(digest.data(), PyBytes_AsString(value_.ptr()), kSize);
  }

  void to(KnownDigests& digests) const {
    if (value_.is_none()) return;
    if (!nb::hasattr(value_, "xxh3_128") || !nb::hasattr(value_, "sha256")) mistyped("bdelta.Digests");
    Value(name_, nb::object(value_.attr("xxh3_128"))).to(digests.xxh3_128);
    Value(name_, nb::object(value_.attr("sha256"))).to(digests.sha256);
  }

  template <class Enum>
  void to(Enum& chosen, std::initializer_list<std::pair<const char*, Enum>> words) const {
    if (!PyUnicode_Check(value_.ptr())) mistyped("str");
    std::string known;
    for (const auto& [word, meaning] : words) {
      if (value_.equal(nb::str(word))) {
        chosen = meaning;
        return;
      }
      known += (known.empty() ? "" : ", ") + std::string(word);
    }
    refuse("one of " + known);
  }

 private:
  [[noreturn]] void mistyped(const char* wanted) const {
    const std::string found = nb::cast<std::string>(value_.type().attr("__name__"));
    throw nb::type_error((std::string(name_) + ": expected " + wanted + ", found " + found).c_str());
  }

  [[noreturn]] void refuse(const std::string& wanted) const {
    const std::string found = nb::cast<std::string>(nb::repr(value_));
    throw_error({ErrorCode::kUsage, std::string(name_) + ": expected " + wanted + ", found " + found});
  }

  const char* name_;
  nb::handle value_;
};

template <class Options>
struct Option {
  const char* name;
  void (*set)(Options& options, const Value& value);
};

constexpr Option<FileOptions> kFileOptions[] = {
    {"io", [](auto& o, auto& v) { v.to(o.mode, {{"stdio", IoMode::kStdio}, {"mmap", IoMode::kMmap}}); }},
    {"buffer_bytes", [](auto& o, auto& v) { v.to(o.buffer_bytes); }},
    {"sync", [](auto& o, auto& v) { v.to(o.sync); }},
    {"overwrite", [](auto& o, auto& v) { v.to(o.overwrite); }},
    {"output_temp_dir", [](auto& o, auto& v) { v.to(o.temp_dir); }},
};

constexpr Option<CreateOptions> kCreateOptions[] = {
    {"level", [](auto& o, auto& v) { v.to(o.level); }},
    {"format", [](auto& o, auto& v) { v.to(o.format, {{"bdt2", PatchFormat::kBdt2}, {"bdt1", PatchFormat::kBdt1}}); }},
    {"threads", [](auto& o, auto& v) { v.to(o.threads); }},
    {"memory_limit_bytes", [](auto& o, auto& v) { v.to(o.memory_limit_bytes); }},
    {"predict", [](auto& o, auto& v) { v.to(o.predict); }},
    {"unpack",
     [](auto& o, auto& v) { v.to(o.unpack, {{"auto", Unpack::kAuto}, {"none", Unpack::kNone}, {"all", Unpack::kAll}}); }},
    {"verify", [](auto& o, auto& v) { v.to(o.verify); }},
    {"group_digests", [](auto& o, auto& v) { v.to(o.group_digests); }},
    {"digest_patch", [](auto& o, auto& v) { v.to(o.digest_patch); }},
    {"sha256_inputs", [](auto& o, auto& v) { v.to(o.sha256_inputs); }},
    {"known_target", [](auto& o, auto& v) { v.to(o.known_target); }},
    {"max_apply_seconds", [](auto& o, auto& v) { v.to(o.max_apply_seconds); }},
    {"max_patch_ratio", [](auto& o, auto& v) { v.to(o.max_patch_ratio); }},
    {"time_limit_seconds", [](auto& o, auto& v) { v.to(o.time_limit_seconds); }},
    {"temp_dir", [](auto& o, auto& v) { v.to(o.temp_dir); }},
};

constexpr Option<TreeOptions> kTreeOptions[] = {
    {"exclude", [](auto& o, auto& v) { v.to(o.exclude); }},
    {"times", [](auto& o, auto& v) { v.to(o.times); }},
    {"source_list", [](auto& o, auto& v) { v.to(o.source_list); }},
};

constexpr Option<ApplyOptions> kApplyOptions[] = {
    {"threads", [](auto& o, auto& v) { v.to(o.threads); }},
    {"memory_limit_bytes", [](auto& o, auto& v) { v.to(o.memory_limit_bytes); }},
    {"output_limit_bytes", [](auto& o, auto& v) { v.to(o.output_limit_bytes); }},
    {"window_limit_bytes", [](auto& o, auto& v) { v.to(o.window_limit_bytes); }},
    {"expected_patch_sha256", [](auto& o, auto& v) { v.to(o.expected_patch_sha256); }},
    {"expected_head_sha256", [](auto& o, auto& v) { v.to(o.expected_head_sha256); }},
    {"time_limit_seconds", [](auto& o, auto& v) { v.to(o.time_limit_seconds); }},
    {"outside_links", [](auto& o, auto& v) { v.to(o.outside_links); }},
    {"keep_others", [](auto& o, auto& v) { v.to(o.keep_others); }},
    {"keep_state", [](auto& o, auto& v) { v.to(o.keep_state); }},
    {"state_file", [](auto& o, auto& v) { v.to(o.state_file); }},
    {"trust_times", [](auto& o, auto& v) { v.to(o.trust_times); }},
    {"target_mode", [](auto& o, auto& v) { v.to(o.target_mode); }},
};

constexpr Option<InPlaceOptions> kInPlaceOptions[] = {
    {"journal", [](auto& o, auto& v) { v.to(o.journal); }},
    {"scratch_limit_bytes", [](auto& o, auto& v) { v.to(o.scratch_limit_bytes); }},
    {"dry_run", [](auto& o, auto& v) { v.to(o.dry_run); }},
};

// False: none of these.
template <class Options, std::size_t kCount>
bool set(const Option<Options> (&known)[kCount], Options& options, const std::string& name, nb::handle value) {
  for (const auto& option : known) {
    if (name != option.name) continue;
    option.set(options, Value(option.name, value));
    return true;
  }
  return false;
}

// Each name by the first table that has it, given as `sets`.
template <class... Sets>
void set_all(const nb::dict& named, const Sets&... sets) {
  for (const auto& [key, value] : named) {
    const auto name = nb::cast<std::string>(key);
    if (!(sets(name, value) || ...)) throw nb::type_error(("there is no option '" + name + "' here").c_str());
  }
}

template <class Table, class Options>
auto by(const Table& table, Options& options) {
  return [&](const std::string& name, nb::handle value) { return set(table, options, name, value); };
}

template <class... Tables>
nb::list names_of(const Tables&... tables) {
  nb::list names;
  const auto append = [&](const auto& table) {
    for (const auto& option : table) names.append(option.name);
  };
  (append(tables), ...);
  return names;
}

}  // namespace

CreateCall create_options(const nb::dict& named) {
  CreateCall call;
  set_all(named, by(kCreateOptions, call.create), by(kTreeOptions, call.tree), by(kFileOptions, call.create.files));
  return call;
}

ApplyOptions apply_options(const nb::dict& named) {
  ApplyOptions options;
  set_all(named, by(kApplyOptions, options), by(kFileOptions, options.files));
  return options;
}

bool has_tree_options(const ApplyOptions& options) {
  return options.outside_links || options.keep_others || options.keep_state || options.state_file || options.trust_times;
}

InPlaceCall in_place_options(const nb::dict& named) {
  InPlaceCall call;
  set_all(named, by(kInPlaceOptions, call.in_place), by(kApplyOptions, call.apply), by(kFileOptions, call.apply.files));
  return call;
}

FileOptions file_options(const nb::dict& named) {
  FileOptions options;
  set_all(named, by(kFileOptions, options));
  return options;
}

Told take_told(nb::dict& named) {
  const auto take = [&](const char* name, bool (*fits)(PyObject*), const char* wanted) {
    nb::object value = nb::none();
    if (!named.contains(name)) return value;
    value = named[name];
    if (!value.is_none() && !fits(value.ptr())) throw nb::type_error((std::string(name) + ": expected " + wanted).c_str());
    PyDict_DelItemString(named.ptr(), name);
    return value;
  };
  Told told;
  told.progress = take("progress", [](PyObject* value) { return PyCallable_Check(value) != 0; }, "a callable");
  told.trace = take("trace", [](PyObject* value) { return PyList_Check(value) != 0; }, "a list");
  return told;
}

nb::dict option_names() {
  nb::dict names;
  names["create"] = names_of(kCreateOptions, kTreeOptions, kFileOptions);
  names["apply"] = names_of(kApplyOptions, kFileOptions);
  names["in_place"] = names_of(kInPlaceOptions, kApplyOptions, kFileOptions);
  names["file"] = names_of(kFileOptions);
  return names;
}

}  // namespace bdelta::python
