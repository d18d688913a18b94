// Applying a patch to a file or a block device in its place: only the blocks that change are written.
//
//   auto report = bdelta::apply_in_place("disk.img", "disk.patch", {}, {});
//   if (!report && report.error().code == bdelta::ErrorCode::kUnfinished) report = bdelta::resume_in_place("disk.img", {}, {});
//
// How it goes. OLD is read and proven, NEW is made and proven, and each block of 4 KiB that differs from what stands in its
// place goes into a journal. Until the journal is durable and says so, the file is untouched. Then its blocks are written to the
// file, and the journal is removed. After a crash or a loss of power at any moment the file is OLD, or the journal is there to
// complete it. The next call does so first, whatever its patch is. Meanwhile readers of the file see a mixture.
//
// The file keeps its links, owner, permissions and attributes. A lock keeps a second process out, and one that reads the file as
// OLD is refused while it is unfinished (kUnfinished). FileOptions::sync unset: a crash of the process alone does no harm.
#pragma once

#include <filesystem>
#include <optional>

#include "bdelta/apply.hpp"

namespace bdelta {

struct InPlaceOptions {
  // Where the journal goes; unset: beside the file, as ".NAME.bdelta-journal". To be named for a device, on a disk that keeps it.
  // Who resumes has to name it again. A file that is there and no journal is left as it is (kWrongJournal).
  std::optional<std::filesystem::path> journal;

  // Bytes of journal that are allowed; kScratchLimit beyond, before the file is written. It takes what differs, in whole blocks,
  // 2 % and 64 KiB at most.
  std::uint64_t scratch_limit_bytes = ~std::uint64_t{0};

  // All is read and proven, and nothing is written: Report::written_bytes and journal_bytes say what would be.
  bool dry_run = false;
};

// Makes NEW of `file`, which is OLD. For patches of every format. A patch for files of a size knows how much of a device is
// OLD: its first bytes; NEW has to fit. Where the file already is NEW, nothing is written and the report says up_to_date. Takes
// memory as apply_file does, and 1 MiB. Errors besides those of apply_file:
//
// - kUnfinished if blocks were written and not all could be, or with dry_run where that was found
// - kInUse; kScratchLimit; kNoSpace, for which the file stays as it was
// - kWrongJournal for a journal that is damaged, of another version, user or file
// - kUsage for a device without a journal, for a journal in memory or on the device itself, and for target_mode
BDELTA_PUBLIC Result<Report> apply_in_place(const std::filesystem::path& file, const std::filesystem::path& patch,
                                            const ApplyOptions& options, const InPlaceOptions& in_place);

// Completes what an interrupted call left behind. Where that is nothing, the report says up_to_date. Reads the file once and
// proves that the journal belongs to it. Of the options files, progress and time_limit_seconds count; where progress ends the
// work, the next call goes on with it.
BDELTA_PUBLIC Result<Report> resume_in_place(const std::filesystem::path& file, const ApplyOptions& options,
                                             const InPlaceOptions& in_place);

// Whether resume_in_place has something to do. Changes nothing. Errors: kWrongJournal, and those of reading.
BDELTA_PUBLIC Result<bool> is_unfinished(const std::filesystem::path& file, const InPlaceOptions& in_place);

}  // namespace bdelta
