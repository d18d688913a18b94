// OLD or NEW of a call over paths: a regular file, or a stream, which is put aside first as both are read at many places.
#pragma once

#include <filesystem>
#include <memory>

#include "base/timeline.hpp"
#include "bdelta/create.hpp"
#include "io/open.hpp"
#include "io/spool.hpp"
#include "parallel/watch.hpp"

namespace bdelta {

class InputFile {
 public:
  // Opens it; "-" is standard input, and a fifo waits for its writer. `counters` must outlive the object. Errors: those of
  // open_random.
  static Result<InputFile> open(const std::filesystem::path& path, const FileOptions& options, io::IoCounters* counters);

  // Whether both are one and the same stream, of which only one could have the bytes.
  [[nodiscard]] bool shares_stream(const InputFile& other) const;

  // Reads a stream to its end into a nameless file in options.temp_dir; of a file there is nothing to do. The watch is looked
  // at meanwhile, whether bytes come or not. Errors: those of reading, kNoSpace and others of writing.
  Status put_aside(const CreateOptions& options, Timeline& timeline, Watch& watch);

  // Of a stream only when it was put aside.
  [[nodiscard]] RandomReader& reader() const noexcept { return *reader_; }

 private:
  Status copy_to(io::Spool& spool, Watch& watch) const;

  std::filesystem::path name_;
  io::IoCounters* counters_ = nullptr;
  io::FileHandle stream_;  // not open for a regular file
  std::unique_ptr<RandomReader> reader_;
};

}  // namespace bdelta
