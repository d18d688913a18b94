// OLD and NEW that come as streams: they are put aside in a nameless file, and the patch is that of files.
#include <sys/stat.h>

#include <atomic>
#include <cerrno>
#include <thread>

#include "bdelta/create.hpp"
#include "io/file_ops.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"

namespace bdelta::test::create_file_test {
namespace {

namespace fs = std::filesystem;

class CreateFile : public ::testing::Test {
 protected:
  CreateFile() {
    put(folder_ / "old", old_version_);
    put(folder_ / "new", new_version_);
    options_ = create_options(3);
    options_.temp_dir = aside_.path();
  }

  Result<Report> create(const fs::path& old, const fs::path& made) const {
    return create_file(old, made, folder_ / "patch", options_);
  }

  // The patch is as from files, and of what was put aside nothing is left.
  void expect_as_from_files(const fs::path& old, const fs::path& made) {
    options_.files.overwrite = true;
    ASSERT_OK(create(folder_ / "old", folder_ / "new"));
    const Bytes patch = get(folder_ / "patch");
    const auto report = create(old, made);
    ASSERT_OK(report);
    EXPECT_EQ(new_version_.size(), report->target_bytes);
    EXPECT_TRUE(same_bytes(patch, get(folder_ / "patch")));
    EXPECT_EQ(0, aside_.count());
  }

  const Bytes old_version_ = wordy_bytes(30'000, 1);
  const Bytes new_version_ = edited(old_version_, random_edits(5, old_version_.size(), 500, 2));
  const Folder folder_;
  const Folder aside_;
  CreateOptions options_;
};

TEST_F(CreateFile, NewThroughAPipe) {
  for (const IoMode mode : {IoMode::kStdio, IoMode::kMmap}) {
    options_.files.mode = mode;
    const FullPipe pipe(new_version_);
    expect_as_from_files(folder_ / "old", pipe.name());
  }
}

TEST_F(CreateFile, BothThroughPipes) {
  const FullPipe old(old_version_);
  const FullPipe made(new_version_);
  expect_as_from_files(old.name(), made.name());
}

// Larger than what a pipe holds, and under a limit of memory that it doesn't fit into twice.
TEST_F(CreateFile, NewThroughAFifo) {
  const Bytes large = random_bytes(40 << 20, 3);
  ASSERT_EQ(0, ::mkfifo((folder_ / "fifo").c_str(), 0600));
  std::thread writer([&] { put(folder_ / "fifo", large); });
  options_.level = 1;
  options_.memory_limit_bytes = 64 << 20;
  const auto report = create(folder_ / "old", folder_ / "fifo");
  writer.join();
  ASSERT_OK(report);
  EXPECT_EQ(large.size(), report->target_bytes);
  EXPECT_GT(report->read_calls, 100u);
}

TEST_F(CreateFile, AnEmptyStreamIsAnEmptyFile) {
  const FullPipe empty({});
  ASSERT_OK(create(folder_ / "old", empty.name()));
  const auto made = apply_patch(old_version_, get(folder_ / "patch"));
  ASSERT_OK(made);
  EXPECT_TRUE(made->empty());
}

TEST_F(CreateFile, OneStreamCannotBeBoth) {
  const FullPipe pipe(new_version_);
  const auto refused = create(pipe.name(), pipe.name());
  EXPECT_FAILS(ErrorCode::kSamePath, refused);
  EXPECT_NE(std::string::npos, refused.error().file.find(pipe.name().string())) << to_string(refused.error());
  EXPECT_FALSE(fs::exists(folder_ / "patch"));
}

// A pipe that keeps silent while it is open.
class SilentPipe {
 public:
  SilentPipe() { EXPECT_EQ(0, ::pipe(ends_)); }
  ~SilentPipe() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  [[nodiscard]] fs::path name() const { return "/dev/fd/" + std::to_string(ends_[0]); }
  void say(ByteSpan bytes) const { EXPECT_EQ(static_cast<ssize_t>(bytes.size()), ::write(ends_[1], bytes.data(), bytes.size())); }

 private:
  int ends_[2] = {-1, -1};
};

TEST_F(CreateFile, CanBeCancelledWhileAStreamIsSilent) {
  const SilentPipe pipe;
  pipe.say(text("some"));
  int calls = 0;
  options_.progress = [&](std::uint64_t done, std::uint64_t total) {
    EXPECT_EQ(0u, done);
    EXPECT_EQ(0u, total) << "not known yet";
    return ++calls < 4;
  };
  EXPECT_FAILS(ErrorCode::kCancelled, create(folder_ / "old", pipe.name()));
  EXPECT_EQ(4, calls);
  EXPECT_FALSE(fs::exists(folder_ / "patch"));
  EXPECT_EQ(0, aside_.count());
  EXPECT_EQ(2, folder_.count());
}

TEST_F(CreateFile, TheTimeLimitHoldsWhileAStreamIsSilent) {
  const SilentPipe pipe;
  options_.time_limit_seconds = 0.02;
  EXPECT_FAILS(ErrorCode::kTimeLimit, create(folder_ / "old", pipe.name()));
  EXPECT_EQ(2, folder_.count());
}

// An existing PATCH is refused before the stream is read.
TEST_F(CreateFile, RefusesAnExistingPatchAtOnce) {
  put(folder_ / "patch", text("there"));
  const SilentPipe pipe;
  EXPECT_FAILS(ErrorCode::kOutputExists, create(folder_ / "old", pipe.name()));
}

TEST_F(CreateFile, ErrorsSayWhatWasPutAsideAndWhere) {
  const FullPipe pipe(new_version_);
  options_.temp_dir = folder_ / "none";
  const auto nowhere = create(folder_ / "old", pipe.name());
  EXPECT_FAILS(ErrorCode::kNotFound, nowhere);
  EXPECT_NE(std::string::npos, nowhere.error().file.find((folder_ / "none").string())) << to_string(nowhere.error());

  const FullPipe again(new_version_);
  options_.temp_dir = aside_.path();
  io::FileOps table = io::system_ops();
  table.write_at = [](int, const void*, std::size_t, std::uint64_t) -> std::ptrdiff_t { return errno = ENOSPC, -1; };
  const io::ScopedFileOps scope(table);
  const auto full = create(folder_ / "old", again.name());
  EXPECT_FAILS(ErrorCode::kNoSpace, full);
  EXPECT_NE(std::string::npos, to_string(full.error()).find(aside_.path().string())) << to_string(full.error());
  EXPECT_NE(std::string::npos, full.error().remedy.find("temp_dir")) << to_string(full.error());
}

TEST_F(CreateFile, WhatCannotBeAnInputIsToldAsBefore) {
  EXPECT_FAILS(ErrorCode::kNotFound, create(folder_ / "old", folder_ / "none"));
  EXPECT_FAILS(ErrorCode::kIsDirectory, create(folder_.path(), folder_ / "new"));
}

}  // namespace
}  // namespace bdelta::test::create_file_test
