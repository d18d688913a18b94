// Every file call of the library, in one table that a test can substitute.
//
// Convention of all entries unless said otherwise: 0 or a count on success; -1, 0 or nullptr with `errno` set on
// failure, on Windows too (the implementation translates). Entries neither retry after EINTR nor loop over short
// counts: callers do, so that injected faults meet the same code as real ones.
//
// A platform is its files: file_ops_posix.cpp with file_streams_posix.cpp and file_system_posix.cpp, file_ops_win32.cpp.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace bdelta::io {

using PathChar = std::filesystem::path::value_type;

// What the system says about a file at one moment.
struct FileInfo {
  std::uint64_t size = 0;       // bytes
  std::uint64_t allocated_bytes = 0;  // that it takes on the disk; 0 where the system doesn't tell
  std::int64_t mtime_ns = 0;    // content changed; nanoseconds since 1970, as fine as the file system keeps them
  std::int64_t ctime_ns = 0;    // content or attributes changed; cannot be set back by a program
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::uint32_t mode = 0;       // permission bits only (07777)
  std::uint32_t owner = 0;
  std::uint32_t group = 0;
  std::uint64_t device_number = 0;  // that `device` of files on it is, if this is a device
  bool is_regular = false;
  bool is_device = false;       // of blocks, such as a disk
  bool is_directory = false;
  bool is_symlink = false;      // only link_info sees one
};

enum class OpenKind : std::uint8_t {
  kRead,            // existing file, forward reads; waits for the writer of a fifo
  kReadNoWait,      // existing file, never blocks in the open itself
  kWriteExisting,   // existing device or fifo, neither created nor truncated
  kUpdate,          // existing file or device, for reading and writing; EBUSY for a device that is mounted or updated already
  kCreateNew,       // reading and writing; EEXIST if the name is taken
  kCreateNameless,  // as kCreateNew, but the name is gone at once or when closed
};

enum class OpenAtKind : std::uint8_t {
  kPass,       // a directory, to reach what is in it
  kDirectory,  // a directory, to list or to sync it or to set its bits
  kRead,       // a file; never blocks in the open itself
  kCreateNew,  // a file, for reading and writing; EEXIST if the name is taken
  kUpdate,     // an existing file, for reading and writing; never blocks in the open itself
};

// Whether sync_all makes all of a tree durable; else each file and directory is synced by itself.
#ifdef __linux__
inline constexpr bool kSyncsAll = true;
#else
inline constexpr bool kSyncsAll = false;
#endif

// Whether a file may be made shorter while it is mapped.
#ifdef _WIN32
inline constexpr bool kMayWriteMapped = false;
#else
inline constexpr bool kMayWriteMapped = true;
#endif

enum class Access : std::uint8_t { kSequential, kRandom, kWillNeed };

struct FileOps {
  // Descriptors; never 0, 1 or 2, so that a message to a closed standard error cannot land in an output.
  int (*open)(const PathChar* path, OpenKind kind, std::uint32_t mode);
  int (*duplicate)(int standard_fd);  // a descriptor of one's own for standard input (0) or output (1), binary
  int (*close)(int fd);
  std::ptrdiff_t (*read_at)(int fd, void* to, std::size_t size, std::uint64_t pos);
  std::ptrdiff_t (*write_at)(int fd, const void* from, std::size_t size, std::uint64_t pos);
  std::ptrdiff_t (*write)(int fd, const void* from, std::size_t size);  // behind what was written last
  // What a stream has, of at least one byte, and 0 at its end; EAGAIN where none has come after so long, if the platform can
  // tell.
  std::ptrdiff_t (*read_soon)(int fd, void* to, std::size_t size, int milliseconds);
  int (*info)(int fd, FileInfo& out);
  int (*sync)(int fd);
  int (*allocate)(int fd, std::uint64_t size);  // claims space and sets the size; EOPNOTSUPP where impossible
  int (*truncate)(int fd, std::uint64_t size);
  int (*claim)(int fd, std::uint64_t pos, std::uint64_t size);  // space for these bytes, no more; EOPNOTSUPP where impossible
  int (*lock)(int fd);  // until the file is closed; EWOULDBLOCK if another process has it, EOPNOTSUPP where there are no locks
  int (*device_size)(int fd, std::uint64_t& out);  // in bytes
  // Where the first hole of a regular file begins, or its size where it has none; -1 also where the system doesn't tell.
  int (*find_hole)(int fd, std::uint64_t& pos);
  int (*set_mode)(int fd, std::uint32_t mode);
  int (*set_owner)(int fd, std::uint32_t owner, std::uint32_t group);
  // Gives the file the access list that `from` has, or takes its own away; 0 where there are no such lists.
  int (*copy_access)(const PathChar* from, int fd);

