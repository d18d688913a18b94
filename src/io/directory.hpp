// A directory and what is in it, reached from its descriptor part by part. No link is followed on the way, whatever becomes of
// the names meanwhile.
//
// Paths are relative, of bytes, with `/` between their parts; they have been proven to be so (view/tree/names.hpp).
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "io/file_handle.hpp"

namespace bdelta::io {

// Any number of threads.
class Directory {
 public:
  // `path` may be a link to a directory. Errors: kNotFound, kNotADirectory, kPermission, kOpenFailed.
  static Result<std::unique_ptr<Directory>> open(const std::filesystem::path& path);

  // Of the directory itself for an empty path. Errors: kNotFound, kPermission, kOpenFailed; kInputChanged where a part is a
  // link or no directory, as it was one when it was listed.
  Result<FileHandle> open_entry(std::string_view path, OpenAtKind kind, std::uint32_t mode = 0);
  Result<FileInfo> info(std::string_view path);
  Result<std::string> read_link(std::string_view path);
  Status make_directory(std::string_view path, std::uint32_t mode);
  Status make_link(std::string_view path, const std::string& target);

  // Nothing where there is no such entry.
  Result<std::optional<FileInfo>> find(std::string_view path);

  // An entry of any kind, which must not be there yet at `to` (kUnsafeName). Paths of both are of this directory.
  Status move(std::string_view from, std::string_view to);

  // Gives a directory the permission bits `add`, and leaves it of the others those that `keep` has.
  Status change_mode(std::string_view path, std::uint32_t keep, std::uint32_t add);

  // Makes the entries of a directory durable.
  Status sync(std::string_view path);

  // Makes the whole file system durable that it lies on, where the system can. Errors call it `name`.
  Status sync_all(const std::filesystem::path& name) const;

  // With all that is in it, if it is there.
  Status remove_tree(std::string_view path);

  // A directory must be empty.
  Status remove(std::string_view path, bool is_directory);

  // Names in a directory, sorted bytewise.
  Result<std::vector<std::string>> names_in(std::string_view path);

  // For messages, and for calls that take paths.
  [[nodiscard]] std::filesystem::path name_of(std::string_view path) const;
  [[nodiscard]] const FileHandle& handle() const noexcept { return root_; }

 private:
  struct Pass {
    std::string part;
    std::shared_ptr<FileHandle> handle;
  };
  // The directories on the way to an entry, from the top.
  struct Trail {
    std::vector<Pass> passes;
    std::uint64_t last_use = 0;
  };
  // The directory of an entry, which lives as long as this, and the entry's own name.
  struct Place {
    std::shared_ptr<FileHandle> held;
    int directory;
    std::string name;
  };

  Directory(std::filesystem::path name, FileHandle root) : name_(std::move(name)), root_(std::move(root)) {}
  Result<Place> place_of(std::string_view path);
  [[nodiscard]] static std::size_t length_of(const std::vector<Pass>& passes) noexcept;
  void keep_on_trail(std::string_view path, FileHandle directory);
  void forget_trails();
  Trail& trail_for(std::string_view directories);
  [[nodiscard]] Error error_at(std::string_view path, std::string_view what) const;

  const std::filesystem::path name_;
  const FileHandle root_;
  std::mutex mutex_;
  std::array<Trail, 4> trails_;  // to entries that mostly have neighbours; some, as several threads go through a directory
  std::uint64_t use_count_ = 0;
};

}  // namespace bdelta::io
