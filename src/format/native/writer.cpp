#include "format/native/writer.hpp"

#include <algorithm>
#include <optional>

#include "base/guard.hpp"
#include "base/try.hpp"

namespace bdelta::native {
namespace {

constexpr std::uint64_t kDoubtLeast = 64;        // bytes of coded copies that nobody needs to look at
constexpr std::uint64_t kDoubtShare = 256;       // likewise where they are less than 1/share of a group
constexpr std::uint64_t kRateLeast = 4096;       // literal bytes below which their rate means nothing
constexpr std::uint64_t kUsualRatio = 8;         // bytes that then count as one coded
constexpr std::size_t kSpoolPiece = std::size_t{1} << 20;  // bytes put aside between two looks at the watch

std::uint64_t coded_bytes(const CodedStream& stream) {
  std::uint64_t bytes = 0;
  for (const Bytes& frame : stream.frames) bytes += frame.size();
  return bytes;
}

// for_each of the pool for bodies that can fail: the first error by index.
template <class Body>
Status for_each_status(WorkerPool& pool, std::size_t count, const Body& body) {
  std::vector<std::optional<Error>> errors(count);
  pool.for_each(count, [&](std::size_t i) {
    if (Status status = guarded([&] { return body(i); }); !status) errors[i] = std::move(status).error();
  });
  for (std::optional<Error>& error : errors) {
    if (error) return std::move(*error);
  }
  return {};
}

}  // namespace

const CodecSettings& Writer::settings_of(std::size_t stream) const noexcept {
  if (stream == kLiterals) return settings_.literals;
  return stream == kResidualValues ? settings_.values : settings_.numbers;
}

// The streams of all groups, on all threads.
Status Writer::compress(const std::vector<GroupDraft>& drafts, std::vector<CodedStreams>& coded) {
  struct Task {
    std::size_t group;
    std::size_t stream;
    std::size_t raw_bytes;
  };
  std::vector<Task> tasks;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    for (std::size_t s = 0; s < kStreamCount; ++s) {
      if (!drafts[g].streams[s].empty()) tasks.push_back({g, s, drafts[g].streams[s].size()});
    }
  }
  // The longest first, so that no thread is left alone with one at the end. The result does not depend on the order.
  std::stable_sort(tasks.begin(), tasks.end(), [](const Task& a, const Task& b) { return a.raw_bytes > b.raw_bytes; });

  return for_each_status(pool_, tasks.size(), [&](std::size_t i) -> Status {
    const Task& task = tasks[i];
    const Span span(pool_.timeline(), PhaseId::kCompress, task.stream, task.raw_bytes);
    // Literals are needed whatever becomes of a group's copies, so they alone are spent before that is settled.
    const CompressContext context{pool_.watch(), task.stream == kLiterals ? &budget_ : nullptr};
    BDELTA_ASSIGN(coded[task.group][task.stream],
                  compress_stream(drafts[task.group].streams[task.stream], settings_of(task.stream), context));
    return {};
  });
}

// Copies are worth their streams if these take less than half of what the copied bytes would, coded at the rate of the
// group's literals: half, because what OLD holds as well is often the part that repeats itself and codes best. Where most
// is literal less than an eighth: there copies also break up what the codec would otherwise see whole.
bool Writer::in_doubt(const GroupDraft& draft, const CodedStreams& coded) const noexcept {
  if (settings_.literal_window_bytes == 0 || draft.target.empty()) return false;
  std::uint64_t copy_cost = 0;
  for (std::size_t s = 0; s < kStreamCount; ++s) copy_cost += s == kLiterals ? 0 : coded_bytes(coded[s]);
  std::uint64_t raw = draft.streams[kLiterals].size();
  std::uint64_t cost = coded_bytes(coded[kLiterals]);
  const std::uint64_t copied_bytes = draft.target.size() - raw;
  if (copy_cost < kDoubtLeast) return false;
  const std::uint64_t margin = raw > copied_bytes ? 8 : 2;
  if (margin == 2 && copy_cost < (copy_cost + cost) / kDoubtShare) return false;
  if (raw < kRateLeast) {  // too few literals to know a rate
    raw = kUsualRatio;
    cost = 1;
  }
  return margin * copy_cost * raw > copied_bytes * cost;
}

Status Writer::try_literals(GroupDraft& draft, CodedStreams& coded) const {
  const Span span(pool_.timeline(), PhaseId::kCompress, kLiterals, draft.target.size());
  BDELTA_ASSIGN(CodedStream literals, compress_stream(draft.target, settings_.literals, {pool_.watch(), nullptr}));
  std::uint64_t before = 0;
  for (const CodedStream& stream : coded) before += coded_bytes(stream);
  if (coded_bytes(literals) >= before) return {};
  draft.windows = literal_windows(draft.target, 0, draft.target.size(), settings_.literal_window_bytes);
  draft.streams = {};
  draft.streams[kLiterals].assign(draft.target.begin(), draft.target.end());
  coded.assign(kStreamCount, {});
  coded[kLiterals] = std::move(literals);
  return {};
}

Status Writer::append_group(const GroupDraft& draft, const CodedStreams& coded) {
  for (std::size_t s = 0; s < kStreamCount; ++s) {
    totals_.raw[s] += draft.streams[s].size();
    totals_.coded[s] += coded_bytes(coded[s]);
  }
  const CodedGroup group = assemble_group(draft.windows, coded);
  limits_.group_bytes = std::max(limits_.group_bytes, group.body_bytes);
  limits_.decoder_memory_bytes = std::max(limits_.decoder_memory_bytes, group.memory_bytes);
  for (const WindowRecord& window : draft.windows) {
    if (!window.plain) limits_.window_bytes = std::max(limits_.window_bytes, window.target_length);
  }
  for (ByteSpan rest = group.record; !rest.empty();) {
    const ByteSpan piece = rest.first(std::min(kSpoolPiece, rest.size()));
    BDELTA_TRY(body_.append(piece));
    pool_.advance();
    rest = rest.subspan(piece.size());
  }
  return {};
}

Status Writer::add_groups(std::vector<GroupDraft>& drafts) {
  budget_.set_spent(body_.size());
  std::vector<CodedStreams> coded(drafts.size(), CodedStreams(kStreamCount));
  BDELTA_TRY(compress(drafts, coded));

  // Groups where nothing matches but by chance are smaller without their copies.
  std::vector<std::size_t> doubtful;
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    if (in_doubt(drafts[g], coded[g])) doubtful.push_back(g);
  }
  BDELTA_TRY(for_each_status(pool_, doubtful.size(), [&](std::size_t i) {
    return try_literals(drafts[doubtful[i]], coded[doubtful[i]]);
  }));

  for (std::size_t g = 0; g < drafts.size(); ++g) {
    BDELTA_TRY(append_group(drafts[g], coded[g]));
    budget_.set_spent(0);
    BDELTA_TRY(budget_.spend(body_.size()));
  }
  return {};
}

Status Writer::finish() {
  const std::uint8_t end = static_cast<std::uint8_t>(RecordTag::kEnd);
  return body_.append({&end, 1});
}

void Writer::declare(Header& header) const {
  header.window_bytes = limits_.window_bytes;
  header.group_bytes = limits_.group_bytes;
  header.decoder_memory_bytes = limits_.decoder_memory_bytes;
}

}  // namespace bdelta::native
