#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__  // which the headers above define
#include <malloc.h>
#endif

#include <atomic>
#include <cstring>

#include "bdelta/files.hpp"
#include "cli/process.hpp"

namespace bdelta::cli {
namespace {

LastWords last_words;
std::atomic<bool> has_progress_line{false};
std::atomic<const char*> noted_outputs{nullptr};

// Only calls that are safe in a signal handler.
void put_text(int fd, const char* text) {
  if (write(fd, text, std::strlen(text)) < 0) return;
}

const char* what_is_left(LeftBehind left) {
  switch (left) {
    case LeftBehind::kNothing: return "nothing was left behind";
    case LeftBehind::kWhole: return "the output is whole in its place, or as it was";
    default: return "what went out may be cut short and must not be used";
  }
}

// Ends the process.
[[noreturn]] void end(const char* what, const char* advice, const char* json, int status) {
  const LeftBehind left = remove_unfinished_outputs();
  put_text(last_words.json_fd, json);
  if (has_progress_line.load()) put_text(STDERR_FILENO, "\r\033[K");
  const char* const noted = noted_outputs.load();
  const char* const outputs = noted != nullptr ? noted : what_is_left(left);
  for (const char* part : {last_words.program, what, "; ", outputs, advice, "\n"}) put_text(STDERR_FILENO, part);
  _exit(status);
}

std::atomic_flag ending = ATOMIC_FLAG_INIT;

// The first thread in a handler tells and ends the process; others, which a lost mapping stops as well, wait for that.
void come_first() {
  while (ending.test_and_set()) pause();
}

extern "C" void on_interrupt(int) {
  come_first();
  end(": interrupted", "", last_words.interrupted_json, 130);
}

extern "C" void on_bus_error(int) {
  come_first();
  end(": an input could not be read any more (it was truncated, or its disk failed)", "; try --io=stdio",
      last_words.input_lost_json, 2);
}

void handle(int signal_number, void (*handler)(int)) {
  struct sigaction action;
  std::memset(&action, 0, sizeof action);
  action.sa_handler = handler;
  sigfillset(&action.sa_mask);
  // What the parent chose to ignore (nohup) stays ignored.
  struct sigaction before;
  if (sigaction(signal_number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) return;
  sigaction(signal_number, &action, nullptr);
}

}  // namespace

std::uint64_t peak_resident_bytes() {
  struct rusage usage;
  if (getrusage(RUSAGE_SELF, &usage) != 0) return 0;
#ifdef __APPLE__
  return static_cast<std::uint64_t>(usage.ru_maxrss);
#else
  return static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
#endif
}

bool stderr_is_terminal() { return isatty(STDERR_FILENO) == 1; }

void keep_freed_memory() {
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
}

void note_progress_line(bool is_there) noexcept { has_progress_line.store(is_there); }

void note_outputs(const char* what_is_left) noexcept { noted_outputs.store(what_is_left); }

void install_signal_handlers(const LastWords& words) {
  last_words = words;
  for (const int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGXCPU}) handle(number, on_interrupt);
  handle(SIGBUS, on_bus_error);
  // A closed pipe and a limit on file sizes are errors of the write, which cleans up.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

}  // namespace bdelta::cli
