#include "apply/tree_splitter.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

Error corrupt_tree(const char* what) { return {ErrorCode::kPatchCorrupt, std::string(what) + "; fetch the patch again"}; }

}  // namespace

Status TreeSplitter::write(ByteSpan bytes) {
  if (!has_manifest_) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), plan_.manifest_bytes - head_.size()));
    append(head_, bytes.first(count));
    bytes = bytes.subspan(count);
    if (head_.size() < plan_.manifest_bytes) return {};
    BDELTA_TRY(take_manifest());
  }
  while (!bytes.empty()) {
    if (entry_ == manifest_.entries().size()) return corrupt_tree("it makes more bytes than its files have");
    const ByteSpan piece = bytes.first(static_cast<std::size_t>(std::min<std::uint64_t>(bytes.size(), left_bytes_)));
    hasher_.update(piece);
    if (output_) BDELTA_TRY(output_->write(piece));
    left_bytes_ -= piece.size();
    bytes = bytes.subspan(piece.size());
    if (left_bytes_ == 0) BDELTA_TRY(end_file());
  }
  return {};
}

Status TreeSplitter::finish() { return {}; }

// All that can be known of NEW before its files come is proven before anything is made.
Status TreeSplitter::take_manifest() {
  has_manifest_ = true;
  BDELTA_ASSIGN(manifest_, view::Manifest::decode(std::exchange(head_, {}), view::host_rules()));
  if (manifest_.entries().size() != plan_.entry_count) {
    return corrupt_tree("the manifest of its tree has another count of entries than it says");
  }
  const view::Manifest& of_source = source_.tree.manifest();
  counterparts_ = view::counterparts_of(of_source, manifest_);
  BDELTA_ASSIGN(marks_, view::decode_marks(of_source, manifest_, counterparts_, plan_.code));
  if (plan_.has_times) {
    BDELTA_ASSIGN(times_, view::decode_times(manifest_, plan_.times));
  }
  if (!view::sizes_fit(plan_, manifest_, marks_, target_bytes_)) {
    return corrupt_tree("the files of its tree have other sizes than it says");
  }
  BDELTA_TRY(check_links());
  digests_.resize(manifest_.entries().size());
  if (output_) BDELTA_TRY(output_->begin(*this));
  entry_ = 0;
  return next_file();
}

Status TreeSplitter::check_links() const {
  if (outside_links_) return {};
  for (std::size_t i = 0; i < manifest_.entries().size(); ++i) {
    const view::TreeEntry& entry = manifest_.entries()[i];
    if (entry.kind != view::EntryKind::kLink || !view::may_leave_tree(entry.path, entry.target)) continue;
    const std::uint32_t counterpart = counterparts_[i];
    if (counterpart != view::kNoEntry && source_.tree.manifest().entries()[counterpart].target == entry.target) continue;
    return Error{.code = ErrorCode::kUnsafeName,
                 .detail = "the link \"" + io::escaped(entry.path) + "\" leads out of the directory, to \"" +
                           io::escaped(entry.target) + '"',
                 .remedy = "allow that with outside_links if you trust the patch"};
  }
  return {};
}

// Goes on to the file that the next bytes are of. Those in front of it need none.
Status TreeSplitter::next_file() {
  for (; entry_ < manifest_.entries().size(); ++entry_) {
    const view::TreeEntry& entry = manifest_.entries()[entry_];
    if (entry.kind != view::EntryKind::kFile) continue;
    if (marks_.is_kept[entry_]) {
      digests_[entry_] = source_.digests[counterparts_[entry_]];
      if (output_) BDELTA_TRY(output_->keep_file(entry_, counterparts_[entry_]));
      continue;
    }
    hasher_ = Xxh3Hasher();
    if (output_) BDELTA_TRY(output_->begin_file(entry_));
    left_bytes_ = entry.bytes;
    if (left_bytes_ > 0) return {};
    digests_[entry_] = hasher_.digest();
    if (output_) BDELTA_TRY(output_->end_file());
  }
  return {};
}

Status TreeSplitter::end_file() {
  digests_[entry_] = hasher_.digest();
  if (output_) BDELTA_TRY(output_->end_file());
  ++entry_;
  return next_file();
}

bool TreeSplitter::is_same(std::size_t entry) const {
  const std::uint32_t counterpart = counterparts_[entry];
  if (counterpart == view::kNoEntry) return false;
  const view::TreeEntry& before = source_.tree.manifest().entries()[counterpart];
  const view::TreeEntry& now = manifest_.entries()[entry];
  if (before.kind != now.kind || before.target != now.target || before.bytes != now.bytes) return false;
  return now.kind != view::EntryKind::kFile || source_.digests[counterpart] == digests_[entry];
}

Result<Digest128> TreeSplitter::digest() {
  if (!has_manifest_) BDELTA_TRY(take_manifest());  // of nothing at all
  if (entry_ != manifest_.entries().size()) return corrupt_tree("it makes fewer bytes than its files have");
  return view::tree_digest(manifest_, digests_);
}

}  // namespace bdelta
