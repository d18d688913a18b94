#include "support/faulty_ops.hpp"

#include <cerrno>
#include <mutex>

namespace bdelta::test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

std::mutex mutex;
FaultPlan plan;

const FileOps& real() { return io::system_ops(); }

std::size_t shortened(std::size_t size) { return plan.always_short ? (size + 1) / 2 : size; }

// Replaces `table.member` by a function that fails as planned and else calls the real one.
#define INJECT(member, failed)                                                            \
  table.member = [](auto... arguments) {                                                  \
    return fault_strikes(#member) ? (failed) : real().member(arguments...);               \
  }

void inject_names(FileOps& table) {
  INJECT(rename, -1);
  INJECT(rename_new, -1);
  table.sync_directory = [](const char*) { return fault_strikes("sync_directory") ? -1 : 0; };
  table.path_info = [](const char* path, io::FileInfo& out) {
    return fault_strikes("path_info") ? -1 : real().path_info(path, out);
  };
  table.link_info = [](const char* path, io::FileInfo& out) {
    return fault_strikes("link_info") ? -1 : real().link_info(path, out);
  };
  table.read_link = [](const char* path, fs::path& out) {
    return fault_strikes("read_link") ? -1 : real().read_link(path, out);
  };
  table.is_in_memory = [](const char* path, bool& out) {
    return fault_strikes("is_in_memory") ? -1 : real().is_in_memory(path, out);
  };
  table.free_bytes = [](const char* path, std::uint64_t& out) {
    return fault_strikes("free_bytes") ? -1 : real().free_bytes(path, out);
  };
}

void inject_directories(FileOps& table) {
  INJECT(open_directory, -1);
  INJECT(open_at, -1);
  INJECT(make_directory, -1);
  INJECT(make_directory_at, -1);
  INJECT(make_link_at, -1);
  INJECT(rename_directory, -1);
  INJECT(move_at, -1);
  INJECT(remove_at, -1);
  INJECT(clone, -1);
  INJECT(set_mtime, -1);
  table.info_at = [](int directory, const char* name, io::FileInfo& out) {
    return fault_strikes("info_at") ? -1 : real().info_at(directory, name, out);
  };
  table.list = [](int directory, std::vector<std::string>& names) {
    return fault_strikes("list") ? -1 : real().list(directory, names);
  };
  table.read_link_at = [](int directory, const char* name, std::string& target) {
    return fault_strikes("read_link_at") ? -1 : real().read_link_at(directory, name, target);
  };
  table.copy_range = [](int from, int to, std::uint64_t pos, std::size_t size) {
    return fault_strikes("copy_range") ? std::ptrdiff_t{-1} : real().copy_range(from, to, pos, shortened(size));
  };
  table.sync_all = [](int) { return fault_strikes("sync_all") ? -1 : 0; };
}

void inject_descriptors(FileOps& table) {
  INJECT(open, -1);
  INJECT(duplicate, -1);
  INJECT(allocate, -1);
  INJECT(truncate, -1);
  INJECT(claim, -1);
  INJECT(lock, -1);
  table.device_size = [](int fd, std::uint64_t& out) { return fault_strikes("device_size") ? -1 : real().device_size(fd, out); };
  table.find_hole = [](int fd, std::uint64_t& out) { return fault_strikes("find_hole") ? -1 : real().find_hole(fd, out); };
  INJECT(set_mode, -1);
  INJECT(set_owner, -1);
  INJECT(copy_access, -1);
  INJECT(random_bytes, -1);
  INJECT(map, nullptr);
  table.sync = [](int) { return fault_strikes("sync") ? -1 : 0; };
  table.info = [](int fd, io::FileInfo& out) { return fault_strikes("info") ? -1 : real().info(fd, out); };
  table.close = [](int fd) {
    const int result = real().close(fd);
    return fault_strikes("close") ? -1 : result;
  };
  table.read_at = [](int fd, void* to, std::size_t size, std::uint64_t pos) {
    return fault_strikes("read_at") ? std::ptrdiff_t{-1} : real().read_at(fd, to, shortened(size), pos);
  };
  table.write_at = [](int fd, const void* from, std::size_t size, std::uint64_t pos) {
    return fault_strikes("write_at") ? std::ptrdiff_t{-1} : real().write_at(fd, from, shortened(size), pos);
  };
  table.write = [](int fd, const void* from, std::size_t size) {
    return fault_strikes("write") ? std::ptrdiff_t{-1} : real().write(fd, from, shortened(size));
  };
}

void inject_streams(FileOps& table) {
  table.read_soon = [](int fd, void* to, std::size_t size, int milliseconds) {
    return fault_strikes("read_soon") ? std::ptrdiff_t{-1} : real().read_soon(fd, to, shortened(size), milliseconds);
  };
  INJECT(set_buffer, -1);
  table.open_stream = [](int fd, bool for_writing, const FileOps& calls) {
    return fault_strikes("open_stream") ? nullptr : real().open_stream(fd, for_writing, calls);
  };
  table.close_stream = [](std::FILE* file) {
    const int result = real().close_stream(file);
    return fault_strikes("close_stream") ? EOF : result;
  };
  table.flush_stream = [](std::FILE* file) {
    return fault_strikes("flush_stream") ? (plan.stream_error = true, EOF) : real().flush_stream(file);
  };
  table.read_stream = [](std::FILE* file, void* to, std::size_t size) -> std::size_t {
    if (fault_strikes("read_stream")) return plan.stream_error = true, 0;
    return real().read_stream(file, to, shortened(size));
  };
  table.write_stream = [](std::FILE* file, const void* from, std::size_t size) -> std::size_t {
    if (fault_strikes("write_stream")) return plan.stream_error = true, 0;
    return real().write_stream(file, from, shortened(size));
  };
  table.stream_failed = [](std::FILE* file) { return plan.stream_error || real().stream_failed(file); };
  table.clear_stream = [](std::FILE* file) {
    plan.stream_error = false;
    real().clear_stream(file);
  };
}

}  // namespace

