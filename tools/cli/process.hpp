// What the programs need of the operating system besides files.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace bdelta::cli {

// The largest resident size of this process so far, mapped inputs included; 0 where unknown.
[[nodiscard]] std::uint64_t peak_resident_bytes();

[[nodiscard]] bool stderr_is_terminal();

// A signal by which the program ends, after it has cleaned up.
struct EndingSignal {
  int number;
  const char* name;
};

// None where the system has other ways.
[[nodiscard]] std::vector<EndingSignal> ending_signals();

// What a signal handler has to say besides what happened.
struct LastWords {
  std::string program;
  std::vector<std::string> interrupted_json{};  // for each of the ending signals, to json_fd; none without --json
  std::string input_lost_json{};  // with --json
  int json_fd = 1;
};

// An ending signal removes unfinished outputs, and the process dies by it, without a core file: a shell sees 128 and the
// signal's number, and stops its loop. A closed pipe and a file size limit become errors of the write; an I/O error in a
// mapped input is told and ends with 2.
void install_signal_handlers(LastWords words);

// Whether there is a line of progress on the terminal, which a handler has to wipe.
void note_progress_line(bool is_there) noexcept;

// What a handler says of outputs in the place of its own words; it has to stay valid. Null: its own words.
void note_outputs(const char* what_is_left) noexcept;

// What is freed stays with the process for what it allocates next. Creation has large tables one after the other, and
// fresh pages for each cost more than filling it. Where the C library has no such setting, nothing changes.
void keep_freed_memory();

}  // namespace bdelta::cli
