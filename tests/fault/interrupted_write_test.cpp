// Signals that really come while a write waits for a full pipe, under a handler without SA_RESTART: nothing is lost,
// nothing comes twice, and nobody is told. The reader takes nothing from the pipe before the writer was interrupted.
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <thread>

#include "io/file_ops.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::interrupted_write_test {
namespace {

constexpr int kInterruptions = 3;  // at least, of each run

std::atomic<int> g_interrupted{0};

io::FileOps counting_table() {
  io::FileOps table = io::system_ops();
  table.write = [](int fd, const void* from, std::size_t size) {
    const std::ptrdiff_t taken = io::system_ops().write(fd, from, size);
    if (taken < 0 && errno == EINTR) ++g_interrupted;
    return taken;
  };
  return table;
}

class PlainHandler {
 public:
  PlainHandler() {
    struct sigaction action {};
    action.sa_handler = [](int) {};
    sigaction(SIGUSR1, &action, &before_);
  }
  ~PlainHandler() { sigaction(SIGUSR1, &before_, nullptr); }
  PlainHandler(const PlainHandler&) = delete;
  PlainHandler& operator=(const PlainHandler&) = delete;

 private:
  struct sigaction before_ {};
};

// Signals the writer until it was interrupted so often; gives up after some seconds, if it never waits in a write.
void interrupt(pthread_t writer, int times) {
  for (int attempt = 0; attempt < 5000 && g_interrupted < times; ++attempt) {
    pthread_kill(writer, SIGUSR1);
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

Bytes read_while_interrupting(const std::filesystem::path& fifo, pthread_t writer) {
  const int fd = ::open(fifo.c_str(), O_RDONLY);
  Bytes all;
  Bytes piece(5000);
  for (int round = 1;; ++round) {
    if (round <= kInterruptions) interrupt(writer, round);
    const ssize_t got = ::read(fd, piece.data(), piece.size());
    if (got <= 0) break;
    append(all, ByteSpan(piece).first(static_cast<std::size_t>(got)));
  }
  ::close(fd);
  return all;
}

class InterruptedWrite : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(InterruptedWrite, GoesOnWhereItWas) {
  const Folder folder;
  const std::filesystem::path fifo = folder / "fifo";
  ASSERT_EQ(0, ::mkfifo(fifo.c_str(), 0600));
  const Bytes bytes = random_bytes(600'000, 1);  // several times what a pipe holds
  const PlainHandler handler;
  const io::FileOps table = counting_table();
  const io::ScopedFileOps scope(table);
  g_interrupted = 0;

  Bytes found;
  std::thread reader([&, writer = pthread_self()] { found = read_while_interrupting(fifo, writer); });
  FileOptions options;
  options.buffer_bytes = GetParam();
  options.sync = false;
  Status status;
  {
    auto output = open_output(fifo, options);
    status = output ? Status() : Status(std::move(output).error());
    for (std::size_t at = 0; status && at < bytes.size(); at += 700) {
      status = (*output)->write(ByteSpan(bytes).subspan(at, std::min<std::size_t>(700, bytes.size() - at)));
    }
    if (status) status = (*output)->finish();
  }
  reader.join();

  EXPECT_OK(status);
  EXPECT_TRUE(same_bytes(bytes, found));
  EXPECT_GE(g_interrupted, kInterruptions);
}

INSTANTIATE_TEST_SUITE_P(Buffers, InterruptedWrite, ::testing::Values(0, 4096, 65536));

}  // namespace
}  // namespace bdelta::test::interrupted_write_test
