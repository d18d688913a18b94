#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/envelope.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/tree_record.hpp"

namespace bdelta::native {

Result<Bytes> encode_tree(const view::TreePlan& plan, const CodecSettings& codec) {
  Bytes body;
  append_varint(body, plan.made_bytes);
  append_varint(body, (plan.has_times ? kTreeTimes : 0) | (plan.source_list ? kTreeSourceList : 0));
  append_varint(body, plan.manifest_bytes);
  append_varint(body, plan.entry_count);
  for (const std::uint64_t count : {plan.files.kept, plan.files.changed, plan.files.added, plan.files.removed}) {
    append_varint(body, count);
  }
  append_varint(body, plan.code.size());
  append(body, plan.code);
  append_varint(body, plan.excluded.size());
  for (const std::string& pattern : plan.excluded) {
    append_varint(body, pattern.size());
    append(body, {reinterpret_cast<const std::uint8_t*>(pattern.data()), pattern.size()});
  }
  for (const Bytes* const list : {plan.has_times ? &plan.times : nullptr, plan.source_list ? &*plan.source_list : nullptr}) {
    if (!list) continue;
    append_varint(body, list->size());
    BDELTA_TRY(append_frames(body, *list, codec));
  }
  return seal_record(RecordTag::kTree, body);
}

}  // namespace bdelta::native
