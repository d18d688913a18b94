#include "texts.hpp"

#include <cstdio>

#include "cli/text.hpp"

namespace bdelta::cli {

std::string made_text(const std::filesystem::path& patch, const Report& report, std::uint64_t memory_limit_bytes) {
  const auto patch_bytes = static_cast<double>(report.patch_bytes), target_bytes = static_cast<double>(report.target_bytes);
  const double share = report.target_bytes == 0 ? 0 : 100 * patch_bytes / target_bytes;
  char figures[64];
  std::snprintf(figures, sizeof figures, ", %.2f%% of ", share);
  return "bdelta: " + shown(patch) + ": " + human_size(report.patch_bytes) + figures + human_size(report.target_bytes) + ", " +
         seconds_text(report.wall_seconds) + (report.verified ? ", verified\n" : ", not verified\n") +
         memory_note(report.decoder_memory_bytes) + left_out_note(report.left_out, memory_limit_bytes);
}

}  // namespace bdelta::cli
