#include "manifest.hpp"

#include <algorithm>

#include "hash/xxh3.hpp"
#include "utc_time.hpp"

namespace bdelta::cli {
namespace {

const char* format_name(PatchFormat format) { return format == PatchFormat::kBdt1 ? "bdt1" : "bdt2"; }

// Those that patches and their making depend on; null is none.
Json options_json(const CreateOptions& options) {
  const auto or_null = [](auto value) { return value > 0 ? Json(value) : Json(); };
  return {{"level", options.level},
          {"format", format_name(options.format)},
          {"predict", options.predict},
          {"unpack", options.unpack == Unpack::kNone ? "none" : options.unpack == Unpack::kAll ? "all" : "auto"},
          {"digests", options.group_digests},
          {"verify", options.verify},
          {"memory_bytes", or_null(options.memory_limit_bytes)},
          {"max_ratio", or_null(options.max_patch_ratio)},
          {"max_apply_seconds", or_null(options.max_apply_seconds)},
          {"timeout_seconds", or_null(options.time_limit_seconds)},
          {"io", options.files.mode == IoMode::kMmap ? "mmap" : "stdio"}};
}

Json file_json(const std::filesystem::path& name, const std::optional<std::uint64_t>& bytes, const KnownDigests& digests) {
  Json json;
  put_name(json, "name", name);
  if (bytes) json["bytes"] = *bytes;
  put_digests(json, "", digests);
  return json;
}

Json entry_json(const ManifestEntry& entry, bool has_seconds) {
  Json json{{"source", file_json(entry.source, entry.source_bytes, entry.source_digests)}};
  json["ok"] = static_cast<bool>(entry.made);
  if (!entry.made) {
    json["patch"] = nullptr;
    json["error"] = error_object(entry.made.error());
  } else {
    const Report& report = *entry.made;
    json["patch"] = file_json(entry.patch_name, report.patch_bytes, report.patch_digests);
    if (report.head_sha256) json["patch"]["head_sha256"] = to_hex(*report.head_sha256);
    json["decoder_memory_bytes"] = report.decoder_memory_bytes;
    json["verified"] = report.verified;
    json["error"] = nullptr;
  }
  if (has_seconds) json["seconds"] = entry.seconds;
  return json;
}

}  // namespace

Json making_facts(const CreateOptions& options, std::uint64_t unix_seconds) {
  return {{"time", rfc3339(unix_seconds)}, {"codecs", codec_versions()}, {"options", options_json(options)}};
}

Json manifest_json(const Manifest& manifest, const CreateOptions& options, std::uint64_t unix_seconds) {
  const std::vector<ManifestEntry>& entries = manifest.entries;
  Json json{{"manifest_schema", kManifestSchema}, {"program", "bdelta"}, {"version", program_version()}};
  json["ok"] = std::all_of(entries.begin(), entries.end(), [](const ManifestEntry& entry) { return bool(entry.made); });
  json["format"] = format_name(options.format);
  json["draft"] = options.format == PatchFormat::kBdt1 ? 0 : format_draft();
  json.update(making_facts(options, unix_seconds));
  if (manifest.of_trees) json["of"] = "directories";
  json["target"] = file_json(manifest.target, manifest.target_bytes, manifest.target_digests);
  json["patches"] = Json::array();
  for (const ManifestEntry& entry : entries) json["patches"].push_back(entry_json(entry, manifest.has_seconds));
  return json;
}

}  // namespace bdelta::cli
