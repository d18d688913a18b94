#include "members.hpp"

#include <algorithm>
#include <cstdio>

#include "cli/json.hpp"
#include "cli/text.hpp"

namespace bdelta::cli {
namespace {

Json kinds_json(const std::vector<NamedBytes>& kinds) {
  Json json = Json::object();
  for (const NamedBytes& kind : kinds) json[kind.name] = kind.bytes;
  return json;
}

Json member_json(const MemberBytes& member) {
  Json json;
  put_name(json, "path", member.path);
  json["parent"] = member.parent == MemberBytes::kNone ? Json() : Json(member.parent);
  json["format"] = member.format;
  if (!member.packed_as.empty()) json["packed_as"] = member.packed_as;
  json["target_bytes"] = member.target_bytes;
  json["patch_bytes"] = member.patch_bytes;
  json["copied_bytes"] = member.copied_bytes;
  json["changed_bytes"] = member.changed_bytes;
  json["kinds"] = kinds_json(member.kinds);
  for (const SectionBytes& section : member.sections) {
    Json entry;
    put_name(entry, "name", section.name);
    entry["target_bytes"] = section.target_bytes;
    entry["patch_bytes"] = section.patch_bytes;
    entry["changed_bytes"] = section.changed_bytes;
    json["sections"].push_back(std::move(entry));
  }
  if (!member.source_path.empty()) put_name(json, "source", member.source_path);
  json["source_has_path"] = member.source_has_path;
  return json;
}

std::string number(std::uint64_t value) { return std::to_string(value); }

const char* change_word(EntryChange change) {
  switch (change) {
    case EntryChange::kChanged: return "changed";
    case EntryChange::kAdded: return "added";
    case EntryChange::kMoved: return "moved";
    case EntryChange::kRemoved: break;
  }
  return "removed";
}

std::string line(std::uint64_t bytes, std::uint64_t all_bytes, const std::string& text) {
  const double share = all_bytes == 0 ? 0 : 100.0 * static_cast<double>(bytes) / static_cast<double>(all_bytes);
  char numbers[64];
  std::snprintf(numbers, sizeof numbers, "%12s %6.2f%%  ", number(bytes).c_str(), share);
  return numbers + text + "\n";
}

}  // namespace

Json changes_json(const PatchBytes& bytes) {
  if (!bytes.entries) return Json::object();
  Json list = Json::array();
  for (const EntryBytes& entry : *bytes.entries) {
    Json one{{"change", change_word(entry.change)}};
    put_name(one, "path", entry.path);
    if (!entry.source_path.empty()) put_name(one, "from", entry.source_path);
    one["bytes"] = entry.bytes;
    if (entry.patch_bytes) one["patch_bytes"] = *entry.patch_bytes;
    list.push_back(std::move(one));
  }
  return {{"patch_bytes", bytes.patch_bytes}, {"changes", std::move(list)}};
}

std::string changes_text(const PatchBytes& bytes) {
  if (!bytes.entries) return "";
  std::string text = "\n";
  for (const EntryBytes& entry : *bytes.entries) {
    char begin[64];
    const std::string cost = entry.patch_bytes ? number(*entry.patch_bytes) : "?";
    std::snprintf(begin, sizeof begin, "%12s  %-9s", cost.c_str(), change_word(entry.change));
    text += begin + (entry.source_path.empty() ? "" : one_line(entry.source_path) + " -> ") + one_line(entry.path) + "\n";
  }
  return text;
}

std::string members_json(const PatchBytes& bytes, bool has_members) {
  Json json{{"schema", 1}, {"program", "bpatch"}, {"version", program_version()}, {"ok", true}};
  json["format"] = bytes.info.format;
  if (bytes.info.of_tree) json["of"] = "directories";
  if (bytes.info.source_size) json["source_bytes"] = *bytes.info.source_size;
  if (bytes.info.target_size) json["target_bytes"] = *bytes.info.target_size;
  json["unpacked"] = bytes.info.unpacked;
  json["predicted"] = bytes.info.predicted;
  json["patch_bytes"] = bytes.patch_bytes;
  json["kinds"] = kinds_json(bytes.kinds);
  if (bytes.entries) json.update(changes_json(bytes));
  if (!has_members) return dump(json) + "\n";
  json["members"] = Json::array();
  for (const MemberBytes& member : bytes.members) json["members"].push_back(member_json(member));
  json["removed"] = Json::array();
  for (const std::string& path : bytes.removed_paths) {
    Json entry;
    put_name(entry, "path", path);
    json["removed"].push_back(std::move(entry));
  }
  return dump(json) + "\n";
}

std::string members_text(const PatchBytes& bytes, bool has_members) {
  std::string text = line(bytes.patch_bytes, bytes.patch_bytes, "in all");
  for (const NamedBytes& kind : bytes.kinds) text += line(kind.bytes, bytes.patch_bytes, kind.name);
  if (!has_members) return text;
  std::vector<const MemberBytes*> members;
  std::uint64_t placed_bytes = 0;
  for (const MemberBytes& member : bytes.members) {
    placed_bytes += member.patch_bytes;
    if (member.patch_bytes > 0) members.push_back(&member);
  }
  std::stable_sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->patch_bytes > b->patch_bytes; });
  text += "\n";
  for (const MemberBytes* member : members) {
    const std::string packed = member->packed_as.empty() ? "" : ", packed as " + member->packed_as;
    const std::string name = member->path.empty() ? "NEW" : shown(member->path);
    text += line(member->patch_bytes, bytes.patch_bytes, name + "  (" + member->format + packed + ", " + human_size(member->target_bytes) + ")");
    for (const SectionBytes& section : member->sections) {
      text += line(section.patch_bytes, bytes.patch_bytes, "    " + one_line(section.name));
    }
  }
  if (placed_bytes < bytes.patch_bytes) text += line(bytes.patch_bytes - placed_bytes, bytes.patch_bytes, "of no member");
  return text;
}

}  // namespace bdelta::cli
