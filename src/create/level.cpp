#include "create/level.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

LevelSettings fast() {
  LevelSettings settings;
  settings.match.sample_shift = 7;
  const CodecSettings zstd{CodecId::kZstd, 1, 0};
  settings.numbers = settings.values = settings.literals = zstd;
  settings.window_bytes = 4 * kMiB;
  settings.group_bytes = 8 * kMiB;
  return settings;
}

LevelSettings middle() {
  LevelSettings settings;
  settings.match.sample_shift = 6;
  settings.match.compare_candidates = true;
  settings.match.gap_spans = {16};
  settings.match.loosen = true;
  settings.match.prune = true;
  const CodecSettings zstd{CodecId::kZstd, 9, 0};
  settings.numbers = settings.values = settings.literals = zstd;
  settings.window_bytes = 4 * kMiB;
  settings.group_bytes = 32 * kMiB;
  return settings;
}

LevelSettings small() {
  LevelSettings settings = middle();
  settings.match.gap_spans.clear();
  settings.match.parse = true;
  settings.numbers = {CodecId::kLzma, 6, 0};
  settings.values = {CodecId::kLzma, 6, 0};
  settings.literals = {CodecId::kLzma, 6, 2};
  settings.model = true;
  settings.group_bytes = 128 * kMiB;
  return settings;
}

}  // namespace

LevelSettings level_settings(int level) {
  if (level < 3) return fast();
  if (level < 6) return middle();
  LevelSettings settings = small();
  if (level == 9) settings.model_values = 8 * kMiB;
  return settings;
}

}  // namespace bdelta
