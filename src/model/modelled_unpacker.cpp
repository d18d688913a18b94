#include "model/modelled_unpacker.hpp"

#include <string>
#include <utility>

#include "base/try.hpp"
#include "model/lane_models.hpp"
#include "model/range_coder.hpp"

namespace bdelta {
namespace {

// The code of the window at hand.
class WindowFeed final : public CodeFeed {
 public:
  void set(ByteSpan code) { code_ = code; }
  ByteSpan more() override { return std::exchange(code_, {}); }
  [[nodiscard]] bool empty() const { return code_.empty(); }

 private:
  ByteSpan code_;
};

}  // namespace

struct ModelledUnpacker::State {
  State(const ModelledScope& scope, RandomReader& source) : decoder(feed), model(scope, source) {}

  WindowFeed feed;
  RangeDecoder decoder;
  bool begun = false;
  mix::LaneModels model;
};

ModelledUnpacker::ModelledUnpacker(const ModelledScope& scope, RandomReader& source)
    : state_(std::make_unique<State>(scope, source)) {}

ModelledUnpacker::~ModelledUnpacker() = default;

static_assert(sizeof(mix::LiteralModel) + mix::LiteralModel::kHeldBytes <= kLiteralMemoryBytes);
static_assert(mix::MissModel::bytes_for(kMinMissLog) <= miss_memory_bytes(kMinMissLog) &&
              mix::MissModel::bytes_for(kMaxMissLog) <= miss_memory_bytes(kMaxMissLog));

std::uint64_t ModelledUnpacker::changed_count() const noexcept { return state_->model.changed_count(); }

Status ModelledUnpacker::unpack(const WindowDelta& window, MutableByteSpan out, Watch* watch) {
  State& state = *state_;
  state.feed.set(window.code);
  if (!state.begun) state.decoder.begin();
  state.begun = true;
  const std::uint64_t source_before = window.modelled->source_before;
  BDELTA_TRY(state.model.code(state.decoder, window.target_pos, window.ops, source_before, out, nullptr, watch));
  const bool used_up = state.feed.empty() && state.decoder.left() == 0;
  if (used_up && (!window.modelled->last || state.decoder.ends_well())) return {};
  return Error{ErrorCode::kPatchCorrupt, "the modelled bytes of the window at target byte " +
                   std::to_string(window.target_pos) +
                                             " have another code than they need", window.target_pos};
}

}  // namespace bdelta
