#include "create/unpack_streams.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/deciding/archives.hpp"
#include "create/rebuilding_price.hpp"
#include "view/deflate/analyse.hpp"
#include "view/deflate/rebuild.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kTaskOfAllBytes = std::uint64_t{4} << 20;  // of text, of a stream that all threads share
constexpr std::uint64_t kTaskBytes = std::uint64_t{1} << 20;  // packed; streams of a task share tables

ByteSpan from(ByteSpan file, std::uint64_t pos) { return file.subspan(static_cast<std::size_t>(pos)); }

ByteSpan packed_bytes_of(ByteSpan file, const view::FoundStream& stream) {
  return from(file, stream.file_pos).first(static_cast<std::size_t>(stream.packed_bytes));
}

// Ranges of streams that are one task each.
std::vector<std::pair<std::size_t, std::size_t>> tasks_of(const std::vector<view::FoundStream>& found) {
  std::vector<std::pair<std::size_t, std::size_t>> tasks;
  std::uint64_t bytes = 0;
  for (std::size_t i = 0, begin = 0; i < found.size(); ++i) {
    bytes += found[i].packed_bytes;
    if (bytes < kTaskBytes && i + 1 < found.size()) continue;
    tasks.emplace_back(begin, i + 1);
    begin = i + 1;
    bytes = 0;
  }
  return tasks;
}

std::vector<UnpackedStream> taken(std::vector<std::optional<UnpackedStream>>& unpacked) {
  std::vector<UnpackedStream> streams;
  for (auto& stream : unpacked) {
    if (stream) streams.push_back(std::move(*stream));
  }
  return streams;
}

UnpackedStream unpacked_stream(const view::FoundStream& found, deflate::Inflated stream) {
  UnpackedStream unpacked{{found.file_pos, stream.packed_bytes, stream.raw().size()}, found.name, std::move(stream.text), {}, {}};
  unpacked.text.resize(unpacked.text.size() - deflate::kTextPadding);
  return unpacked;
}

// For the stream itself.
class OwnLender final : public deflate::StreamLender {
 public:
  explicit OwnLender(ByteSpan packed) : packed_(packed) {}
  [[nodiscard]] deflate::PackedPieces open(std::uint64_t) const override { return deflate::pieces_of(packed_); }

 private:
  const ByteSpan packed_;
};

// What applies makes the stream again, and it is the same. Analysing has shown that M's tokens and corrections are those of the
// stream; so these are taken of it, where M would only find them once more.
bool is_rebuilt(ByteSpan packed, const deflate::Analysis& analysis, deflate::MatcherSet& matchers, WorkerPool* pool, Watch* watch) {
  constexpr std::size_t kPieceBytes = 256 * 1024;
  std::size_t pos = 0;
  const auto compare = [&](ByteSpan bytes) -> Status {
    const bool same = bytes.size() <= packed.size() - pos && std::equal(bytes.begin(), bytes.end(), packed.begin() + static_cast<std::ptrdiff_t>(pos));
    if (!same) return Error{ErrorCode::kSelfCheckFailed, {}};
    pos += bytes.size();
    return {};
  };
  const std::uint64_t raw_bytes = analysis.sizes().raw_bytes;
  deflate::StreamRecipe recipe = analysis.recipe;
  recipe.lends = may_lend(recipe, raw_bytes);
  const OwnLender lender(packed);
  deflate::Rebuilder rebuilder(matchers, recipe, analysis.sizes(), compare, pool, &lender);
  rebuilder.add_copy({0, raw_bytes, 0, 0, true});
  for (ByteSpan left = analysis.stream.raw(); !left.empty();) {
    const ByteSpan piece = left.first(std::min(left.size(), kPieceBytes));
    if (!rebuilder.write(piece)) return false;
    left = left.subspan(piece.size());
    if (watch) watch->advance(piece.size());
  }
  return rebuilder.finish() && pos == packed.size();
}

// Which count of the report a stream belongs to that stays packed.
using StreamCount = UnpackReport::Streams UnpackReport::*;

std::optional<UnpackedStream> unpack_target_stream(ByteSpan file, const view::FoundStream& found, const deflate::Parameters& hint,
                                                   bool at_any_cost, StreamCount& outcome, deflate::Analyser& analyser, WorkerPool* pool, Watch* watch) {
  const ByteSpan packed = packed_bytes_of(file, found);
  outcome = &UnpackReport::damaged;
  auto analysis = analyser.analyse(packed, {.hint = hint, .most_raw_bytes = found.raw_bytes, .reserve = true, .pool = pool, .watch = watch});
  if (!analysis || analysis->stream.packed_bytes != packed.size()) return std::nullopt;
  outcome = &UnpackReport::costly;
  const std::uint64_t cost = deflate::recipe_cost_bytes(analysis->recipe, analysis->sizes());
  if (cost > packed.size() / kWorthShare && !at_any_cost) return std::nullopt;
  if (!is_rebuilt(packed, *analysis, analyser.matchers(), pool, watch)) return std::nullopt;
  const std::uint64_t nominal_ns = rebuilding_ns(*analysis);
  UnpackedStream unpacked = unpacked_stream(found, std::move(analysis->stream));
  unpacked.rebuilding_ns = nominal_ns;
  unpacked.recipe = std::move(analysis->recipe);
  unpacked.text_digest = xxh3_128(unpacked.text);
  return unpacked;
}

}  // namespace

