// Patches from one directory to another: of an application, of a package, of a website.
//
//   auto made = bdelta::create_tree("app-1", "app-2", "app.patch", {}, {});
//   auto report = bdelta::apply_tree("app-1", "app-2", "app.patch", {});
//
// A patch holds which files, directories and symbolic links NEW has, what is in them, and permission bits (0777). It holds no
// owners, groups, access lists, extended attributes, hard links or holes. What permission bits, times and the kind of system are
// never decides whether OLD fits.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "bdelta/apply.hpp"
#include "bdelta/create.hpp"

namespace bdelta {

struct TreeOptions {
  // Patterns of what is passed over in OLD and NEW. They stand in the patch, so that who applies it passes over the same in his
  // OLD; NEW then comes without. `*` stands for any bytes of a name and `?` for one. A pattern without "/" is held against each
  // name, one with "/" against the whole path from the directory on. What is in a directory that fits goes with it. At most
  // 1,024 patterns, of 1 to 4,095 bytes.
  std::vector<std::string> exclude;

  // The patch holds when each file of NEW was changed, and who applies it gets these times.
  bool times = false;

  // The patch holds which entries OLD has, with the digests of files (some 30 to 60 bytes for each), so that check_tree can
  // name what differs.
  bool source_list = false;
};

// As create_file, from one directory to another. Archives and programs in them are treated as files are. A name ".bdelta" is
// passed over, in any case.
//
// Errors besides those of create_file:
//
// - kNotADirectory
// - kUnsupportedEntry for a device, a socket, a fifo and a name that no patch can hold
// - kInputChanged if something changes in them meanwhile
// - kUsage if one of the three is inside another
// - kFormatCannotHold for another format than PatchFormat::kBdt2
BDELTA_PUBLIC Result<Report> create_tree(const std::filesystem::path& source, const std::filesystem::path& target,
                                         const std::filesystem::path& patch, const CreateOptions& options,
                                         const TreeOptions& tree_options);

// As apply_file, from one directory to another. If NEW is OLD's own directory, it is updated in its place: see below. Else it
// must not exist (kOutputExists, whatever files.overwrite is), unless it is what the patch makes: then nothing is written. NEW
// is made beside its place, under a name that begins with ".bdelta-", and moved there once all of it has been proven: whole or
// not at all. Files that did not change are cloned where the file system can, and otherwise copied. New entries get their
// permission bits less what umask takes, and never set-id bits. Nothing outside of NEW is made or changed, whatever a patch
// says: names that lead out of it are kUnsafeName. So are links that do, unless OLD has the same one or options.outside_links
// is set. Takes memory as apply_file does and about 300 bytes for each entry, of OLD and NEW together. One of the three inside
// another is kUsage. target_mode is kUsage. kUnfinished for an OLD or NEW between two versions.
//
// In its place: files that change or come are made in DIR/.bdelta and proven, and then moved in, by a journal that is synced
// first. After a crash at any moment the directory is OLD, or resume_tree or the next call, whatever its patch, makes NEW or
// OLD of it. Files that do not change are not touched. One that changes is a new file with owner, access list and permissions
// of the one that it replaces; of the patch's permissions those to execute count. On an error it is OLD as before; kUnfinished
// where even taking back failed. Errors besides: kInUse if another process updates it; kWrongJournal; kNoSpace, before anything
// is written. kUnsafeName is for a name that is passed over and is in the way, kUnsupportedEntry for another file system in it.
BDELTA_PUBLIC Result<Report> apply_tree(const std::filesystem::path& source, const std::filesystem::path& target,
                                        const std::filesystem::path& patch, const ApplyOptions& options);

// As check_file. If OLD does not fit and the patch has a list of it (TreeOptions::source_list), the error names what differs.
BDELTA_PUBLIC Result<Report> check_tree(const std::filesystem::path& source, const std::filesystem::path& patch,
                                        const ApplyOptions& options);

// What an update of a directory in its place has left behind.
enum class TreeState : std::uint8_t {
  kWhole,      // nothing: the directory is OLD, or NEW, or anything else
  kStaging,    // files that were made for an update which never began, or is complete; the directory is OLD or NEW
  kUnfinished,  // it is between OLD and NEW, and can be brought to NEW
  kTakingBack,  // it is between OLD and NEW, and can be brought back to OLD
};

// Looks at the directory's journal and changes nothing. An update that another process is at looks as if it were interrupted.
// Errors: kNotADirectory, kNotFound, kPermission; kWrongJournal if the journal is damaged or of another version.
BDELTA_PUBLIC Result<TreeState> tree_state(const std::filesystem::path& directory);

// What resume_tree did.
enum class Resumed : std::uint8_t {
  kNothing,    // there was nothing to do
  kDiscarded,  // what an update had left over was removed; the directory was OLD or NEW: apply_tree says up_to_date of NEW
  kFinished,   // it is NEW now
  kTakenBack,  // it is OLD again
};

// Finishes an update of a directory that was interrupted, or takes it back if that was begun. Where finishing fails it is taken
// back as well, and the error says why. Then tree_state is kWhole and the directory is OLD; it is another state if even that
// failed. Needs no patch, and may itself be interrupted at any moment. OLD's files are not read again: what was written
// meanwhile to one that the update replaces or removes is lost. Of the options files.sync, progress and time_limit_seconds
// count. Progress counts entries that move, in the place of bytes. Where it ends the work, the next call goes on with it.
// Errors besides those of tree_state: kInUse if another process is at it; kInputChanged if something in the directory was
// changed meanwhile and stands in the way; kCancelled, kTimeLimit.
//
//   auto done = bdelta::resume_tree("app", {});
//   if (!done) tell(bdelta::to_string(done.error()));
BDELTA_PUBLIC Result<Resumed> resume_tree(const std::filesystem::path& directory, const ApplyOptions& options);

}  // namespace bdelta
