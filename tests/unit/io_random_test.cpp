// Positioned readers: by calls, mapped, in memory; and the spool.
#include <sys/stat.h>

#include <filesystem>
#include <thread>
#include <vector>

#include "support/io_support.hpp"
#include "io/memory_io.hpp"
#include "io/open.hpp"
#include "io/spool.hpp"
#include "support/memory_writer.hpp"

namespace bdelta::test::io_random_test {
namespace {

FileOptions with_mode(IoMode mode) {
  FileOptions options;
  options.mode = mode;
  return options;
}

class IoRandom : public testing::TestWithParam<IoMode> {
 protected:
  Folder folder;
  FileOptions options = with_mode(GetParam());
};

TEST_P(IoRandom, ReadsAnywhereFromSeveralThreads) {
  const Bytes bytes = pattern(100'000);
  put(folder / "f", bytes);
  auto reader = open_random(folder / "f", options);
  ASSERT_OK(reader);
  EXPECT_EQ(bytes.size(), (*reader)->size());
  EXPECT_EQ(GetParam() == IoMode::kMmap ? bytes.size() : 0, (*reader)->view().size());
  std::vector<std::thread> threads;
  for (std::size_t first = 0; first < 4; ++first) {
    threads.emplace_back([&, first] {
      Bytes out(777);
      for (std::size_t pos = first; pos + out.size() <= bytes.size(); pos += 1001) {
        EXPECT_OK((*reader)->read_at(pos, out));
        EXPECT_TRUE(std::equal(out.begin(), out.end(), bytes.begin() + static_cast<std::ptrdiff_t>(pos)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_OK((*reader)->check_unchanged());
}

TEST_P(IoRandom, ReadsOutOfRangeFail) {
  put(folder / "f", pattern(10));
  auto reader = open_random(folder / "f", options);
  ASSERT_OK(reader);
  Bytes out(4);
  EXPECT_OK((*reader)->read_at(6, out));
  EXPECT_FAILS(ErrorCode::kReadFailed, (*reader)->read_at(7, out));
  EXPECT_FAILS(ErrorCode::kReadFailed, (*reader)->read_at(~std::uint64_t{0}, out));
  EXPECT_OK((*reader)->read_at(10, {}));
}

TEST_P(IoRandom, AnEmptyFileIsFine) {
  put(folder / "f", {});
  auto reader = open_random(folder / "f", options);
  ASSERT_OK(reader);
  EXPECT_EQ(0u, (*reader)->size());
  EXPECT_TRUE((*reader)->view().empty());
  EXPECT_OK((*reader)->read_at(0, {}));
}

TEST_P(IoRandom, RegularFilesOnly) {
  ASSERT_EQ(0, ::mkfifo((folder / "p").c_str(), 0600));
  EXPECT_FAILS(ErrorCode::kNotSeekable, open_random(folder / "p", options));
  EXPECT_FAILS(ErrorCode::kNotSeekable, open_random("/dev/null", options));
  EXPECT_FAILS(ErrorCode::kIsDirectory, open_random(folder.path(), options));
  EXPECT_FAILS(ErrorCode::kNotFound, open_random(folder / "none", options));
  EXPECT_FAILS(ErrorCode::kNotFound, open_random(folder / "p" / "below", options));
}

TEST_P(IoRandom, NoticesChanges) {
  put(folder / "f", pattern(100));
  auto reader = open_random(folder / "f", options);
  ASSERT_OK(reader);
  EXPECT_OK((*reader)->check_unchanged());
  std::filesystem::last_write_time(folder / "f", std::filesystem::file_time_type::clock::now() + std::chrono::hours(1));
  EXPECT_FAILS(ErrorCode::kInputChanged, (*reader)->check_unchanged());
  auto second = open_random(folder / "f", options);
  ASSERT_OK(second);
  std::filesystem::resize_file(folder / "f", 101);
  EXPECT_FAILS(ErrorCode::kInputChanged, (*second)->check_unchanged());
}

INSTANTIATE_TEST_SUITE_P(Modes, IoRandom, testing::Values(IoMode::kStdio, IoMode::kMmap));

TEST(IoRandomFile, AFileThatShrankIsTruncated) {
  const Folder folder;
  put(folder / "f", pattern(100));
  auto reader = open_random(folder / "f", {});
  ASSERT_OK(reader);
  std::filesystem::resize_file(folder / "f", 50);
  Bytes out(60);
  EXPECT_FAILS(ErrorCode::kInputTruncated, (*reader)->read_at(0, out));
  EXPECT_FAILS(ErrorCode::kInputTruncated, (*reader)->read_at(40, out));
}

TEST(IoMemory, ReadersAndLimit) {
  const Bytes bytes = pattern(100);
  io::MemoryReader reader(bytes);
  Bytes out(10);
  EXPECT_OK(reader.read_at(90, out));
  EXPECT_FAILS(ErrorCode::kReadFailed, reader.read_at(91, out));
  EXPECT_EQ(bytes.data(), reader.view().data());
  Bytes to;
  MemoryWriter writer(to, 10);
  EXPECT_OK(writer.write(out));
  EXPECT_OK(writer.write({}));
  EXPECT_FAILS(ErrorCode::kOutputLimit, writer.write(ByteSpan(out).first(1)));
  EXPECT_EQ(out, to);
}

TEST(IoSpool, EveryPieceAroundTheMemoryLimit) {
  const Folder folder;
  const Bytes bytes = pattern(5000);
  for (const std::uint64_t memory : {0u, 1u, 100u, 4999u, 5000u, 100'000u}) {
    for (const std::size_t piece : {1u, 99u, 100u, 101u, 5000u}) {
      io::Spool spool({memory, folder.path()});
      for (std::size_t at = 0; at < bytes.size(); at += piece) {
        ASSERT_OK(spool.append(ByteSpan(bytes).subspan(at, std::min(piece, bytes.size() - at))));
      }
      EXPECT_EQ(bytes.size(), spool.size());
      EXPECT_EQ(0, folder.count()) << "the file has no name";
      for (int again = 0; again < 2; ++again) {
        auto reader = spool.open_reader();
        ASSERT_OK(reader);
        EXPECT_EQ(bytes, read_all(**reader, 777)) << memory << ' ' << piece;
      }
    }
  }
}

TEST(IoSpool, NeedsItsDirectoryOnlyWhenMemoryIsFull) {
  const Folder folder;
  io::Spool spool({10, folder / "none"});
  EXPECT_OK(spool.append(pattern(10)));
  EXPECT_FAILS(ErrorCode::kNotFound, spool.append(pattern(1)));
  EXPECT_EQ(10u, spool.size());
  auto reader = spool.open_reader();
  ASSERT_OK(reader);
  EXPECT_EQ(pattern(10), read_all(**reader, 100));
}

}  // namespace
}  // namespace bdelta::test::io_random_test
