#include "texts.hpp"

#include <algorithm>
#include <cstdio>

#include "cli/text.hpp"

namespace bdelta::cli {

std::string made_text(const std::filesystem::path& patch, const Report& report, const CreateOptions& options) {
  const auto patch_bytes = static_cast<double>(report.patch_bytes), target_bytes = static_cast<double>(report.target_bytes);
  const double share = report.target_bytes == 0 ? 0 : 100 * patch_bytes / target_bytes;
  char figures[64];
  std::snprintf(figures, sizeof figures, ", %.2f%% of ", share);
  return "bdelta: " + shown(patch) + ": " + human_size(report.patch_bytes) + figures + human_size(report.target_bytes) + ", " +
         seconds_text(report.wall_seconds) + (report.verified ? ", verified\n" : ", not verified\n") +
         packed_note(report) + memory_note(report.decoder_memory_bytes) + left_out_note(report.left_out, options.memory_limit_bytes) +
         apply_limit_note(report, options.max_apply_seconds);
}

std::string apply_limit_note(const Report& report, double limit_seconds) {
  if (limit_seconds == 0) return "";
  std::string names, lines;
  double needed_seconds = 0;
  for (const LeftOut& work : report.left_out) {
    if (work.needed_seconds == 0) continue;
    names += (names.empty() ? "" : ", ") + work.name;
    needed_seconds = std::max(needed_seconds, work.needed_seconds);
  }
  char figures[160];
  if (!names.empty()) {
    std::snprintf(figures, sizeof figures, " (applying would take %.3g s)\n", needed_seconds);
    lines += "bdelta: left out for --max-apply-seconds: " + names + figures;
  }
  const double seconds = static_cast<double>(report.nominal_apply_ns) * 1e-9;
  if (seconds > limit_seconds) {
    std::snprintf(figures, sizeof figures, "bdelta: no patch keeps to --max-apply-seconds: applying the fastest takes about %.3g s\n", seconds);
    lines += figures;
  }
  return lines;
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
