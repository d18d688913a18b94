#include "create/level.hpp"

#include <string>

#include "bdelta/create.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

void use_zstd(LevelSettings& settings, int zstd_level) {
  settings.coding.numbers = settings.coding.values = settings.coding.literals = {CodecId::kZstd, zstd_level, 0};
}

// Numbers go through the context coder where they are few and each byte that it saves is worth its time of applying.
void pack_short_patches(LevelSettings& settings, std::uint64_t apply_byte_ns) {
  settings.coding.model = true;
  settings.coding.model_most_bytes = 256 * 1024;
  settings.coding.apply_byte_ns = apply_byte_ns;
}

LevelSettings fast() {
  LevelSettings settings;
  settings.match.sample_shift = 7;
  use_zstd(settings, 3);
  settings.history_bytes = 64 * kMiB;
  settings.least_saved_share = 16;
  settings.copy_gram_shift = 5;
  settings.quick_copies = true;
  pack_short_patches(settings, 500);
  settings.make_byte_ns = 25'000;
  settings.coding.model_target_share = 1024;  // else it would take longer than finding the covers
  settings.coding.window_bytes = 4 * kMiB;
  settings.group_bytes = 32 * kMiB;
  return settings;
}

// Finer samples, and codecs that take their time.
LevelSettings quick() {
  LevelSettings settings = fast();
  settings.match.sample_shift = 6;
  settings.match.compare_candidates = true;
  settings.copy_gram_shift = 4;
  settings.make_byte_ns = 50'000;
  use_zstd(settings, 9);
  settings.coding.model_target_share = 0;
  return settings;
}

ParseCosts costs_of(std::int64_t literal, std::int64_t begin_literal, std::int64_t first_miss, std::int64_t next_miss,
                    std::int64_t far_switch, std::int64_t near_switch, std::int64_t resume) {
  ParseCosts costs;
  costs.literal = literal;
  costs.begin_literal = begin_literal;
  costs.first_miss = first_miss;
  costs.next_miss = next_miss;
  costs.far_switch = far_switch;
  costs.near_switch = near_switch;
  costs.resume = resume;
  return costs;
}

// The parse, with a codec that decodes fast. Where little changes, what is new has mostly been seen in OLD or once
// before. So literals and misses are cheaper than where covers leave much. In text they are cheaper however much
// changes.
LevelSettings middle(int zstd_level, std::uint64_t apply_byte_ns) {
  LevelSettings settings;
  settings.predict = true;
  settings.make_byte_ns = 100'000;
  settings.fills = true;
  settings.substitution_search = 256;
  settings.history_bytes = 64 * kMiB;
  settings.match.sample_shift = 6;
  settings.match.compare_candidates = true;
  settings.match.parse = true;
  settings.match.parse_params.beam = 16;
  settings.match.parse_params.anchor_shift = 3;
  settings.match.parse_params.little_costs = {costs_of(200, 200, 520, 340, 2400, 1400, 800)};
  settings.match.parse_params.little_bytes = 512 * 1024;
  settings.match.parse_params.text_costs = {costs_of(150, 200, 450, 300, 2816, 1536, 900)};
  use_zstd(settings, zstd_level);
  pack_short_patches(settings, apply_byte_ns);
  settings.coding.window_bytes = 4 * kMiB;
  settings.group_bytes = 32 * kMiB;
  return settings;
}

LevelSettings small() {
  LevelSettings settings = middle(0, 2000);
  settings.match.parse_params.beam = 64;
  settings.match.parse_params.anchor_shift = 2;
  settings.match.parse_params.long_grams = true;
  settings.coding.numbers = settings.coding.values = {CodecId::kLzma, 6, 0};
  settings.coding.literals = {CodecId::kLzma, 6, 2};
  settings.coding.model_most_bytes = ~std::uint64_t{0};
  settings.make_byte_ns = 400'000;
  settings.substitution_search = ~std::uint64_t{0};
  settings.label_passes = 2;
  settings.group_bytes = 128 * kMiB;
  return settings;
}

// What the coder makes of a choice is known for sure only afterwards, so the smallest patch takes several tries. The first
// is as usual. The second is as for programs with many misses of few values. The third has cheap literals and misses, as
// for tables. The fourth has misses as their model makes them where these follow from what stands around them. Where little
// changes more tries take little time, and what a literal costs there depends on how much of the new text its model knows
// from OLD. Of what looks compressed it costs nearly all of its bits. Over the public pairs, sets between these made
// patches smaller by 0.1 % where little changes and not at all elsewhere; what lower levels take there is among them. Text
// takes one of three: the others were best on none of seven packages, and comparing them took time.
void choose_costs(LevelSettings& settings) {
  ParseParams& params = settings.match.parse_params;
  params.costs = {costs_of(290, 320, 620, 400, 2816, 1536, 900), costs_of(290, 320, 540, 360, 2816, 1536, 900),
                  costs_of(150, 150, 450, 300, 2816, 1536, 900), costs_of(290, 320, 450, 250, 2816, 1536, 900)};
  params.little_costs.insert(params.little_costs.end(), params.costs.begin(), params.costs.end());
  params.little_costs.push_back(costs_of(110, 150, 1000, 600, 1800, 1200, 500));
  params.little_costs.push_back(costs_of(45, 100, 1000, 600, 1400, 1000, 500));
  params.text_costs.push_back(params.costs.front());  // where misses of one kind repeat
  params.text_costs.push_back(params.little_costs.back());  // where most of what is new stands in OLD or once before
  params.dense_costs = {costs_of(450, 320, 620, 400, 2000, 1200, 700)};
  settings.choice_bytes = 16 * kMiB;
}

}  // namespace

Status check_level(int level) {
  if (level >= kMinLevel && level <= kUltraLevel) return {};
  return Error{ErrorCode::kUsage,
               "expected a level from " + std::to_string(kMinLevel) + " to " + std::to_string(kUltraLevel) + ", found " +
                   std::to_string(level)};
}

LevelSettings level_settings(int level) {
  switch (level) {
    case 1: return fast();
    case 2: return quick();
    case 3: return middle(9, 500);
    case 4: return middle(15, 700);
    case 5: return middle(19, 1000);
    default: break;
  }
  LevelSettings settings = small();
  if (level >= 7) {
    settings.match.parse_params.anchor_shift = 1;
    settings.coding.apply_byte_ns = 5000;
  }
  if (level >= 8) {
    settings.coding.apply_byte_ns = 10'000;
    settings.coding.model_literals = settings.coding.model_misses = true;
  }
  if (level >= 9) {
    settings.coding.model_values = 8 * kMiB;
    settings.label_passes = 3;
    settings.make_byte_ns = 2'000'000;
    settings.coding.apply_byte_ns = 20'000;
    settings.plain_bytes = 2 * kMiB;  // a window and the borders of its neighbours take more than a copy does
    choose_costs(settings);
  }
  if (level >= kUltraLevel) {
    settings.least_saved_share = 256;
    settings.coding.apply_byte_ns = 0;
    settings.choice_bytes = ~std::uint64_t{0};
  }
  return settings;
}

}  // namespace bdelta
