#include "io/open.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "io/atomic_output.hpp"
#include "io/file_error.hpp"
#include "io/mapped_file.hpp"
#include "io/random_file.hpp"
#include "io/retry_interrupted.hpp"
#include "io/stdio_buffer.hpp"
#include "io/stdio_reader.hpp"
#include "io/stdio_writer.hpp"
#include "io/unfinished_outputs.hpp"

namespace bdelta::io {
namespace {

constexpr int kStandardInput = 0;
constexpr int kStandardOutput = 1;
constexpr std::uint32_t kPermissions = 0777;

// Paths allocate and std::filesystem throws; nothing of that leaves the room.
template <class Function>
auto guarded_open(Function&& function) noexcept {
  return guarded(function, ErrorCode::kOpenFailed);
}

bool is_standard_stream(const std::filesystem::path& path) { return path == "-"; }

Result<FileHandle> open_standard(int standard_fd, const char* name) {
  const FileOps& ops = file_ops();
  const int fd = retry_interrupted([&] { return ops.duplicate(standard_fd); });
  if (fd < 0) return file_error(errno, ErrorCode::kOpenFailed, name, "it is closed");
  return FileHandle(ops, fd);
}

Result<FileHandle> open_input(const std::filesystem::path& path) {
  if (is_standard_stream(path)) return open_standard(kStandardInput, "standard input");
  return open_file(path, OpenKind::kRead, 0);
}

// False where there is nothing, or nothing is known.
bool look(const std::filesystem::path& path, FileInfo& out) {
  return retry_interrupted([&] { return file_ops().path_info(path.c_str(), out); }) == 0;
}

// What cannot be replaced: standard output, devices, fifos. Bytes go straight through.
class DirectOutput final : public OutputFile {
 public:
  explicit DirectOutput(std::unique_ptr<StdioWriter> writer) noexcept : writer_(std::move(writer)) {}

  Status write(ByteSpan bytes) override {
    if (!bytes.empty()) note_left_behind(LeftBehind::kPart);
    return writer_->write(bytes);
  }
  Status finish() override { return writer_->finish(); }
  [[nodiscard]] PositionedWriter* positioned() noexcept override { return nullptr; }
  Status reserve(std::uint64_t) override { return {}; }

