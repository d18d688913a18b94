#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __GLIBC__  // which the headers above define
#include <malloc.h>
#endif

#include <atomic>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <utility>

#include "bdelta/files.hpp"
#include "cli/process.hpp"

namespace bdelta::cli {
namespace {

constexpr EndingSignal kEndingSignals[] = {
    {SIGINT, "SIGINT"}, {SIGTERM, "SIGTERM"}, {SIGHUP, "SIGHUP"}, {SIGQUIT, "SIGQUIT"}, {SIGXCPU, "SIGXCPU"},
};

const LastWords* last_words = nullptr;  // never freed, as a signal comes at any time
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
    case LeftBehind::kUnfinished: return "the update is not complete, and bpatch --resume completes or takes it back";
    default: return "what went out may be cut short and must not be used";
  }
}

void clean_up_and_tell(const char* what, const char* advice, const char* json) {
  const LeftBehind left = remove_unfinished_outputs();
  put_text(last_words->json_fd, json);
  if (has_progress_line.load()) put_text(STDERR_FILENO, "\r\033[K");
  const char* const noted = noted_outputs.load();
  const char* const outputs = noted != nullptr ? noted : what_is_left(left);
  for (const char* part : {last_words->program.c_str(), what, "; ", outputs, advice, "\n"}) put_text(STDERR_FILENO, part);
}

// The action of the system for the signal is taken in the handler of the same signal. A core file would hold nothing of
// use, but mapped inputs of any size. The first process of a container survives its own signals, hence the last line.
[[noreturn]] void die_by(int signal_number) {
  constexpr struct rlimit kNoCoreFile = {0, 0};
  setrlimit(RLIMIT_CORE, &kNoCoreFile);
  signal(signal_number, SIG_DFL);
  raise(signal_number);
  sigset_t only;
  sigemptyset(&only);
  sigaddset(&only, signal_number);
  pthread_sigmask(SIG_UNBLOCK, &only, nullptr);
  _exit(128 + signal_number);
}

std::atomic_flag ending = ATOMIC_FLAG_INIT;

// The first thread in a handler tells and ends the process; others, which a lost mapping stops as well, wait for that.
void come_first() {
  while (ending.test_and_set()) pause();
}

const char* interrupted_json(int signal_number) {
  for (std::size_t i = 0; i < last_words->interrupted_json.size(); ++i) {
    if (kEndingSignals[i].number == signal_number) return last_words->interrupted_json[i].c_str();
  }
  return "";
}

extern "C" void on_interrupt(int signal_number) {
  come_first();
  clean_up_and_tell(": interrupted", "", interrupted_json(signal_number));
  die_by(signal_number);
}

extern "C" void on_bus_error(int) {
  come_first();
  clean_up_and_tell(": an input could not be read any more (it was truncated, or its disk failed)", "; try --io=stdio",
                    last_words->input_lost_json.c_str());
  _exit(2);
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

std::vector<EndingSignal> ending_signals() { return {std::begin(kEndingSignals), std::end(kEndingSignals)}; }

void install_signal_handlers(LastWords words) {
  last_words = new LastWords(std::move(words));
  for (const EndingSignal& by : kEndingSignals) handle(by.number, on_interrupt);
  handle(SIGBUS, on_bus_error);
  // A closed pipe and a limit on file sizes are errors of the write, which cleans up.
  signal(SIGPIPE, SIG_IGN);
  signal(SIGXFSZ, SIG_IGN);
}

}  // namespace bdelta::cli
