// An output file that comes into being whole or not at all.
//
// The life of an output. A temporary file takes the bytes, either in sequence (write) or at positions (positioned), never
// both. Then `finish` makes it as long as what was written, and gives it the mode and owner it is to have. It syncs, closes,
// moves the file to its name and syncs the directory. Until the move an existing file is untouched; whatever fails removes
// the temporary.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>

#include "bdelta/files.hpp"
#include "io/counters.hpp"
#include "io/output_model.hpp"
#include "io/output_place.hpp"
#include "io/stdio_writer.hpp"
#include "io/temp_file.hpp"

namespace bdelta::io {

class AtomicOutput final : public OutputFile {
 public:
  // `place.existing` is a regular file or nothing. kOutputExists where one exists and may not be replaced.
  static Result<std::unique_ptr<AtomicOutput>> create(OutputPlace place, const FileOptions& options,
                                                      const OutputModel& model, IoCounters* counters);

  Status write(ByteSpan bytes) override;
  Status finish() override;  // a second call repeats the outcome of the first
  [[nodiscard]] PositionedWriter* positioned() noexcept override { return stream_ ? nullptr : &at_positions_; }
  Status reserve(std::uint64_t size_bytes) override;

 private:
  class AtPositions final : public PositionedWriter {
   public:
    explicit AtPositions(AtomicOutput& output) noexcept : output_(output) {}
    Status write_at(std::uint64_t pos, ByteSpan bytes) override { return output_.write_at(pos, bytes); }
    Status finish() override { return output_.finish(); }

   private:
    AtomicOutput& output_;
  };

  AtomicOutput(OutputPlace place, const FileOptions& options, const OutputModel& model, IoCounters* counters)
      : place_(std::move(place)), options_(options), model_(model), counters_(counters) {}

  Status open_temp();
  Result<std::uint32_t> mode_to_give() const;
  Result<std::uint32_t> mode_of_new_files() const;
  Status write_at(std::uint64_t pos, ByteSpan bytes);
  Status put(const FileHandle& to, std::uint64_t pos, ByteSpan bytes) const;
  Status remember(Error error);
  [[nodiscard]] int fd() noexcept { return stream_ ? stream_->fd() : temp_.file().fd(); }

  Status complete();
  Status set_size(int fd, std::uint64_t size_bytes) const;
  void set_attributes(int fd) noexcept;
  Status close_temp();
  Status move_into_place();
  using MoveCall = int (*)(const PathChar* from, const PathChar* to);
  Status move_once(int& system_error);
  Status move_by(MoveCall move, const PathChar* from, const PathChar* to, int& system_error);
  Status copy_beside();

  OutputPlace place_;
  FileOptions options_;
  OutputModel model_;
  IoCounters* counters_;
  TempFile temp_;
  std::unique_ptr<StdioWriter> stream_;  // sequential mode; owns the descriptor then
  AtPositions at_positions_{*this};
  std::uint32_t final_mode_ = 0;
  std::uint64_t reserved_ = 0;
  std::atomic<std::uint64_t> written_end_{0};  // positioned mode: end of the farthest write
  std::atomic<bool> used_positions_{false};
  std::mutex failure_mutex_;                   // guards failure_: write_at runs on several threads
  std::optional<Error> failure_;               // the first; a file with a hole must not be published
  bool finished_ = false;
};

}  // namespace bdelta::io
