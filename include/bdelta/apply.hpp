// Rebuilding NEW from OLD and a patch.
//
//   bdelta::ApplyOptions options;
//   auto report = bdelta::apply_file("old", "new", "patch", options);
//   if (!report) { log(bdelta::to_string(report.error())); return bdelta::exit_class(report.error().code); }
//
// OLD is proven (size, then digest) before a byte of NEW is written; NEW is proven window by window and as a whole. Patches of
// BDT version 1 have no digests for either (Report::verified). The digests inside a patch guard against accidents, not against
// an attacker who can write patches: against that one helps expected_patch_sha256 or expected_head_sha256, got from a place
// that is trusted.
//
// Errors of the calls below: those of reading and writing (2xx), of the patch (3xx), of OLD (4xx), of NEW (5xx) and of limits
// (6xx and 7xx). kUsage is for options that can't be, kOutOfMemory for memory that the system does not give. docs/guarantees.md
// has the whole table.
//
// Thread safety: calls may run at the same time, each with readers and writers of its own. Options are only read, and may be
// shared; readers and writers stay the caller's and must outlive the call.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/files.hpp"
#include "bdelta/inspect.hpp"
#include "bdelta/progress.hpp"
#include "bdelta/report.hpp"
#include "bdelta/trace.hpp"

namespace bdelta {

struct ApplyOptions {
  // Threads that work, the caller's included; 0 = as many as the machine has. The result does not depend on it. Where archives
  // are unpacked and it is more than 1, there are as many again less one, as streams of NEW are made while windows are.
  unsigned threads = 1;

  // Memory that a patch may make the decoder use besides its buffers, which apply_buffer_bytes counts. A patch that declares
  // more is refused with kMemoryLimit before anything is allocated.
  std::uint64_t memory_limit_bytes = std::uint64_t{256} << 20;

  // The largest NEW that is accepted; kOutputLimit beyond.
  std::uint64_t output_limit_bytes = ~std::uint64_t{0};

  // The largest window that is accepted, in bytes of NEW that are held as one; kMemoryLimit beyond. The format allows
  // 8 MiB. Windows that are one plain copy don't count.
  std::uint64_t window_limit_bytes = ~std::uint64_t{0};

  // What the SHA-256 of the whole patch has to be. Taken before a byte of the patch is parsed: kPatchDigest if it is another. A
  // patch that is a regular file is read and digested twice and must not change meanwhile (kInputChanged). One that comes as a
  // stream waits in memory up to 16 MiB, and beyond that in a nameless file in files.temp_dir.
  std::optional<Sha256Bytes> expected_patch_sha256;

  // What the SHA-256 of the head has to be: of the header and the list of digests behind it (Report::head_sha256 of create).
  // Before it holds, nothing is looked at but which format it is and where the head ends. No part is decoded before its own
  // digest in the list holds; else kPatchDigest. A patch without a list is refused likewise. Each part is held until it is
  // proven, within memory_limit_bytes together with the decoder, so the patch is read once and may still be coming. Both
  // digests may be expected.
  std::optional<Sha256Bytes> expected_head_sha256;

  // Called with the share of the work done, in bytes of NEW, and the phase: never falling, `total` at the end. The share is
  // one of time: OLD's digest, preparing prediction and making windows each have what they usually take. So `done` is more
  // than what of NEW is there. The total is 0 until the head of the patch was read. From one thread at a time, every few
  // milliseconds at most; returning false cancels with kCancelled, within 0.1 s but for waits of the system.
  ProgressCallback progress;

  // Seconds after which the work ends with kTimeLimit, counted from the call, in push mode from opening on; 0 = none. A
  // patch made to take long then can't. Noticed as cancelling is, so not while an input that is a pipe keeps silent.
  double time_limit_seconds = 0;

  // Gets every span of the work as it ends. Not owned; must outlive the call. Null: none are made.
  TraceSink* trace = nullptr;

  // Directories only (bdelta/tree.hpp): a patch may make symbolic links that lead out of NEW.
  bool outside_links = false;

  // Directories only: OLD may have entries that it had not when the patch was made. They are not looked at, and where NEW is
  // made in OLD's place they stay. Which these are is told by the patch (TreeOptions::source_list) or by the state; kUsage
  // where neither is there.
  bool keep_others = false;

