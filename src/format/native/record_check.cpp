#include "format/native/record_check.hpp"

#include <array>
#include <string>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/record_body.hpp"
#include "format/native/record_stream.hpp"
#include "format/native/view_record.hpp"

namespace bdelta::native {
namespace {

class RecordCheck {
 public:
  RecordCheck(io::TypedReader& patch, const Head& head)
      : header_(head.header), list_sha256_(head.list_sha256), records_(patch, header_, list_sha256_ ? &record_ : nullptr) {}

  Status run() {
    std::uint8_t tag = 0;
    do {
      BDELTA_ASSIGN(tag, records_.open_any());
      if (is_known(tag)) BDELTA_TRY(check_known(static_cast<RecordTag>(tag)));
      BDELTA_TRY(records_.skip());
      if (list_sha256_) digests_.update(record_.finish());
    } while (tag != static_cast<std::uint8_t>(RecordTag::kEnd));
    BDELTA_TRY(check_plan());
    if (list_sha256_ && digests_.finish() != *list_sha256_) {
      return Error{ErrorCode::kPatchDigest, "its list of digests is not that of its records; fetch the patch again"};
    }
    if (target_bytes_ == header_.target_size) return {};
    return Error{ErrorCode::kPatchCorrupt, "it ends after " + std::to_string(target_bytes_) + " of " +
                                               std::to_string(header_.target_size) + " bytes that groups have to make"};
  }

 private:
  [[nodiscard]] bool is_predicted() const noexcept { return (header_.required_features & kFeaturePrediction) != 0; }

  [[nodiscard]] bool is_unpacked() const noexcept { return (header_.required_features & kFeatureView) != 0; }

  [[nodiscard]] bool is_tree() const noexcept { return (header_.required_features & kFeatureTree) != 0; }

  [[nodiscard]] bool has_place(RecordTag tag) const noexcept {
    switch (tag) {
      case RecordTag::kDigests: return false;  // it belongs to the head
      case RecordTag::kView: return is_unpacked();
      case RecordTag::kTree: return is_tree();
      case RecordTag::kMovedNumbers: return !is_predicted();
      case RecordTag::kGlobal:
      case RecordTag::kCovers: return is_predicted();
      default: return true;
    }
  }

  Status check_known(RecordTag tag) {
    if (!has_place(tag) || !may_follow(tag, last_tag_)) return misplaced_record(tag, records_.body_pos());
    last_tag_ = tag;
    if (tag == RecordTag::kTree) return read_tree_size();
    if (is_tree() && !has_tree_) return misplaced_record(tag, records_.body_pos());
    if (is_unpacked() && !has_view_ && tag != RecordTag::kView) return misplaced_record(tag, records_.body_pos());
    if (tag == RecordTag::kView) return read_view_size();
    if (tag == RecordTag::kGlobal) has_global_ = true;
    if (tag == RecordTag::kCovers) return add_target(covered_bytes_);
    return tag == RecordTag::kGroup ? add_target(target_bytes_) : Status();
  }

  // Windows make NEW's stream but for files that are kept; its size is the first number.
  Status read_tree_size() {
    std::array<std::uint8_t, kMaxVarintBytes> first{};
    BDELTA_ASSIGN(const std::size_t count, records_.read(first));
    ByteCursor cursor(ByteSpan(first).first(count));
    header_.target_size = cursor.varint();
    has_tree_ = true;
    if (cursor.ok()) return {};
    return Error{ErrorCode::kPatchCorrupt, "the record of trees can't be read", records_.body_pos()};
  }

  // Groups are about NEW's last view then.
  Status read_view_size() {
    std::array<std::uint8_t, kMostViewHeadBytes> first{};
    BDELTA_ASSIGN(const std::size_t count, records_.read(first));
    ByteCursor cursor(ByteSpan(first).first(count));
    const std::vector<ViewHead> heads = read_view_heads(cursor);
    if (!heads.empty()) header_.target_size = heads.back().plan.target_view_bytes;
    has_view_ = true;
    if (cursor.ok() && !heads.empty()) return {};
    return Error{ErrorCode::kPatchCorrupt, "the record of views can't be read", records_.body_pos()};
  }

  // Both kinds of groups begin with the bytes of NEW that they are for.
  Status add_target(std::uint64_t& sum) {
    std::array<std::uint8_t, kMaxVarintBytes> first{};
    BDELTA_ASSIGN(const std::size_t count, records_.read(first));
    ByteCursor cursor(ByteSpan(first).first(count));
    const std::uint64_t bytes = cursor.varint();
    if (!cursor.ok() || bytes == 0 || bytes > header_.target_size - sum) {
      return Error{ErrorCode::kPatchCorrupt, "a group reaches beyond the size of NEW", records_.body_pos()};
    }
    sum += bytes;
    return {};
  }

  Status check_plan() const {
    if (is_tree() && !has_tree_) {
      return Error{ErrorCode::kPatchCorrupt, "expected what the header declares of trees in front of all else"};
    }
    if (is_unpacked() && !has_view_) {
      return Error{ErrorCode::kPatchCorrupt, "expected what the header declares of views in front of all else"};
    }
    if (!is_predicted() || (has_global_ && covered_bytes_ == header_.target_size)) return {};
    return Error{ErrorCode::kPatchCorrupt, "expected what the header declares of prediction in front of the first group"};
  }

  Header header_;  // its size of NEW is that of NEW's view, once that is known
  const std::optional<Sha256Digest> list_sha256_;
  Sha256Hasher record_;   // of the record at hand; of use with a list alone
  Sha256Hasher digests_;  // of the digests of the records
  RecordStream records_;
  RecordTag last_tag_ = RecordTag::kEnd;
  bool has_tree_ = false;
  bool has_view_ = false;
  bool has_global_ = false;
  std::uint64_t covered_bytes_ = 0;
  std::uint64_t target_bytes_ = 0;
};

}  // namespace

Status check_records(io::TypedReader& patch, const Head& head) { return RecordCheck(patch, head).run(); }

}  // namespace bdelta::native
