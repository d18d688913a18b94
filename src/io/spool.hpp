// Bytes put aside: in memory at first, in a nameless temporary file when they become many.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>

#include "base/bytes.hpp"
#include "bdelta/io.hpp"
#include "io/random_file.hpp"

namespace bdelta::io {

struct SpoolOptions {
  std::uint64_t memory_bytes = std::uint64_t{16} << 20;  // more than that goes to a file
  std::optional<std::filesystem::path> directory;        // of the file; unset: the system's temporary directory
};

// The file has no name (on Windows: vanishes when closed), so nothing is left whatever happens. One thread at a time.
class Spool {
 public:
  explicit Spool(SpoolOptions options = {});
  Spool(const Spool&) = delete;
  Spool& operator=(const Spool&) = delete;

  // All bytes or an error, after which the spool is as before.
  Status append(ByteSpan bytes);

  [[nodiscard]] std::uint64_t size() const noexcept { return file_size_ + memory_.size(); }

  // Reads everything from the start, also what is appended later. The spool must outlive the reader; any number of
  // readers may be open. They have no buffer: read in large pieces.
  Result<std::unique_ptr<SequentialReader>> open_reader() const;

  // All of it as a file, which was put there if need be; the spool is empty then. kOpenFailed and what append gives.
  Result<OpenedFile> take_file();

  // Fills `out` with the bytes at [pos, pos + out.size()), which must lie inside.
  Status read_at(std::uint64_t pos, MutableByteSpan out) const;

 private:
  Status spill();
  Status open_spool_file();

  SpoolOptions options_;
  std::uint64_t memory_limit_;
  FileHandle file_;
  std::filesystem::path directory_;  // for messages
  std::uint64_t file_size_ = 0;      // bytes in the file; those in memory follow them
  Bytes memory_;
};

}  // namespace bdelta::io
