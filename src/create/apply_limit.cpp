// Patches whose time to apply is limited. One kind of work after the other is given up: of those that are left, the one that costs
// the fewest bytes for the time that it wins. The limit decides only where that ends, so a lower one never makes a slower patch,
// nor one of another kind.
#include <algorithm>
#include <array>
#include <limits>
#include <optional>
#include <utility>

#include "base/try.hpp"
#include "create/patch.hpp"

namespace bdelta {
namespace {

enum Work : std::size_t { kUnpacking, kPrediction, kModels, kWorkCount };
constexpr std::array<const char*, kWorkCount> kWorkNames = {"unpacking", "prediction", "models"};

using Without = std::array<bool, kWorkCount>;

// A patch is made again rather than kept, which takes less memory.
struct Figures {
  std::uint64_t patch_bytes = 0;
  std::uint64_t apply_ns = 0;
};

struct Choice {
  Work work;
  Figures figures;  // of the patch without it
};

Figures figures_of(const Patch& patch) { return {patch.size(), patch.report.nominal_apply_ns}; }

std::uint64_t nanoseconds(double seconds) {
  constexpr double kAnySeconds = 1e9;
  return seconds < kAnySeconds ? static_cast<std::uint64_t>(seconds * 1e9) : std::numeric_limits<std::uint64_t>::max();
}

Result<Patch> make_without(const CreateTask& files, const Without& without, bool verify) {
  CreateOptions options = files.options;
  options.verify = verify;
  if (without[kUnpacking]) options.unpack = Unpack::kNone;
  if (without[kPrediction]) options.predict = false;
  const CreateTask task{files.source, files.target, options,           files.timeline, files.watch,
                        files.trees,  nullptr,      !without[kModels]};
  return make_any_patch(task);
}

// Bytes that are lost for a nanosecond that is won, of which there is one at least.
double price_of(const Figures& without, const Figures& with) {
  const std::uint64_t lost_bytes = without.patch_bytes - std::min(without.patch_bytes, with.patch_bytes);
  return static_cast<double>(lost_bytes) / static_cast<double>(with.apply_ns - without.apply_ns);
}

// What is to be given up next, if anything makes the patch faster. unused: what the patch does without anyway.
Result<std::optional<Choice>> choose(const CreateTask& files, const Without& without, const Without& unused, const Figures& now) {
  std::optional<Choice> best;
  for (std::size_t work = 0; work < kWorkCount; ++work) {
    if (without[work] || unused[work]) continue;
    Without less = without;
    less[work] = true;
    const auto made = make_without(files, less, false);
    if (!made && made.error().code == ErrorCode::kPatchTooLarge) continue;
    if (!made) return made.error();
    const Figures figures = figures_of(*made);
    if (figures.apply_ns >= now.apply_ns) continue;
    if (best && price_of(figures, now) >= price_of(best->figures, now)) continue;
    best = {static_cast<Work>(work), figures};
  }
  return best;
}

}  // namespace

Result<Patch> keep_to_apply_limit(const CreateTask& files, Patch made) {
  const std::uint64_t limit_ns = nanoseconds(files.options.max_apply_seconds);
  Figures now = figures_of(made);
  if (now.apply_ns <= limit_ns) return made;
  Without without{}, unused = {made.report.unpack.unpacked.bytes == 0, !made.is_predicted, false};
  made = {};
  std::vector<LeftOut> left_out;
  while (now.apply_ns > limit_ns) {
    BDELTA_ASSIGN(const std::optional<Choice> choice, choose(files, without, unused, now));
    if (!choice) break;
    left_out.push_back({kWorkNames[choice->work], 0, static_cast<double>(now.apply_ns) * 1e-9});
    without[choice->work] = true;
    unused = {};
    now = choice->figures;
  }
  BDELTA_ASSIGN(Patch patch, make_without(files, without, files.options.verify));
  patch.report.left_out.insert(patch.report.left_out.end(), left_out.begin(), left_out.end());
  return patch;
}

}  // namespace bdelta
