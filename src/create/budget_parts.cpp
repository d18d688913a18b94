#include "create/budget_parts.hpp"

#include <algorithm>

#include "format/native/compress_probe.hpp"
#include "match/source_grams.hpp"
#include "model/modelled_packer.hpp"
#include "model/window_packer.hpp"

namespace bdelta::budget {
namespace {

constexpr std::uint64_t kScanWorkerBytes = kMiB;           // local table and samples
constexpr std::uint64_t kParseNodeBytes = 5 * kMiB;        // nodes of a parse, and …
constexpr std::uint64_t kParseNodeRatio = 4;               // … as much more for each byte of a chunk

std::uint64_t codec_bytes_for(const native::WriterSettings& coding, std::uint64_t stream_bytes) {
  std::uint64_t most = 0;
  for (const CodecSettings* codec : {&coding.numbers, &coding.values, &coding.literals}) {
    most = std::max(most, native::codec_memory_bytes(*codec, stream_bytes));
  }
  return most;
}

}  // namespace

std::uint64_t coder_bytes_for(const native::WriterSettings& coding, std::uint64_t stream_bytes) {
  std::uint64_t codec_bytes = codec_bytes_for(coding, stream_bytes);
  if (coding.model_misses) codec_bytes = std::max(codec_bytes, modelled_packer_bytes(coding.window_bytes));
  return coding.model ? std::max(codec_bytes, packer_memory_bytes(coding.window_bytes)) : codec_bytes;
}

std::uint64_t worker_bytes(const BudgetRequest& request, const Budget& budget) {
  if (!budget.settings.match.parse) return kScanWorkerBytes;
  const std::uint64_t gram_blocks = std::min<std::uint64_t>(budget.match.gram_blocks, SourceGrams::most_blocks(request.source_size));
  return SourceGrams::memory_bytes(gram_blocks) + kParseNodeBytes +
         kParseNodeRatio * std::min(budget.match.chunk_bytes, request.target_size);
}

std::uint64_t heap_bytes(const BudgetRequest& request, const Budget& budget) noexcept {
  return (budget.source_whole && !request.source_view ? request.source_size : 0) +
         (budget.target_whole && !request.target_view ? request.target_size : 0);
}

// Trying several sets of covers keeps all of them, and the streams of one more, beside what is kept anyway: not under a
// limit.
LevelSettings settings_for(const BudgetRequest& request) {
  LevelSettings settings = level_settings(request.level);
  ParseParams& parse = settings.match.parse_params;
  native::WriterSettings& coding = settings.coding;
  if (!request.models) coding.model = coding.model_literals = coding.model_misses = false;
  if (request.limit_bytes != 0) {
    parse.costs.resize(1);
    parse.little_costs.resize(std::min<std::size_t>(parse.little_costs.size(), 1));
    parse.text_costs.resize(std::min<std::size_t>(parse.text_costs.size(), 1));
    parse.dense_costs.clear();
    if (coding.model_target_share != 0) coding.model = false;  // fast levels leave its memory to the search
    coding.model_literals = coding.model_misses = false;
  }
  return settings;
}

}  // namespace bdelta::budget
