// Making a patch from OLD and NEW.
//
//   bdelta::CreateOptions options;
//   options.level = 6;
//   auto report = bdelta::create_file("old", "new", "patch", options);
//
// Same inputs, options and version (that of the codec libraries included) give the same bytes, whatever the number of threads
// and the processor.
//
// Errors of the calls below: those of reading and writing (2xx), kUsage, kMemoryLimit and kOutOfMemory, kPatchTooLarge,
// kTimeLimit and kCancelled, kSelfCheckFailed, and kFormatCannotHold. docs/guarantees.md has the whole table. Where a call
// fails, there is no patch by name.
//
// Thread safety: calls may run at the same time, also on the same readers. Options are only read; readers and writers stay the
// caller's and must outlive the call.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/files.hpp"
#include "bdelta/progress.hpp"
#include "bdelta/report.hpp"
#include "bdelta/trace.hpp"

namespace bdelta {

enum class PatchFormat : std::uint8_t {
  kBdt2,  // the native format
  kBdt1,  // what the original bpatch applies; below 2 GiB, larger, without checksums
};

inline constexpr int kMinLevel = 1;
inline constexpr int kUltraLevel = 10;  // the last one: `--ultra` of the program
inline constexpr int kDefaultLevel = 3;

// Whether compressed streams inside of archives are compared by what they decompress to, and packed again when applying, bit
// by bit as they were.
enum class Unpack : std::uint8_t {
  kAuto,  // streams that differ, where what it takes to make them again is small beside them
  kNone,
  kAll,   // all that can be made again, also where that takes much
};

struct CreateOptions {
  // 1 fast to 9 small; kUltraLevel, smaller still and slower also to apply. docs/levels.md says what each does. Has no effect on
  // what applying needs to know.
  int level = kDefaultLevel;

  PatchFormat format = PatchFormat::kBdt2;

  // Threads that work, the caller's included; 0 = as many as the machine has. The patch does not depend on it.
  unsigned threads = 1;

  // Private memory to stay within, in bytes; 0 = as much as the level likes. A limit with room for that gives the same patch:
  // four times both files and a coder. Where they hardly differ it is 1.25 times, or 2.25 with programs to predict, and some
  // times what differs.
  //
  // Under a smaller limit NEW is worked on in segments. The index of OLD is sparser, groups and the windows of codecs are
  // smaller, nothing is predicted, and fewer threads may work. So the patch is larger the smaller the limit; it depends on the
  // limit and still not on the threads. 64 MiB will do for files of any size at any level. A limit that can't be kept is
  // kMemoryLimit before work starts, with the figure that would do. Inputs with a view (mapped files) don't count. Others are
  // read into memory where they take no more than half of the limit together and leave 60 MiB, else in parts. NEW is then read
  // twice, OLD once from end to end and later what the segments resemble. Less is found so.
  std::uint64_t memory_limit_bytes = 0;

  // Whether addresses inside programs (ELF, PE, Mach-O) may be predicted, and numbers of types in kernel modules moved, at
  // levels that do. Patches are much smaller, and take more memory and time to apply. Needs both files as a whole, so not under
  // a scarce memory limit.
  bool predict = true;

  // Archives (zip and what is made of it, gzip) that are unpacked give far smaller patches, and take more time and memory to
  // apply. Both views are held in memory; under a memory limit that has no room for them files are taken as they are.
  Unpack unpack = Unpack::kAuto;

  // Applies the patch in memory and compares before anything is published: kSelfCheckFailed if it does not give NEW.
  bool verify = true;

  // Adds a list of SHA-256 digests, 32 bytes for each part of the patch that is decoded on its own (a group, some MiB of NEW).
  // Who knows Report::head_sha256 can then prove each part before decoding it, while the patch is still coming
  // (ApplyOptions::expected_head_sha256). The error is kFormatCannotHold with kBdt1.
  bool group_digests = false;

  // What the report shall tell besides XXH3-128 of OLD and NEW: both digests of the patch as it is written, and SHA-256 of
  // OLD and NEW as they are read.
  bool digest_patch = false;
  bool sha256_inputs = false;

