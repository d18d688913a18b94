// A header of the target is most likely copied from the header of the same file in the source, so the checksum that this
// one has goes in place of its own: then the copy has no miss there, whatever else of the header has changed. Where the
// archive's outermost directory has a name of its own in each version, files are the same by what follows it. A header
// without such a partner keeps its checksum, which an applier computes all the same.
#include "create/header_sum_pass.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "format/native/layout.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kLeastChanged = 4;        // of a span; fewer are not worth its bytes
constexpr std::uint64_t kLeastChangedOfAll = 8;   // likewise the record
constexpr std::uint64_t kMostGapBlocks = 8192;    // between changed headers of a span; longer stretches are copied faster apart
constexpr std::uint64_t kPieceBlocks = 1 << 16;   // looked through by one task

ByteSpan block_at(ByteSpan file, std::uint64_t block) {
  return file.subspan(static_cast<std::size_t>(block * kHeaderBlockBytes), kHeaderBlockBytes);
}

// The blocks that are headers, in order.
std::vector<std::uint64_t> find_headers(ByteSpan file, WorkerPool& pool) {
  const std::uint64_t block_count = file.size() / kHeaderBlockBytes;
  std::vector<std::vector<std::uint64_t>> found(static_cast<std::size_t>((block_count + kPieceBlocks - 1) / kPieceBlocks));
  pool.for_each(found.size(), [&](std::size_t piece) {
    const std::uint64_t end = std::min(block_count, (piece + 1) * kPieceBlocks);
    for (std::uint64_t block = piece * kPieceBlocks; block < end; ++block) {
      if (is_sum_header(block_at(file, block))) found[piece].push_back(block);
    }
    pool.advance();
  });
  std::vector<std::uint64_t> headers;
  for (const auto& piece : found) headers.insert(headers.end(), piece.begin(), piece.end());
  return headers;
}

HeaderSum sum_of(ByteSpan block) {
  HeaderSum sum;
  std::copy_n(block.begin() + kHeaderSumAt, sum.size(), sum.begin());
  return sum;
}

// In which the checksum is right, if it is.
std::optional<HeaderSumForm> form_of(ByteSpan block) {
  const HeaderSum has = sum_of(block);
  for (unsigned form = 0; form < kHeaderSumForms; ++form) {
    if (has == header_sum(block, static_cast<HeaderSumForm>(form))) return static_cast<HeaderSumForm>(form);
  }
  return std::nullopt;
}

std::string_view text_at(ByteSpan block, std::size_t at, std::size_t most) {
  const auto* text = reinterpret_cast<const char*>(block.data() + at);
  return {text, static_cast<std::size_t>(std::find(text, text + most, '\0') - text)};
}

// What a file is known by: its kind of entry and its name, whole or behind the outermost directory.
struct FileKeys {
  std::string whole;
  std::string inner;  // empty where there is no directory

  explicit FileKeys(ByteSpan block) {
    const char kind = static_cast<char>(block[156]);
    std::string name(text_at(block, 345, 155));  // the directories of a long name
    if (!name.empty()) name += '/';
    name += text_at(block, 0, 100);
    whole = std::string{kind, 'w'} + name;
    const std::size_t slash = name.find('/');
    if (slash != std::string::npos) inner = std::string{kind, 'i'} + name.substr(slash);
  }
};

using SumsByFile = std::unordered_map<std::string, HeaderSum>;

SumsByFile sums_of(ByteSpan source, WorkerPool& pool) {
  SumsByFile sums;
  for (const std::uint64_t block : find_headers(source, pool)) {
    const ByteSpan header = block_at(source, block);
    FileKeys keys(header);
    sums.emplace(std::move(keys.whole), sum_of(header));
    if (!keys.inner.empty()) sums.emplace(std::move(keys.inner), sum_of(header));
  }
  return sums;
}

std::optional<HeaderSum> partner_sum(const SumsByFile& sums, ByteSpan header) {
  const FileKeys keys(header);
  auto found = sums.find(keys.whole);
  if (found == sums.end()) found = sums.find(keys.inner);
  return found == sums.end() ? std::nullopt : std::optional(found->second);
}

// Spans under way, from headers in order.
class SpanBuilder {
 public:
  // other: what is to stand there instead; the same as now if nothing is gained.
  void add(std::uint64_t block, HeaderSumForm form, const HeaderSum& now, const HeaderSum& other) {
    if (!others_.empty() && (form != span_.form || block - last_changed_ > kMostGapBlocks)) end();
    if (other == now) return;  // filled in if the span goes on behind it
    if (others_.empty()) span_ = {form, block, 0};
    span_.block_count = block + 1 - span_.first_block;
    last_changed_ = block;
    others_.push_back({block * kHeaderBlockBytes + kHeaderSumAt, other});
  }

  // Behind the last header, or where one stands whose checksum is wrong.
  void end() {
    if (others_.size() >= kLeastChanged && found_.spans.size() < native::kMaxHeaderSumSpans) {
      found_.spans.push_back(span_);
      found_.others.insert(found_.others.end(), others_.begin(), others_.end());
    }
    others_.clear();
  }

  LeftOutSums take() { return std::move(found_); }

 private:
  LeftOutSums found_;
  HeaderSumSpan span_;
  std::vector<OtherSum> others_;  // of span_, which there is only with these
  std::uint64_t last_changed_ = 0;
};

}  // namespace

LeftOutSums find_header_sums(ByteSpan source, ByteSpan target, WorkerPool& pool) {
  const std::vector<std::uint64_t> headers = find_headers(target, pool);
  if (headers.size() < kLeastChangedOfAll) return {};
  const Span span(pool.timeline(), PhaseId::kPredict, TraceSpan::kNone, target.size());
  const SumsByFile sums = sums_of(source, pool);
  SpanBuilder spans;
  for (const std::uint64_t block : headers) {
    const ByteSpan header = block_at(target, block);
    const std::optional<HeaderSumForm> form = form_of(header);
    const HeaderSum now = sum_of(header);
    form ? spans.add(block, *form, now, partner_sum(sums, header).value_or(now)) : spans.end();
  }
  spans.end();
  LeftOutSums found = spans.take();
  return found.others.size() < kLeastChangedOfAll ? LeftOutSums() : found;
}

}  // namespace bdelta
