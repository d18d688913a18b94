// The quick codec ranks sets of covers nearly as LZMA or the context coder do. On 35 pairs with five to nine sets each, the
// better of its first two was larger than the best of all by 0.01 % in geometric mean. What differs is the price of literals
// beside that of numbers. On 12 pairs of all kinds the slow coders of level 9 left 0.75 to 0.91 of literals. They left 0.79
// to 0.93 of numbers and 0.79 to 0.91 of the residual, so literals count a little less. Where nearly everything is a
// literal, or substitutions and copies of NEW are found later, they leave down to a half of literals. Where literals count
// as a quarter less, sets that make more of the target a literal look better than they are: by 2 % on ruff without
// prediction. Likewise the model of misses in the residual, of which it leaves between a third and two thirds, if the quick
// one finds anything there. Beside that model literals counted as a quarter less rank sets better (Django by 10 %, pygame-ce
// by 5 % at --ultra). But windows with copies of NEW have no such model, and the coder of their literals is the same. So
// beside these, literals count alike (else ansible by -8 goes without such copies, and is 13 % larger).
#include "format/native/size_estimate.hpp"

#include <algorithm>

#include "base/deciding/coding.hpp"
#include "base/try.hpp"
#include "format/native/modelled_choice.hpp"
#include "parallel/within.hpp"

namespace bdelta::native {
namespace {

// What the coders of a group leave of what the quick codec leaves of its streams. Misses go through their model where that
// saves what its time is worth, as far as one can tell; of noise it saves nothing.
std::uint64_t expected(const StreamSizes& quick_bytes, const GroupDraft& draft, const WriterSettings& settings,
                       Estimate estimate) {
  const bool low = estimate == Estimate::kLow;
  std::uint64_t number_bytes = 0, residual_bytes = 0, modelled_bytes = 0;
  for (std::size_t s = 0; s < kLiterals; ++s) {
    const std::uint64_t bytes = quick_bytes[s];
    const bool is_noise = is_residual(s) && bytes * 8 > draft.streams[s].size() * kNoiseEighths;
    (is_residual(s) ? residual_bytes : number_bytes) += low && !is_noise ? bytes * kLowNumberSixteenths / 16 : bytes;
    if (is_residual(s)) modelled_bytes += is_noise ? bytes : bytes * kModelledSixteenths / 16;
  }
  // Of windows that may not be modelled the residual stays what it is.
  const std::uint64_t misses = std::max<std::uint64_t>(1, draft.streams[kResidualValues].size());
  modelled_bytes = residual_bytes - (residual_bytes - modelled_bytes) * modelled_bytes_of(draft).misses / misses;
  if (!low) modelled_bytes += miss_price(modelled_bytes_of(draft), settings);
  const bool models_misses = scope_to_try(draft, settings).misses && modelled_bytes < residual_bytes;
  const std::uint64_t literals = quick_bytes[kLiterals];
  std::uint64_t literal_bytes = literals;
  if (settings.literals.id == CodecId::kLzma) {
    const bool are_cheap = models_misses && estimate != Estimate::kEven;
    const std::uint64_t gain = literals / (are_cheap ? kLiteralGainBesideMisses : kLiteralGainShare);
    literal_bytes = low ? literals * kLowLiteralSixteenths / 16 : literals - gain;
  }
  return number_bytes + literal_bytes + (models_misses ? modelled_bytes : residual_bytes);
}

}  // namespace

Result<std::uint64_t> estimate_groups(const std::vector<GroupDraft>& drafts, const WriterSettings& settings,
                                      Estimate estimate, WorkerPool& pool) {
  std::vector<StreamSizes> bytes(drafts.size(), StreamSizes{});
  const auto memory = [&](std::size_t i) {
    return encoder_memory_bytes(kQuickCodec, drafts[i / kStreamCount].streams[i % kStreamCount].size());
  };
  BDELTA_TRY(for_each_within(pool, drafts.size() * kStreamCount, settings.codec_bytes, memory, [&](std::size_t i) -> Status {
    const GroupDraft& draft = drafts[i / kStreamCount];
    const Bytes& raw = draft.streams[i % kStreamCount];
    if (raw.empty()) return {};
    const Span span(pool.timeline(), PhaseId::kCompress, i % kStreamCount, raw.size());
    BDELTA_ASSIGN(const CodedStream coded, compress_stream(raw, kQuickCodec, {pool.watch(), nullptr}));
    bytes[i / kStreamCount][i % kStreamCount] = coded_bytes(coded);
    return {};
  }));
  std::uint64_t sum = 0;
  for (std::size_t g = 0; g < drafts.size(); ++g) sum += expected(bytes[g], drafts[g], settings, estimate);
  return sum;
}

}  // namespace bdelta::native
