// Positioned reading of a regular file by mapping it.
#pragma once

#include <filesystem>
#include <memory>

#include "io/random_file.hpp"

namespace bdelta::io {

// Fast for random access, but the system has no way to return an error from a memory access. If the disk fails, or if
// someone makes the file shorter, touching a page raises SIGBUS (an exception on Windows) and the program dies. The
// reader guards against what it can: sizes beyond the address space, empty files (an empty view), reads out of range,
// and check_unchanged for files that changed without becoming shorter. Use it on files that nobody else writes.
class MappedFile final : public RandomReader {
 public:
  static Result<std::unique_ptr<MappedFile>> create(OpenedFile opened, std::filesystem::path name,
                                                    IoCounters* counters);
  ~MappedFile() override;

  [[nodiscard]] std::uint64_t size() const noexcept override { return opened_.info.size; }
  Status read_at(std::uint64_t pos, MutableByteSpan out) override;
  [[nodiscard]] ByteSpan view() const noexcept override { return view_; }
  Status check_unchanged() override { return check_same(opened_, name_); }

  // Tells the system how the file will be read.
  void advise(Access access) noexcept;

 private:
  MappedFile(OpenedFile opened, std::filesystem::path name, IoCounters* counters)
      : opened_(std::move(opened)), name_(std::move(name)), counters_(counters) {}

  OpenedFile opened_;  // kept open for check_unchanged
  std::filesystem::path name_;
  IoCounters* counters_;
  void* at_ = nullptr;  // null for an empty file
  ByteSpan view_;
};

}  // namespace bdelta::io
