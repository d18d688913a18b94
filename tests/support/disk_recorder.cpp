#include <cerrno>
#include <map>
#include <mutex>

#include "support/crash_disk.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

constexpr int kUnknown = -1;  // what stands outside of the folders

// A name in a directory.
struct Spot {
  int directory = kUnknown;
  std::string name;
};

// The table has no context: one record for the process.
struct Recording {
  std::mutex mutex;
  DiskRecord record;
  DiskRecorder::Faults faults;
  DiskNames names;                       // as the running system sees them
  std::map<int, int> descriptors;        // open ones, and what they are of
  std::map<int, std::uint64_t> written;  // where writes without a position go on
  std::map<std::FILE*, int> streams;     // and their descriptors
  std::map<std::FILE*, Bytes> buffered;  // what stdio took since the last flush
  std::map<std::FILE*, std::uint64_t> stream_pos;
};
Recording* now = nullptr;

const FileOps& real() { return io::system_ops(); }
std::unique_lock<std::mutex> locked() { return std::unique_lock(now->mutex); }

void add(DiskEvent event) { now->record.events.push_back(std::move(event)); }

int new_node(DiskNode node) {
  now->record.nodes.push_back(std::move(node));
  return static_cast<int>(now->record.nodes.size()) - 1;
}

int node_of(int fd) {
  const auto found = now->descriptors.find(fd);
  return found == now->descriptors.end() ? kUnknown : found->second;
}

int node_of(const Spot& spot) {
  if (spot.name == "." || spot.name.empty()) return spot.directory;
  const auto found = now->names.find({spot.directory, spot.name});
  return found == now->names.end() ? kUnknown : found->second;
}

Spot spot_of(const fs::path& path) {
  for (std::size_t i = 0; i < now->record.folders.size(); ++i) {
    const fs::path inside = path.lexically_relative(now->record.folders[i]);
    if (inside.empty() || *inside.begin() == "..") continue;
    Spot spot{static_cast<int>(i), {}};
    for (const fs::path& part : inside) {
      if (!spot.name.empty()) spot = {node_of(spot), {}};
      spot.name = part.string();
    }
    return spot;
  }
  return {};
}

Spot spot_of(int directory, const char* name) { return {node_of(directory), name}; }

void add_write(int fd, std::uint64_t pos, ByteSpan bytes) {
  if (node_of(fd) == kUnknown || bytes.empty()) return;
  add({.kind = DiskEvent::kWrite, .node = node_of(fd), .pos = pos, .bytes = Bytes(bytes.begin(), bytes.end())});
}

void add_size(int fd, std::uint64_t size) {
  if (node_of(fd) != kUnknown) add({.kind = DiskEvent::kResize, .node = node_of(fd), .pos = size});
}

void add_name(const Spot& spot, DiskNode node) {
  if (spot.directory == kUnknown) return;
  const int number = new_node(std::move(node));
  now->names[{spot.directory, spot.name}] = number;
  add({.kind = DiskEvent::kName, .node = number, .directory = spot.directory, .name = spot.name});
}

void take_name(const Spot& spot) {
  if (node_of(spot) == kUnknown) return;
  add({.kind = DiskEvent::kUnname, .directory = spot.directory, .name = spot.name});
  now->names.erase({spot.directory, spot.name});
}

void move_name(const Spot& from, const Spot& to) {
  const int node = node_of(from);
  add({.kind = DiskEvent::kRename, .node = node, .directory = to.directory, .name = to.name, .from_directory = from.directory,
       .from_name = from.name});
  now->names.erase({from.directory, from.name});
  now->names[{to.directory, to.name}] = node;
}

// What is in it goes first.
void take_tree(const Spot& spot) {
  const int node = node_of(spot);
  if (node == kUnknown) return;
  for (auto at = now->names.lower_bound({node, ""}); at != now->names.end() && at->first.first == node;
       at = now->names.lower_bound({node, ""})) {
    take_tree({node, at->first.second});
  }
  take_name(spot);
}

void flush_buffered(std::FILE* file) {
  Bytes& bytes = now->buffered[file];
  add_write(now->streams[file], now->stream_pos[file], bytes);
  now->stream_pos[file] += bytes.size();
  bytes.clear();
}

bool is_refused() { return std::exchange(now->faults.other_file_system, false); }

int recorded_open(const char* path, io::OpenKind kind, std::uint32_t mode) {
  const auto lock = locked();
  const int fd = real().open(path, kind, mode);
  if (fd < 0) return fd;
  if (kind == io::OpenKind::kCreateNew) add_name(spot_of(path), {});
  now->descriptors[fd] = kind == io::OpenKind::kCreateNameless ? kUnknown : node_of(spot_of(path));
  return fd;
}

int recorded_close(int fd) {
  {
    const auto lock = locked();
    now->descriptors.erase(fd);
    now->written.erase(fd);
  }
  return real().close(fd);
}

void sync_directory_node(int node) {
  if (!now->faults.drop_directory_syncs && node != kUnknown) add({.kind = DiskEvent::kSyncDirectory, .directory = node});
}

