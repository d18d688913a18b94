// What the programs need of the operating system besides files.
#pragma once

#include <cstdint>

namespace bdelta::cli {

// The largest resident size of this process so far, mapped inputs included; 0 where unknown.
[[nodiscard]] std::uint64_t peak_resident_bytes();

[[nodiscard]] bool stderr_is_terminal();

// What a signal handler has to say besides what happened; all must stay valid.
struct LastWords {
  const char* program = "";
  const char* interrupted_json = "";  // to json_fd; empty without --json
  const char* input_lost_json = "";
  int json_fd = 1;
};

// Interrupt, termination and hang-up remove unfinished outputs and end with 130; a closed pipe and a file size limit become
// errors of the write; an I/O error in a mapped input is told and ends with 2.
void install_signal_handlers(const LastWords& words);

// Whether there is a line of progress on the terminal, which a handler has to wipe.
void note_progress_line(bool is_there) noexcept;

// What a handler says of outputs in the place of its own words; it has to stay valid. Null: its own words.
void note_outputs(const char* what_is_left) noexcept;

// What is freed stays with the process for what it allocates next. Creation has large tables one after the other, and
// fresh pages for each cost more than filling it. Where the C library has no such setting, nothing changes.
void keep_freed_memory();

}  // namespace bdelta::cli
