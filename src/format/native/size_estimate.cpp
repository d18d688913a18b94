// The quick codec ranks sets of covers nearly as LZMA or the context coder do. On 35 pairs with five to nine sets each,
// the better of its first two was larger than the best of all by 0.01 % in geometric mean. What differs is the price of
// literals beside that of numbers: on 12 pairs of all kinds the slow coders of level 9 left 0.75 to 0.91 of literals,
// 0.79 to 0.93 of numbers and 0.79 to 0.91 of the residual, so literals count a little less. (Where nearly everything
// is a literal, or substitutions and copies of NEW are found later, they leave down to a half of literals.) Counted as
// a quarter less, sets that make more of the target a literal looked better than they were: by 2 % on ruff without
// prediction. Likewise the model of misses in the residual, of which it leaves between a third and two thirds, if the
// quick one finds anything there. Beside that model literals counted as a quarter less rank sets better (Django by 10
// %, pygame-ce by 5 % at --ultra). But groups with copies of NEW have no such model, and the coder of their literals is
// the same: beside these, literals count alike (else ansible by -8 went without such copies, and was 13 % larger).
#include "format/native/size_estimate.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "format/native/modelled_choice.hpp"
#include "parallel/within.hpp"

namespace bdelta::native {
namespace {

// `bytes`: what the quick codec leaves of a stream.
std::uint64_t expected(std::uint64_t bytes, const GroupDraft& draft, std::size_t stream, const WriterSettings& settings,
                       Estimate estimate) {
  const bool low = estimate == Estimate::kLow;
  const bool tries_misses = tries_modelled_misses(draft, settings);
  if (stream == kLiterals && settings.literals.id == CodecId::kLzma) {
    return low ? bytes * 11 / 16 : bytes - bytes / (tries_misses && estimate != Estimate::kEven ? 4 : 8);
  }
  if (stream == kLiterals) return bytes;
  const bool is_residual = std::find(kResidualStreams.begin(), kResidualStreams.end(), stream) != kResidualStreams.end();
  const bool is_noise = bytes * 8 > draft.streams[stream].size() * 7;
  if (is_residual && is_noise) return bytes;
  if (is_residual && tries_misses) return bytes * 9 / 16;
  return low ? bytes * 3 / 4 : bytes;
}

}  // namespace

Result<std::uint64_t> estimate_groups(const std::vector<GroupDraft>& drafts, const WriterSettings& settings,
                                      Estimate estimate, WorkerPool& pool) {
  std::vector<std::uint64_t> bytes(drafts.size() * kStreamCount);
  const auto memory = [&](std::size_t i) {
    return encoder_memory_bytes(kQuickCodec, drafts[i / kStreamCount].streams[i % kStreamCount].size());
  };
  BDELTA_TRY(for_each_within(pool, bytes.size(), settings.codec_bytes, memory, [&](std::size_t i) -> Status {
    const GroupDraft& draft = drafts[i / kStreamCount];
    const Bytes& raw = draft.streams[i % kStreamCount];
    if (raw.empty() || (streams_of(draft.kind) >> i % kStreamCount & 1) == 0) return {};
    const Span span(pool.timeline(), PhaseId::kCompress, i % kStreamCount, raw.size());
    BDELTA_ASSIGN(const CodedStream coded, compress_stream(raw, kQuickCodec, {pool.watch(), nullptr}));
    bytes[i] = expected(coded_bytes(coded), draft, i % kStreamCount, settings, estimate);
    return {};
  }));
  std::uint64_t sum = 0;
  for (const std::uint64_t own : bytes) sum += own;
  return sum;
}

}  // namespace bdelta::native
