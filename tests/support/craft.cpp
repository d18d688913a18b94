#include "support/craft.hpp"

#include "base/byte_cursor.hpp"
#include "create/level.hpp"
#include "match/matcher.hpp"

namespace bdelta::test {

namespace {

Bytes without(ByteSpan target, const PageHashLists& lists) {
  Bytes bytes(target.begin(), target.end());
  for (const PageHashes& list : lists) {
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(list.list_pos), list.list_bytes(), std::uint8_t{0});
  }
  return bytes;
}

}  // namespace

Bytes craft_patch(ByteSpan source, ByteSpan whole_target, const Covers& covers, const Craft& craft) {
  const Bytes target = without(whole_target, craft.page_hashes);
  WorkerPool pool(1);
  io::Spool body;
  native::WriterSettings settings{craft.codec, craft.codec, craft.codec, craft.model, 256 * 1024};
  settings.contents = craft.contents;
  if (craft.light) settings.light_ns = ~std::uint64_t{0};  // model_byte_ns is 0: at any price
  settings.lane_bytes = craft.lane_bytes;
  native::Writer writer(settings, body, pool);
  io::MemoryReader source_reader(source);
  io::MemoryReader target_reader(target);
  writer.set_inputs({&source_reader, &target_reader, {}});
  const std::vector<GroupPlan> plans =
      craft.plans.empty() ? plan_groups(source, target, {0, target.size()}, covers, craft.group_bytes, pool)
                          : craft.plans;
  std::vector<GroupDraft> drafts;
  for (const GroupPlan& plan : plans) {
    drafts.push_back(encode_group(source, target, covers, plan, craft.window_bytes));
  }
  if (!craft.page_hashes.empty()) EXPECT_OK(writer.add_page_hashes(craft.page_hashes));
  EXPECT_OK(writer.add_groups(drafts));
  EXPECT_OK(writer.finish());
  native::Header header = header_of(source, whole_target);
  writer.declare(header);
  Bytes bytes(static_cast<std::size_t>(body.size()));
  EXPECT_OK(body.read_at(0, bytes));
  return with_header(header, bytes);
}

Covers covers_of(ByteSpan source, ByteSpan target) {
  WorkerPool pool(1);
  return find_covers(source, target, level_settings(3).match, pool);
}

native::Header header_of(ByteSpan source, ByteSpan target) {
  native::Header header;
  header.source_size = source.size();
  header.target_size = target.size();
  header.source_digest = xxh3_128(source);
  header.target_digest = xxh3_128(target);
  return header;
}

Bytes with_header(const native::Header& header, ByteSpan body) {
  Bytes patch = native::encode_header(header);
  append(patch, body);
  return patch;
}

SplitPatch split_patch(ByteSpan patch) {
  ByteCursor cursor(patch.subspan(6));
  const ByteSpan fields = cursor.bytes(cursor.varint());
  const auto header = native::decode_header_fields(fields);
  EXPECT_OK(header);
  (void)cursor.le<std::uint32_t>();
  return {*header, Bytes(cursor.position(), cursor.position() + cursor.available())};
}

Bytes group_record(std::uint64_t target_bytes, ByteSpan head, ByteSpan frames) {
  Bytes body;
  append_varint(body, head.size());
  append(body, head);
  append(body, frames);
  Bytes record{static_cast<std::uint8_t>(native::RecordTag::kGroup)};
  append_varint(record, target_bytes);
  append_varint(record, body.size());
  append(record, body);
  return record;
}

Bytes bdt1_header(std::uint32_t source_size, std::uint32_t target_size, std::uint32_t match_count) {
  Bytes patch = {'B', 'D', 'T', 1, 0, 4};
  append_le(patch, source_size);
  append_le(patch, target_size);
  append_le(patch, match_count);
  return patch;
}

Bytes bdt1_patch(std::uint32_t source_size, std::uint32_t target_size, const std::vector<Bdt1Match>& matches,
                 ByteSpan literals) {
  Bytes patch = bdt1_header(source_size, target_size, static_cast<std::uint32_t>(matches.size()));
  for (const Bdt1Match& match : matches) {
    append_le(patch, static_cast<std::uint32_t>(match.source_step));
    append_le(patch, match.literal_bytes);
    append_le(patch, match.length);
  }
  append(patch, literals);
  return patch;
}

}  // namespace bdelta::test
