// A directory that comes into being whole or not at all: it is made beside its place, under a name of its own, then moved there.
//
// Bits of directories and links come last, so that nothing is ever written through a link. What was made is removed when the
// object dies, or by remove_unfinished_outputs, unless `finish` has moved it.
#pragma once

#include "apply/staged_file.hpp"
#include "apply/tree_splitter.hpp"
#include "bdelta/files.hpp"
#include "io/directory.hpp"
#include "io/unfinished_outputs.hpp"

namespace bdelta {

class StagedTree final : public TreeOutput {
 public:
  // `target` does not exist, its parent does. kept: where files that are kept come from; it must outlive the object.
  static Result<std::unique_ptr<StagedTree>> create(const std::filesystem::path& target, const FileOptions& options,
                                                    const view::ScannedTree& kept);
  ~StagedTree() override;

  Status begin(const TreeSplitter& tree) override;
  Status begin_file(std::size_t entry) override;
  Status write(ByteSpan bytes) override { return file_.write(bytes); }
  Status end_file() override;
  Status keep_file(std::size_t entry, std::size_t source_entry) override;

  // Links and bits, which no file is made behind. Then what was made is only to be moved.
  Status complete();

  // Makes all durable and moves it to its place. Errors: kOutputExists if something came to be there, kSyncFailed,
  // kRenameFailed.
  Status finish();

 private:
  StagedTree(std::filesystem::path target, const FileOptions& options, const view::ScannedTree& kept)
      : target_(std::move(target)), options_(options), kept_(kept), file_(options.sync) {}
  Status make_outer(const std::filesystem::path& parent);
  Status set_bits(std::string_view path, std::uint32_t mode);
  // With its bits; a directory that may not be written can't be.
  [[nodiscard]] bool may_be_moved() const noexcept { return (tree_->marks().root_mode & 0200) != 0; }

  const std::filesystem::path target_;
  const FileOptions options_;
  const view::ScannedTree& kept_;
  const TreeSplitter* tree_ = nullptr;
  std::filesystem::path outer_;  // ours alone; empty if there is nothing to remove
  io::UnfinishedName unfinished_;
  std::unique_ptr<io::Directory> root_;  // in it
  StagedFile file_;                      // that is being made
  std::size_t entry_ = 0;                // of it
};

}  // namespace bdelta
