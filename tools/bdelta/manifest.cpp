#include "manifest.hpp"

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
          {"digests", options.group_digests},
          {"verify", options.verify},
          {"memory_bytes", or_null(options.memory_limit_bytes)},
          {"max_ratio", or_null(options.max_patch_ratio)},
          {"timeout_seconds", or_null(options.time_limit_seconds)},
          {"io", options.files.mode == IoMode::kMmap ? "mmap" : "stdio"}};
}

}  // namespace

Json making_facts(const CreateOptions& options, std::uint64_t unix_seconds) {
  return {{"time", rfc3339(unix_seconds)}, {"codecs", codec_versions()}, {"options", options_json(options)}};
}

}  // namespace bdelta::cli