  // Streams; one thread at a time each, without locks where the platform can. `stream_failed` tells an error from
  // the end after a short count; write_stream may have accepted bytes that only reach the file later.
  //
  // open_stream takes the descriptor over on success. Stdio forgets what it holds when a write fails, be it for a
  // signal alone. So what a stream for writing holds goes out through write_patiently with `table`, which outlives it.
  // That needs a platform that lets a stream have a function for that (glibc and musl do). Elsewhere it goes through
  // stdio's own calls.
  std::FILE* (*open_stream)(int fd, bool for_writing, const FileOps& table);
  int (*set_buffer)(std::FILE* file, char* buffer, std::size_t size);  // size 0: unbuffered; before the first use
  std::size_t (*read_stream)(std::FILE* file, void* to, std::size_t size);
  std::size_t (*write_stream)(std::FILE* file, const void* from, std::size_t size);
  int (*flush_stream)(std::FILE* file);
  int (*close_stream)(std::FILE* file);  // the stream is gone whatever is returned
  bool (*stream_failed)(std::FILE* file);
  bool (*stream_ended)(std::FILE* file);
  void (*clear_stream)(std::FILE* file);

  // Names.
  int (*path_info)(const PathChar* path, FileInfo& out);
  int (*link_info)(const PathChar* path, FileInfo& out);
  int (*read_link)(const PathChar* path, std::filesystem::path& target);
  int (*rename)(const PathChar* from, const PathChar* to);      // replaces
  int (*rename_new)(const PathChar* from, const PathChar* to);  // EEXIST rather than replace; EOPNOTSUPP
  int (*remove)(const PathChar* path);                          // async-signal-safe on POSIX
  int (*sync_directory)(const PathChar* path);
  // What this process may still write on the file system of `directory`; ~0 where the file system doesn't say.
  int (*free_bytes)(const PathChar* directory, std::uint64_t& out);
  int (*is_in_memory)(const PathChar* directory, bool& out);  // whether what is there goes with the power

  // Entries of directories. A name is one part, in bytes; what has `at` in its name takes it from the directory's descriptor
  // and follows no link there. EOPNOTSUPP where the platform has no such calls.
  int (*open_directory)(const PathChar* path);  // may be a link to one
  int (*open_at)(int directory, const char* name, OpenAtKind kind, std::uint32_t mode);
  int (*info_at)(int directory, const char* name, FileInfo& out);
  // In no order, without "." and "..". The directory was opened as kDirectory; its position moves. May throw bad_alloc.
  int (*list)(int directory, std::vector<std::string>& names);
  int (*make_directory)(const PathChar* path, std::uint32_t mode);
  int (*make_directory_at)(int directory, const char* name, std::uint32_t mode);
  int (*make_link_at)(int directory, const char* name, const char* target);
  int (*read_link_at)(int directory, const char* name, std::string& target);
  // An entry of any kind, to another directory; EEXIST rather than replace.
  int (*move_at)(int from_directory, const char* from, int to_directory, const char* to);
  int (*remove_at)(int directory, const char* name, bool is_directory);  // a directory that is empty
  int (*rename_directory)(const PathChar* from, const PathChar* to);  // EEXIST or ENOTEMPTY rather than replace
  int (*remove_tree)(const PathChar* path);  // all of it, as far as that is possible; async-signal-safe on Linux
  int (*clone)(int from, int to);            // an empty file gets the bytes of another, shared on the disk
  std::ptrdiff_t (*copy_range)(int from, int to, std::uint64_t pos, std::size_t size);  // inside the system, to the same place
  int (*set_mtime)(int fd, std::int64_t mtime_ns);
  int (*sync_all)(int fd);                   // all of the file system of this file

  // Mappings, read-only. `size` is not 0.
  void* (*map)(int fd, std::size_t size);
  int (*unmap)(void* at, std::size_t size);
  void (*advise)(void* at, std::size_t size, Access access);  // a hint; cannot fail

  int (*random_bytes)(void* to, std::size_t size);  // unpredictable, at most 256 bytes
  std::uint32_t (*user)();                          // who owns the files that this process makes; cannot fail
};

// The real calls of the platform.
[[nodiscard]] const FileOps& system_ops() noexcept;

// The table in force: system_ops unless a ScopedFileOps lives.
[[nodiscard]] const FileOps& file_ops() noexcept;

// For tests: puts `ops` in force for the whole process until destroyed. The table must outlive every object opened
// meanwhile, because objects keep the table that they were opened with.
class ScopedFileOps {
 public:
  explicit ScopedFileOps(const FileOps& ops) noexcept;
  ~ScopedFileOps();
  ScopedFileOps(const ScopedFileOps&) = delete;
  ScopedFileOps& operator=(const ScopedFileOps&) = delete;

 private:
  const FileOps* previous_;
};

}  // namespace bdelta::io
