// The way of the data when a patch is applied to a directory, as flat lists of steps.
#include <algorithm>

#include "apply/apply_run.hpp"
#include "apply/opened_patch.hpp"
#include "apply/staged_tree.hpp"
#include "apply/tree_places.hpp"
#include "base/byte_cursor.hpp"
#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/tree.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kMostNamed = 8;  // entries that differ, in a message

// OLD's stream, once the patch has told what is passed over in it.
class SourceStream final : public RandomReader {
 public:
  void open(const view::ScannedTree& tree) { reader_.emplace(tree, std::vector<bool>()); }

  [[nodiscard]] std::uint64_t size() const noexcept override { return reader_ ? reader_->size() : 0; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return reader_->read_at(pos, out); }
  Status check_unchanged() override { return reader_->check_unchanged(); }

 private:
  std::optional<view::TreeReader> reader_;
};

// What differs between OLD and the one that the patch was made from, by name.
class Differences {
 public:
  void add(const char* how, std::string_view path) {
    if (++count_ <= kMostNamed) text_ += std::string(count_ == 1 ? "" : ", ") + how + " \"" + io::escaped(path) + '"';
  }
  [[nodiscard]] std::string text() const {
    if (count_ <= kMostNamed) return text_;
    return text_ + " and " + std::to_string(count_ - kMostNamed) + " more";
  }
  [[nodiscard]] bool empty() const noexcept { return count_ == 0; }

 private:
  std::string text_;
  std::size_t count_ = 0;
};

class TreeRun {
 public:
  TreeRun(OpenedPatch& patch, const std::filesystem::path& source, const ApplyOptions& options, ApplyTap* tap = nullptr)
      : patch_(patch), source_path_(source), run_(stream_, patch.reader(), options), options_(options) {
    patch.set_watch(run_.watch());
    run_.take_tap(tap);
    run_.take_trees([this](WorkerPool& pool) { return digest_source(pool); });
  }

  Status read_head() {
    BDELTA_TRY(run_.read_header());
    BDELTA_ASSIGN(plan_, run_.read_tree());
    return {};
  }

  [[nodiscard]] const PatchInfo& info() const noexcept { return run_.info(); }
  [[nodiscard]] ApplyRun& run() noexcept { return run_; }
  [[nodiscard]] const view::ScannedTree& source() const noexcept { return *source_; }

  // NEW exists already and is what the patch makes.
  bool is_up_to_date(const std::filesystem::path& target) {
    const auto tree = view::ScannedTree::scan(target, plan_->excluded, run_.watch());
    if (!tree || (*tree)->manifest().stream_bytes() != *info().target_size) return false;
    const auto digests = (*tree)->digests(run_.pool());
    return digests && view::tree_digest((*tree)->manifest(), *digests) == *info().target_digest;
  }

  Status open_source() {
    const Span span(run_.timeline(), PhaseId::kRead);
    BDELTA_ASSIGN(source_, view::ScannedTree::scan(source_path_, plan_->excluded, run_.watch()));
    stream_.open(*source_);
    run_.take_manifest(source_->manifest());
    return {};
  }

  Status verify_source() {
    Status status = run_.verify_source();
    if (status || exit_class(status.error().code) != 4 || !plan_->source_list) return status;
    Error error = std::move(status).error();
    if (digests_.empty()) {
      BDELTA_ASSIGN(digests_, source_->digests(run_.pool()));
    }
    const std::string names = differences();
    if (!names.empty()) error.detail = names;
    return error;
  }

  // All of NEW, to `output`, which may be null. What `output` was told of NEW lives as long as this object.
  Status write_target(TreeOutput* output) {
    BDELTA_TRY(run_.prepare());
    splitter_.emplace(TreeSplitter::Source{*source_, digests_}, *plan_, *info().target_size, options_.outside_links, output);
    BDELTA_TRY(run_.write_target({nullptr, &*splitter_, [this] { return splitter_->digest(); }}));
    BDELTA_TRY(stream_.check_unchanged());
    return patch_.check_unchanged();
  }

 private:
  Result<Digest128> digest_source(WorkerPool& pool) {
    BDELTA_ASSIGN(digests_, source_->digests(pool));
    return view::tree_digest(source_->manifest(), digests_);
  }

  // Nothing if the list can't be read, as what it is of does not fit either way.
  std::string differences() {
    const Bytes& list = *plan_->source_list;
    ByteCursor cursor(list);
    const std::uint64_t manifest_bytes = cursor.varint();
    const ByteSpan bytes = cursor.bytes(manifest_bytes);
    auto expected = view::Manifest::decode(Bytes(bytes.begin(), bytes.end()), view::NameRules::kAny);
    if (!cursor.ok() || !expected || cursor.available() != expected->file_count() * sizeof(Digest128)) return "";
    Differences differences;
    std::size_t at = 0;
    const std::vector<view::TreeEntry>& found = source_->manifest().entries();
    for (const view::TreeEntry& entry : expected->entries()) {
      for (; at < found.size() && found[at].path < entry.path; ++at) differences.add("added", found[at].path);
      const ByteSpan digest = entry.kind == view::EntryKind::kFile ? cursor.bytes(sizeof(Digest128)) : ByteSpan();
      if (at == found.size() || found[at].path != entry.path) {
        differences.add("missing", entry.path);
        continue;
      }
      const bool is_same = found[at].kind == entry.kind && found[at].bytes == entry.bytes && found[at].target == entry.target &&
                           std::equal(digest.begin(), digest.end(), digests_[at].begin());
      if (!is_same) differences.add("changed", entry.path);
      ++at;
    }
    for (; at < found.size(); ++at) differences.add("added", found[at].path);
    return differences.empty() ? "" : differences.text();
  }

