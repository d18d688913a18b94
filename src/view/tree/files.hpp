// A directory as it was found.
#pragma once

#include <memory>
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
  // `listed`: what is not in it is passed over as well; null: nothing. The watch may be null. keeps_stamps: for stamp, mtime_ns.
  static Result<std::unique_ptr<ScannedTree>> scan(const std::filesystem::path& path, const std::vector<std::string>& excluded,
                                                   Watch* watch, bool keeps_stamps, const Manifest* listed = nullptr);

  [[nodiscard]] const Manifest& manifest() const noexcept { return manifest_; }
  [[nodiscard]] std::uint32_t mode(std::size_t entry) const noexcept { return static_cast<std::uint32_t>(seen_[entry] & 0777); }
  [[nodiscard]] std::uint32_t root_mode() const noexcept { return root_mode_ & 0777; }
  [[nodiscard]] std::int64_t mtime_ns(std::size_t entry) const noexcept { return stamps_[entry].mtime_ns; }

  // What was passed over, .bdelta of the directory itself apart; sorted. Of a directory it is its own path alone.
  [[nodiscard]] const std::vector<std::string>& passed_over() const noexcept { return passed_over_; }

  // On the file system that the directory is on.
  [[nodiscard]] bool is_on_same_device(std::size_t entry) const noexcept { return (seen_[entry] & kOtherDevice) == 0; }

  // What entries have in common with those of `source` is held there alone from now on, as Manifest::share has it.
  void share(const ScannedTree& source, const std::vector<std::uint32_t>& counterparts) { manifest_.share(source.manifest_, counterparts); }

  // Of memory, as long as it lives.
  [[nodiscard]] std::uint64_t held_bytes() const noexcept {
    return manifest_.held_bytes() + stamps_.size() * sizeof(Stamp) + seen_.size() * sizeof(seen_[0]);
  }

  // Takes the directory itself as it is now. After a scan: the caller has made or removed .bdelta, which is no change.
  Status note_root();

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
  [[nodiscard]] Stamp stamp(std::size_t entry) const noexcept { return stamps_[entry]; }

  [[nodiscard]] std::filesystem::path name_of_root() const { return directory_->name_of({}); }
  [[nodiscard]] io::Directory& directory() const noexcept { return *directory_; }
  [[nodiscard]] std::filesystem::path name_of(std::size_t entry) const {
    return directory_->name_of(manifest_.entries()[entry].path);
  }

 private:
  static constexpr std::uint64_t kOtherDevice = 01000;  // than that of the directory; beside permission bits
  class Scan;

  ScannedTree() = default;
  void note(const io::FileInfo& info, bool keeps_stamp);
  [[nodiscard]] Status check_same(std::size_t entry, const io::FileInfo& now) const;

  std::unique_ptr<io::Directory> directory_;
  Manifest manifest_;
  // Of each entry: permission bits, kOtherDevice, and a hash of the stamp in all other bits. All of that is only held where it
  // is wanted.
  std::vector<std::uint64_t> seen_;
  std::vector<Stamp> stamps_;
  std::vector<std::string> passed_over_;
  Stamp root_;
  std::uint32_t root_mode_ = 0;
};

}  // namespace bdelta::view
