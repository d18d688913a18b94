// Where the bytes of a patch go: by what they hold, by members of NEW, and by sections of programs. In the full library only.
//
//   auto bytes = bdelta::inspect_members("app-1.zip", "app.patch", {});
//   if (bytes) for (const bdelta::MemberBytes& member : bytes->members) …
//
// A patch codes many numbers together. What one of them takes is a share of the code that it stands in. The share goes by the
// bytes that it has before coding, and for literals by an estimate of how well they compress. Shares add up to the patch
// exactly.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bdelta/apply.hpp"

namespace bdelta {

struct NamedBytes {
  std::string name;
  std::uint64_t bytes = 0;
};

struct SectionBytes {
  std::string name;                 // of a program as it has it; of an archive "headers", "times", "list of entries"
  std::uint64_t target_bytes = 0;   // of NEW
  std::uint64_t patch_bytes = 0;
  std::uint64_t changed_bytes = 0;  // that are copied and corrected
};

// A file of a directory, an entry of an archive, or NEW itself: without what its own members have.
struct MemberBytes {
  static constexpr std::size_t kNone = ~std::size_t{0};

  std::string path;                     // with those of its parents in front; any bytes; empty for NEW itself
  std::size_t parent = kNone;           // its number in the list
  std::string format;                   // "file", "directory", "tar", "zip", "gzip", "elf", "pe", "mach-o"
  std::string packed_as;                // what it is packed with and stayed so, as far as its bytes tell; else empty
  std::uint64_t target_bytes = 0;       // unpacked
  std::uint64_t patch_bytes = 0;
  std::uint64_t copied_bytes = 0;       // of target_bytes: from OLD; all else is carried, or copied from NEW itself
  std::uint64_t changed_bytes = 0;      // of copied_bytes: corrected
  std::vector<NamedBytes> kinds;        // of patch_bytes, as in PatchBytes::kinds, without those that are 0
  std::vector<SectionBytes> sections;   // where it has any; without those that have no bytes in the patch
  std::string source_path;              // the member of OLD that most of copied_bytes come from; empty where there is none
  bool source_has_path = false;         // OLD has a member of this path
};

enum class EntryChange : std::uint8_t {
  kChanged,
  kAdded,
  kMoved,    // a file that goes from one place and comes to another as it is
  kRemoved,
};

// A file, a directory or a link of a directory that a patch changes.
struct EntryBytes {
  EntryChange change = EntryChange::kChanged;
  std::string path;                          // in NEW, and of one that is removed in OLD; any bytes
  std::string source_path;                   // of one that moved: where it was
  std::uint64_t bytes = 0;                   // of the file; else 0
  std::optional<std::uint64_t> patch_bytes;  // that it takes, with what is in it; absent where OLD alone tells
};

struct PatchBytes {
  PatchInfo info;
  std::uint64_t patch_bytes = 0;
  // What they hold: "header", "tree", "view", "fills", "moved numbers", "substitutions", "prediction", "tables" (of windows,
  // with checksums), "copies", "residuals", "literals", "modelled". Largest first, without those that are 0.
  std::vector<NamedBytes> kinds;
  std::vector<MemberBytes> members;        // with OLD alone; in the order of NEW, parents in front of what they hold
  // Of directories: what the patch changes, in the order of paths; names and links themselves are in no entry's patch_bytes.
  // Absent where it is not known. Of the patch alone it is known if that has a list of OLD (TreeOptions::source_list) and names
  // are not coded by models, as level 9 and beyond may do. Then a file that moved is told as removed and added, and patch_bytes
  // are absent if archives are unpacked.
  std::optional<std::vector<EntryBytes>> entries;
  std::vector<std::string> removed_paths;  // of OLD's members: NEW has none of this path, and copies nothing of them
};

// Of a patch alone: kinds, and entries as far as it tells. Nothing is applied. Takes the memory that the patch asks for,
// options.memory_limit_bytes at most, and some 24 bytes for each number of the patch. Errors: those of opening and reading a
// file, the 3xx codes, kMemoryLimit, kPatchDigest. Thread-safe.
BDELTA_PUBLIC Result<PatchBytes> inspect_bytes(const std::filesystem::path& patch, const ApplyOptions& options);

// With OLD, a file or a directory: members and entries, too. The patch is applied as check_file and check_tree do, so OLD and
// NEW are proven. Takes memory besides for NEW as it is unpacked, and some 24 bytes for each number of the patch.
// options.output_limit_bytes bounds NEW. Errors: as check_file and check_tree. Thread-safe.
BDELTA_PUBLIC Result<PatchBytes> inspect_members(const std::filesystem::path& source, const std::filesystem::path& patch,
                                                 const ApplyOptions& options);

}  // namespace bdelta