 private:
  std::unique_ptr<StdioWriter> writer_;
};

Result<std::unique_ptr<OutputFile>> open_direct(FileHandle file, const std::filesystem::path& name,
                                                const FileOptions& options, IoCounters* counters) {
  BDELTA_ASSIGN(auto writer, StdioWriter::create(std::move(file), name, options.buffer_bytes, options.sync, counters));
  return std::unique_ptr<OutputFile>(new DirectOutput(std::move(writer)));
}

Result<std::unique_ptr<OutputFile>> open_device(const OutputPlace& place, const FileOptions& options,
                                                IoCounters* counters) {
  BDELTA_ASSIGN(FileHandle file, open_file(place.path, OpenKind::kWriteExisting, 0, "for writing"));
  BDELTA_ASSIGN(const FileInfo info, info_of(file, place.name));
  if (info.is_regular) {
    return file_error(ErrorCode::kOpenFailed, place.name, "it was a device a moment ago and is a file now");
  }
  return open_direct(std::move(file), place.name, options, counters);
}

// A file system that tells nothing of holes has none.
OutputModel model_of(const OpenedFile& opened) noexcept {
  OutputModel model;
  model.permissions = opened.info.mode & kPermissions;
  std::uint64_t first_hole = opened.info.size;
  if (retry_interrupted([&] { return opened.file.ops().find_hole(opened.file.fd(), first_hole); }) != 0) return model;
  model.has_holes = first_hole < opened.info.size;
  if (model.has_holes) model.hole_bytes = opened.info.size - std::min(opened.info.size, opened.info.allocated_bytes);
  return model;
}

}  // namespace

Result<std::unique_ptr<RandomReader>> random_reader(OpenedFile opened, const std::filesystem::path& name, IoMode mode,
                                                    IoCounters* counters) {
  if (mode == IoMode::kMmap) {
    BDELTA_ASSIGN(auto mapped, MappedFile::create(std::move(opened), name, counters));
    return std::unique_ptr<RandomReader>(std::move(mapped));
  }
  return std::unique_ptr<RandomReader>(new RandomFile(std::move(opened), name, counters));
}

Result<std::unique_ptr<RandomReader>> open_random(const std::filesystem::path& path, const FileOptions& options,
                                                  IoCounters* counters) {
  return guarded_open([&]() -> Result<std::unique_ptr<RandomReader>> {
    BDELTA_TRY(check_buffer_bytes(options.buffer_bytes));
    BDELTA_ASSIGN(OpenedFile opened, open_regular(path));
    return random_reader(std::move(opened), path, options.mode, counters);
  });
}

std::filesystem::path input_name(const std::filesystem::path& path) {
  return is_standard_stream(path) ? std::filesystem::path("standard input") : path;
}

Result<FileHandle> open_stream(const std::filesystem::path& path) {
  return guarded_open([&]() -> Result<FileHandle> {
    FileInfo info;
    const bool is_stream = is_standard_stream(path) || (look(path, info) && !info.is_regular && !info.is_directory);
    return is_stream ? open_input(path) : Result<FileHandle>(FileHandle());
  });
}

Result<ModelFile> open_model(const std::filesystem::path& path, const FileOptions& options, IoCounters* counters) {
  return guarded_open([&]() -> Result<ModelFile> {
    BDELTA_TRY(check_buffer_bytes(options.buffer_bytes));
    BDELTA_ASSIGN(OpenedFile opened, open_regular(path));
    const OutputModel model = model_of(opened);
    BDELTA_ASSIGN(auto reader, random_reader(std::move(opened), path, options.mode, counters));
    return ModelFile{std::move(reader), model};
  });
}

Result<std::unique_ptr<SequentialReader>> open_sequential(const std::filesystem::path& path,
                                                          const FileOptions& options, IoCounters* counters) {
  return guarded_open([&]() -> Result<std::unique_ptr<SequentialReader>> {
    BDELTA_TRY(check_buffer_bytes(options.buffer_bytes));
    const std::filesystem::path name = input_name(path);
    BDELTA_ASSIGN(FileHandle file, open_input(path));
    BDELTA_ASSIGN(const FileInfo info, info_of(file, name));
    if (info.is_directory) {
      return file_error(ErrorCode::kIsDirectory, name, {});
    }
    BDELTA_ASSIGN(auto reader, StdioReader::create(std::move(file), name, options.buffer_bytes, counters));
    return std::unique_ptr<SequentialReader>(std::move(reader));
  });
}

Result<std::unique_ptr<OutputFile>> open_output(const std::filesystem::path& path, const FileOptions& options,
                                                IoCounters* counters, const OutputModel& model) {
  return guarded_open([&]() -> Result<std::unique_ptr<OutputFile>> {
    BDELTA_TRY(check_buffer_bytes(options.buffer_bytes));
    if (is_standard_stream(path)) {
      BDELTA_ASSIGN(FileHandle file, open_standard(kStandardOutput, "standard output"));
      return open_direct(std::move(file), "standard output", options, counters);
    }
    BDELTA_ASSIGN(OutputPlace place, find_output_place(path));
    if (place.existing && !place.existing->is_regular) return open_device(place, options, counters);
    BDELTA_ASSIGN(auto output, AtomicOutput::create(std::move(place), options, model, counters));
    return std::unique_ptr<OutputFile>(std::move(output));
  });
}

Status sync_existing(const std::filesystem::path& path) {
  return guarded_open([&]() -> Status {
    BDELTA_ASSIGN(const OutputPlace place, find_output_place(path));
    BDELTA_ASSIGN(const FileHandle file, open_file(place.path, OpenKind::kReadNoWait, 0, "to sync it"));
    Status synced = sync_file(file_ops(), file.fd(), place.name);
    const bool refused = !synced && synced.error().code == ErrorCode::kPermission;  // Windows wants a writer
    return synced || refused ? sync_directory(place) : std::move(synced);
  });
}

}  // namespace bdelta::io

namespace bdelta {

Result<std::unique_ptr<RandomReader>> open_random(const std::filesystem::path& path, const FileOptions& options) {
  return io::open_random(path, options, nullptr);
}

Result<std::unique_ptr<SequentialReader>> open_sequential(const std::filesystem::path& path,
                                                          const FileOptions& options) {
  return io::open_sequential(path, options, nullptr);
}

Result<std::unique_ptr<OutputFile>> open_output(const std::filesystem::path& path, const FileOptions& options) {
  return io::open_output(path, options, nullptr);
}

bool same_file(const std::filesystem::path& a, const std::filesystem::path& b) {
  try {
    io::FileInfo first;
    io::FileInfo second;
    if (io::look(a, first) && io::look(b, second)) {
      return first.device == second.device && first.inode == second.inode;
    }
    std::error_code error;
    const auto one = std::filesystem::weakly_canonical(std::filesystem::absolute(a), error);
    if (error) return a == b;
    const auto other = std::filesystem::weakly_canonical(std::filesystem::absolute(b), error);
    return error ? a == b : one == other;
  } catch (const std::exception&) {
    return a == b;
  }
}

}  // namespace bdelta
