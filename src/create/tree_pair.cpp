#include "create/tree_pair.hpp"

#include <algorithm>

#include "base/try.hpp"
#include "base/varint.hpp"
#include "format/native/layout.hpp"
#include "view/find_streams.hpp"

namespace bdelta {
namespace {

Status check_patterns(const std::vector<std::string>& patterns) {
  if (patterns.size() > native::kMaxTreePatterns) return Error{ErrorCode::kUsage, "expected at most 1024 patterns of `exclude`"};
  for (const std::string& pattern : patterns) {
    if (!pattern.empty() && pattern.size() <= view::kMostPathBytes) continue;
    return Error{ErrorCode::kUsage,
                 "expected a pattern of `exclude` of 1 to 4095 bytes, found one of " + std::to_string(pattern.size())};
  }
  return {};
}

// Looks at the pool's watch now and then.
Digest128 digest_watched(ByteSpan bytes, const WorkerPool& pool) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 20;
  if (bytes.size() <= kPieceBytes) return xxh3_128(bytes);
  Xxh3Hasher hasher;
  for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), kPieceBytes))) {
    hasher.update(bytes.first(std::min(bytes.size(), kPieceBytes)));
    pool.advance();
  }
  return hasher.digest();
}

// Some bytes of a reader.
class PartReader final : public RandomReader {
 public:
  PartReader(RandomReader& whole, std::uint64_t begin, std::uint64_t bytes) : whole_(whole), begin_(begin), bytes_(bytes) {}
  [[nodiscard]] std::uint64_t size() const noexcept override { return bytes_; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return whole_.read_at(begin_ + pos, out); }

 private:
  RandomReader& whole_;
  const std::uint64_t begin_;
  const std::uint64_t bytes_;
};

}  // namespace

Result<std::unique_ptr<TreePair>> TreePair::make(const std::filesystem::path& source, const std::filesystem::path& target,
                                                 const TreeOptions& options, bool holds_source, WorkerPool& pool) {
  BDELTA_TRY(check_patterns(options.exclude));
  std::unique_ptr<TreePair> pair(new TreePair);
  pool.set_phase(PhaseId::kRead);
  {
    const Span span(pool.timeline(), PhaseId::kRead);
    BDELTA_ASSIGN(pair->source_, view::ScannedTree::scan(source, options.exclude, pool.watch(), options.times));
    BDELTA_ASSIGN(pair->target_, view::ScannedTree::scan(target, options.exclude, pool.watch(), options.times));
  }
  BDELTA_ASSIGN(const FileDigests digests, pair->compare(holds_source, pool));
  BDELTA_TRY(pair->make_plan(options, digests));
  pair->manifest_digest_ = pair->digest_manifest();
  pair->target_->share(*pair->source_, pair->counterparts_);
  return pair;
}

TreePair::Parts TreePair::parts_of(const view::TreeReader& stream, const view::Manifest& manifest) {
  Parts parts;
  for (const view::TreeReader::Part& part : stream.parts()) {
    const view::TreeEntry entry = manifest.entry(part.entry);
    parts.push_back({part.begin, entry.bytes, entry.path});
  }
  return parts;
}

std::uint64_t TreePair::held_bytes() const noexcept {
  return source_->held_bytes() + target_->held_bytes() + counterparts_.size() * sizeof(counterparts_[0]) +
         marks_.modes.size() * sizeof(marks_.modes[0]) + plan_.code.size() + plan_.times.size() +
         (plan_.source_list ? plan_.source_list->size() : 0);
}

Status TreePair::HeldStream::read_at(std::uint64_t pos, MutableByteSpan out) {
  const ByteSpan bytes = bytes_.bytes().subspan(static_cast<std::size_t>(pos), out.size());
  std::copy(bytes.begin(), bytes.end(), out.begin());
  return {};
}

// Read once, and digested from there.
Result<std::vector<Digest128>> TreePair::hold_source(WorkerPool& pool) {
  BDELTA_ASSIGN(InputBytes bytes, InputBytes::load(*source_stream_, pool));
  held_source_.emplace(*source_stream_, std::move(bytes));
  std::vector<Digest128> digests(source_->manifest().entries().size(), xxh3_128({}));
  const ByteSpan stream = held_source_->view();
  const std::vector<view::TreeReader::Part> parts = source_stream_->parts();
  constexpr std::size_t kTaskParts = 64;
  pool.for_each((parts.size() + kTaskParts - 1) / kTaskParts, [&](std::size_t task) {
    for (std::size_t i = task * kTaskParts; i < std::min(parts.size(), (task + 1) * kTaskParts); ++i) {
      const std::uint64_t bytes_of_file = source_->manifest().entries()[parts[i].entry].bytes;
      digests[parts[i].entry] =
          digest_watched(stream.subspan(static_cast<std::size_t>(parts[i].begin), static_cast<std::size_t>(bytes_of_file)), pool);
    }
  });
  return digests;
}

