#include "model/literal_packer.hpp"

#include "model/literal_model.hpp"
#include "model/range_coder.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kBytesPerLook = 4096;  // some milliseconds

}  // namespace

Result<PackedLiterals> pack_literals(ByteSpan literals, std::span<const LiteralRun> runs, LiteralSource& source,
                                     const LiteralScope& scope, Watch* watch) {
  PackedLiterals packed;
  packed.scope = scope;
  packed.taken_bytes.reserve(runs.size());
  RangeEncoder encoder;
  const auto model = std::make_unique<mix::LiteralModel>(scope, source);
  Pace pace(watch, kBytesPerLook);
  for (const LiteralRun& run : runs) {
    BDELTA_TRY(model->begin(run));
    for (const std::uint8_t byte : literals.first(static_cast<std::size_t>(run.length))) {
      model->code(encoder, byte);
      pace.step();
    }
    literals = literals.subspan(static_cast<std::size_t>(run.length));
    packed.taken_bytes.push_back(encoder.taken_bytes());
    if (watch) watch->advance();
  }
  packed.code = encoder.finish();
  return packed;
}

}  // namespace bdelta