  // Directories only: what NEW's files were when they were made (size, times, inode, digest) is kept as a state, in the
  // directory .bdelta of NEW or in state_file.
  bool keep_state = false;

  // Directories only: where the state is, outside of OLD and NEW. Unset: in .bdelta of the directory.
  std::optional<std::filesystem::path> state_file;

  // Directories only: files of OLD that are as the state has them are not read, and the digest is taken from it. They must have
  // been so for two seconds when the state was kept. A program that sets times back can deceive that.
  bool trust_times = false;

  // Files only: how OLD, PATCH and NEW are opened.
  FileOptions files;

  // Files only: the permission bits of NEW, 0 to 0777 (kUsage beyond), whatever umask is and whether or not it replaces a
  // file. Unset: those of the file that it replaces, or of OLD less what umask takes. No effect on Windows.
  std::optional<std::uint32_t> target_mode;
};

// Bytes of buffers that applying takes at most with so many threads, as ApplyOptions has them. Each window under way has
// twice the largest window and 5 MiB; there are two of them, with several threads two more than threads. 8 MiB are for what
// is read of the patch, for files and small objects. With info.unpacked, several threads have 16 MiB each for streams of NEW
// that are being made. So the private memory that applying takes is no more than
//
//   info.decoder_memory_bytes + apply_buffer_bytes(info, threads)
//
// and the size of the programs of OLD if info.predicted and OLD is not mapped. With info.unpacked, what the limit has beyond that
// holds more of OLD unpacked, which stands in a temporary file else. Not counted are stacks of threads, and what waits in push
// mode. Never fails. Thread-safe.
[[nodiscard]] BDELTA_PUBLIC std::uint64_t apply_buffer_bytes(const PatchInfo& info, unsigned threads) noexcept;

// Applies to a regular place: windows are written at their positions, in any order. `target` is not finished here. Only
// kTargetDigest and kWindowChecksum say that wrong bytes were written. After any error what is there must not be used, as what
// is copied of OLD is proven with the whole alone.
BDELTA_PUBLIC Result<Report> apply(RandomReader& source, SequentialReader& patch, PositionedWriter& target,
                                   const ApplyOptions& options);

// Applies to a stream: what was decoded leaves only after it verified, what is copied of OLD as it is. On kTargetDigest at
// the very end the stream has had all bytes; the error's offset says how many.
BDELTA_PUBLIC Result<Report> apply(RandomReader& source, SequentialReader& patch, SequentialWriter& target,
                                   const ApplyOptions& options);

// Decodes and verifies everything, writes nothing.
BDELTA_PUBLIC Result<Report> check(RandomReader& source, SequentialReader& patch, const ApplyOptions& options);

// The same over files. NEW may be the same file as OLD; it comes into being whole or not at all. If NEW exists and is
// what the patch makes, nothing is written and the report says up_to_date; OLD and the patch behind its head are not looked
// at then. Of version 1, which has no digests, neither this nor a wrong OLD is seen, and Report::verified is false. "-" is
// standard input for the patch and standard output for NEW.
// What a NEW that replaces a file keeps of it, OutputFile says. A NEW that is created gets OLD's permissions as a copy would:
// its bits for reading, writing and executing, less what umask takes, and never its set-id bits. Where OLD has holes,
// blocks of zeros in NEW become holes, and only room for the rest is asked for.
BDELTA_PUBLIC Result<Report> apply_file(const std::filesystem::path& source, const std::filesystem::path& target,
                                        const std::filesystem::path& patch, const ApplyOptions& options);
// The same with a patch that comes from elsewhere, such as memory or a download. Errors of the patch name no file. Where NEW
// is up to date, patch_bytes of the report is what was read of it.
BDELTA_PUBLIC Result<Report> apply_file(const std::filesystem::path& source, const std::filesystem::path& target,
                                        SequentialReader& patch, const ApplyOptions& options);
BDELTA_PUBLIC Result<Report> check_file(const std::filesystem::path& source, const std::filesystem::path& patch,
                                        const ApplyOptions& options);

}  // namespace bdelta
