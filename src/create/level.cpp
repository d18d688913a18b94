#include "create/level.hpp"

#include "bdelta/create.hpp"

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

// Finer samples, and a pass over what the scan left open.
LevelSettings quick() {
  LevelSettings settings = fast();
  settings.match.sample_shift = 6;
  settings.match.compare_candidates = true;
  settings.match.gap_spans = {16};
  settings.match.loosen = true;
  settings.match.prune = true;
  const CodecSettings zstd{CodecId::kZstd, 5, 0};
  settings.numbers = settings.values = settings.literals = zstd;
  settings.group_bytes = 32 * kMiB;
  return settings;
}

// The parse, with a codec that decodes fast.
LevelSettings middle(int zstd_level) {
  LevelSettings settings;
  settings.predict = true;
  settings.word_search = 256;
  settings.match.sample_shift = 6;
  settings.match.compare_candidates = true;
  settings.match.parse = true;
  settings.match.parse_params.beam = 16;
  settings.match.parse_params.anchor_shift = 3;
  const CodecSettings zstd{CodecId::kZstd, zstd_level, 0};
  settings.numbers = settings.values = settings.literals = zstd;
  settings.window_bytes = 4 * kMiB;
  settings.group_bytes = 32 * kMiB;
  return settings;
}

LevelSettings small() {
  LevelSettings settings = middle(0);
  settings.match.parse_params.beam = 64;
  settings.match.parse_params.anchor_shift = 2;
  settings.match.parse_params.long_grams = true;
  settings.numbers = {CodecId::kLzma, 6, 0};
  settings.values = {CodecId::kLzma, 6, 0};
  settings.literals = {CodecId::kLzma, 6, 2};
  settings.model = true;
  settings.word_search = ~std::uint64_t{0};
  settings.label_passes = 2;
  settings.group_bytes = 128 * kMiB;
  return settings;
}

// What the coder makes of a choice is known for sure only afterwards, so the smallest patch takes several tries: as
// usual; as for text, where literals are cheap and misses dear; as for programs with many misses of few values; and
// with cheap changes of diagonal, as for small files.
void choose_costs(LevelSettings& settings) {
  const ParseCosts usual = settings.match.parse_params.costs.front();
  ParseCosts text = usual;
  text.literal = 250;
  text.begin_literal = 200;
  text.first_miss = 900;
  ParseCosts misses = usual;
  misses.first_miss = 540;
  misses.next_miss = 360;
  ParseCosts switches = usual;
  switches.far_switch = 1800;
  switches.near_switch = 1200;
  switches.resume = 700;
  settings.match.parse_params.costs = {usual, text, misses, switches};
  settings.choice_bytes = 64 * kMiB;
}

}  // namespace

LevelSettings level_settings(int level) {
  switch (level) {
    case 1: return fast();
    case 2: return quick();
    case 3: return middle(9);
    case 4: return middle(15);
    case 5: return middle(19);
    default: break;
  }
  LevelSettings settings = small();
  if (level >= 7) settings.match.parse_params.anchor_shift = 1;
  if (level >= 8) settings.model_values = 8 * kMiB;
  if (level >= 9) {
    settings.model_byte_ns = 20000;
    settings.label_passes = 3;
    choose_costs(settings);
  }
  if (level >= kMaxLevel) {
    settings.contents = true;
    settings.word_search = 0;  // contents learn of words as they go
    settings.window_bytes = kMiB;  // more windows for the lanes to share
  }
  return settings;
}

}  // namespace bdelta