void record_names(FileOps& table) {
  table.rename = [](const char* from, const char* to) {
    const auto lock = locked();
    if (is_refused()) return errno = EXDEV, -1;
    if (real().rename(from, to) != 0) return -1;
    move_name(spot_of(from), spot_of(to));
    return 0;
  };
  table.rename_new = [](const char* from, const char* to) {
    const auto lock = locked();
    if (is_refused()) return errno = EXDEV, -1;
    if (real().rename_new(from, to) != 0) return -1;
    const Spot spot = spot_of(to);
    const int node = node_of(spot_of(from));
    add({.kind = DiskEvent::kName, .node = node, .directory = spot.directory, .name = spot.name});  // then the first is taken
    now->names[{spot.directory, spot.name}] = node;
    take_name(spot_of(from));
    return 0;
  };
  table.remove = [](const char* path) {
    const auto lock = locked();
    if (real().remove(path) != 0) return -1;
    take_name(spot_of(path));
    return 0;
  };
  table.sync_directory = [](const char* path) {
    const auto lock = locked();
    sync_directory_node(node_of(spot_of(path)));
    return 0;
  };
}

void record_directories(FileOps& table) {
  table.open_directory = [](const char* path) {
    const auto lock = locked();
    const int fd = real().open_directory(path);
    if (fd >= 0) now->descriptors[fd] = node_of(spot_of(path));
    return fd;
  };
  table.open_at = [](int directory, const char* name, io::OpenAtKind kind, std::uint32_t mode) {
    const auto lock = locked();
    const int fd = real().open_at(directory, name, kind, mode);
    if (fd < 0) return fd;
    if (kind == io::OpenAtKind::kCreateNew) add_name(spot_of(directory, name), {});
    now->descriptors[fd] = node_of(spot_of(directory, name));
    return fd;
  };
  table.make_directory = [](const char* path, std::uint32_t mode) {
    const auto lock = locked();
    if (real().make_directory(path, mode) != 0) return -1;
    add_name(spot_of(path), {DiskNode::kDirectory, {}});
    return 0;
  };
  table.make_directory_at = [](int directory, const char* name, std::uint32_t mode) {
    const auto lock = locked();
    if (real().make_directory_at(directory, name, mode) != 0) return -1;
    add_name(spot_of(directory, name), {DiskNode::kDirectory, {}});
    return 0;
  };
  table.make_link_at = [](int directory, const char* name, const char* target) {
    const auto lock = locked();
    if (real().make_link_at(directory, name, target) != 0) return -1;
    add_name(spot_of(directory, name), {DiskNode::kLink, bytes_of(target)});
    return 0;
  };
  table.rename_directory = [](const char* from, const char* to) {
    const auto lock = locked();
    if (real().rename_directory(from, to) != 0) return -1;
    move_name(spot_of(from), spot_of(to));
    return 0;
  };
  table.remove_tree = [](const char* path) {
    const auto lock = locked();
    take_tree(spot_of(path));
    return real().remove_tree(path);
  };
  table.sync_all = [](int) {
    const auto lock = locked();
    if (!now->faults.drop_syncs && !now->faults.drop_directory_syncs) add({.kind = DiskEvent::kSyncAll});
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
  table.write = [](int fd, const void* from, std::size_t size) {
    const std::ptrdiff_t taken = real().write(fd, from, size);
    const auto lock = locked();
    if (taken <= 0) return taken;
    add_write(fd, now->written[fd], {static_cast<const std::uint8_t*>(from), static_cast<std::size_t>(taken)});
    now->written[fd] += static_cast<std::uint64_t>(taken);
    return taken;
  };
  table.clone = [](int, int) { return errno = EOPNOTSUPP, -1; };
  table.copy_range = [](int, int, std::uint64_t, std::size_t) -> std::ptrdiff_t { return errno = EXDEV, -1; };
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
    const int node = node_of(fd);
    if (node == kUnknown) return 0;
    const bool is_directory = now->record.nodes[static_cast<std::size_t>(node)].kind == DiskNode::kDirectory;
    if (is_directory) {
      sync_directory_node(node);
    } else if (!now->faults.drop_syncs) {
      add({.kind = DiskEvent::kSync, .node = node});
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

// What is in a directory at the start.
void scan(const fs::path& path, int directory) {
  for (const auto& entry : fs::directory_iterator(path)) {
    DiskNode node;
    if (entry.is_symlink()) {
      node = {DiskNode::kLink, bytes_of(fs::read_symlink(entry.path()).string())};
    } else if (entry.is_directory()) {
      node = {DiskNode::kDirectory, {}};
    } else if (entry.is_regular_file()) {
      node.bytes = get(entry.path());
    } else {
      continue;
    }
    const bool is_directory = node.kind == DiskNode::kDirectory;
    const int number = new_node(std::move(node));
    now->record.names[{directory, entry.path().filename().string()}] = number;
    if (is_directory) scan(entry.path(), number);
  }
}

}  // namespace

DiskRecorder::DiskRecorder(const std::vector<fs::path>& folders, Faults faults) : table_(io::system_ops()) {
  now = new Recording;
  now->faults = faults;
  now->record.folders = folders;
  for (std::size_t i = 0; i < folders.size(); ++i) new_node({DiskNode::kDirectory, {}});
  for (std::size_t i = 0; i < folders.size(); ++i) scan(folders[i], static_cast<int>(i));
  now->names = now->record.names;
  record_names(table_);
  record_directories(table_);
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
