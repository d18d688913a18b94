// Outputs that come into being whole or not at all.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

#include "io/temp_file.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::io_output_test {
namespace {

namespace fs = std::filesystem;

FileOptions overwriting() {
  FileOptions options;
  options.overwrite = true;
  return options;
}

Bytes bytes_of(std::string_view words) { return Bytes(words.begin(), words.end()); }

Status write_whole(const fs::path& path, std::string_view words, const FileOptions& options = {}) {
  auto output = open_output(path, options);
  if (!output) return std::move(output).error();
  if (Status written = (*output)->write(text(words)); !written) return written;
  return (*output)->finish();
}

mode_t mode_of(const fs::path& path) {
  struct ::stat found {};
  EXPECT_EQ(0, ::stat(path.c_str(), &found));
  return found.st_mode & 07777;
}

TEST(IoOutput, AppearsOnlyWhenFinished) {
  const Folder folder;
  auto output = open_output(folder / "new", {});
  ASSERT_OK(output);
  EXPECT_OK((*output)->write(text("hello")));
  EXPECT_FALSE(fs::exists(folder / "new"));
  EXPECT_OK((*output)->finish());
  EXPECT_OK((*output)->finish());
  EXPECT_EQ(bytes_of("hello"), get(folder / "new"));
  EXPECT_EQ(1, folder.count());
  EXPECT_FAILS(ErrorCode::kInternal, (*output)->write(text("more")));
}

TEST(IoOutput, VanishesWhenDestroyed) {
  const Folder folder;
  put(folder / "old", text("old"));
  {
    auto output = open_output(folder / "old", overwriting());
    ASSERT_OK(output);
    EXPECT_OK((*output)->write(text("half")));
    EXPECT_EQ(2, folder.count());
  }
  EXPECT_EQ(1, folder.count());
  EXPECT_EQ(bytes_of("old"), get(folder / "old"));
}

TEST(IoOutput, EmptyOutputsAreOutputs) {
  const Folder folder;
  auto output = open_output(folder / "new", {});
  ASSERT_OK(output);
  EXPECT_OK((*output)->finish());
  EXPECT_TRUE(fs::exists(folder / "new"));
}

TEST(IoOutput, ReplacesOnlyWhenAllowed) {
  const Folder folder;
  put(folder / "f", text("old"));
  EXPECT_FAILS(ErrorCode::kOutputExists, write_whole(folder / "f", "new"));
  EXPECT_EQ(bytes_of("old"), get(folder / "f"));
  EXPECT_OK(write_whole(folder / "f", "new", overwriting()));
  EXPECT_EQ(bytes_of("new"), get(folder / "f"));
}

TEST(IoOutput, DoesNotClobberWhatAppearedMeanwhile) {
  const Folder folder;
  auto output = open_output(folder / "f", {});
  ASSERT_OK(output);
  EXPECT_OK((*output)->write(text("mine")));
  put(folder / "f", text("theirs"));
  EXPECT_FAILS(ErrorCode::kOutputExists, (*output)->finish());
  EXPECT_EQ(bytes_of("theirs"), get(folder / "f"));
  EXPECT_EQ(1, folder.count());
}

TEST(IoOutput, ModeOfTheReplacedFileElseOfTheUmask) {
  const Folder folder;
  put(folder / "f", text("old"));
  ASSERT_EQ(0, ::chmod((folder / "f").c_str(), 0751));
  EXPECT_OK(write_whole(folder / "f", "new", overwriting()));
  EXPECT_EQ(0751u, mode_of(folder / "f"));
  const mode_t before = ::umask(027);
  {
    auto output = open_output(folder / "g", {});
    ASSERT_OK(output);
    for (const auto& entry : fs::directory_iterator(folder.path())) {
      if (entry.path().filename() != "f") {
        EXPECT_EQ(0600u, mode_of(entry.path())) << "private while unfinished";
      }
    }
    EXPECT_OK((*output)->finish());
  }
  ::umask(before);
  EXPECT_EQ(0640u, mode_of(folder / "g"));
}

TEST(IoOutput, TargetsOfLinksAreReplaced) {
  const Folder folder;
  fs::create_directory(folder / "dir");
  put(folder / "dir" / "file", text("old"));
  fs::create_symlink("dir/file", folder / "one");
  fs::create_symlink("one", folder / "two");
  EXPECT_FAILS(ErrorCode::kOutputExists, write_whole(folder / "two", "new"));
  EXPECT_OK(write_whole(folder / "two", "new", overwriting()));
  EXPECT_TRUE(fs::is_symlink(folder / "one") && fs::is_symlink(folder / "two"));
  EXPECT_EQ(bytes_of("new"), get(folder / "dir" / "file"));
  fs::create_symlink("dir/fresh", folder / "dangling");
  EXPECT_FAILS(ErrorCode::kOutputExists, write_whole(folder / "dangling", "fresh"));
  EXPECT_FALSE(fs::exists(folder / "dir" / "fresh"));
  EXPECT_OK(write_whole(folder / "dangling", "fresh", overwriting()));
  EXPECT_EQ(bytes_of("fresh"), get(folder / "dir" / "fresh"));
  fs::create_symlink("circle", folder / "circle");
  EXPECT_FAILS(ErrorCode::kOpenFailed, write_whole(folder / "circle", "x"));
}

TEST(IoOutput, NamesWhatCannotBeAnOutput) {
  const Folder folder;
  EXPECT_FAILS(ErrorCode::kIsDirectory, write_whole(folder.path(), "x", overwriting()));
  EXPECT_FAILS(ErrorCode::kNotFound, write_whole(folder / "none" / "f", "x"));
  EXPECT_FAILS(ErrorCode::kIsDirectory, write_whole(folder / "new/", "x"));
  EXPECT_FAILS(ErrorCode::kNotFound, write_whole("", "x"));
}

TEST(IoOutput, DevicesAndFifosAreWrittenStraightThrough) {
  const Folder folder;
  auto null = open_output("/dev/null", {});
  ASSERT_OK(null);
  EXPECT_EQ(nullptr, (*null)->positioned());
  EXPECT_OK((*null)->write(text("gone")));
  EXPECT_OK((*null)->finish());
  EXPECT_TRUE(fs::is_character_file("/dev/null"));

  ASSERT_EQ(0, ::mkfifo((folder / "p").c_str(), 0600));
  Bytes found;
  std::thread reader([&] { found = get(folder / "p"); });
  EXPECT_OK(write_whole(folder / "p", "through"));
  reader.join();
  EXPECT_EQ(bytes_of("through"), found);
  EXPECT_TRUE(fs::is_fifo(folder / "p"));
}

TEST(IoOutput, PositionedFromSeveralThreads) {
  const Folder folder;
  const Bytes bytes = pattern(100'000);
  auto output = open_output(folder / "f", {});
  ASSERT_OK(output);
  PositionedWriter* positioned = (*output)->positioned();
  ASSERT_NE(nullptr, positioned);
  EXPECT_OK((*output)->reserve(bytes.size() * 2));
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < 4; ++part) {
    threads.emplace_back([&, part] {
      for (std::size_t pos = part * 1000; pos < bytes.size(); pos += 4000) {
        EXPECT_OK(positioned->write_at(pos, ByteSpan(bytes).subspan(pos, 1000)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_OK(positioned->finish());
  EXPECT_EQ(bytes, get(folder / "f")) << "cut to what was written";
}

TEST(IoOutput, OneModeForEachObject) {
  const Folder folder;
  auto first = open_output(folder / "a", {});
  ASSERT_OK(first);
  PositionedWriter* positioned = (*first)->positioned();
  EXPECT_OK((*first)->write(text("x")));
  EXPECT_EQ(nullptr, (*first)->positioned());
  EXPECT_FAILS(ErrorCode::kInternal, positioned->write_at(0, text("y")));
  EXPECT_FAILS(ErrorCode::kInternal, (*first)->finish());
  auto second = open_output(folder / "b", {});
  ASSERT_OK(second);
  EXPECT_OK((*second)->positioned()->write_at(0, text("x")));
  EXPECT_FAILS(ErrorCode::kInternal, (*second)->write(text("y")));
  EXPECT_FAILS(ErrorCode::kInternal, (*second)->finish());
  EXPECT_EQ(0, folder.count());
}

TEST(IoOutput, ReservedSpaceIsCutInSequenceToo) {
  const Folder folder;
  auto output = open_output(folder / "f", {});
  ASSERT_OK(output);
  EXPECT_OK((*output)->reserve(1 << 20));
  EXPECT_OK((*output)->write(text("short")));
  EXPECT_OK((*output)->reserve(1 << 21));
  EXPECT_OK((*output)->finish());
  EXPECT_EQ(bytes_of("short"), get(folder / "f"));
}

TEST(IoOutput, TemporaryDirectoryHereOrOnAnotherFileSystem) {
  const Folder folder;
  const Folder beside;
  std::vector<fs::path> places{beside.path()};
  const bool has_shm = fs::is_directory("/dev/shm") && ::access("/dev/shm", W_OK) == 0;
  const Folder other(has_shm ? fs::path("/dev/shm") : fs::temp_directory_path());
  places.push_back(other.path());
  for (const fs::path& place : places) {
    FileOptions options = overwriting();
    options.temp_dir = place;
    auto output = open_output(folder / "f", options);
    ASSERT_OK(output);
    EXPECT_EQ(1, std::distance(fs::directory_iterator(place), fs::directory_iterator()));
    const Bytes bytes = pattern(3'000'000);
    EXPECT_OK((*output)->write(bytes));
    EXPECT_OK((*output)->finish());
    EXPECT_EQ(bytes, get(folder / "f"));
    EXPECT_EQ(1, folder.count());
    EXPECT_EQ(0, std::distance(fs::directory_iterator(place), fs::directory_iterator()));
  }
}

TEST(IoOutput, ASignalHandlerCanRemoveWhatIsUnfinished) {
  const Folder folder;
  {
    std::vector<std::unique_ptr<OutputFile>> outputs;
    for (int i = 0; i < 20; ++i) {
      auto output = open_output(folder / std::to_string(i), {});
      ASSERT_OK(output);
      outputs.push_back(std::move(output).value());
    }
    EXPECT_OK(outputs[7]->finish());
    remove_unfinished_outputs();
    EXPECT_EQ(1, folder.count());
    EXPECT_TRUE(fs::exists(folder / "7"));
    EXPECT_FAILS(ErrorCode::kRenameFailed, outputs[3]->finish());
  }
  for (int i = 0; i < 100; ++i) {  // slots come back
    auto output = open_output(folder / "again", {});
    ASSERT_OK(output);
    remove_unfinished_outputs();
    ASSERT_EQ(1, folder.count());
  }
}

// Stands for a signal that comes while a file with a name has just been made, on the thread that makes it.
int open_and_remove(const io::PathChar* path, io::OpenKind, std::uint32_t mode) {
  const int fd = io::system_ops().open(path, io::OpenKind::kCreateNew, mode);
  remove_unfinished_outputs();
  return fd;
}

TEST(IoOutput, ASignalHandlerFindsFilesThatAreBeingMade) {
  io::FileOps ops = io::system_ops();
  ops.open = open_and_remove;
  const io::ScopedFileOps scope(ops);
  for (const io::OpenKind kind : {io::OpenKind::kCreateNew, io::OpenKind::kCreateNameless}) {
    const Folder folder;
    EXPECT_OK(io::create_unpredictable(folder.path(), kind, 0600));
    EXPECT_EQ(0, folder.count());
  }
}

std::thread g_handler;

int open_late(const io::PathChar* path, io::OpenKind kind, std::uint32_t mode) {
  g_handler = std::thread(remove_unfinished_outputs);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  return io::system_ops().open(path, kind, mode);
}

TEST(IoOutput, ASignalHandlerOnAnotherThreadWaitsForTheFile) {
  io::FileOps ops = io::system_ops();
  ops.open = open_late;
  const io::ScopedFileOps scope(ops);
  const Folder folder;
  const auto file = io::create_unpredictable(folder.path(), io::OpenKind::kCreateNew, 0600);
  g_handler.join();
  EXPECT_OK(file);
  EXPECT_EQ(0, folder.count());
}

TEST(IoOutput, ChangingTheWorkingDirectoryDoesNoHarm) {
  const Folder folder;
  const fs::path before = fs::current_path();
  fs::current_path(folder.path());
  auto output = open_output("f", {});
  fs::current_path(before);
  ASSERT_OK(output);
  EXPECT_OK((*output)->finish());
  EXPECT_TRUE(fs::exists(folder / "f"));
}

TEST(IoSameFile, ByIdentityElseBySpelling) {
  const Folder folder;
  put(folder / "a", text("x"));
  put(folder / "b", text("x"));
  fs::create_hard_link(folder / "a", folder / "hard");
  fs::create_symlink("a", folder / "soft");
  EXPECT_TRUE(same_file(folder / "a", folder / "a"));
  EXPECT_TRUE(same_file(folder / "a", folder / "hard"));
  EXPECT_TRUE(same_file(folder / "a", folder / "soft"));
  EXPECT_TRUE(same_file(folder / "a", folder / "." / "a"));
  EXPECT_FALSE(same_file(folder / "a", folder / "b"));
  EXPECT_FALSE(same_file(folder / "a", folder / "new"));
  EXPECT_TRUE(same_file(folder / "new", folder / "x" / ".." / "new"));
  EXPECT_FALSE(same_file(folder / "new", folder / "newer"));
}

}  // namespace
}  // namespace bdelta::test::io_output_test
