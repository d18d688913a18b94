// The central directory of a zip archive, and how a view tells it: by the local headers that it repeats. A member that moves
// or changes leaves no trace in it then.
#pragma once

#include <compare>
#include <optional>

#include "view/file_window.hpp"
#include "view/replacements.hpp"
#include "view/zip_headers.hpp"

namespace bdelta::view {

// Of the description of a directory of so many bytes.
[[nodiscard]] constexpr std::uint64_t most_description_bytes(std::uint64_t entry_bytes) noexcept { return entry_bytes + entry_bytes / 8; }

// What directories of either file with so many bytes in all take beside the views, with the headers that they are told by.
[[nodiscard]] constexpr std::uint64_t directory_memory_bytes(std::uint64_t entry_bytes) noexcept { return 5 * entry_bytes; }

// What there is room for, as the directories of a file come in its order.
class DirectoryRoom {
 public:
  // entry_bytes: of all of them. From where their archives begin up to them, they have no more than 4 times the file's bytes
  // in all. So each byte is looked at for the headers of a few archives, one in another.
  DirectoryRoom(std::uint64_t file_bytes, std::uint64_t entry_bytes) noexcept
      : file_bytes_(file_bytes), left_entry_bytes_(entry_bytes), left_archive_bytes_(4 * file_bytes) {}

  // Whether it is in the file, and has room.
  [[nodiscard]] bool take(const ZipDirectory& directory) noexcept;

 private:
  std::uint64_t file_bytes_;
  std::uint64_t left_entry_bytes_;
  std::uint64_t left_archive_bytes_;
};

// The description of `directory` in `file`, in front of which `replaced` stands. Nothing if these overlap, or it is not of
// whole entries, or if the file can't be read, which its status tells. It must be in the file; its description_bytes don't count.
[[nodiscard]] std::optional<Bytes> describe_directory(FileWindow& file, const PackedStreams& replaced, const ZipDirectory& directory);

// The entries, by the headers in front of them; nothing if `description` can't be said of so many bytes.
[[nodiscard]] std::optional<Bytes> make_directory(ByteSpan description, const ZipHeaders& headers, const ZipDirectory& directory);

// The headers of archives whose directories are still to come, as the bytes of a file go by.
class HeadersAhead {
 public:
  // directories must outlive the object.
  explicit HeadersAhead(const ZipDirectories& directories);

  // The next bytes of the file that are not replaced; at pos.
  void pass(std::uint64_t pos, ByteSpan bytes);

  // Those of the next directory, up to which all has passed.
  [[nodiscard]] ZipHeaders take_next();

 private:
  struct Archive {
    std::uint64_t pos;
    std::size_t directory;  // its number

    [[nodiscard]] auto operator<=>(const Archive&) const = default;
  };
  struct Begun {
    Archive archive;
    ZipHeaders headers;
  };

  const ZipDirectories& directories_;
  std::vector<Archive> archives_;  // those that were not begun, the first one last
  std::size_t next_ = 0;           // directory
  std::vector<Begun> begun_;
};

}  // namespace bdelta::view
