#include "view/tree/tree_reader.hpp"

#include <algorithm>

#include "base/checked.hpp"
#include "base/try.hpp"

namespace bdelta::view {
namespace {

constexpr std::size_t kStepEntries = 32;  // whose places in a stream are counted from the first of them

}  // namespace

TreeReader::TreeReader(const ScannedTree& tree, const std::vector<bool>* is_left_out)
    : tree_(tree), is_left_out_(is_left_out), size_(tree.manifest().size()) {
  for (std::size_t i = 0; i < tree.manifest().entry_count(); ++i) {
    if (i % kStepEntries == 0) begins_.push_back(size_);
    size_ += bytes_of(i);
  }
}

std::vector<TreeReader::Part> TreeReader::parts() const {
  std::vector<Part> parts;
  std::uint64_t begin = tree_.manifest().size();
  for (std::size_t i = 0; i < tree_.manifest().entry_count(); ++i) {
    const std::uint64_t bytes = bytes_of(i);
    if (bytes != 0) parts.push_back({begin, static_cast<std::uint32_t>(i)});
    begin += bytes;
  }
  return parts;
}

// The file that has this byte.
TreeReader::Part TreeReader::first_at(std::uint64_t pos) const {
  const auto step = std::upper_bound(begins_.begin(), begins_.end(), pos) - 1;
  Part part{*step, static_cast<std::uint32_t>((step - begins_.begin()) * static_cast<std::ptrdiff_t>(kStepEntries))};
  for (std::uint64_t bytes = bytes_of(part.entry); pos - part.begin >= bytes; bytes = bytes_of(++part.entry)) part.begin += bytes;
  return part;
}

Result<std::shared_ptr<io::FileHandle>> TreeReader::opened(std::uint32_t entry) {
  {
    const std::lock_guard lock(mutex_);
    if (last_entry_ == entry) return last_;
  }
  BDELTA_ASSIGN(io::FileHandle file, tree_.open_file(entry));
  auto shared = std::make_shared<io::FileHandle>(std::move(file));
  const std::lock_guard lock(mutex_);
  last_entry_ = entry;
  last_ = shared;
  return shared;
}

Status TreeReader::read_at(std::uint64_t pos, MutableByteSpan out) {
  if (!range_fits(pos, out.size(), size_)) {
    return Error{ErrorCode::kReadFailed, "bytes behind the end of a tree's stream were asked for", pos};
  }
  const std::uint64_t manifest_bytes = tree_.manifest().size();
  if (pos < manifest_bytes) {
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), manifest_bytes - pos));
    tree_.manifest().read(pos, out.first(count));
    pos += count;
    out = out.subspan(count);
  }
  if (out.empty()) return {};
  for (auto [begin, entry] = first_at(pos); !out.empty(); ++entry) {
    const std::uint64_t bytes = bytes_of(entry);
    if (bytes == 0) continue;
    const std::uint64_t in_file = pos - begin;
    const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(out.size(), bytes - in_file));
    BDELTA_ASSIGN(const std::shared_ptr<io::FileHandle> file, opened(entry));
    BDELTA_TRY(tree_.read(*file, entry, in_file, out.first(count)));
    begin += bytes;
    pos += count;
    out = out.subspan(count);
  }
  return {};
}

}  // namespace bdelta::view
