// What a patch says about itself, without applying it.
//
//   auto info = bdelta::inspect_file("app.bdelta", {});
//   if (info) std::printf("%s, makes %llu bytes\n", info->format.c_str(), (unsigned long long)info->target_size);
#pragma once

#include <array>
#include <filesystem>
#include <optional>
#include <string>

#include "bdelta/files.hpp"

namespace bdelta {

using DigestBytes = std::array<std::uint8_t, 16>;
using Sha256Bytes = std::array<std::uint8_t, 32>;

struct PatchInfo {
  std::string format;                             // "bdt2" or "bdt1"
  unsigned version = 0;                           // of the format
  unsigned draft = 0;                             // of the format, 0 = frozen
  std::optional<std::uint64_t> source_size;       // bytes of OLD
  std::uint64_t target_size = 0;                  // bytes of NEW
  std::optional<DigestBytes> source_digest;       // XXH3-128, canonical; absent where the format has none
  std::optional<DigestBytes> target_digest;
  std::uint64_t required_features = 0;
  std::uint64_t optional_features = 0;
  bool predicted = false;                         // addresses in programs are foretold: applying needs OLD as a whole
  bool unpacked = false;                          // what archives hold is compared: applying holds OLD unpacked
  std::uint64_t window_bytes = 0;                 // largest window that is not one plain copy
  std::uint64_t group_bytes = 0;                  // largest part that push (bdelta/push.hpp) has to hold; 0: all of it
  std::uint64_t decoder_memory_bytes = 0;         // coder state that applying needs besides apply_buffer_bytes (apply.hpp)
  std::uint64_t history_bytes = 0;                // of it: the last bytes of NEW, which windows copy from
  std::optional<Sha256Bytes> head_sha256;         // of header and list of digests, if the patch has one (CreateOptions)
};

// Reads the header of a patch, and its list of digests if it has one. Nothing beyond it is checked. Errors: those of opening a file, and the 3xx codes.
// Thread-safe.
BDELTA_PUBLIC Result<PatchInfo> inspect(SequentialReader& patch);
BDELTA_PUBLIC Result<PatchInfo> inspect_file(const std::filesystem::path& patch, const FileOptions& options);

}  // namespace bdelta
