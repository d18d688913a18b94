#include "format/native/packed_choice.hpp"

#include <algorithm>

#include "base/deciding/coding.hpp"
#include "base/deciding/prices.hpp"
#include "format/native/apply_price.hpp"
#include "format/native/layout.hpp"

namespace bdelta::native {
namespace {

// Nanoseconds that decoding a stream takes longer in the context coder than in its codec.
std::uint64_t extra_ns(const GroupDraft& draft, std::size_t stream, std::uint64_t codec_bytes) {
  const std::uint64_t model_ns = number_ns(draft, stream);
  return model_ns - std::min(model_ns, kFreeStreamNs + codec_ns(codec_bytes));
}

// Bytes that the context coder must save of a stream for the time it takes.
std::uint64_t price_bytes(const GroupDraft& draft, std::size_t stream, std::uint64_t codec_bytes,
                          const WriterSettings& settings) {
  return settings.apply_byte_ns == 0 ? 0 : extra_ns(draft, stream, codec_bytes) / settings.apply_byte_ns;
}

// The streams that the context coder made smaller by enough bytes for the time it takes, as bits.
unsigned winners(const GroupDraft& draft, const PackedGroup& trial, const std::vector<CodedStream>& streams,
                 const WriterSettings& settings) {
  unsigned won = 0;
  for (std::size_t s = 0; s <= kResidualValues; ++s) {
    const std::uint64_t codec_bytes = coded_bytes(streams[s]);
    const std::uint64_t price = price_bytes(draft, s, codec_bytes, settings);
    const bool better = trial.cost_bytes[s] + price < codec_bytes + kStreamOverheadBytes;
    if (trial.scope.has(s) && better) won |= 1u << s;
  }
  return won;
}

}  // namespace

unsigned streams_to_pack(const GroupDraft& draft, std::uint64_t most_values) noexcept {
  unsigned streams = draft.kind == GroupKind::kCovers ? kOpStreams : kModelStreams;
  if (draft.streams[kResidualValues].size() > most_values) streams &= ~(1u << kResidualValues);
  return streams;
}

PackedGroup pack_trial(const GroupDraft& draft, unsigned streams, Watch* watch) {
  return pack_group(draft, fitting_scope(draft, streams), watch);
}

bool is_far_ahead(const GroupDraft& draft, const GroupChoices& made, std::size_t stream, const WriterSettings& settings) {
  if (!made.trial || !made.trial->scope.has(stream)) return false;
  const std::uint64_t quick_bytes = coded_bytes(made.coded.streams[stream]);
  return made.trial->cost_bytes[stream] + price_bytes(draft, stream, quick_bytes, settings) <=
         quick_bytes / kAheadDenominator * kAheadNumerator;
}

std::optional<PackedGroup> pack_smallest(const GroupDraft& draft, const WriterSettings& settings, Watch* watch,
                                         const std::vector<CodedStream>& streams) {
  unsigned tried = streams_to_pack(draft, settings.model_values);
  for (const StreamId s : kResidualStreams) tried &= ~(draft.streams[s].empty() ? 1u << s : 0u);
  PackedGroup packed = pack_group(draft, fitting_scope(draft, tried), watch);
  const unsigned won = winners(draft, packed, streams, settings);
  if (won == 0) return std::nullopt;
  if (won != packed.scope.streams) packed = pack_group(draft, fitting_scope(draft, won), watch);
  return packed;
}

std::uint64_t stream_cost(const GroupChoices& made, std::size_t stream) noexcept {
  const std::uint64_t coded = coded_bytes(made.coded.streams[stream]);
  if (!made.trial || !made.trial->scope.has(stream)) return coded;
  return std::min(coded, made.trial->cost_bytes[stream]);
}

void assemble_smallest(const GroupDraft& draft, const WriterSettings& settings, Watch* watch, GroupChoices& made) {
  made.group = assemble_group(draft.windows, made.coded);
  const unsigned won = made.trial ? winners(draft, *made.trial, made.coded.streams, settings) : 0;
  if (won == 0) return;
  if (won != made.trial->scope.streams) made.trial = pack_group(draft, fitting_scope(draft, won), watch);
  std::swap(made.coded.packed, made.trial);
  CodedGroup packed = assemble_group(draft.windows, made.coded);
  if (packed.body.size() < made.group.body.size()) {
    made.group = std::move(packed);
  } else {
    made.coded.packed.reset();
  }
}

}  // namespace bdelta::native
