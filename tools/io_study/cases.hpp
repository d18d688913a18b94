// The themes of the study. Each appends its cases; `files` must outlive them.
#pragma once

#include <algorithm>

#include "files.hpp"
#include "study.hpp"
#include "study_files.hpp"

namespace io_study {

inline constexpr const char* kSections[] = {"writing", "reading", "typed", "seek", "overlap"};

void add_write_cases(const StudyFiles& files, std::vector<Case>& cases);
void add_read_cases(const StudyFiles& files, std::vector<Case>& cases);
void add_typed_cases(StudyFiles& files, std::vector<Case>& cases);  // writes the files of records
void add_seek_cases(const StudyFiles& files, std::vector<Case>& cases);
void add_overlap_cases(const StudyFiles& files, std::vector<Case>& cases);

// The records that one run moves. 512 MiB in records of a byte take many seconds by most calls, so no more than
// kMostCalls are made. Unbuffered calls, which enter the system each, work on a small part of the file. The column
// `bytes` says what was moved.
inline constexpr std::uint64_t kMostCalls = 16 * kMiB;
inline constexpr std::uint64_t kUnbufferedPart = 256;

[[nodiscard]] inline std::uint64_t records_of(std::uint64_t size_bytes, std::uint64_t record_bytes,
                                              std::optional<std::uint64_t> buffer_bytes) {
  const bool unbuffered = buffer_bytes && *buffer_bytes == 0;
  return std::min((unbuffered ? size_bytes / kUnbufferedPart : size_bytes) / record_bytes, kMostCalls);
}

// Buffers and record sizes. Some sizes are tried with each buffer, the others with two buffers only.
inline constexpr std::uint64_t kBuffers[] = {0, kKiB, 4 * kKiB, 16 * kKiB, 64 * kKiB, 256 * kKiB, kMiB, 8 * kMiB};
inline constexpr std::uint64_t kCommonBuffers[] = {4 * kKiB, 64 * kKiB};
inline constexpr std::uint64_t kManyBufferRecords[] = {1, 8};
inline constexpr std::uint64_t kTwoBufferRecords[] = {2, 4, 12, 64, 4096};
inline constexpr std::uint64_t kRecords[] = {1, 2, 4, 8, 12, 64, 4096};
inline constexpr std::uint64_t kBlocks[] = {64 * kKiB, 256 * kKiB, kMiB, 8 * kMiB};
inline constexpr std::uint64_t kLayerBufferBytes = 64 * kKiB;  // the default of src/io

}  // namespace io_study
