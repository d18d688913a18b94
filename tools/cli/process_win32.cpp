#include <windows.h>

#include <psapi.h>

#include "bdelta/files.hpp"
#include "cli/process.hpp"

namespace bdelta::cli {
namespace {

BOOL WINAPI on_control(DWORD) {
  (void)remove_unfinished_outputs();
  ExitProcess(130);
}

}  // namespace

std::uint64_t peak_resident_bytes() {
  PROCESS_MEMORY_COUNTERS counters;
  if (!K32GetProcessMemoryInfo(GetCurrentProcess(), &counters, sizeof counters)) return 0;
  return counters.PeakWorkingSetSize;
}

bool stderr_is_terminal() {
  DWORD mode;
  return GetConsoleMode(GetStdHandle(STD_ERROR_HANDLE), &mode) != 0;
}

void keep_freed_memory() {}

void note_progress_line(bool) noexcept {}

void note_outputs(const char*) noexcept {}

std::vector<EndingSignal> ending_signals() { return {}; }

void install_signal_handlers(LastWords) { SetConsoleCtrlHandler(on_control, TRUE); }

}  // namespace bdelta::cli
