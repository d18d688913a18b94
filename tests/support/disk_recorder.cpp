#include <cerrno>
#include <map>
#include <mutex>

#include "support/crash_disk.hpp"
#include "support/io_support.hpp"

namespace bdelta::test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

// The table has no context: one record for the process.
struct Recording {
  std::mutex mutex;
  DiskRecord record;
  DiskRecorder::Faults faults;
  int file_count = 0;
  std::map<fs::path, int> names;         // as the running system sees them
  std::map<int, int> descriptors;        // open ones, and their files
  std::map<std::FILE*, int> streams;     // and their descriptors
  std::map<std::FILE*, Bytes> buffered;  // what stdio took since the last flush
  std::map<std::FILE*, std::uint64_t> stream_pos;
};
Recording* now = nullptr;

const FileOps& real() { return io::system_ops(); }
std::unique_lock<std::mutex> locked() { return std::unique_lock(now->mutex); }

void add(DiskEvent event) { now->record.events.push_back(std::move(event)); }

void add_write(int fd, std::uint64_t pos, ByteSpan bytes) {
  const auto found = now->descriptors.find(fd);
  if (found == now->descriptors.end() || bytes.empty()) return;
  add({DiskEvent::kWrite, found->second, {}, {}, pos, Bytes(bytes.begin(), bytes.end())});
}

void add_size(int fd, std::uint64_t size) {
  const auto found = now->descriptors.find(fd);
  if (found != now->descriptors.end()) add({DiskEvent::kResize, found->second, {}, {}, size, {}});
}

void flush_buffered(std::FILE* file) {
  Bytes& bytes = now->buffered[file];
  add_write(now->streams[file], now->stream_pos[file], bytes);
  now->stream_pos[file] += bytes.size();
  bytes.clear();
}

int recorded_open(const char* path, io::OpenKind kind, std::uint32_t mode) {
  const int fd = real().open(path, kind, mode);
  if (fd < 0) return fd;
  const auto lock = locked();
  if (kind == io::OpenKind::kCreateNew) {
    now->names[path] = now->file_count++;
    add({DiskEvent::kName, now->names[path], path, {}, 0, {}});
  }
  const auto known = now->names.find(path);
  if (known != now->names.end()) now->descriptors[fd] = known->second;
  return fd;
}

int recorded_close(int fd) {
  {
    const auto lock = locked();
    now->descriptors.erase(fd);
  }
  return real().close(fd);
}

void record_names(FileOps& table) {
  table.rename = [](const char* from, const char* to) {
    const auto lock = locked();
    if (now->faults.other_file_system) return now->faults.other_file_system = false, errno = EXDEV, -1;
    if (real().rename(from, to) != 0) return -1;
    const int file = now->names[from];
    add({DiskEvent::kRename, file, to, from, 0, {}});
    now->names.erase(from);
    now->names[to] = file;
    return 0;
  };
  table.rename_new = [](const char* from, const char* to) {
    const auto lock = locked();
    if (now->faults.other_file_system) return now->faults.other_file_system = false, errno = EXDEV, -1;
    if (real().rename_new(from, to) != 0) return -1;
    const int file = now->names[from];
    add({DiskEvent::kName, file, to, {}, 0, {}});  // a second name, then the first is taken
    add({DiskEvent::kUnname, -1, from, {}, 0, {}});
    now->names.erase(from);
    now->names[to] = file;
    return 0;
  };
  table.remove = [](const char* path) {
    const auto lock = locked();
    if (real().remove(path) != 0) return -1;
    add({DiskEvent::kUnname, -1, path, {}, 0, {}});
    now->names.erase(path);
    return 0;
  };
  table.sync_directory = [](const char* path) {
    const auto lock = locked();
    if (!now->faults.drop_directory_syncs) add({DiskEvent::kSyncDirectory, -1, path, {}, 0, {}});
    return 0;
  };
}

void record_data(FileOps& table) {
  table.open = recorded_open;
  table.close = recorded_close;
  table.write_at = [](int fd, const void* from, std::size_t size, std::uint64_t pos) {
    const std::ptrdiff_t taken = real().write_at(fd, from, size, pos);
    const auto lock = locked();
    if (taken > 0) add_write(fd, pos, {static_cast<const std::uint8_t*>(from), static_cast<std::size_t>(taken)});
    return taken;
  };
  table.allocate = [](int fd, std::uint64_t size) {
    const int result = real().allocate(fd, size);
    const auto lock = locked();
    if (result == 0) add_size(fd, size);
    return result;
  };
  table.truncate = [](int fd, std::uint64_t size) {
    const int result = real().truncate(fd, size);
    const auto lock = locked();
    if (result == 0) add_size(fd, size);
    return result;
  };
  table.sync = [](int fd) {
    const auto lock = locked();
    const auto found = now->descriptors.find(fd);
    if (found != now->descriptors.end() && !now->faults.drop_syncs) {
      add({DiskEvent::kSync, found->second, {}, {}, 0, {}});
    }
    return 0;
  };
}

void record_streams(FileOps& table) {
  table.open_stream = [](int fd, bool for_writing, const FileOps&) {
    std::FILE* file = real().open_stream(fd, for_writing, real());
    const auto lock = locked();
    if (file != nullptr && for_writing) now->streams[file] = fd;
    return file;
  };
  table.write_stream = [](std::FILE* file, const void* from, std::size_t size) {
    const std::size_t taken = real().write_stream(file, from, size);
    const auto lock = locked();
    append(now->buffered[file], ByteSpan(static_cast<const std::uint8_t*>(from), taken));
    return taken;
  };
  table.flush_stream = [](std::FILE* file) {
    const auto lock = locked();
    flush_buffered(file);
    return real().flush_stream(file);
  };
  table.close_stream = [](std::FILE* file) {
    const auto lock = locked();
    if (now->streams.contains(file)) {
      flush_buffered(file);
      now->descriptors.erase(now->streams[file]);
      now->streams.erase(file);
      now->buffered.erase(file);
      now->stream_pos.erase(file);
    }
    return real().close_stream(file);
  };
}

}  // namespace

DiskRecorder::DiskRecorder(const std::vector<fs::path>& folders, Faults faults) : table_(io::system_ops()) {
  now = new Recording;
  now->faults = faults;
  for (const fs::path& folder : folders) {
    for (const auto& entry : fs::directory_iterator(folder)) {
      if (entry.is_symlink() || !entry.is_regular_file()) continue;
      now->record.names.emplace_back(entry.path(), now->file_count);
      now->names[entry.path()] = now->file_count++;
      now->record.contents.push_back(get(entry.path()));
    }
  }
  record_names(table_);
  record_data(table_);
  record_streams(table_);
  scope_.emplace(table_);
}

DiskRecorder::~DiskRecorder() {
  scope_.reset();
  delete now;
  now = nullptr;
}

const DiskRecord& DiskRecorder::record() const noexcept { return now->record; }

}  // namespace bdelta::test
