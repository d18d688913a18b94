// What may be on a disk after the power fails: a record of everything that was done to files, and every state that
// POSIX allows at each moment of it.
//
// The rules. What was synced is there. Of what was written to a file since its last sync any sector of 512 bytes may be
// there or not, and its size may be the old or the new one (bytes never written read as 0). Of what was done to the
// names of a directory since its last sync each step may be there or not, whatever became of the steps around it; a
// rename is one step. These are more states than any one file system leaves behind.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "io/file_ops.hpp"

namespace bdelta::test {

struct DiskEvent {
  enum Kind { kWrite, kResize, kSync, kName, kRename, kUnname, kSyncDirectory } kind;
  int file = -1;                // kWrite, kResize, kSync; the file that gets the name for kName and kRename
  std::filesystem::path path;   // the name that is given (kName, kRename) or taken (kUnname); the directory
  std::filesystem::path from;   // kRename
  std::uint64_t pos = 0;        // kWrite: where; kResize: the size
  Bytes bytes;                  // kWrite
};

struct DiskRecord {
  std::vector<Bytes> contents;                        // of the files that were there at the start, by number
  std::vector<std::pair<std::filesystem::path, int>> names;  // of these
  std::vector<DiskEvent> events;
};

// Records what happens through file_ops while it lives. The regular files of `folders` are what is there at the start,
// and durable. One at a time; calls may come from several threads.
class DiskRecorder {
 public:
  struct Faults {
    bool drop_syncs = false;            // of files: reported as done, and not done
    bool drop_directory_syncs = false;
    bool other_file_system = false;     // the first rename is refused with EXDEV
  };
  DiskRecorder(const std::vector<std::filesystem::path>& folders, Faults faults);
  explicit DiskRecorder(const std::vector<std::filesystem::path>& folders) : DiskRecorder(folders, Faults()) {}
  ~DiskRecorder();
  DiskRecorder(const DiskRecorder&) = delete;
  DiskRecorder& operator=(const DiskRecorder&) = delete;

  [[nodiscard]] const DiskRecord& record() const noexcept;

 private:
  io::FileOps table_;
  std::optional<io::ScopedFileOps> scope_;
};

// Whether what a crash left under a name will do; nothing: the name is not there.
using Acceptable = std::function<bool(const std::optional<Bytes>&)>;

struct CrashFindings {
  std::size_t state_count = 0;           // of the place at each moment; those of other files are not told apart
  std::optional<std::string> violation;  // the first
};

// Lets the power fail after each event of the record, and looks at what `place` holds in each state. After the last
// one, when success was reported, `at_the_end` judges.
[[nodiscard]] CrashFindings crash_everywhere(const DiskRecord& record, const std::filesystem::path& place,
                                             const Acceptable& meanwhile, const Acceptable& at_the_end);

}  // namespace bdelta::test
