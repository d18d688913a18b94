#include "format/native/apply_price.hpp"

#include "base/deciding/prices.hpp"

namespace bdelta::native {
namespace {

// A stream as its codec has it. Where models have a part of it, they have nearly all.
std::uint64_t stream_ns(const CodedStream& coded, std::uint64_t raw_bytes, bool is_modelled) noexcept {
  if (coded.codec == CodecId::kStore) return 0;
  const std::uint64_t own_ns = coded.codec == CodecId::kLzma ? codec_ns(coded_bytes(coded)) : 0;
  return own_ns + (is_modelled ? 0 : raw_bytes * kRawByteNs);
}

}  // namespace

std::uint64_t literal_ns(const ModelledBytes& bytes) noexcept { return kFirstLiteralNs + bytes.literals * kLiteralNs; }

std::uint64_t miss_ns(const ModelledBytes& bytes) noexcept { return bytes.copied * kCopiedNs + bytes.misses * kMissNs; }

std::uint64_t number_ns(const GroupDraft& draft, std::size_t stream) noexcept {
  std::uint64_t count = 0;
  if (stream == kResidualValues) {
    count = draft.streams[stream].size();
  } else {
    for (const WindowRecord& record : draft.windows) {
      count += is_residual(stream) ? record.run_count : record.predicted ? 0 : record.copy_count;
    }
  }
  return count * kNumberNs[stream];
}

std::uint64_t codec_ns(std::uint64_t coded_bytes) noexcept { return coded_bytes * kCodedByteNs; }

std::uint64_t choice_ns(const GroupDraft& draft, const GroupChoices& made) noexcept {
  const ModelledBytes modelled = modelled_bytes_of(draft);
  const unsigned models = modelled_streams(made.coded.modelled);
  std::uint64_t ns = (made.coded.modelled.literals ? literal_ns(modelled) : 0) +
                     (made.coded.modelled.misses ? miss_ns(modelled) : 0);
  for (std::size_t s = 0; s < kModelledCode; ++s) {
    const bool is_modelled = (models >> s & 1) != 0;
    const bool is_packed = made.coded.packed && made.coded.packed->scope.has(s);
    if (!is_packed) {
      ns += stream_ns(made.coded.streams[s], draft.streams[s].size(), is_modelled);
    } else if (!is_modelled) {
      ns += number_ns(draft, s);
    }
  }
  return ns;
}

}  // namespace bdelta::native
