// Forward readers and writers over stdio: every buffer size, pieces of every size, pipes, standard streams.
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <thread>

#include "support/io_support.hpp"
#include "io/file_error.hpp"
#include "io/open.hpp"

namespace bdelta::test::io_stream_test {
namespace {

constexpr std::uint64_t kBuffers[] = {0, 1, 2, 100, 4096, 64 * 1024};

TEST(IoStream, RoundTripsWithEveryBufferAndPiece) {
  const Folder folder;
  const Bytes bytes = pattern(70'001);
  for (const std::uint64_t buffer : kBuffers) {
    for (const std::size_t piece : {1u, 7u, 4096u, 80'000u}) {
      FileOptions options;
      options.buffer_bytes = buffer;
      options.overwrite = true;
      options.sync = false;
      auto output = open_output(folder / "f", options);
      ASSERT_OK(output);
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        ASSERT_OK((*output)->write(ByteSpan(bytes).subspan(at, std::min(piece, bytes.size() - at))));
      }
      EXPECT_OK((*output)->finish());
      auto reader = open_sequential(folder / "f", options);
      ASSERT_OK(reader);
      EXPECT_EQ(bytes, read_all(**reader, piece)) << buffer << ' ' << piece;
      Bytes more(1);
      auto end = (*reader)->read(more);
      ASSERT_OK(end);
      EXPECT_EQ(0u, *end);
    }
  }
}

TEST(IoStream, LargerBuffersMeanFewerCallsOnlyBelowUs) {
  const Folder folder;
  io::IoCounters counters;
  FileOptions options;
  auto output = io::open_output(folder / "f", options, &counters);
  ASSERT_OK(output);
  EXPECT_OK((*output)->write(pattern(1000)));
  EXPECT_OK((*output)->write(pattern(1000)));
  EXPECT_OK((*output)->finish());
  EXPECT_EQ(2u, counters.write_calls);
  EXPECT_EQ(2000u, counters.bytes_written);
  auto reader = io::open_sequential(folder / "f", options, &counters);
  ASSERT_OK(reader);
  (void)read_all(**reader, 4096);
  EXPECT_EQ(2000u, counters.bytes_read);
}

TEST(IoStream, RefusesBuffersBeyondTheLimit) {
  const Folder folder;
  put(folder / "f", text("x"));
  FileOptions options;
  options.buffer_bytes = (64u << 20) + 1;
  EXPECT_FAILS(ErrorCode::kUsage, open_sequential(folder / "f", options));
  EXPECT_FAILS(ErrorCode::kUsage, open_random(folder / "f", options));
  EXPECT_FAILS(ErrorCode::kUsage, open_output(folder / "g", options));
  EXPECT_EQ(1, folder.count());
}

TEST(IoStream, NamesWhatCannotBeOpened) {
  const Folder folder;
  EXPECT_FAILS(ErrorCode::kNotFound, open_sequential(folder / "none", {}));
  EXPECT_FAILS(ErrorCode::kIsDirectory, open_sequential(folder.path(), {}));
  auto missing = open_sequential(folder / "a\x1b[31m\n", {});
  ASSERT_FALSE(missing);
  EXPECT_TRUE(missing.error().file.ends_with("a\\x1b[31m\\x0a\"")) << missing.error().file;
  EXPECT_EQ("", missing.error().detail) << "the message of the code says it all";
}

TEST(IoStream, EscapesControlCharactersOnly) {
  EXPECT_EQ("\"a b\xc3\xa4\\x7f\\xc2\\x9b\"", io::shown("a b\xc3\xa4\x7f\xc2\x9b"));
  for (const char* whole : {"plain", "\xc2\xa0", "\xdf\xbf", "\xe0\xa0\x80",
                            "\xed\x9f\xbf", "\xef\xbf\xbd", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    EXPECT_EQ(whole, io::escaped(whole));
  }
  EXPECT_EQ("\\x9b2J", io::escaped("\x9b" "2J")) << "an escape sequence in some encodings";
  EXPECT_EQ("\\xff\\xfe", io::escaped("\xff\xfe"));
  EXPECT_EQ("\\xc3(", io::escaped("\xc3("));
  EXPECT_EQ("\\xe2\\x82", io::escaped("\xe2\x82")) << "cut off";
  EXPECT_EQ("\\xc0\\xaf", io::escaped("\xc0\xaf")) << "longer than needed";
  EXPECT_EQ("\\xe0\\x9f\\xbf", io::escaped("\xe0\x9f\xbf"));
  EXPECT_EQ("\\xed\\xa0\\x80", io::escaped("\xed\xa0\x80")) << "a surrogate";
  EXPECT_EQ("\\xf4\\x90\\x80\\x80", io::escaped("\xf4\x90\x80\x80"));
  EXPECT_EQ("\\x0a", io::escaped("\n"));
}

TEST(IoStream, EscapesWhatMovesText) {
  EXPECT_EQ("x\\xe2\\x80\\xaegpj.exe", io::escaped("x\xe2\x80\xaegpj.exe"));
  for (const char* one : {"\xd8\x9c", "\xe2\x80\x8e", "\xe2\x80\x8f", "\xe2\x80\xa8", "\xe2\x81\xa6", "\xe2\x81\xa9"}) {
    EXPECT_EQ('\\', io::escaped(one).front()) << io::escaped(one);
  }
  for (const char* near : {"\xd8\x9b", "\xd8\x9d", "\xe2\x80\x8d", "\xe2\x80\x90", "\xe2\x80\xa7", "\xe2\x80\xaf",
                           "\xe2\x81\xa5", "\xe2\x81\xaa", "\xe3\x80\x8e", "\xf0\xa0\x80\xae"}) {
    EXPECT_EQ(near, io::escaped(near));
  }
}

TEST(IoStream, ReadsAFifo) {
  const Folder folder;
  ASSERT_EQ(0, ::mkfifo((folder / "p").c_str(), 0600));
  const Bytes bytes = pattern(200'000);
  std::thread writer([&] { put(folder / "p", bytes); });
  auto reader = open_sequential(folder / "p", {});
  ASSERT_OK(reader);
  EXPECT_EQ(bytes, read_all(**reader, 30'000));
  writer.join();
}

// Puts another descriptor in the place of a standard one while it lives.
class Redirected {
 public:
  Redirected(int standard, int to) : standard_(standard), saved_(::dup(standard)) { ::dup2(to, standard); }
  ~Redirected() {
    ::dup2(saved_, standard_);
    ::close(saved_);
  }
  Redirected(const Redirected&) = delete;
  Redirected& operator=(const Redirected&) = delete;

 private:
  int standard_;
  int saved_;
};

TEST(IoStream, DashIsAStandardStream) {
  int ends[2];
  ASSERT_EQ(0, ::pipe(ends));
  Result<std::unique_ptr<OutputFile>> output = Error{};
  Result<std::unique_ptr<SequentialReader>> reader = Error{};
  {
    const Redirected out(1, ends[1]);
    output = open_output("-", {});
  }
  {
    const Redirected in(0, ends[0]);
    reader = open_sequential("-", {});
  }
  ::close(ends[0]);
  ::close(ends[1]);
  ASSERT_OK(output);
  ASSERT_OK(reader);
  EXPECT_EQ(nullptr, (*output)->positioned());
  EXPECT_OK((*output)->reserve(1 << 20));
  EXPECT_OK((*output)->write(text("through a pipe")));
  EXPECT_OK((*output)->finish());
  EXPECT_EQ(Bytes(text("through a pipe").begin(), text("through a pipe").end()), read_all(**reader, 100));
}

TEST(IoStream, AReaderThatHasGoneIsABrokenPipe) {
  std::signal(SIGPIPE, SIG_IGN);
  for (const std::uint64_t buffer : {std::uint64_t{0}, std::uint64_t{4096}}) {
    int ends[2];
    ASSERT_EQ(0, ::pipe(ends));
    Result<std::unique_ptr<OutputFile>> output = Error{};
    {
      const Redirected out(1, ends[1]);
      FileOptions options;
      options.buffer_bytes = buffer;
      output = open_output("-", options);
    }
    ::close(ends[0]);
    ::close(ends[1]);
    ASSERT_OK(output);
    (void)(*output)->write(text("nobody listens"));
    EXPECT_FAILS(ErrorCode::kBrokenPipe, (*output)->finish());
    EXPECT_FAILS(ErrorCode::kBrokenPipe, (*output)->finish());
  }
}

TEST(IoStream, FullDeviceIsNoSpace) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP();
  auto output = open_output("/dev/full", {});
  ASSERT_OK(output);
  EXPECT_OK((*output)->write(text("x")));
  EXPECT_FAILS(ErrorCode::kNoSpace, (*output)->finish());
}

}  // namespace
}  // namespace bdelta::test::io_stream_test
