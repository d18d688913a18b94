#include "format/native/record_check.hpp"

#include <array>

#include "base/byte_cursor.hpp"
#include "base/try.hpp"
#include "format/native/record_body.hpp"
#include "format/native/record_stream.hpp"

namespace bdelta::native {
namespace {

class RecordCheck {
 public:
  RecordCheck(io::TypedReader& patch, const Head& head)
      : header_(head.header), list_sha256_(head.list_sha256), records_(patch, header_, list_sha256_ ? &record_ : nullptr) {}

  Result<std::uint64_t> run() {
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
    return target_bytes_;
  }

 private:
  [[nodiscard]] bool is_predicted() const noexcept { return (header_.required_features & kFeaturePrediction) != 0; }

  [[nodiscard]] bool has_place(RecordTag tag) const noexcept {
    switch (tag) {
      case RecordTag::kDigests: return false;  // it belongs to the head
      case RecordTag::kMovedNumbers: return !is_predicted();
      case RecordTag::kGlobal:
      case RecordTag::kCovers: return is_predicted();
      default: return true;
    }
  }

  Status check_known(RecordTag tag) {
    if (!has_place(tag) || !may_follow(tag, last_tag_)) return misplaced_record(tag, records_.body_pos());
    last_tag_ = tag;
    if (tag == RecordTag::kGlobal) has_global_ = true;
    if (tag == RecordTag::kCovers) return add_target(covered_bytes_);
    return tag == RecordTag::kGroup ? add_target(target_bytes_) : Status();
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
    if (!is_predicted() || (has_global_ && covered_bytes_ == header_.target_size)) return {};
    return Error{ErrorCode::kPatchCorrupt, "expected what the header declares of prediction in front of the first group"};
  }

  const Header header_;
  const std::optional<Sha256Digest> list_sha256_;
  Sha256Hasher record_;   // of the record at hand; of use with a list alone
  Sha256Hasher digests_;  // of the digests of the records
  RecordStream records_;
  RecordTag last_tag_ = RecordTag::kEnd;
  bool has_global_ = false;
  std::uint64_t covered_bytes_ = 0;
  std::uint64_t target_bytes_ = 0;
};

}  // namespace

Result<std::uint64_t> check_records(io::TypedReader& patch, const Head& head) { return RecordCheck(patch, head).run(); }

}  // namespace bdelta::native