std::vector<UnpackedStream> unpack_source_streams(ByteSpan file, const std::vector<view::FoundStream>& found, WorkerPool& pool) {
  std::vector<std::optional<UnpackedStream>> unpacked(found.size());
  const auto tasks = tasks_of(found);
  pool.for_each(tasks.size(), [&](std::size_t task) {
    for (std::size_t i = tasks[task].first; i < tasks[task].second; ++i) {
      deflate::InflateOptions options;
      options.most_raw_bytes = found[i].raw_bytes;
      options.keep_tokens = false;
      auto stream = deflate::inflate(packed_bytes_of(file, found[i]), options);
      if (stream && stream->packed_bytes == found[i].packed_bytes) unpacked[i] = unpacked_stream(found[i], std::move(*stream));
    }
  });
  return taken(unpacked);
}

bool inflate_source_streams(ByteSpan file, std::vector<view::FoundStream>& found, MutableByteSpan view,
                            const std::vector<std::size_t>& text_pos, WorkerPool& pool) {
  constexpr std::uint64_t kNoText = ~std::uint64_t{0};
  std::vector<std::uint64_t> raw_bytes(found.size(), kNoText);  // as they are
  const auto tasks = tasks_of(found);
  pool.for_each(tasks.size(), [&](std::size_t task) {
    Bytes room;
    for (std::size_t i = tasks[task].first; i < tasks[task].second; ++i) {
      MutableByteSpan left = view.subspan(text_pos[i], static_cast<std::size_t>(found[i].raw_bytes));
      const auto put = [&](ByteSpan bytes) -> Status {
        if (bytes.size() > left.size()) return Error{ErrorCode::kInternal, "a text of more bytes than were asked for"};
        std::copy(bytes.begin(), bytes.end(), left.begin());
        left = left.subspan(bytes.size());
        return {};
      };
      const ByteSpan packed = packed_bytes_of(file, found[i]);
      const auto sizes = deflate::inflate_into(deflate::pieces_of(packed), found[i].raw_bytes, room, put);
      if (sizes && sizes->packed_bytes == packed.size()) raw_bytes[i] = sizes->raw_bytes;
    }
  });
  bool is_as_said = true;
  for (std::size_t i = 0; i < found.size(); ++i) is_as_said &= raw_bytes[i] == std::exchange(found[i].raw_bytes, raw_bytes[i]);
  std::erase_if(found, [&](const view::FoundStream& stream) { return stream.raw_bytes == kNoText; });
  return is_as_said;
}

// The first stream is analysed alone: what it has, the others are likely to have, too, whatever the threads. So is each large one
// that all threads can share, as the others would be done long before it.
std::vector<UnpackedStream> unpack_target_streams(ByteSpan file, const std::vector<view::FoundStream>& found, bool at_any_cost,
                                                  WorkerPool& pool, UnpackReport& report) {
  std::vector<std::optional<UnpackedStream>> unpacked(found.size());
  std::vector<StreamCount> outcomes(found.size());
  if (found.empty()) return {};
  deflate::Parameters hint;
  const auto is_alone = [&](std::size_t i) { return i == 0 || (hint.search == deflate::Search::kLazy && found[i].raw_bytes >= kTaskOfAllBytes); };
  {
    deflate::Analyser analyser;
    unpacked[0] = unpack_target_stream(file, found[0], hint, at_any_cost, outcomes[0], analyser, &pool, pool.watch());
    if (unpacked[0]) hint = unpacked[0]->recipe.parameters;
    for (std::size_t i = 1; i < found.size(); ++i) {
      if (is_alone(i)) unpacked[i] = unpack_target_stream(file, found[i], hint, at_any_cost, outcomes[i], analyser, &pool, pool.watch());
    }
  }
  const auto tasks = tasks_of(found);
  pool.for_each(tasks.size(), [&](std::size_t task) {
    deflate::Analyser analyser;
    for (std::size_t i = tasks[task].first; i < tasks[task].second; ++i) {
      if (is_alone(i)) continue;
      unpacked[i] = unpack_target_stream(file, found[i], hint, at_any_cost, outcomes[i], analyser, nullptr, pool.watch());
    }
  });
  for (std::size_t i = 0; i < found.size(); ++i) {
    if (!unpacked[i]) (report.*outcomes[i]).add(found[i].packed_bytes);
  }
  return taken(unpacked);
}

}  // namespace bdelta
