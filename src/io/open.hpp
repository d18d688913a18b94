// The functions of bdelta/files.hpp with what the library and its benchmarks want besides.
// FileOptions::mode matters to open_random alone; forward readers and outputs always use buffers.
#pragma once

#include "bdelta/files.hpp"
#include "io/counters.hpp"
#include "io/output_model.hpp"
#include "io/random_file.hpp"

namespace bdelta::io {

// `counters` may be null; it must outlive the object.
Result<std::unique_ptr<RandomReader>> open_random(const std::filesystem::path& path, const FileOptions& options,
                                                  IoCounters* counters);
Result<std::unique_ptr<SequentialReader>> open_sequential(const std::filesystem::path& path,
                                                          const FileOptions& options, IoCounters* counters);
Result<std::unique_ptr<OutputFile>> open_output(const std::filesystem::path& path, const FileOptions& options,
                                                IoCounters* counters, const OutputModel& model = {});

// What can be read forward alone, opened for that: standard input for "-", else what stands under this name and is no
// regular file and no directory. Not open where it is one of these, or nothing; open_random tells more. A fifo waits for
// its writer.
Result<FileHandle> open_stream(const std::filesystem::path& path);

// For messages: "-" is standard input.
std::filesystem::path input_name(const std::filesystem::path& path);

// A file that is open already, and of which only its owner knows.
Result<std::unique_ptr<RandomReader>> random_reader(OpenedFile opened, const std::filesystem::path& name, IoMode mode,
                                                    IoCounters* counters);

// A file that is read and that an output takes after.
struct ModelFile {
  std::unique_ptr<RandomReader> reader;
  OutputModel model;
};

// As open_random.
Result<ModelFile> open_model(const std::filesystem::path& path, const FileOptions& options, IoCounters* counters);

// Makes a file durable that stands under its name already, with the name: whoever put it there may have been stopped
// before its own sync.
Status sync_existing(const std::filesystem::path& path);

}  // namespace bdelta::io
