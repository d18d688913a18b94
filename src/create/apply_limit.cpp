// Patches whose time to apply is limited. Each kind of work that takes long may be left out, and so may several of them. Of the
// patches that keep to the limit the smallest is taken; where none does, the fastest.
#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/try.hpp"
#include "create/create_task.hpp"
#include "create/patch.hpp"

namespace bdelta {
namespace {

// Kinds of work, a bit each, and sets of them.
enum Work : unsigned { kUnpacking = 1, kPrediction = 2, kModels = 4 };
using Works = unsigned;
constexpr std::pair<Work, const char*> kNames[] = {{kUnpacking, "unpacking"}, {kPrediction, "prediction"}, {kModels, "models"}};

// Fewer kinds first. Leaving out more makes no patch smaller, so what is enough is not tried together with more.
constexpr Works kTries[] = {kUnpacking, kPrediction, kModels, kUnpacking | kPrediction, kUnpacking | kModels,
                            kPrediction | kModels, kUnpacking | kPrediction | kModels};

// A patch that was tried is made again rather than kept, which takes less memory.
struct Tried {
  Works without = 0;
  std::uint64_t patch_bytes = 0;
  std::uint64_t apply_ns = 0;
};

std::uint64_t nanoseconds(double seconds) {
  constexpr double kAnySeconds = 1e9;  // what 64 bits hold
  return seconds < kAnySeconds ? static_cast<std::uint64_t>(seconds * 1e9) : std::numeric_limits<std::uint64_t>::max();
}

Result<Patch> make_without(const CreateTask& files, Works without, bool verify) {
  CreateOptions options = files.options;
  options.verify = verify;
  if ((without & kUnpacking) != 0) options.unpack = Unpack::kNone;
  if ((without & kPrediction) != 0) options.predict = false;
  const bool uses_models = (without & kModels) == 0;
  return make_any_patch({files.source, files.target, options, files.timeline, files.watch, files.trees, nullptr, uses_models});
}

// The patch does without some of it anyway. Of files that are taken as they are others may be predicted than of views.
bool is_moot(Works without, const Patch& made) {
  const bool unpacks = made.report.unpack.unpacked.bytes != 0;
  if ((without & kUnpacking) != 0) return !unpacks;
  return (without & kPrediction) != 0 && !made.is_predicted;
}

}  // namespace

Result<Patch> keep_to_apply_limit(const CreateTask& files, Patch made) {
  const std::uint64_t limit_ns = nanoseconds(files.options.max_apply_seconds), made_ns = made.report.nominal_apply_ns;
  if (made_ns <= limit_ns) return made;
  std::vector<Works> tries(std::begin(kTries), std::end(kTries));
  std::erase_if(tries, [&](Works without) { return is_moot(without, made); });
  Tried fastest{0, made.size(), made_ns};
  std::vector<Tried> kept;  // to the limit
  made = {};
  for (const Works without : tries) {
    const auto holds = [without](const Tried& one) { return (without & one.without) == one.without; };
    if (std::any_of(kept.begin(), kept.end(), holds)) continue;
    const auto patch = make_without(files, without, false);
    if (!patch && patch.error().code == ErrorCode::kPatchTooLarge) continue;
    if (!patch) return patch.error();
    const Tried one{without, patch->size(), patch->report.nominal_apply_ns};
    if (one.apply_ns <= limit_ns) kept.push_back(one);
    if (one.apply_ns < fastest.apply_ns) fastest = one;
  }
  const auto smallest = std::min_element(kept.begin(), kept.end(),
                                         [](const Tried& a, const Tried& b) { return a.patch_bytes < b.patch_bytes; });
  const Works without = (smallest == kept.end() ? fastest : *smallest).without;
  BDELTA_ASSIGN(Patch patch, make_without(files, without, files.options.verify));
  for (const auto& [work, name] : kNames) {
    if ((without & work) != 0) patch.report.left_out.push_back({name, 0, static_cast<double>(made_ns) * 1e-9});
  }
  return patch;
}

}  // namespace bdelta