  // Digests of NEW that are known already, as a report or a digest taken before tells them. NEW is not digested again if all
  // that the patch and the report need is here. Wrong ones are kSelfCheckFailed; without `verify` they give a patch that cannot
  // be applied (kTargetDigest).
  KnownDigests known_target;

  // The largest patch that is of use, as a share of NEW's bytes, e.g. 0.6; 0 = any. The work ends with kPatchTooLarge as
  // soon as it is known that the patch will be larger, often long before it is whole.
  double max_patch_ratio = 0;

  // Seconds of one thread that applying the patch may take by Report::nominal_apply_ns; 0 = any. Of patches
  // without unpacking, prediction or models, or several of these, the smallest is taken that keeps to it, else the fastest;
  // Report::left_out has what is left out. The patch is made anew for each choice, so this takes several times as long.
  double max_apply_seconds = 0;

  // Seconds after which the work ends with kTimeLimit, counted from the call; 0 = none. Noticed within 0.1 s, but for
  // waits of the system (a slow disk, syncing). Decides whether there is a patch, never what is in it.
  double time_limit_seconds = 0;

  // Called with the share of the work done, in bytes of NEW, and the phase: never falling, `total` at the end. From one thread
  // at a time, every few milliseconds at most. Returning false cancels with kCancelled, within 0.1 s like the time limit. A few
  // steps with files of hundreds of MB take up to two tenths of a second where the processor has other work.
  ProgressCallback progress;

  // Gets every span of the work as it ends. Not owned; must outlive the call. Null: none are made.
  TraceSink* trace = nullptr;

  // Where a patch too large for memory waits until its header can be written. OLD or NEW that comes as a stream waits there
  // until it is whole. Unset: the system's directory.
  std::optional<std::filesystem::path> temp_dir;

  // Files only: how OLD, NEW and PATCH are opened.
  FileOptions files;
};

// What create takes at most, in bytes of private memory, for files of these sizes under `options`, whose files.mode says
// whether they are mapped. With memory_limit_bytes this is a bound that lies within the limit, or kMemoryLimit. Without, it is
// an estimate from files of usual content. It leaves out the copy of NEW that some archives and signed programs take, and
// archives unpacked. Never fails otherwise but for kUsage. Thread-safe.
//
//   options.files.mode = bdelta::IoMode::kMmap;
//   auto bytes = bdelta::estimate_memory(10'000'000'000, 10'000'000'000, options);
BDELTA_PUBLIC Result<std::uint64_t> estimate_memory(std::uint64_t source_size, std::uint64_t target_size,
                                                    const CreateOptions& options);

// Writes the patch and leaves `patch` unfinished: the caller calls finish. Readers without a view are read into memory,
// as a whole or in parts: see memory_limit_bytes.
BDELTA_PUBLIC Result<Report> create(RandomReader& source, RandomReader& target, SequentialWriter& patch,
                                    const CreateOptions& options);

// The same over files; "-" is standard output for the patch, and standard input for OLD or NEW. What is no regular file (a
// pipe, a fifo, a device) is first read to its end, into a nameless file in temp_dir; progress has a total of 0 meanwhile.
// A fifo without a writer is waited for, whatever the time limit.
// PATCH equal to OLD or NEW is kSamePath, and so is one stream for both of these. Inputs that change meanwhile are
// kInputChanged. The patch comes into being whole or not at all.
BDELTA_PUBLIC Result<Report> create_file(const std::filesystem::path& source, const std::filesystem::path& target,
                                         const std::filesystem::path& patch, const CreateOptions& options);

// The same to a NEW that is open already, for several patches to it:
//
//   auto target = bdelta::open_random("new", options.files);
//   for (...) {
//     auto report = bdelta::create_file(old, **target, patch, options);
//     if (report) options.known_target = report->target_digests;
//   }
//
// NEW is read once if it has a view. PATCH has to be another file than NEW, which is the caller's to see to. Calls of
// `target` are not in Report::read_calls.
BDELTA_PUBLIC Result<Report> create_file(const std::filesystem::path& source, RandomReader& target,
                                         const std::filesystem::path& patch, const CreateOptions& options);

}  // namespace bdelta
