#include "apply/view_store.hpp"

#include <algorithm>

#include "base/memory_limit.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta {
namespace {

constexpr std::uint64_t kGatheredBytes = std::uint64_t{256} << 10;  // in front of the file

bool is_of_opening(ErrorCode code) {
  return code == ErrorCode::kOpenFailed || code == ErrorCode::kNotFound || code == ErrorCode::kPermission;
}

}  // namespace

std::uint64_t undeclared_bytes(const view::ViewPlans& plans, std::size_t index) noexcept {
  std::uint64_t bytes = 0;
  for (std::size_t i = index; i < std::min(index + 2, plans.size()); ++i) {
    bytes += plans[i].source_view_bytes - view::held_view_bytes(plans[i].source_view_bytes);
  }
  return bytes;
}

ViewStore::ViewStore(const view::ViewPlans& plans, std::size_t index, const ViewRoom& room)
    : limit_bytes_(room.limit_bytes), needed_bytes_(room.needed_bytes) {
  if (undeclared_bytes(plans, index) > room.spare_bytes) {
    spool_ = std::make_unique<io::Spool>(io::SpoolOptions{kGatheredBytes, room.temp_dir});
  } else {
    reserve_to_fill(bytes_, static_cast<std::size_t>(plans[index].source_view_bytes));
  }
}

Status ViewStore::add(ByteSpan bytes) {
  if (!known_.empty()) {
    const ByteSpan wanted = known_.subspan(known_bytes_).first(std::min(bytes.size(), known_.size() - known_bytes_));
    if (!std::equal(bytes.begin(), bytes.end(), wanted.begin(), wanted.end())) return Error{ErrorCode::kSelfCheckFailed, "OLD is unpacked to other bytes"};
    known_bytes_ += bytes.size();
    return {};
  }
  if (!spool_) {
    bytes_.insert(bytes_.end(), bytes.begin(), bytes.end());
    return {};
  }
  Status status = spool_->append(bytes);
  if (status || !is_of_opening(status.error().code)) return status;
  return beyond_memory_limit("without a temporary file for OLD unpacked it takes " + std::to_string(needed_bytes_) + " bytes, and none can be made (" +
                                 status.error().detail + ')', limit_bytes_, needed_bytes_);
}

Status ViewStore::read_at(std::uint64_t pos, MutableByteSpan out) {
  if (spool_) return spool_->read_at(pos, out);
  const ByteSpan bytes = view();
  if (!range_fits(pos, out.size(), bytes.size())) return Error{ErrorCode::kInternal, "read beyond OLD's view", pos};
  std::copy_n(bytes.begin() + static_cast<std::ptrdiff_t>(pos), out.size(), out.begin());
  return {};
}

}  // namespace bdelta
