#include "create/budget.hpp"

#include <string>

namespace bdelta {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
constexpr std::uint64_t kFixedBytes = 48 * kMiB;         // local tables, groups on their way, codecs
constexpr std::uint64_t kIndexBytesPerSample = 40;       // samples while building, and their share of the table
constexpr unsigned kMaxShift = 14;

std::uint64_t index_bytes(std::uint64_t source_size, unsigned shift) {
  return (source_size >> shift) * kIndexBytesPerSample;
}

}  // namespace

Status fit_memory(const CreateOptions& options, std::uint64_t source_size, std::uint64_t heap_bytes,
                  LevelSettings& settings) {
  const std::uint64_t limit = options.memory_limit_bytes;
  if (limit == 0) return {};
  const std::uint64_t least = heap_bytes + kFixedBytes + index_bytes(source_size, kMaxShift);
  if (least > limit) {
    return Error{ErrorCode::kMemoryLimit, "at least " + std::to_string(least) + " bytes are needed here, the limit is " +
                                              std::to_string(limit) + (heap_bytes > 0 ? "; --io=mmap needs less" : "")};
  }
  unsigned& shift = settings.match.sample_shift;
  while (shift < kMaxShift && heap_bytes + kFixedBytes + index_bytes(source_size, shift) > limit) ++shift;
  // The gap passes keep the candidates of all gaps at once: only where there is room for them.
  if (limit < heap_bytes + kFixedBytes + index_bytes(source_size, shift) + 256 * kMiB) settings.match.gap_spans.clear();
  return {};
}

}  // namespace bdelta
