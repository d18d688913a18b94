// The stream of a directory: the manifest, and behind it the contents of files in its order.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "bdelta/io.hpp"
#include "view/tree/files.hpp"

namespace bdelta::view {

// Of all files, or of some. Opens a file when bytes of it are asked for.
class TreeReader final : public RandomReader {
 public:
  // Of the files that are not left out, by the numbers of their entries; null: of all. Both must outlive the reader.
  explicit TreeReader(const ScannedTree& tree, const std::vector<bool>* is_left_out = nullptr);

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;
  Status check_unchanged() override { return tree_.check_unchanged(); }

  // A file in the stream.
  struct Part {
    std::uint64_t begin;
    std::uint32_t entry;
  };
  [[nodiscard]] std::vector<Part> parts() const;  // in order; empty files have none

 private:
  Result<std::shared_ptr<io::FileHandle>> opened(std::uint32_t entry);

  [[nodiscard]] Part first_at(std::uint64_t pos) const;
  [[nodiscard]] std::uint64_t bytes_of(std::size_t entry) const noexcept {
    return is_left_out_ && (*is_left_out_)[entry] ? 0 : tree_.manifest().entry(entry).bytes;
  }

  const ScannedTree& tree_;
  const std::vector<bool>* const is_left_out_;
  std::vector<std::uint64_t> begins_;  // of every kStepEntries-th entry in the stream
  std::uint64_t size_;
  std::mutex mutex_;
  std::uint32_t last_entry_ = kNoEntry;  // the file that is kept open, as large ones are read in pieces
  std::shared_ptr<io::FileHandle> last_;
};

}  // namespace bdelta::view
