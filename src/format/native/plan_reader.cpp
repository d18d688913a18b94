#include "format/native/plan_reader.hpp"

#include <new>
#include <string>
#include <utility>

#include "base/try.hpp"
#include "format/native/fill_record.hpp"
#include "format/native/global_record.hpp"
#include "format/native/moved_number_record.hpp"
#include "format/native/substitution_record.hpp"
#include "format/native/tree_record.hpp"
#include "format/native/view_record.hpp"
#include "model/window_decoder.hpp"

namespace bdelta::native {
namespace {

bool begins_target(RecordTag tag) noexcept { return tag == RecordTag::kGroup || tag == RecordTag::kEnd; }

}  // namespace

bool PlanReader::may_have(RecordTag tag) const noexcept {
  switch (tag) {
    case RecordTag::kTree: return is_of_tree();
    case RecordTag::kView: return has(kFeatureView);
    case RecordTag::kMovedNumbers: return !has(kFeaturePrediction);
    case RecordTag::kGlobal: return has(kFeaturePrediction);
    case RecordTag::kCovers: return plan_.prediction.has_value();
    case RecordTag::kFills:
    case RecordTag::kSubstitutions: return true;
    default: return false;
  }
}

Status PlanReader::read_record() {
  try {
    BDELTA_ASSIGN(const RecordTag tag, record_.next_tag());
    if (begins_target(tag)) return finish();
    if (!may_follow(tag, last_tag_)) return record_.misplaced(tag);
    if (is_of_tree() && !plan_.tree && tag != RecordTag::kTree) return record_.misplaced(tag);
    const bool lacks_views = has(kFeatureView) && plan_.views.empty();
    if (lacks_views && tag != RecordTag::kView && tag != RecordTag::kTree) return record_.misplaced(tag);
    if (!may_have(tag)) return record_.misplaced(tag);
    last_tag_ = tag;
    BDELTA_TRY(read_record(tag));
    return record_.close();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, "while decoding the patch"};
  }
}

Status PlanReader::read_record(RecordTag tag) {
  io::TypedReader& body = record_.body();
  switch (tag) {
    case RecordTag::kTree: {  // from here on NEW is its stream without the files that are kept
      BDELTA_ASSIGN(plan_.tree, native::read_tree(body, header_));
      take_memory(held_bytes(*plan_.tree));
      header_.target_size = plan_.tree->made_bytes;
      return {};
    }
    case RecordTag::kView: {  // from here on all is about the views
      BDELTA_ASSIGN(plan_.views, native::read_view(body, header_));
      take_memory(held_bytes(plan_.views));
      header_.source_size = plan_.views.back().source_view_bytes;
      header_.target_size = plan_.views.back().target_view_bytes;
      return {};
    }
    case RecordTag::kFills: {
      BDELTA_ASSIGN(plan_.fills, read_fills(body, header_));
      take_memory(held_bytes(plan_.fills));
      return {};
    }
    case RecordTag::kMovedNumbers: {
      BDELTA_ASSIGN(plan_.moved_numbers, read_moved_numbers(body, header_));
      take_memory(plan_.moved_numbers.held_bytes());
      return {};
    }
    case RecordTag::kSubstitutions: {
      BDELTA_ASSIGN(SubstitutionTable substitutions, read_substitutions(body, header_));
      plan_.substitutions.emplace(std::move(substitutions));
      take_memory(plan_.substitutions->memory_bytes());
      return {};
    }
    case RecordTag::kGlobal: {
      plan_.prediction.emplace().memory_bytes = header_.decoder_memory_bytes;
      BDELTA_TRY(read_global(body, header_, *plan_.prediction));
      take_memory(plan_.prediction->images.size() + plan_.prediction->labels.size());
      return {};
    }
    default: return read_covers();
  }
}

// One group of covers. What they take together is held below what the header declares.
Status PlanReader::read_covers() {
  const std::uint64_t begin = covers_end_;
  BDELTA_ASSIGN(const std::uint64_t end, record_.open_group(GroupKind::kCovers, begin, header_, nullptr));
  Covers& covers = plan_.prediction->covers;
  StreamBytes streams;
  std::int64_t diagonal = 0;
  while (!record_.group()->at_end()) {
    BDELTA_ASSIGN(const WindowRecord window, record_.group()->next(covers_end_, diagonal, streams));
    if (window.copy_count > header_.decoder_memory_bytes / sizeof(Cover) - covers.size()) {
      return Error{ErrorCode::kPatchCorrupt, "its covers need more memory than the header declares", record_.body().position()};
    }
    BDELTA_TRY(decode_covers(window, streams, covers_end_, diagonal, covers));
    covers_end_ += window.target_length;
  }
  BDELTA_TRY(record_.close_group(begin, covers_end_));
  return covers_end_ == end ? Status() : Status(Error{ErrorCode::kInternal, "a group of covers lacks windows"});
}

Error PlanReader::lacks(const char* what) const {
  return {ErrorCode::kPatchCorrupt, std::string("expected what the header declares of ") + what, record_.body().position()};
}

Status PlanReader::finish() {
  is_whole_ = true;
  if (is_of_tree() && !plan_.tree) return lacks("trees in front of all else");
  if (has(kFeatureView) && plan_.views.empty()) return lacks("views in front of all else");
  const bool has_covers = plan_.prediction && covers_end_ == header_.target_size;
  if (has(kFeaturePrediction) && !has_covers) return lacks("prediction in front of the first group");
  if (!plan_.prediction) return {};
  if (!covers_are_valid(plan_.prediction->covers, header_.source_size, header_.target_size)) {
    return Error{ErrorCode::kOpOutOfRange, "covers reach beyond OLD or NEW", record_.body().position()};
  }
  take_memory(plan_.prediction->covers.size() * sizeof(Cover));
  cover_streams_.emplace(plan_.prediction->covers);
  return {};
}

}  // namespace bdelta::native
