// What the files have others in place of before covers are found: what an applier computes by itself, and programs, whose
// addresses it foretells.
#include "create/create_run.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "create/file_digest_pass.hpp"
#include "create/header_sum_pass.hpp"
#include "create/number_pass.hpp"
#include "create/page_hash_pass.hpp"
#include "create/progress_shares.hpp"
#include "exe/images.hpp"

namespace bdelta {
namespace {

// Puts bytes that cost nothing in place of those that are left out.
template <class Other>
void replace(MutableByteSpan target, const std::vector<Other>& others) {
  for (const Other& other : others) {
    std::copy(other.bytes.begin(), other.bytes.end(), target.begin() + static_cast<std::ptrdiff_t>(other.pos));
  }
}

}  // namespace

// Like prediction, where both files are at hand as a whole. Before header sums, which are put in before these are.
Status CreateRun::leave_out_file_digests() {
  if (budget_.settings.digest_share == 0 || !sees_whole_files()) return {};
  const std::uint64_t most_hashed_bytes = inputs_.target.bytes().size() / budget_.settings.digest_share;
  LeftOutDigests found = find_file_digests(inputs_.source.bytes(), inputs_.target.bytes(), most_hashed_bytes, *pool_);
  if (found.digests.empty()) return {};
  BDELTA_ASSIGN(const MutableByteSpan target, inputs_.target.edit(*pool_));
  replace(target, found.others);
  file_digests_ = std::move(found.digests);
  return writer_->add_file_digests(file_digests_);
}

Status CreateRun::leave_out_header_sums() {
  if (!budget_.settings.header_sums || !sees_whole_files()) return {};
  LeftOutSums found = find_header_sums(inputs_.source.bytes(), inputs_.target.bytes(), *pool_);
  if (found.spans.empty()) return {};
  BDELTA_ASSIGN(const MutableByteSpan target, inputs_.target.edit(*pool_));
  replace(target, found.others);
  header_sums_ = std::move(found.spans);
  return writer_->add_header_sums(header_sums_);
}

// Prediction looks at both files as a whole, and takes the memory of both again.
Status CreateRun::find_programs() {
  if (!options_.predict || !budget_.settings.predict || !sees_whole_files()) return {};
  watch_.set_range(share::kDigested, share::kDigested);
  const ByteSpan source = inputs_.source.bytes();
  auto [source_images, may_have_objects] = exe::search_images(source, kManyImages);
  may_have_objects_ = may_have_objects;
  if (source_images.empty()) return {};
  std::vector<exe::Image> target_images = exe::find_images(inputs_.target.bytes(), kManyImages);
  BDELTA_TRY(leave_out(find_page_hash_lists(source, source_images, inputs_.target.bytes(), target_images, *pool_)));
  // Leaving out may have made a copy of the target.
  chosen_.programs = ProgramPass::begin(source, std::move(source_images), inputs_.target.bytes(),
                                        std::move(target_images), diagonals(), budget_.settings, *pool_);
  return {};
}

// Of kernel modules. A patch has programs or these.
Status CreateRun::move_numbers() {
  if (!may_have_objects_ || chosen_.programs) return {};
  MovedNumbers found = learn_moved_numbers(inputs_.source.bytes(), inputs_.target.bytes(), *pool_);
  if (found.lists.empty()) return {};
  BDELTA_ASSIGN(const MutableByteSpan source, inputs_.source.edit(*pool_));
  bdelta::move_numbers(source, found, &watch_);
  matcher_.emplace(inputs_.source.bytes(), budget_.settings.match, budget_.match, *pool_);
  inputs_.source_pieces = FilePieces(inputs_.source.bytes());
  moved_numbers_ = std::move(found);
  return writer_->add_moved_numbers(moved_numbers_);
}

// Zeros in place of what an applier computes.
Status CreateRun::leave_out(PageHashLists lists) {
  if (lists.empty()) return {};
  BDELTA_ASSIGN(const MutableByteSpan target, inputs_.target.edit(*pool_));
  for (const PageHashes& list : lists) {
    const MutableByteSpan bytes = target.subspan(static_cast<std::size_t>(list.list_pos),
                                                 static_cast<std::size_t>(list.list_bytes()));
    std::fill(bytes.begin(), bytes.end(), std::uint8_t{0});
  }
  page_hashes_ = std::move(lists);
  return writer_->add_page_hashes(page_hashes_);
}

}  // namespace bdelta
