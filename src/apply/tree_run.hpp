// One application of a patch to a directory, step by step.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "apply/apply_run.hpp"
#include "apply/known_tree.hpp"
#include "apply/tree_splitter.hpp"
#include "view/tree/tree_reader.hpp"

namespace bdelta {

// OLD's stream, once the patch has told what is passed over in it.
class SourceStream final : public RandomReader {
 public:
  void open(const view::ScannedTree& tree) { reader_.emplace(tree); }

  [[nodiscard]] std::uint64_t size() const noexcept override { return reader_ ? reader_->size() : 0; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override { return reader_->read_at(pos, out); }
  Status check_unchanged() override { return reader_->check_unchanged(); }

 private:
  std::optional<view::TreeReader> reader_;
};

// kUsage for an option of files.
[[nodiscard]] Status check_tree_options(const ApplyOptions& options);

class TreeRun {
 public:
  // All must outlive the run. `tap` may be null.
  TreeRun(SequentialReader& patch, const std::filesystem::path& source, const ApplyOptions& options, ApplyTap* tap = nullptr);

  // Both parts of what stands in front of the plan: the header, and what the patch says of its trees.
  Status read_head();
  Status read_tree();
  Status open_source();

  // Where OLD does not fit and the patch has a list of it, the error names what differs.
  Status verify_source();

  // Keeps the state of `target`, which is NEW, if the options ask for that.
  Status keep_state(const std::filesystem::path& target);

  // All of NEW, to `output`, which may be null. What `output` was told of NEW lives as long as this object.
  Status write_target(TreeOutput* output);

  // The same in steps, for a patch whose parts come one by one. The first gives where windows go, once the run is prepared.
  // The second tells at the end whether OLD is what it was.
  [[nodiscard]] TargetSink begin_target(TreeOutput* output);
  Status check_unchanged() { return stream_.check_unchanged(); }

  // How NEW differs from OLD, once all of NEW was made.
  [[nodiscard]] TreeChanges changes() const;

  // NEW exists already and is what the patch makes.
  [[nodiscard]] bool is_up_to_date(const std::filesystem::path& target);

  // Likewise of OLD, once verify_source has failed.
  [[nodiscard]] bool source_is_target() const noexcept { return found_digest_ && found_digest_ == info().target_digest; }

  // The report of a call that found NEW there.
  [[nodiscard]] Report up_to_date_report();

  [[nodiscard]] const PatchInfo& info() const noexcept { return run_.info(); }
  [[nodiscard]] ApplyRun& run() noexcept { return run_; }
  [[nodiscard]] view::ScannedTree& source() noexcept { return *source_; }

 private:
  Result<Digest128> digest_source(WorkerPool& pool);
  [[nodiscard]] const KnownTree* expected_source() const;
  [[nodiscard]] std::string differences(const KnownTree& expected) const;

  const std::filesystem::path source_path_;
  SourceStream stream_;
  ApplyRun run_;
  const ApplyOptions& options_;
  const view::TreePlan* plan_ = nullptr;
  std::unique_ptr<view::ScannedTree> source_;
  std::vector<Digest128> digests_;  // of OLD's files
  std::optional<Digest128> found_digest_;  // of OLD
  std::int64_t scanned_ns_ = 0;            // when OLD was looked at
  std::optional<KnownTree> known_;         // by the state
  std::optional<KnownTree> listed_;        // by the patch, digests alone
  std::optional<TreeSplitter> splitter_;
};

}  // namespace bdelta
