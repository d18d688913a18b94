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
         packed_note(report) + memory_note(report.decoder_memory_bytes) + left_out_note(report.left_out, memory_limit_bytes);
}

std::string packed_note(const Report& report) {
  constexpr std::uint64_t kMuchBytes = 64 << 10, kMuchShare = 8;  // of NEW: less is not worth a line
  const UnpackReport& unpack = report.unpack;
  if (unpack.left_bytes() < kMuchBytes || unpack.left_bytes() < report.target_bytes / kMuchShare) return "";
  std::string reasons;
  const auto add = [&](const UnpackReport::Streams& streams, const char* why) {
    if (streams.bytes != 0) reasons += (reasons.empty() ? "" : ", ") + human_size(streams.bytes) + ' ' + why;
  };
  add(unpack.costly, "by encoders that are not known (--unpack=all unpacks them)");
  add(unpack.encrypted, "encrypted");
  add(unpack.damaged, "damaged");
  add(unpack.no_room, "beyond limits of memory");
  return "bdelta: " + human_size(unpack.left_bytes()) + " of NEW stayed packed: " + reasons + "\n";
}

}  // namespace bdelta::cli
