#include "format/native/tree_record.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/record_body.hpp"

namespace bdelta::native {
namespace {

constexpr std::uint64_t kPatternHeldBytes = 32;  // beside its own
constexpr const char* kTreeRecord = "the record of trees";

// In pieces, so that no more memory is taken than there are bytes.
bool read_bytes(io::TypedReader& body, std::uint64_t count, Bytes& out) {
  constexpr std::uint64_t kPiece = std::uint64_t{64} << 10;
  while (count > 0) {
    const auto piece = static_cast<std::size_t>(std::min(count, kPiece));
    const std::size_t before = out.size();
    out.resize(before + piece);
    if (!body.read_exact(MutableByteSpan(out).subspan(before))) return false;
    count -= piece;
  }
  return true;
}

bool read_patterns(io::TypedReader& body, std::vector<std::string>& patterns) {
  const std::uint64_t count = body.varint();
  if (count > kMaxTreePatterns) return false;
  Bytes text;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t bytes = body.varint();
    text.clear();
    if (!body.ok() || bytes == 0 || bytes > view::kMostPathBytes || !read_bytes(body, bytes, text)) return false;
    patterns.emplace_back(reinterpret_cast<const char*>(text.data()), text.size());
  }
  return body.ok();
}

}  // namespace

std::uint64_t held_bytes(const view::TreePlan& plan) noexcept {
  std::uint64_t bytes = plan.manifest_bytes + plan.entry_count * view::kEntryHeldBytes + plan.code.size() + plan.times.size();
  for (const std::string& pattern : plan.excluded) bytes += kPatternHeldBytes + pattern.size();
  return bytes + (plan.source_list ? plan.source_list->size() : 0);
}

Result<view::TreePlan> read_tree(io::TypedReader& body, const Header& header) {
  const auto corrupt = [&](const char* what) { return corrupt_record(body, kTreeRecord, what); };
  const std::uint64_t memory_bytes = header.decoder_memory_bytes;
  view::TreePlan plan;
  plan.made_bytes = body.varint();
  const std::uint64_t form = body.varint();
  plan.manifest_bytes = body.varint();
  plan.entry_count = body.varint();
  for (std::uint64_t* const count : {&plan.files.kept, &plan.files.changed, &plan.files.added, &plan.files.removed}) {
    *count = body.varint();
  }
  const std::uint64_t code_bytes = body.varint();
  if (!body.ok()) return corrupt("can't be read");
  if (form > (kTreeTimes | kTreeSourceList)) return unknown_number(body, "form of trees", form);
  if (plan.made_bytes > header.target_size || plan.manifest_bytes > plan.made_bytes ||
      plan.entry_count > plan.manifest_bytes / view::kLeastEntryBytes || plan.files.kept > plan.entry_count) {
    return corrupt("has an impossible size");
  }
  if (plan.manifest_bytes > memory_bytes || plan.entry_count > memory_bytes / view::kEntryHeldBytes || code_bytes > memory_bytes) {
    return corrupt("needs more memory than the header declares");
  }
  if (!read_bytes(body, code_bytes, plan.code) || !read_patterns(body, plan.excluded)) return corrupt("can't be read");
  const auto read_list = [&](Bytes& list) -> Status {
    const std::uint64_t raw_bytes = body.varint();
    if (!body.ok() || raw_bytes > kMaxTreeListBytes) return corrupt("has an impossible size");
    return read_frames(body, kTreeRecord, raw_bytes, memory_bytes, list);
  };
  plan.has_times = (form & kTreeTimes) != 0;
  if (plan.has_times) BDELTA_TRY(read_list(plan.times));
  if ((form & kTreeSourceList) != 0) BDELTA_TRY(read_list(plan.source_list.emplace()));
  if (held_bytes(plan) > memory_bytes) return corrupt("needs more memory than the header declares");
  return plan;
}

}  // namespace bdelta::native
