// Forward reading through stdio.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>

#include "bdelta/io.hpp"
#include "io/counters.hpp"
#include "io/file_handle.hpp"

namespace bdelta::io {

// One thread at a time per object: that is what permits the calls that do not lock, which cost a sixth of the
// locking ones for small reads. The buffer belongs to the object and outlives the stream.
class StdioReader final : public SequentialReader {
 public:
  // Takes `file` over. `name` is for messages only. buffer_bytes 0 = unbuffered.
  static Result<std::unique_ptr<StdioReader>> create(FileHandle file, std::filesystem::path name,
                                                     std::uint64_t buffer_bytes, IoCounters* counters);
  ~StdioReader() override;

  Result<std::size_t> read(MutableByteSpan out) override;

 private:
  StdioReader(const FileOps& ops, std::filesystem::path name, IoCounters* counters)
      : ops_(ops), name_(std::move(name)), counters_(counters) {}

  const FileOps& ops_;
  std::filesystem::path name_;
  IoCounters* counters_;
  std::unique_ptr<char[]> buffer_;  // before file_: stdio uses it until the stream is closed
  std::FILE* file_ = nullptr;
  std::uint64_t position_ = 0;      // bytes given out
};

}  // namespace bdelta::io
