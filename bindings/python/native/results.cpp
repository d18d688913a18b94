#include "results.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <array>

#include "arguments.hpp"
#include "call.hpp"

namespace bdelta::python {
namespace {

template <std::size_t kSize>
nb::object bytes_of(const std::optional<std::array<std::uint8_t, kSize>>& digest) {
  return digest ? nb::object(nb::bytes(digest->data(), digest->size())) : nb::none();
}

nb::object make(const char* type, const nb::dict& fields) {
  return nb::module_::import_("bdelta._results").attr(type)(**fields);
}

nb::object to_python(const KnownDigests& digests) {
  nb::dict fields;
  fields["xxh3_128"] = bytes_of(digests.xxh3_128);
  fields["sha256"] = bytes_of(digests.sha256);
  return make("Digests", fields);
}

nb::object to_python(const Phase& phase) {
  nb::dict fields;
  fields["name"] = phase.name;
  fields["seconds"] = phase.seconds;
  fields["wall_seconds"] = phase.wall_seconds;
  fields["bytes"] = phase.bytes;
  return make("Phase", fields);
}

nb::object to_python(const StreamReport& stream) {
  nb::dict fields;
  fields["name"] = stream.name;
  fields["raw_bytes"] = stream.raw_bytes;
  fields["coded_bytes"] = stream.coded_bytes;
  return make("Stream", fields);
}

nb::object to_python(const TreeChange& change) {
  nb::dict fields;
  fields["path"] = text_of(change.path);
  fields["bytes"] = change.bytes;
  fields["moved_from"] = change.from.empty() ? nb::none() : text_of(change.from);
  return make("TreeChange", fields);
}

template <class T>
nb::object tuple_of(const std::vector<T>& items) {
  nb::list list;
  for (const T& item : items) list.append(to_python(item));
  return nb::tuple(list);
}

nb::object to_python(const TreeChanges& changes) {
  nb::dict fields;
  fields["changed"] = tuple_of(changes.changed);
  fields["added"] = tuple_of(changes.added);
  fields["removed"] = tuple_of(changes.removed);
  fields["moved"] = tuple_of(changes.moved);
  fields["written_bytes"] = changes.written_bytes;
  return make("TreeChanges", fields);
}

}  // namespace

nb::object to_python(TreeState state) {
  static constexpr const char* kNames[] = {"WHOLE", "STAGING", "UNFINISHED", "TAKING_BACK"};
  return nb::module_::import_("bdelta._results").attr("TreeState").attr(kNames[static_cast<std::size_t>(state)]);
}

nb::object to_python(Resumed resumed) {
  static constexpr const char* kNames[] = {"NOTHING", "DISCARDED", "FINISHED", "TAKEN_BACK"};
  return nb::module_::import_("bdelta._results").attr("Resumed").attr(kNames[static_cast<std::size_t>(resumed)]);
}

nb::object to_python(const Report& report) {
  nb::dict fields;
  fields["source_bytes"] = report.source_bytes;
  fields["target_bytes"] = report.target_bytes;
  fields["patch_bytes"] = report.patch_bytes;
  fields["format"] = report.format;
  fields["level"] = report.level;
  fields["threads"] = report.threads;
  fields["phases"] = tuple_of(report.phases);
  fields["streams"] = tuple_of(report.streams);
  fields["cover_count"] = report.cover_count;
  fields["covered_bytes"] = report.covered_bytes;
  fields["literal_bytes"] = report.literal_bytes;
  fields["residual_bytes"] = report.residual_bytes;
  fields["window_count"] = report.window_count;
  fields["read_calls"] = report.read_calls;
  fields["write_calls"] = report.write_calls;
  fields["decoder_memory_bytes"] = report.decoder_memory_bytes;
  fields["nominal_apply_ns"] = report.nominal_apply_ns;
  fields["wall_seconds"] = report.wall_seconds;
  fields["up_to_date"] = report.up_to_date;
  fields["head_sha256"] = bytes_of(report.head_sha256);
  fields["verified"] = report.verified;
  fields["written_bytes"] = report.written_bytes;
  fields["journal_bytes"] = report.journal_bytes;
  fields["tree"] = report.tree ? to_python(*report.tree) : nb::none();
  fields["source_digests"] = to_python(report.source_digests);
  fields["target_digests"] = to_python(report.target_digests);
  fields["patch_digests"] = to_python(report.patch_digests);
  return make("Report", fields);
}

nb::object to_python(const TreeInfo& tree) {
  nb::dict fields;
  fields["entry_count"] = tree.entry_count;
  fields["kept_files"] = tree.kept_files;
  fields["changed_files"] = tree.changed_files;
  fields["added_files"] = tree.added_files;
  fields["removed_files"] = tree.removed_files;
  fields["made_bytes"] = tree.made_bytes;
  fields["has_times"] = tree.has_times;
  fields["has_source_list"] = tree.has_source_list;
  nb::list excluded;
  for (const std::string& pattern : tree.excluded) excluded.append(text_of(pattern));
  fields["excluded"] = nb::tuple(excluded);
  return make("TreeInfo", fields);
}

nb::object to_python(const PatchInfo& info) {
  nb::dict fields;
  fields["format"] = info.format;
  fields["version"] = info.version;
  fields["draft"] = info.draft;
  fields["source_size"] = info.source_size;
  fields["target_size"] = info.target_size;
  fields["source_digest"] = bytes_of(info.source_digest);
  fields["target_digest"] = bytes_of(info.target_digest);
  fields["required_features"] = info.required_features;
  fields["optional_features"] = info.optional_features;
  fields["predicted"] = info.predicted;
  fields["unpacked"] = info.unpacked;
  fields["of_tree"] = info.of_tree;
  fields["tree"] = info.tree ? to_python(*info.tree) : nb::none();
  fields["window_bytes"] = info.window_bytes;
  fields["group_bytes"] = info.group_bytes;
  fields["decoder_memory_bytes"] = info.decoder_memory_bytes;
  fields["history_bytes"] = info.history_bytes;
  fields["head_sha256"] = bytes_of(info.head_sha256);
  fields["patch_bytes"] = info.patch_bytes;
  fields["verified"] = info.verified;
  return make("PatchInfo", fields);
}

namespace {

nb::dict dict_of(const std::vector<NamedBytes>& kinds) {
  nb::dict dict;
  for (const NamedBytes& kind : kinds) dict[text_of(kind.name)] = kind.bytes;
  return dict;
}

nb::object to_python(const SectionBytes& section) {
  nb::dict fields;
  fields["name"] = text_of(section.name);
  fields["target_bytes"] = section.target_bytes;
  fields["patch_bytes"] = section.patch_bytes;
  fields["changed_bytes"] = section.changed_bytes;
  return make("SectionBytes", fields);
}

nb::object to_python(const MemberBytes& member) {
  nb::dict fields;
  fields["path"] = text_of(member.path);
  fields["parent"] = member.parent == MemberBytes::kNone ? nb::none() : nb::object(nb::int_(member.parent));
  fields["format"] = member.format;
  fields["packed_as"] = member.packed_as;
  fields["target_bytes"] = member.target_bytes;
  fields["patch_bytes"] = member.patch_bytes;
  fields["copied_bytes"] = member.copied_bytes;
  fields["changed_bytes"] = member.changed_bytes;
  fields["kinds"] = dict_of(member.kinds);
  nb::list sections;
  for (const SectionBytes& section : member.sections) sections.append(to_python(section));
  fields["sections"] = nb::tuple(sections);
  fields["source_path"] = text_of(member.source_path);
  fields["source_has_path"] = member.source_has_path;
  return make("MemberBytes", fields);
}

}  // namespace

nb::object to_python(const PatchBytes& bytes) {
  nb::dict fields;
  fields["info"] = to_python(bytes.info);
  fields["patch_bytes"] = bytes.patch_bytes;
  fields["kinds"] = dict_of(bytes.kinds);
  nb::list members;
  for (const MemberBytes& member : bytes.members) members.append(to_python(member));
  fields["members"] = nb::tuple(members);
  nb::list removed;
  for (const std::string& path : bytes.removed_paths) removed.append(text_of(path));
  fields["removed_paths"] = nb::tuple(removed);
  return make("PatchBytes", fields);
}

PatchInfo needs_of(nb::handle info) {
  PatchInfo needs;
  needs.window_bytes = nb::cast<std::uint64_t>(info.attr("window_bytes"));
  needs.unpacked = nb::cast<bool>(info.attr("unpacked"));
  return needs;
}

}  // namespace bdelta::python
