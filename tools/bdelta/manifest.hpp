// What bdelta tells machines besides the report: how a patch was made, and the manifest of a release.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/json.hpp"
#include "options.hpp"

namespace bdelta::cli {

// Changes when a key gets another meaning or goes; new keys leave it as it is.
inline constexpr int kManifestSchema = 1;

// "time", "codecs" and "options" of a run that began at `unix_seconds`.
[[nodiscard]] Json making_facts(const CreateOptions& options, std::uint64_t unix_seconds);

// One OLD and what became of its patch.
struct ManifestEntry {
  std::filesystem::path source;
  std::optional<std::uint64_t> source_bytes;  // absent where it could not be read
  KnownDigests source_digests;
  std::string patch_name;  // in the manifest's folder
  Result<Report> made;
  double seconds = 0;
};

struct Manifest {
  std::filesystem::path target;
  std::uint64_t target_bytes = 0;
  KnownDigests target_digests;
  std::vector<ManifestEntry> entries;
  bool has_seconds = true;  // false: same inputs and options give the same manifest
  bool of_trees = false;    // names are of directories
};

[[nodiscard]] Json manifest_json(const Manifest& manifest, const CreateOptions& options, std::uint64_t unix_seconds);

}  // namespace bdelta::cli
