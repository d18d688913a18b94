#include "model/literal_unpacker.hpp"

#include "model/literal_model.hpp"

namespace bdelta {

struct LiteralUnpacker::State {
  State(const LiteralScope& scope, CodeFeed& feed, LiteralSource& source) : decoder(feed), model(scope, source) {}

  RangeDecoder decoder;
  bool begun = false;
  mix::LiteralModel model;
};

LiteralUnpacker::LiteralUnpacker(const LiteralScope& scope, CodeFeed& feed, LiteralSource& source)
    : state_(std::make_unique<State>(scope, feed, source)) {
  static_assert(sizeof(State) <= mix::LiteralModel::kFixedBytes, "literal_memory_bytes counts on it");
}

LiteralUnpacker::~LiteralUnpacker() = default;

Status LiteralUnpacker::unpack(const LiteralRun& run, MutableByteSpan out) {
  State& state = *state_;
  if (!state.begun) state.decoder.begin();
  state.begun = true;
  BDELTA_TRY(state.model.begin(run));
  for (std::uint8_t& byte : out) byte = state.model.code(state.decoder, 0);
  return {};
}

bool LiteralUnpacker::ends_well() const noexcept {
  return state_->decoder.left() == 0 && (!state_->begun || state_->decoder.ends_well());
}

}  // namespace bdelta
