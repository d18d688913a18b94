// Runs one command and says what it took: the launcher under every figure of the benchmarks.
//
// usage: bench_exec REPORT SAMPLE_MICROSECONDS TIMEOUT_SECONDS MEMORY_BYTES STDOUT COMMAND [ARGUMENT…]
//
// A process of its own, and a small one, for two reasons. The clock starts right before fork and stops when the child
// is reaped, without an interpreter in between. And Linux hands the resident peak of a parent on to its children over
// exec (ru_maxrss). So a Python parent would hide every peak below its own 30 MB.
//
// Private memory (anonymous and shared-memory pages; mapped files don't count) has no peak counter of its own. It is
// sampled from /proc/PID/status (about 20 microseconds of another core). At first it is sampled each
// SAMPLE_MICROSECONDS. Once the child is older than a hundred of them, it is sampled each hundredth of its age, 50
// ms at most. A child above MEMORY_BYTES of private memory, or older than TIMEOUT_SECONDS, is killed with its whole
// process group. 0 means no limit.
//
// REPORT gets one line of JSON: exit code (128 + signal if killed by one), why it was killed, wall, user and system
// seconds, peaks in bytes. The exit status of bench_exec itself is 0 if the command could be started, else 2.
#include <fcntl.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::int64_t kLongestPauseMicroseconds = 50000;

struct Limits {
  std::int64_t sample_microseconds = 0;
  double timeout_seconds = 0;
  std::uint64_t memory_bytes = 0;
};

struct Outcome {
  int exit_code = 0;
  const char* killed = "";
  double wall_seconds = 0;
  rusage usage{};
  std::uint64_t private_bytes = 0;
};

[[noreturn]] void stop(const char* what) {
  std::fprintf(stderr, "bench_exec: %s: %s\n", what, std::strerror(errno));
  std::exit(2);
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

// Bytes behind `key` in the text of a status file, which counts in KiB.
std::uint64_t status_bytes(const char* text, const char* key) {
  const char* line = std::strstr(text, key);
  return line ? std::strtoull(line + std::strlen(key), nullptr, 10) * 1024 : 0;
}

// Anonymous and shared-memory bytes resident now; 0 once the process is gone.
std::uint64_t private_bytes_of(const std::string& status_path) {
  const int file = open(status_path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  char text[4096];
  const ssize_t count = read(file, text, sizeof text - 1);
  close(file);
  if (count <= 0) return 0;
  text[count] = 0;
  return status_bytes(text, "RssAnon:") + status_bytes(text, "RssShmem:");
}

[[noreturn]] void become(const char* stdout_path, char** command) {
  setpgid(0, 0);
  const int out = open(stdout_path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  if (out < 0 || dup2(out, STDOUT_FILENO) < 0) _exit(127);
  execvp(command[0], command);
  std::fprintf(stderr, "bench_exec: cannot start %s: %s\n", command[0], std::strerror(errno));
  _exit(127);
}

// Waits for the end of the child, sampling meanwhile; kills it at a limit.
void watch(pid_t child, Clock::time_point begin, const Limits& limits, Outcome& outcome) {
  const int handle = static_cast<int>(syscall(SYS_pidfd_open, child, 0));
  if (handle < 0) stop("pidfd_open");
  const std::string status_path = "/proc/" + std::to_string(child) + "/status";
  pollfd ended{handle, POLLIN, 0};
  for (;;) {
    const auto hundredth = static_cast<std::int64_t>(seconds_since(begin) * 1e4);
    const auto interval = std::min(std::max(limits.sample_microseconds, hundredth), kLongestPauseMicroseconds);
    const timespec pause{0, static_cast<long>(interval) * 1000};
    if (ppoll(&ended, 1, &pause, nullptr) != 0) break;
    if (limits.sample_microseconds > 0) {
      outcome.private_bytes = std::max(outcome.private_bytes, private_bytes_of(status_path));
    }
    const char* reason = "";
    if (limits.memory_bytes > 0 && outcome.private_bytes > limits.memory_bytes) reason = "memory";
    if (limits.timeout_seconds > 0 && seconds_since(begin) > limits.timeout_seconds) reason = "timeout";
    if (*reason && !*outcome.killed) {
      outcome.killed = reason;
      kill(-child, SIGKILL);
    }
  }
  close(handle);
}

Outcome run(const char* stdout_path, char** command, const Limits& limits) {
  Outcome outcome;
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child < 0) stop("fork");
  if (child == 0) become(stdout_path, command);
  watch(child, begin, limits, outcome);
  int status = 0;
  while (wait4(child, &status, 0, &outcome.usage) < 0) {
    if (errno != EINTR) stop("wait4");
  }
  outcome.wall_seconds = seconds_since(begin);
  outcome.exit_code = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
  kill(-child, SIGKILL);  // what the command may have left behind
  return outcome;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

bool write_report(const char* path, const Outcome& outcome) {
  std::FILE* report = std::fopen(path, "w");
  if (!report) return false;
  std::fprintf(report,
               "{\"exit\":%d,\"killed\":\"%s\",\"wall_s\":%.6f,\"user_s\":%.6f,\"system_s\":%.6f,"
               "\"total_bytes\":%llu,\"private_bytes\":%llu}\n",
               outcome.exit_code, outcome.killed, outcome.wall_seconds, seconds_of(outcome.usage.ru_utime),
               seconds_of(outcome.usage.ru_stime), static_cast<unsigned long long>(outcome.usage.ru_maxrss) * 1024,
               static_cast<unsigned long long>(outcome.private_bytes));
  return std::fclose(report) == 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 7) {
    std::fputs("usage: bench_exec REPORT SAMPLE_MICROSECONDS TIMEOUT_SECONDS MEMORY_BYTES STDOUT COMMAND…\n", stderr);
    return 2;
  }
  const Limits limits{std::atoll(argv[2]), std::atof(argv[3]), std::strtoull(argv[4], nullptr, 10)};
  const Outcome outcome = run(argv[5], argv + 6, limits);
  if (!write_report(argv[1], outcome)) stop(argv[1]);
  return 0;
}
