// A directory as it was found, and its stream: the manifest, and behind it the contents of files in its order.
#pragma once

#include <memory>
#include <mutex>
#include <optional>

#include "bdelta/io.hpp"
#include "io/directory.hpp"
#include "parallel/worker_pool.hpp"
#include "view/tree/manifest.hpp"

namespace bdelta::view {

// Any number of threads, once it is made.
class ScannedTree {
 public:
  // Reads names, sizes and links; no file is opened. What a pattern of `excluded` fits is passed over, and so is .bdelta.
  // Errors: kUnsupportedEntry for what is no file, directory or link or has a name that no patch can hold, those of reading.
  // `listed`: what is not in it is passed over as well; null: nothing. The watch may be null.
  static Result<std::unique_ptr<ScannedTree>> scan(const std::filesystem::path& path, const std::vector<std::string>& excluded,
                                                   Watch* watch, const Manifest* listed = nullptr);

  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }
  [[nodiscard]] std::uint32_t mode(std::size_t entry) const noexcept { return seen_[entry].mode & 0777; }
  [[nodiscard]] std::uint32_t root_mode() const noexcept { return root_.mode & 0777; }
  [[nodiscard]] std::int64_t mtime_ns(std::size_t entry) const noexcept { return seen_[entry].stamp.mtime_ns; }

  // What was passed over, .bdelta of the directory itself apart; sorted. Of a directory it is its own path alone.
  [[nodiscard]] const std::vector<std::string>& passed_over() const noexcept { return passed_over_; }

  // On the file system that the directory is on.
  [[nodiscard]] bool is_on_same_device(std::size_t entry) const noexcept { return seen_[entry].stamp.device == root_.stamp.device; }

  // The caller has made or removed .bdelta: that is no change.
  Status note_own_change();

  // Opens a file, and proves that it is the one that was found; kInputChanged if not.
  Result<io::FileHandle> open_file(std::size_t entry) const;

  // Reads bytes of a file that is open.
  Status read(const io::FileHandle& file, std::size_t entry, std::uint64_t pos, MutableByteSpan out) const;

  // kInputChanged if an entry is no longer what was found, or a directory has others.
  Status check_unchanged() const;

  // The digests of all files, by the numbers of their entries. known: likewise, those that need not be taken; empty: none.
  Result<std::vector<Digest128>> digests(WorkerPool& pool, const std::vector<std::optional<Digest128>>& known = {}) const;

  // What tells whether a file is the one that it was.
  struct Stamp {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    std::int64_t mtime_ns = 0;
    std::int64_t ctime_ns = 0;
    friend bool operator==(const Stamp&, const Stamp&) = default;
  };
  [[nodiscard]] Stamp stamp(std::size_t entry) const noexcept { return seen_[entry].stamp; }

  [[nodiscard]] std::filesystem::path name_of_root() const { return directory_->name_of({}); }
  [[nodiscard]] io::Directory& directory() const noexcept { return *directory_; }
  [[nodiscard]] std::filesystem::path name_of(std::size_t entry) const {
    return directory_->name_of(manifest_.entries()[entry].path);
  }

 private:
  struct Seen {
    Stamp stamp;
    std::uint32_t mode = 0;
  };
  class Scan;

  ScannedTree() = default;
  static Seen seen(const io::FileInfo& info) noexcept;
  [[nodiscard]] Status check_same(std::size_t entry, const io::FileInfo& now) const;

  std::unique_ptr<io::Directory> directory_;
  Manifest manifest_;
  std::vector<Seen> seen_;  // of each entry
  std::vector<std::string> passed_over_;
  Seen root_;
};

// The stream of a tree, or of some of its files. Opens a file when bytes of it are asked for.
class TreeReader final : public RandomReader {
 public:
  // Of the files whose numbers are given, ascending; `tree` must outlive the reader.
  TreeReader(const ScannedTree& tree, const std::vector<bool>& is_left_out);

  [[nodiscard]] std::uint64_t size() const noexcept override { return size_; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;
  Status check_unchanged() override { return tree_.check_unchanged(); }

  struct Part {
    std::uint64_t begin;   // in the stream
    std::uint32_t entry;
  };
  [[nodiscard]] const std::vector<Part>& parts() const noexcept { return parts_; }  // in order; empty files have none

 private:
  Result<std::shared_ptr<io::FileHandle>> opened(std::uint32_t entry);

  const ScannedTree& tree_;
  std::vector<Part> parts_;
  std::uint64_t size_;
  std::mutex mutex_;
  std::uint32_t last_entry_ = kNoEntry;  // the file that is kept open, as large ones are read in pieces
  std::shared_ptr<io::FileHandle> last_;
};

}  // namespace bdelta::view
