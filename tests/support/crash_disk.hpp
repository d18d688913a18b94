// What may be on a disk after the power fails: a record of everything that was done to files and directories, and every state
// that POSIX allows at each moment of it.
//
// The rules. What was synced is there. Of what was written to a file since its last sync any sector of 512 bytes may be
// there or not, and its size may be the old or the new one (bytes never written read as 0). Of what was done to the
// names of a directory since its last sync each step may be there or not, whatever became of the steps around it; a
// rename is one step, durable with the directory that it leads to. These are more states than any one file system leaves behind.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/bytes.hpp"
#include "io/file_ops.hpp"

namespace bdelta::test {

// Files, directories and links have numbers. So do the folders that are recorded.
struct DiskNode {
  enum Kind { kFile, kDirectory, kLink } kind = kFile;
  Bytes bytes;  // of a file; of a link what it leads to
};

struct DiskEvent {
  enum Kind { kWrite, kResize, kSync, kName, kRename, kUnname, kSyncDirectory, kSyncAll } kind;
  int node = -1;          // what is written or synced, or gets the name
  int directory = -1;     // of the name that is given (kName, kRename) or taken (kUnname); what is synced
  std::string name = {};  // there
  int from_directory = -1;     // kRename
  std::string from_name = {};  // likewise
  std::uint64_t pos = 0;  // kWrite: where; kResize: the size
  Bytes bytes = {};       // kWrite
};

using DiskNames = std::map<std::pair<int, std::string>, int>;  // directory and name, and what has the name

struct DiskRecord {
  std::vector<std::filesystem::path> folders;  // by number
  std::vector<DiskNode> nodes;  // by number; those that were there at the start have their bytes of then, others none
  DiskNames names;              // at the start
  std::vector<DiskEvent> events;
};

// Records what happens through file_ops while it lives. What is in `folders`, at any depth, is there at the start, and durable.
// One at a time; calls may come from several threads.
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
  std::size_t state_count = 0;           // that were looked at
  std::optional<std::string> violation;  // the first
};

// Lets the power fail after each event of the record, and looks at what `place` holds in each state. After the last
// one, when success was reported, `at_the_end` judges. States of other files are not told apart.
[[nodiscard]] CrashFindings crash_everywhere(const DiskRecord& record, const std::filesystem::path& place,
                                             const Acceptable& meanwhile, const Acceptable& at_the_end);

// All that is on a disk, by path. The recorded folders are not among it.
using DiskImage = std::map<std::filesystem::path, DiskNode>;

// What is wrong with a state of the disk, or nothing. at_the_end: success had been reported.
using JudgeDisk = std::function<std::optional<std::string>(const DiskImage& image, bool at_the_end)>;

// The same with the whole disk: each state is judged once. Where several files at once have bytes that are not durable, and
// together more states than can be looked at, some are taken by chance.
[[nodiscard]] CrashFindings crash_disk_everywhere(const DiskRecord& record, const JudgeDisk& judge);

// Makes the folders hold what the image has, and nothing else.
void put_image(const DiskImage& image, const std::vector<std::filesystem::path>& folders);

}  // namespace bdelta::test