  OpenedPatch& patch_;
  const std::filesystem::path source_path_;
  SourceStream stream_;
  ApplyRun run_;
  const ApplyOptions& options_;
  const view::TreePlan* plan_ = nullptr;
  std::unique_ptr<view::ScannedTree> source_;
  std::vector<Digest128> digests_;  // of OLD's files
  std::optional<TreeSplitter> splitter_;
};

Status check_usage(const ApplyOptions& options) {
  if (!options.target_mode) return {};
  return Error{ErrorCode::kUsage, "target_mode is for files; the entries of a directory get the bits that the patch has of them"};
}

// What went wrong, with what it concerns. Errors of the io room name theirs already.
Error name_place(Error error, const std::filesystem::path& source, const std::filesystem::path& patch) {
  switch (exit_class(error.code)) {
    case 2:
    case 4: return io::with_file(std::move(error), source);
    case 3:
    case 5:
    case 6: return error.code == ErrorCode::kOutOfMemory ? error : io::with_file(std::move(error), patch);
    default: return error;
  }
}

Result<Report> apply_tree_paths(const std::filesystem::path& source_path, const std::filesystem::path& target_path,
                           const std::filesystem::path& patch_path, const ApplyOptions& options) {
  BDELTA_TRY(check_usage(options));
  BDELTA_TRY(check_apart(source_path, "OLD", target_path, "NEW"));
  BDELTA_TRY(check_apart(patch_path, "PATCH", target_path, "NEW"));
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  TreeRun tree(patch, source_path, options);
  const auto named = [&](Status status) {
    return status ? status : Status(name_place(std::move(status).error(), source_path, patch_path));
  };
  BDELTA_TRY(named(tree.read_head()));
  std::error_code ignored;
  const bool exists = std::filesystem::exists(std::filesystem::symlink_status(target_path, ignored));
  if (exists) {
    if (!tree.is_up_to_date(target_path)) {
      return io::file_error(ErrorCode::kOutputExists, target_path, "it is left as it is",
                            "name a directory that does not exist yet");
    }
    tree.run().skip_rest();
    Report report = tree.run().take_report();
    report.up_to_date = report.verified = true;
    report.target_digests.xxh3_128 = tree.info().target_digest;
    return report;
  }

  // OLD is proven before anything of NEW is made.
  BDELTA_TRY(tree.open_source());
  BDELTA_TRY(named(tree.verify_source()));
  BDELTA_ASSIGN(const auto staged, StagedTree::create(target_path, options.files, tree.source()));
  BDELTA_TRY(named(tree.write_target(staged.get())));
  Report report = tree.run().take_report();
  {
    const Span span(tree.run().timeline(), PhaseId::kFinish);
    BDELTA_TRY(staged->complete());
    BDELTA_TRY(staged->finish());
  }
  tree.run().update_times(report);
  return report;
}

Result<Report> check_tree_paths(const std::filesystem::path& source_path, const std::filesystem::path& patch_path,
                           const ApplyOptions& options, ApplyTap* tap = nullptr) {
  BDELTA_TRY(check_usage(options));
  io::IoCounters counters;
  BDELTA_ASSIGN(OpenedPatch patch, OpenedPatch::open(patch_path, options, &counters));
  TreeRun tree(patch, source_path, options, tap);
  const auto steps = [&]() -> Status {
    BDELTA_TRY(tree.read_head());
    BDELTA_TRY(tree.open_source());
    BDELTA_TRY(tree.verify_source());
    return tree.write_target(nullptr);
  };
  Status status = steps();
  if (!status) return name_place(std::move(status).error(), source_path, patch_path);
  return tree.run().take_report();
}

}  // namespace

Result<Report> apply_tree(const std::filesystem::path& source, const std::filesystem::path& target,
                          const std::filesystem::path& patch, const ApplyOptions& options) {
  return guarded([&] { return apply_tree_paths(source, target, patch, options); });
}

Result<Report> check_tree(const std::filesystem::path& source, const std::filesystem::path& patch, const ApplyOptions& options) {
  return guarded([&] { return check_tree_paths(source, patch, options); });
}

Result<Report> check_tree_tapped(const std::filesystem::path& source, const std::filesystem::path& patch,
                                 const ApplyOptions& options, ApplyTap& tap) {
  return check_tree_paths(source, patch, options, &tap);
}

}  // namespace bdelta
