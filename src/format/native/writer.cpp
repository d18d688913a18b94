#include "format/native/writer.hpp"

#include <algorithm>

#include "base/try.hpp"

namespace bdelta::native {
namespace {

constexpr std::size_t kSpoolPiece = std::size_t{1} << 20;  // bytes put aside between two looks at the watch

}  // namespace

Status Writer::append_group(const GroupDraft& draft, const CodedStreams& coded, const CodedGroup& group) {
  for (std::size_t s = 0; s < kStreamCount; ++s) {
    totals_.raw[s] += draft.streams[s].size();
    const bool packed = coded.packed && coded.packed->scope.has(s);
    totals_.coded[s] += packed ? coded.packed->cost_bytes[s] : coded_bytes(coded.streams[s]);
  }
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
  std::vector<GroupChoices> choices(drafts.size());
  BDELTA_TRY(choose_groups(drafts, settings_, budget_, pool_, choices));
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    BDELTA_TRY(append_group(drafts[g], choices[g].coded, choices[g].group));
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
