// Forward writing through stdio.
#pragma once

#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>

#include "bdelta/io.hpp"
#include "io/counters.hpp"
#include "io/file_handle.hpp"

namespace bdelta::io {

// One thread at a time per object: that is what permits the calls that do not lock. The buffer belongs to the object.
//
// After a failure every further call gives the same error: stdio drops what it held when a write fails, so a retry
// would leave a hole. A signal is no failure: below stdio the write goes on (FileOps::open_stream). Where it can't, a
// buffered write that a signal interrupts fails too, and only an unbuffered one goes on. (It happens to pipes alone,
// and only under handlers installed without SA_RESTART.)
class StdioWriter final : public SequentialWriter {
 public:
  // Takes `file` over. `name` is for messages only. buffer_bytes 0 = unbuffered.
  static Result<std::unique_ptr<StdioWriter>> create(FileHandle file, std::filesystem::path name,
                                                     std::uint64_t buffer_bytes, bool sync, IoCounters* counters);
  ~StdioWriter() override;  // drops errors and what is not flushed may be lost: call finish

  Status write(ByteSpan bytes) override;

  // Flushes, syncs if asked to, closes. A second call repeats the outcome of the first.
  Status finish() override;

  // Hands buffered bytes to the system.
  Status flush();

  [[nodiscard]] int fd() const noexcept { return fd_; }
  [[nodiscard]] std::uint64_t bytes_taken() const noexcept { return taken_; }

 private:
  StdioWriter(const FileOps& ops, std::filesystem::path name, int fd, bool sync, IoCounters* counters)
      : ops_(ops), name_(std::move(name)), counters_(counters), fd_(fd), sync_(sync) {}

  Status fail(Error error);
  Status fail(int system_error, std::string_view step = {});

  const FileOps& ops_;
  std::filesystem::path name_;
  IoCounters* counters_;
  std::unique_ptr<char[]> buffer_;  // before file_: stdio uses it until the stream is closed
  std::FILE* file_ = nullptr;       // null when finished
  int fd_;                          // belongs to file_
  bool sync_;
  std::uint64_t taken_ = 0;         // bytes that stdio accepted
  std::optional<Error> failure_;
};

}  // namespace bdelta::io
