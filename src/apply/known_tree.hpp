// What is known of a directory without reading it: a list that a patch has of OLD, or the state that an update has kept.
//
// A state has the manifest of a directory and, of each file, its digest and what tells whether it is still the same: device,
// inode and times. It is there to save time and to name things; whether OLD fits is decided by digests alone.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/apply.hpp"
#include "view/tree/files.hpp"

namespace bdelta {

struct KnownTree {
  view::Manifest manifest;
  std::vector<Digest128> digests;                 // of files, by the numbers of their entries
  std::vector<view::ScannedTree::Stamp> stamps;   // likewise; none in a list
  std::int64_t kept_ns = 0;                       // when the state was

  // Nothing where there is none, or one that is damaged or of another version.
  static std::optional<KnownTree> read(const std::filesystem::path& place);
  static std::optional<KnownTree> of_list(ByteSpan list);

  // Writes the state of `tree`, which was looked at from now_ns on. Errors: those of an output.
  static Status write(const std::filesystem::path& place, const view::ScannedTree& tree, const std::vector<Digest128>& digests,
                      std::int64_t now_ns, const FileOptions& options);

  [[nodiscard]] static std::int64_t clock_ns() noexcept;

  // The digests of those files of `tree` that are as they were when the state was kept, by the numbers of its entries.
  [[nodiscard]] std::vector<std::optional<Digest128>> trusted(const view::ScannedTree& tree) const;
};

// Where the options have the state of a directory.
[[nodiscard]] std::filesystem::path state_place(const std::filesystem::path& directory, const ApplyOptions& options);

// Removes the state inside of a directory that it is not of any more, as far as that can be done.
void forget_state(io::Directory& directory);

}  // namespace bdelta