// A file is kept if its size and digest are OLD's.
Result<TreePair::FileDigests> TreePair::compare(bool holds_source, WorkerPool& pool) {
  const view::Manifest &of_source = source_->manifest(), &of_target = target_->manifest();
  pool.set_phase(PhaseId::kHash);
  pool.begin_stage(1, of_source.file_bytes() + of_target.file_bytes());
  const Step step(pool, PhaseId::kHash, of_source.file_bytes() + of_target.file_bytes());
  source_stream_.emplace(*source_);
  FileDigests digests;
  BDELTA_ASSIGN(digests.source, holds_source ? hold_source(pool) : source_->digests(pool));
  BDELTA_ASSIGN(digests.target, target_->digests(pool));
  counterparts_ = view::counterparts_of(of_source, of_target);
  marks_.is_kept.resize(of_target.entries().size());
  marks_.modes.resize(of_target.entries().size());
  marks_.root_mode = static_cast<std::uint16_t>(target_->root_mode());
  for (std::size_t i = 0; i < of_target.entries().size(); ++i) {
    const view::TreeEntry& entry = of_target.entries()[i];
    if (entry.kind != view::EntryKind::kLink) marks_.modes[i] = static_cast<std::uint16_t>(target_->mode(i));
    const std::uint32_t counterpart = counterparts_[i];
    marks_.is_kept[i] =
        view::may_be_kept(of_source, entry, counterpart) && digests.source[counterpart] == digests.target[i];
  }
  source_digest_ = view::tree_digest(of_source, digests.source);
  target_digest_ = view::tree_digest(of_target, digests.target);
  target_stream_.emplace(*target_, &marks_.is_kept);
  return digests;
}

Status TreePair::make_plan(const TreeOptions& options, const FileDigests& digests) {
  const view::Manifest &of_source = source_->manifest(), &of_target = target_->manifest();
  plan_.made_bytes = target_stream_->size();
  plan_.manifest_bytes = of_target.bytes().size();
  plan_.entry_count = of_target.entries().size();
  plan_.excluded = options.exclude;
  plan_.code = view::encode_marks(of_source, of_target, counterparts_, marks_);
  count_files(digests);
  if (options.times) {
    std::vector<std::int64_t> times(of_target.entries().size());
    for (std::size_t i = 0; i < times.size(); ++i) times[i] = target_->mtime_ns(i);
    plan_.has_times = true;
    plan_.times = view::encode_times(of_target, times);
  }
  if (options.source_list) {
    Bytes& list = plan_.source_list.emplace();
    append_varint(list, of_source.bytes().size());
    append(list, of_source.bytes());
    for (std::size_t i = 0; i < digests.source.size(); ++i) {
      if (of_source.entries()[i].kind == view::EntryKind::kFile) append(list, digests.source[i]);
    }
  }
  const std::uint64_t list_bytes = std::max<std::uint64_t>(plan_.times.size(), plan_.source_list ? plan_.source_list->size() : 0);
  if (list_bytes <= native::kMaxTreeListBytes) return {};
  return Error{.code = ErrorCode::kFileTooLarge,
               .detail = "a list of " + std::to_string(list_bytes) + " bytes, a patch holds one of 512 MiB",
               .remedy = "leave times and the list of OLD out"};
}

void TreePair::count_files(const FileDigests& digests) {
  const view::Manifest &of_source = source_->manifest(), &of_target = target_->manifest();
  view::FileCounts& files = plan_.files;
  std::uint64_t same_path_count = 0;
  for (std::size_t i = 0; i < of_target.entries().size(); ++i) {
    if (of_target.entries()[i].kind != view::EntryKind::kFile) continue;
    const std::uint32_t counterpart = counterparts_[i];
    const bool has_one = counterpart != view::kNoEntry && of_source.entries()[counterpart].kind == view::EntryKind::kFile;
    same_path_count += has_one ? 1 : 0;
    if (marks_.is_kept[i]) {
      ++files.kept;
    } else if (!has_one) {
      ++files.added;
    } else if (digests.source[counterpart] != digests.target[i]) {
      ++files.changed;
    }
  }
  files.removed = of_source.file_count() - same_path_count;
}

// Of NEW's, as its stream has it.
Digest128 TreePair::digest_manifest() const {
  const view::Manifest& manifest = target_->manifest();
  Xxh3Hasher hasher;
  Bytes piece(std::min(manifest.size(), std::size_t{64} << 10));
  for (std::size_t pos = 0; pos < manifest.size(); pos += piece.size()) {
    piece.resize(std::min(piece.size(), manifest.size() - pos));
    manifest.read(pos, piece);
    hasher.update(piece);
  }
  return hasher.digest();
}

// What the stream has in front is proven here, as the patch was made from the same stream.
Result<Digest128> TreePair::digest_as_applied(const view::TreePlan& plan) const {
  BDELTA_ASSIGN(const view::TreeMarks marks,
                view::decode_marks(source_->manifest(), target_->manifest(), counterparts_, plan.code));
  if (marks.is_kept != marks_.is_kept || marks.modes != marks_.modes) {
    return Error{ErrorCode::kSelfCheckFailed, "what the patch says of an entry is not as it is"};
  }
  if (digest_manifest() != manifest_digest_) return Error{ErrorCode::kSelfCheckFailed, "the manifest of NEW is not as it was read"};
  return target_digest_;
}

view::Members members_of(const TreePair::Parts& parts) {
  view::Members members;
  for (const TreePair::Part& part : parts) {
    members.push_back({std::string(part.path), true, part.begin, part.begin, part.bytes, part.begin + part.bytes});
  }
  return members;
}

Result<bool> may_have_archives(RandomReader& stream, const TreePair::Parts& parts) {
  for (const TreePair::Part& part : parts) {
    PartReader reader(stream, part.begin, part.bytes);
    BDELTA_ASSIGN(const bool may_be, view::may_be_archive(reader));
    if (may_be) return true;
  }
  return false;
}

}  // namespace bdelta