void set_fault(const FaultPlan& wanted) {
  const std::lock_guard lock(mutex);
  plan = wanted;
}

const FaultPlan& current_fault() { return plan; }

bool fault_strikes(std::string_view call) {
  const std::lock_guard lock(mutex);
  if (call != plan.call || --plan.nth > 0 || plan.nth <= -plan.times) return false;
  plan.hit = true;
  errno = plan.error;
  return true;
}

FileOps faulty_ops() {
  FileOps table = real();
  inject_names(table);
  inject_descriptors(table);
  inject_directories(table);
  inject_streams(table);
  return table;
}

const std::vector<std::string>& faulty_calls() {
  static const std::vector<std::string> calls = {
      "open",       "duplicate",   "close",        "read_at",      "write_at",   "write",        "read_soon",    "info",
      "sync",       "allocate",    "truncate",    "find_hole",   "set_mode",     "set_owner",    "copy_access",
      "open_stream", "set_buffer", "read_stream",  "write_stream", "flush_stream", "close_stream", "path_info",
      "link_info",  "read_link",   "rename",       "rename_new",   "sync_directory", "free_bytes",  "map",
      "random_bytes"};
  return calls;
}

const std::vector<std::string>& faulty_directory_calls() {
  static const std::vector<std::string> calls = {
      "open_directory", "open_at",      "info_at",          "list",  "make_directory", "make_directory_at",
      "make_link_at",   "read_link_at", "rename_directory", "clone", "copy_range",     "set_mtime", "sync_all",
      "move_at",        "remove_at"};
  return calls;
}

const std::vector<std::string>& faulty_in_place_calls() {
  static const std::vector<std::string> calls = {"claim", "lock", "device_size", "is_in_memory"};
  return calls;
}

std::ptrdiff_t open_descriptors() {
  std::error_code error;
  const fs::directory_iterator all("/proc/self/fd", error);
  return error ? 0 : std::distance(all, fs::directory_iterator());
}

}  // namespace bdelta::test
