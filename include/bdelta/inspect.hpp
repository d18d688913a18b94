// What a patch says about itself, and whether it is undamaged, without applying it.
//
//   auto info = bdelta::inspect_file("app.bdelta", {});
//   if (info) std::printf("%s, makes %llu bytes\n", info->format.c_str(), (unsigned long long)info->target_size.value_or(0));
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "bdelta/files.hpp"

namespace bdelta {

using DigestBytes = std::array<std::uint8_t, 16>;
using Sha256Bytes = std::array<std::uint8_t, 32>;

// Of a patch from one directory to another: what its NEW has.
struct TreeInfo {
  std::uint64_t entry_count = 0;      // files, directories and links
  std::uint64_t kept_files = 0;       // with bytes, that OLD has as they are
  std::uint64_t changed_files = 0;    // that OLD has with other bytes
  std::uint64_t added_files = 0;      // that OLD has not; one that moved is among them
  std::uint64_t removed_files = 0;    // that OLD has and NEW has not
  std::uint64_t made_bytes = 0;       // that applying makes; all others are copied as they are
  bool has_times = false;             // of files
  bool has_source_list = false;       // what OLD has, so that check_tree names what differs
  std::vector<std::string> excluded;  // patterns of what was passed over in both
};

struct PatchInfo {
  std::string format;                             // "bdt2" or "bdt1"
  unsigned version = 0;                           // of the format
  unsigned draft = 0;                             // of the format, 0 = frozen
  std::optional<std::uint64_t> source_size;       // bytes of OLD; of a directory those of its files and of its list of entries
  std::optional<std::uint64_t> target_size;       // likewise of NEW; absent where only the end of the patch tells
  std::optional<DigestBytes> source_digest;       // XXH3-128, canonical; absent where the format has none
  std::optional<DigestBytes> target_digest;
  std::uint64_t required_features = 0;            // bits, as the header has them; a reader must know all of these
  std::uint64_t optional_features = 0;            // likewise; a reader may pass over these
  bool predicted = false;                         // addresses in programs are predicted: applying needs those of OLD as a whole
  bool unpacked = false;                          // what archives hold is compared: applying holds OLD unpacked
  bool of_tree = false;                           // OLD and NEW are directories (bdelta/tree.hpp)
  std::optional<TreeInfo> tree;                   // then, but not from verify_patch
  std::uint64_t window_bytes = 0;                 // largest window that is not one plain copy
  std::uint64_t group_bytes = 0;                  // largest part that push (bdelta/push.hpp) has to hold; 0: all of it
  std::uint64_t decoder_memory_bytes = 0;         // coder state that applying needs besides apply_buffer_bytes (apply.hpp)
  std::uint64_t history_bytes = 0;                // of it: the last bytes of NEW, which windows copy from
  std::optional<Sha256Bytes> head_sha256;         // of header and list of digests, if the patch has one (CreateOptions)
  std::uint64_t patch_bytes = 0;                  // of all of the patch, from verify_patch; else 0
  bool verified = false;                          // from verify_patch: the patch holds checksums, and all of them fit
};

// Reads the header of a patch, its list of digests and what it says of directories, if it has these. Nothing beyond is checked.
// Errors: those of opening a file, and the 3xx codes. Thread-safe.
BDELTA_PUBLIC Result<PatchInfo> inspect(SequentialReader& patch);
BDELTA_PUBLIC Result<PatchInfo> inspect_file(const std::filesystem::path& patch, const FileOptions& options);

// Reads the whole patch, without OLD, and proves that it is undamaged. That is the checksums of header and records, which
// records there are and in which order, and that they add up to NEW. The list of digests, if there is one, and the end are
// proven, too. Nothing is decoded, and about 1 MiB is held, whatever the patch declares. Whether an OLD fits is not known then,
// nor who made the patch. Version 1 has no checksums: its copies and literals have to fit the sizes in it, and `verified` is
// false. Up to 12 bytes are held for each of its copies, and 4 MiB of literals. Errors: those of opening and reading a file,
// the 3xx codes, kOutOfMemory. Thread-safe.
//
//   auto proven = bdelta::verify_patch_file("app.bdelta", {});
//   if (!proven) fetch_again(bdelta::to_string(proven.error()));
BDELTA_PUBLIC Result<PatchInfo> verify_patch(SequentialReader& patch);
BDELTA_PUBLIC Result<PatchInfo> verify_patch_file(const std::filesystem::path& patch, const FileOptions& options);

}  // namespace bdelta
