// From NEW's stream, as windows make it, to what NEW has: the manifest in front is proven, then files come one by one. Those
// that are kept come from OLD.
#pragma once

#include "bdelta/io.hpp"
#include "view/tree/files.hpp"
#include "view/tree/plan.hpp"

namespace bdelta {

class TreeSplitter;

// Where a tree goes. Files come in the order of the manifest, each as one begin_file, then write as often as it takes, then
// end_file; or as one keep_file.
class TreeOutput {
 public:
  virtual ~TreeOutput() = default;
  virtual Status begin(const TreeSplitter& tree) = 0;  // manifest and marks are known
  virtual Status begin_file(std::size_t entry) = 0;
  virtual Status write(ByteSpan bytes) = 0;
  virtual Status end_file() = 0;
  virtual Status keep_file(std::size_t entry, std::size_t source_entry) = 0;
};

class TreeSplitter final : public SequentialWriter {
 public:
  struct Source {
    const view::ScannedTree& tree;
    const std::vector<Digest128>& digests;
  };
  // `plan` and what `source` names must outlive the object; `output` as well, null for what only proves. target_bytes: of NEW's
  // whole stream. outside_links: links that lead out of NEW are made.
  TreeSplitter(const Source& source, const view::TreePlan& plan, std::uint64_t target_bytes, bool outside_links, TreeOutput* output)
      : source_(source), plan_(plan), target_bytes_(target_bytes), outside_links_(outside_links), output_(output) {}

  // Errors: kPatchCorrupt, kUnsafeName, those of the output.
  Status write(ByteSpan bytes) override;
  Status finish() override;

  // NEW is whole: its digest.
  Result<Digest128> digest();

  [[nodiscard]] const view::Manifest& manifest() const noexcept { return manifest_; }
  [[nodiscard]] const view::TreeMarks& marks() const noexcept { return marks_; }
  [[nodiscard]] const std::vector<std::int64_t>& times() const noexcept { return times_; }  // empty without
  [[nodiscard]] const std::vector<std::uint32_t>& counterparts() const noexcept { return counterparts_; }  // in OLD
  [[nodiscard]] std::uint64_t made_bytes() const noexcept { return plan_.made_bytes; }

  [[nodiscard]] const std::vector<Digest128>& digests() const noexcept { return digests_; }  // of files, once they have ended

  // OLD has the same at the same path, permissions aside. Of a file once it has ended.
  [[nodiscard]] bool is_same(std::size_t entry) const;

 private:
  Status take_manifest();
  [[nodiscard]] Status check_links() const;
  Status next_file();
  Status end_file();

  const Source source_;
  const view::TreePlan& plan_;
  const std::uint64_t target_bytes_;
  const bool outside_links_;
  TreeOutput* const output_;
  Bytes head_;  // of the stream, until the manifest is whole
  bool has_manifest_ = false;
  view::Manifest manifest_;
  std::vector<std::uint32_t> counterparts_;
  view::TreeMarks marks_;
  std::vector<std::int64_t> times_;
  std::vector<Digest128> digests_;
  std::size_t entry_ = 0;         // the file that bytes go to, or all entries
  std::uint64_t left_bytes_ = 0;  // of it
  Xxh3Hasher hasher_;             // likewise
};

}  // namespace bdelta
