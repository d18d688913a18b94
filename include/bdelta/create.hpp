// Making a patch from OLD and NEW.
//
//   bdelta::CreateOptions options;
//   options.level = 6;
//   auto report = bdelta::create_file("old", "new", "patch", options);
//
// Same inputs, options and version (that of the codec libraries included) give the same bytes, whatever the number of
// threads and the processor.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>

#include "bdelta/files.hpp"
#include "bdelta/report.hpp"
#include "bdelta/trace.hpp"

namespace bdelta {

enum class PatchFormat : std::uint8_t {
  kBdt2,  // the native format
  kBdt1,  // what the original bpatch applies; below 2 GiB, larger, without checksums
};

inline constexpr int kMinLevel = 1;
inline constexpr int kMaxLevel = 9;
inline constexpr int kDefaultLevel = 3;

struct CreateOptions {
  // 1 fast to 9 small. 1 and 2, 3 to 5, and 6 to 9 are alike for now. Has no effect on what applying needs to know.
  int level = kDefaultLevel;

  PatchFormat format = PatchFormat::kBdt2;

  // Threads that work, the caller's included; 0 = as many as the machine has. The patch does not depend on it.
  unsigned threads = 1;

  // Private memory to stay within, in bytes; 0 = as much as the level likes. A smaller limit makes the index sparser
  // and the patch larger; what can't be kept is kMemoryLimit before work starts. Inputs that are not mapped count.
  std::uint64_t memory_limit_bytes = 0;

  // Applies the patch in memory and compares before anything is published: kSelfCheckFailed if it does not give NEW.
  bool verify = true;

  // The largest patch that is of use, as a share of NEW's bytes, e.g. 0.6; 0 = any. The work ends with kPatchTooLarge as
  // soon as it is known that the patch will be larger, often long before it is whole.
  double max_patch_ratio = 0;

  // Seconds after which the work ends with kTimeLimit, counted from the call; 0 = none. Noticed within 0.1 s, but for
  // waits of the system (a slow disk, syncing). Decides whether there is a patch, never what is in it.
  double time_limit_seconds = 0;

  // Called with the share of the work done, in bytes of NEW: never falling, `total` at the end. From one thread at a
  // time, every few milliseconds at most; returning false cancels with kCancelled, within 0.1 s like the time limit.
  std::function<bool(std::uint64_t done, std::uint64_t total)> progress;

  // Gets every span of the work as it ends. Not owned; must outlive the call. Null: none are made.
  TraceSink* trace = nullptr;

  // Where a patch too large for memory waits until its header can be written; unset: the system's directory.
  std::optional<std::filesystem::path> temp_dir;

  // Files only: how OLD, NEW and PATCH are opened.
  FileOptions files;
};

// Writes the patch and leaves `patch` unfinished: the caller calls finish. Readers without a view are read into memory.
Result<Report> create(RandomReader& source, RandomReader& target, SequentialWriter& patch,
                      const CreateOptions& options);

// The same over files; "-" is standard output for the patch. PATCH equal to OLD or NEW is kSamePath. Inputs that change
// meanwhile are kInputChanged. The patch comes into being whole or not at all.
Result<Report> create_file(const std::filesystem::path& source, const std::filesystem::path& target,
                           const std::filesystem::path& patch, const CreateOptions& options);

}  // namespace bdelta
