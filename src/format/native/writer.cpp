#include "format/native/writer.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "format/native/fill_record.hpp"
#include "format/native/global_record.hpp"
#include "format/native/moved_number_record.hpp"
#include "format/native/raw_frames.hpp"
#include "format/native/tree_record.hpp"
#include "format/native/view_record.hpp"

namespace bdelta::native {
namespace {

constexpr std::size_t kSpoolPiece = std::size_t{1} << 20;  // bytes put aside between two looks at the watch

}  // namespace

std::uint64_t CodedGroups::bytes() const noexcept {
  std::uint64_t bytes = 0;
  for (const GroupChoices& made : choices) bytes += made.group.body.size();
  return bytes;
}

Status Writer::append_body(ByteSpan bytes) {
  while (!bytes.empty()) {
    const ByteSpan piece = bytes.first(std::min(kSpoolPiece, bytes.size()));
    BDELTA_TRY(body_.append(piece));
    if (hasher_) hasher_->update(piece);
    pool_.advance();
    bytes = bytes.subspan(piece.size());
  }
  return {};
}

Status Writer::append_sealed(ByteSpan record) {
  BDELTA_TRY(append_body(record));
  if (hasher_) digests_.push_back(hasher_->finish());
  return {};
}

void Writer::append_front(ByteSpan record) {
  append(front_, record);
  if (hasher_) front_digests_.push_back(sha256(record));
}

// Piece by piece, so that no more than one of them is held twice.
Status Writer::append_record(RecordTag tag, ByteSpan body) {
  const Bytes head = encode_record_head(tag, body.size());
  BDELTA_TRY(append_body(head));
  Bytes piece;
  for (std::uint64_t left = piece_count(body.size()); left > 0; --left) {
    const ByteSpan of_body = body.first(std::min<std::size_t>(body.size(), kPieceBytes));
    piece = head;
    append_le(piece, numbers_.next(static_cast<std::uint8_t>(tag)));
    const std::size_t checked_bytes = piece.size();
    append(piece, of_body);
    append_le(piece, check_of_piece(piece));
    BDELTA_TRY(append_body(ByteSpan(piece).subspan(checked_bytes)));
    body = body.subspan(of_body.size());
  }
  return append_sealed({});
}

Status Writer::append_group(const GroupDraft& draft, const GroupChoices& made) {
  for (std::size_t s = 0; s < kStreamCount; ++s) {
    totals_.raw[s] += made.raw_bytes[s];
    totals_.coded[s] += made.coded_bytes[s];
  }
  totals_.apply_ns += made.apply_ns;
  limits_.group_bytes = std::max<std::uint64_t>(limits_.group_bytes, made.group.body.size());
  limits_.decoder_memory_bytes = std::max(limits_.decoder_memory_bytes, made.group.memory_bytes);
  limits_.required_features |= made.group.features | (draft.copies_target ? kFeatureTargetCopies : 0);
  limits_.history_bytes = std::max(limits_.history_bytes, draft.history_bytes);
  for (const WindowRecord& window : draft.windows) {
    if (!window.plain && !window.covers) limits_.window_bytes = std::max(limits_.window_bytes, window.target_length);
  }
  return append_record(draft.kind == GroupKind::kCovers ? RecordTag::kCovers : RecordTag::kGroup, made.group.body);
}

Status Writer::add_tree(const view::TreePlan& plan) {
  BDELTA_ASSIGN(const Bytes record, native::encode_tree(plan, settings_.literals));
  append_front(record);
  limits_.required_features |= kFeatureTree;
  const std::uint64_t list_bytes = plan.times.size() + (plan.source_list ? plan.source_list->size() : 0);
  tree_bytes_ = held_bytes(plan) + (list_bytes == 0 ? 0 : frame_decoder_bytes(list_bytes, settings_.literals));
  return {};
}

Status Writer::add_views(const view::ViewPlans& plans) {
  BDELTA_ASSIGN(const Bytes record, native::encode_view(plans, settings_.literals));
  append_front(record);
  limits_.required_features |= kFeatureView;
  view_bytes_ = held_bytes(plans) + frame_decoder_bytes(geometry_and_recipe_bytes(plans), settings_.literals);
  return {};
}

Status Writer::add_fills(const Fills& fills) {
  BDELTA_TRY(append_sealed(encode_fills(fills)));
  fill_bytes_ = held_bytes(fills);
  return {};
}

Status Writer::add_moved_numbers(const MovedNumbers& numbers) {
  BDELTA_TRY(append_sealed(encode_moved_numbers(numbers)));
  moved_number_bytes_ = numbers.held_bytes();
  return {};
}

Status Writer::add_substitutions(const CodedSubstitutions& substitutions) {
  BDELTA_TRY(append_sealed(substitutions.record));
  substitution_bytes_ = substitutions.memory_bytes;
  return {};
}

Status Writer::add_plan(const PredictionPlan& plan, std::uint64_t apply_bytes) {
  BDELTA_ASSIGN(const Bytes record, encode_global(plan, settings_.literals));
  limits_.required_features |= kFeaturePrediction;
  plan_memory_bytes_ = apply_bytes + global_decoder_bytes(plan, settings_.literals);
  return append_sealed(record);
}

Status Writer::append_groups(const std::vector<GroupDraft>& drafts, const std::vector<GroupChoices>& choices) {
  for (std::size_t g = 0; g < drafts.size(); ++g) {
    BDELTA_TRY(append_group(drafts[g], choices[g]));
    budget_.set_spent(0);
    BDELTA_TRY(budget_.spend(body_.size()));
  }
  return {};
}

Status Writer::add_groups(std::vector<GroupDraft>& drafts) {
  budget_.set_spent(body_.size());
  std::vector<GroupChoices> choices(drafts.size());
  BDELTA_TRY(choose_groups(drafts, settings_, inputs_, budget_, literals_, pool_, choices));
  return append_groups(drafts, choices);
}

Result<CodedGroups> Writer::code_groups(std::vector<GroupDraft> drafts, const ModelledInputs& inputs) {
  FrameBudget unlimited(~std::uint64_t{0});
  CodedGroups coded{std::move(drafts), {}};
  coded.choices.resize(coded.drafts.size());
  BDELTA_TRY(choose_groups(coded.drafts, settings_, inputs, unlimited, literals_, pool_, coded.choices));
  for (GroupDraft& draft : coded.drafts) draft.streams = {};
  return coded;
}

Status Writer::finish() {
  const std::uint8_t end = static_cast<std::uint8_t>(RecordTag::kEnd);
  return append_sealed({&end, 1});
}

Bytes Writer::encode_digests() const {
  Bytes body;
  for (const Sha256Digest& digest : front_digests_) append(body, digest);
  for (const Sha256Digest& digest : digests_) append(body, digest);
  return seal_record(RecordTag::kDigests, body);
}

void Writer::declare(Header& header) const {
  header.window_bytes = limits_.window_bytes;
  header.group_bytes = limits_.group_bytes;
  header.decoder_memory_bytes =
      limits_.decoder_memory_bytes + plan_memory_bytes_ + tree_bytes_ + view_bytes_ + fill_bytes_ +
      moved_number_bytes_ + substitution_bytes_ + limits_.history_bytes;
  header.history_bytes = limits_.history_bytes;
  header.required_features |= limits_.required_features;
}

}  // namespace bdelta::native
