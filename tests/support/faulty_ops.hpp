// A table of file calls in which one chosen call fails at its n-th use, and everything else is real.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "io/file_ops.hpp"

namespace bdelta::test {

// What is injected: the `nth` use of `call` fails with `error`, or several from there on. One for the process, as the
// table has no context.
struct FaultPlan {
  std::string call;           // empty: nothing fails
  int nth = 0;                // from 1
  int error = 0;              // an errno
  bool always_short = false;  // reads and writes move half of what is asked
  bool hit = false;           // the call came that often, so that it failed at least once
  bool stream_error = false;  // what ferror says after an injected fault
  int times = 1;              // how often in a row it fails, from the nth use on
};

// Puts a plan in force. Calls may come from several threads; the plan may only be changed while none are made.
void set_fault(const FaultPlan& plan);
[[nodiscard]] const FaultPlan& current_fault();

// True if this use of `call` is one that fails; errno is set then. For calls that a test replaces itself.
[[nodiscard]] bool fault_strikes(std::string_view call);

// The table for io::ScopedFileOps. Nothing is synced for real: it would take most of the time and shows nothing here.
[[nodiscard]] io::FileOps faulty_ops();

// Every call that can fail, by its name in FileOps, but for remove and unmap, after whose failure nothing can be done.
[[nodiscard]] const std::vector<std::string>& faulty_calls();

// Those that are made for directories alone.
[[nodiscard]] const std::vector<std::string>& faulty_directory_calls();

// Those that are made for files and devices that are written in place alone.
[[nodiscard]] const std::vector<std::string>& faulty_in_place_calls();

// Of this process; 0 where the system does not tell.
[[nodiscard]] std::ptrdiff_t open_descriptors();

}  // namespace bdelta::test
