#include "support/craft.hpp"

#include "apply/predicted_copies.hpp"
#include "base/byte_cursor.hpp"
#include "create/level.hpp"
#include "create/number_pass.hpp"
#include "match/cover_ranges.hpp"
#include "exe/image_extents.hpp"
#include "exe/image_table.hpp"
#include "exe/labels.hpp"
#include "match/matcher.hpp"
#include "support/fills.hpp"

namespace bdelta::test {

namespace {

constexpr std::uint64_t kMostPlanBytes = std::uint64_t{1} << 20;  // of what the covers of a test take

// Of files without programs, in which nothing is predicted.
PredictionPlan empty_plan(const Covers& covers) {
  PredictionPlan plan;
  exe::append_image_extents(plan.images, {});
  exe::append_image_table(plan.images, exe::Images({}), exe::Images({}));
  exe::append_labels(plan.labels, {});
  plan.covers = covers;
  return plan;
}

// What these covers copy of the source, at its place in the target.
void copy_others(ByteSpan source, const Covers& covers, Bytes& copied) {
  for (const Cover& cover : covers) {
    if (cover.source_pos >= source.size()) continue;
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(cover.source_pos), cover.length,
                copied.begin() + static_cast<std::ptrdiff_t>(cover.target_pos));
  }
}

}  // namespace

Bytes predicted_copies(ByteSpan source, std::size_t target_size, const PredictionPlan& plan) {
  WorkerPool pool(1);
  io::MemoryReader reader(source);
  PatchInfo info;
  info.target_size = target_size;
  info.decoder_memory_bytes = kMostPlanBytes;
  const auto predicted = PredictedCopies::make(reader, plan, info, ~std::uint64_t{0}, pool);
  EXPECT_OK(predicted);
  Bytes copied(target_size);
  if (!predicted) return copied;
  const auto cache = (*predicted)->make_cache();
  for (const Cover& cover : plan.covers) {
    const MutableByteSpan to = MutableByteSpan(copied).subspan(cover.target_pos, cover.length);
    std::copy_n(source.begin() + static_cast<std::ptrdiff_t>(cover.source_pos), to.size(), to.begin());
    (*predicted)->predict(cover.target_pos, to, *cache);
  }
  return copied;
}

Bytes craft_patch(ByteSpan whole_source, ByteSpan whole_target, const Covers& covers, const Craft& craft) {
  const Bytes target = before_fills(whole_target, craft.fills);
  Bytes source(whole_source.begin(), whole_source.end());
  move_numbers(source, craft.moved_numbers);
  WorkerPool pool(1);
  io::Spool body;
  native::WriterSettings settings{craft.codec, craft.codec, craft.codec, craft.model, 256 * 1024};
  settings.model_literals = craft.modelled_literals;  // at any price, as apply_byte_ns is 0
  settings.model_misses = craft.modelled_misses;
  settings.lane_bytes = craft.lane_bytes;
  native::Writer writer(settings, body, pool);
  io::MemoryReader source_reader(source);
  io::MemoryReader target_reader(target);
  const SubstitutionTable* const substitutions = craft.substitutions ? &*craft.substitutions : nullptr;
  PredictionPlan plan = craft.plan ? *craft.plan : empty_plan(covers);
  const ByteRanges predicted = craft.predicted.empty() ? ByteRanges{{0, target.size()}} : craft.predicted;
  if (!craft.predicted.empty()) plan.covers = covers_in(predicted, covers);
  Bytes copied = craft.covers_apart ? predicted_copies(source, target.size(), plan) : Bytes();
  if (craft.covers_apart) copy_others(source, covers_in(outside_of(predicted, target.size()), covers), copied);
  const ModelledInputs inputs{&source_reader, &target_reader, copied, substitutions};
  writer.set_inputs(inputs);
  if (!craft.fills.empty()) EXPECT_OK(writer.add_fills(craft.fills));
  if (!craft.moved_numbers.lists.empty()) EXPECT_OK(writer.add_moved_numbers(craft.moved_numbers));
  if (substitutions) {
    const auto coded = native::encode_substitutions(*substitutions, craft.codec);
    EXPECT_OK(coded);
    if (coded) EXPECT_OK(writer.add_substitutions(*coded));
  }
  const FilePieces pieces({{0, ByteSpan(source)}, {source.size(), target}});  // covers may take what stands behind the source
  std::vector<GroupDraft> drafts;
  if (craft.covers_apart) {
    for (std::uint64_t pos = 0; pos < target.size(); pos += craft.group_bytes) {
      const Segment segment{pos, std::min<std::uint64_t>(craft.group_bytes, target.size() - pos), false, 0};
      const FilePieces copied_pieces{ByteSpan(copied)};
      drafts.push_back(encode_group({pieces, &copied_pieces, source.size()}, target, covers,
                                    with_prediction({segment}, predicted), craft.window_bytes, substitutions));
    }
    std::vector<GroupDraft> cover_drafts = bdelta::covers_of(drafts);
    EXPECT_OK(writer.add_plan(plan, kMostPlanBytes));
    if (craft.coded_first) {
      const auto coded = writer.code_groups(std::move(cover_drafts), inputs);
      EXPECT_OK(coded);
      if (coded) EXPECT_OK(writer.add_coded(*coded));
    } else {
      EXPECT_OK(writer.add_groups(cover_drafts));
    }
  } else {
    std::vector<GroupOutline> outlines = craft.outlines;
    if (outlines.empty()) {
      outlines = outline_groups(pieces, target, {0, target.size()}, covers, craft.group_bytes, pool, kPlainBytes,
                                source.size());
    }
    for (const GroupOutline& group : outlines) {
      drafts.push_back(
          encode_group({pieces, nullptr, source.size()}, target, covers, group, craft.window_bytes, substitutions));
    }
  }
  if (craft.coded_first) {
    const auto coded = writer.code_groups(std::move(drafts), inputs);
    EXPECT_OK(coded);
    if (coded) EXPECT_OK(writer.add_coded(*coded));
  } else {
    EXPECT_OK(writer.add_groups(drafts));
  }
  EXPECT_OK(writer.finish());
  native::Header header = header_of(whole_source, whole_target);
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
  append(patch, resealed(body));
  return patch;
}

bool has_record(ByteSpan patch, native::RecordTag tag) {
  const std::vector<CraftedRecord> records = records_of(split_patch(patch).body);
  return std::any_of(records.begin(), records.end(), [tag](const CraftedRecord& record) { return record.tag == tag; });
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
  append_varint(body, target_bytes);
  append_varint(body, head.size());
  append(body, head);
  append(body, frames);
  return native::seal_record(native::RecordTag::kGroup, body);
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
    append_le(patch, static_cast<std::uint32_t>(match.source_seek));
    append_le(patch, match.literal_bytes);
    append_le(patch, match.length);
  }
  append(patch, literals);
  return patch;
}

}  // namespace bdelta::test
