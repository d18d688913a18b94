// A file of NEW that is being made in a place of its own.
#pragma once

#include "bdelta/files.hpp"
#include "view/tree/files.hpp"

namespace bdelta {

// One file after the other.
class StagedFile {
 public:
  explicit StagedFile(bool syncs) noexcept : syncs_(syncs) {}

  // name: for messages.
  void begin(io::FileHandle file, std::filesystem::path name);
  Status write(ByteSpan bytes);

  // All of a file of `tree`, cloned where the file system can, else copied inside the system, else read and written.
  Status copy(const view::ScannedTree& tree, std::size_t entry);

  Status set_time(std::int64_t mtime_ns);

  // Closes it. It is durable then, unless sync_all is what makes it so.
  Status end();

  void drop() noexcept { file_.reset(); }
  [[nodiscard]] bool is_open() const noexcept { return file_.is_open(); }
  [[nodiscard]] const io::FileHandle& handle() const noexcept { return file_; }

 private:
  const bool syncs_;
  io::FileHandle file_;
  std::filesystem::path name_;
  std::uint64_t pos_ = 0;        // in it
  bool may_clone_ = true;        // until the system can't
  bool may_copy_range_ = true;   // likewise
};

}  // namespace bdelta
