// Updates in place that were interrupted: what is left behind, and who may go on with it.
#include <sys/file.h>
#include <sys/stat.h>

#include "unit/in_place_files.hpp"

namespace bdelta::test::in_place_test {
namespace {

TEST_F(InPlace, ResumesWhereItEnded) {
  for (const std::uint64_t written : {0u, 1u, 4'096u, 9'000u}) {
    make_usual();
    interrupt(written);
    const auto is_so = is_unfinished(file(), in_place_);
    ASSERT_OK(is_so);
    EXPECT_TRUE(*is_so);
    const auto report = resume();
    ASSERT_OK(report);
    EXPECT_FALSE(report->up_to_date);
    EXPECT_EQ(3 * kBlock + 100'000 % kBlock, report->written_bytes);
    EXPECT_TRUE(same_bytes(new_, get(file())));
    EXPECT_FALSE(fs::exists(journal()));
    const auto again = resume();
    ASSERT_OK(again);
    EXPECT_TRUE(again->up_to_date);
  }
}

TEST_F(InPlace, ResumingIsToldAndCanBeEnded) {
  make_usual();
  interrupt(5'000);
  std::vector<Progress> told;
  for (const char* const phase : {"verify", "write"}) {
    told.clear();
    options_.progress = [&](const Progress& now) {
      told.push_back(now);
      return now.phase != std::string_view(phase);
    };
    EXPECT_FAILS(ErrorCode::kCancelled, resume());
    const auto is_so = is_unfinished(file(), in_place_);
    ASSERT_OK(is_so);
    EXPECT_TRUE(*is_so);
  }
  told.clear();
  options_.progress = [&](const Progress& now) {
    told.push_back(now);
    return true;
  };
  EXPECT_OK(resume());
  ASSERT_GE(told.size(), 3u);
  for (std::size_t i = 0; i < told.size(); ++i) {
    EXPECT_EQ(new_.size(), told[i].total);
    EXPECT_GE(told[i].done, told[i == 0 ? 0 : i - 1].done);
  }
  EXPECT_EQ(0u, told.front().done);
  EXPECT_EQ(new_.size(), told.back().done);
  EXPECT_TRUE(same_bytes(new_, get(file())));
  options_.progress = {};
  EXPECT_TRUE(resume()->up_to_date);
}

TEST_F(InPlace, CompletesBeforeAnotherPatchIsApplied) {
  make_usual();
  interrupt(5'000);
  EXPECT_TRUE(expect_new().up_to_date);

  make_usual();
  interrupt(5'000);
  const Bytes next = edited(new_, {{Edit::kInsert, 30'000, 77, 0, 4}});
  auto patch = make_patch(new_, next, create_options(3));
  ASSERT_OK(patch);
  put(folder_ / "patch", *patch);
  new_ = next;
  expect_new();
}

TEST_F(InPlace, CompletesAFileThatGrowsOrShrinks) {
  const Bytes longer = wordy_bytes(50'000, 1);
  Bytes shorter(longer.begin(), longer.begin() + 30'000);
  shorter[10'000] ^= 1;
  for (const bool grows : {true, false}) {
    make(grows ? shorter : longer, grows ? longer : shorter);
    interrupt(100);
    EXPECT_TRUE(expect_new().up_to_date);
  }
}

TEST_F(InPlace, AnUnfinishedFileIsNotRead) {
  make_usual();
  interrupt(5'000);
  put(folder_ / "old2", old_);
  FileOptions files;
  EXPECT_FAILS(ErrorCode::kUnfinished, apply_file(file(), folder_ / "made", folder_ / "patch", options_));
  EXPECT_FAILS(ErrorCode::kUnfinished, apply_file(folder_ / "old2", file(), folder_ / "patch", options_));
  EXPECT_FAILS(ErrorCode::kUnfinished, check_file(file(), folder_ / "patch", options_));
  EXPECT_FAILS(ErrorCode::kUnfinished, create_file(file(), folder_ / "old2", folder_ / "p2", create_options(3)));
  EXPECT_FAILS(ErrorCode::kUnfinished, create_file(folder_ / "old2", file(), folder_ / "p2", create_options(3)));
  in_place_.dry_run = true;
  EXPECT_FAILS(ErrorCode::kUnfinished, apply());
  EXPECT_OK(resume());
  EXPECT_TRUE(same_bytes(new_, get(file())));
}

TEST_F(InPlace, AnUncommittedJournalIsRemoved) {
  make_usual();
  interrupt(0);
  const Bytes whole = get(journal());
  put(file(), old_);
  for (const std::size_t cut : {std::size_t{0}, std::size_t{5}, std::size_t{10}, whole.size() - kJournalMarkBytes, whole.size() - 1}) {
    put(journal(), ByteSpan(whole).first(cut));
    const auto is_so = is_unfinished(file(), in_place_);
    ASSERT_OK(is_so);
    EXPECT_FALSE(*is_so);
    EXPECT_TRUE(resume()->up_to_date);
    expect_old();
  }
  put(journal(), ByteSpan(whole).first(100));
  expect_new();
}

TEST_F(InPlace, AJournalOfAnotherFileIsRefused) {
  make_usual();
  interrupt(5'000);
  const Bytes journal_bytes = get(journal());
  const Bytes half = get(file());
  const auto refused = [&](const Bytes& content) {
    put(file(), content);
    for (const auto& report : {resume(), apply()}) EXPECT_FAILS(ErrorCode::kWrongJournal, report);
    EXPECT_TRUE(same_bytes(content, get(file())));
    EXPECT_TRUE(same_bytes(journal_bytes, get(journal())));
  };
  Bytes other = half;
  other[20'000] ^= 1;  // in no block of the journal
  refused(other);
  other = half;
  other.push_back(0);
  refused(other);
  other.resize(half.size() - 1);
  refused(other);
  put(file(), half);
  EXPECT_OK(resume());
  EXPECT_TRUE(same_bytes(new_, get(file())));
}

TEST_F(InPlace, ADamagedJournalIsRefused) {
  make_usual();
  interrupt(5'000);
  const Bytes whole = get(journal());
  const Bytes half = get(file());
  for (std::size_t at = 0; at < whole.size() - kJournalMarkBytes; at += 97) {
    Bytes bent = whole;
    bent[at] ^= 0x10;
    put(journal(), bent);
    EXPECT_FAILS(ErrorCode::kWrongJournal, resume());
    EXPECT_TRUE(same_bytes(half, get(file())));
  }
}

TEST_F(InPlace, WhatIsNoJournalIsLeftAsItIs) {
  make_usual();
  put(folder_ / "letter", text("Dear reader"));
  in_place_.journal = folder_ / "letter";
  EXPECT_FAILS(ErrorCode::kWrongJournal, apply());
  EXPECT_TRUE(same_bytes(text("Dear reader"), get(folder_ / "letter")));
  fs::create_symlink("elsewhere", folder_ / "link");
  in_place_.journal = folder_ / "link";
  EXPECT_OK(apply());
  EXPECT_FALSE(fs::exists(folder_ / "elsewhere"));
}

// Who may write beside a file may not write to it so.
TEST_F(InPlace, AJournalOfSomebodyElseIsRefused) {
  if (::geteuid() != 0) GTEST_SKIP() << "only root can give files away";
  make_usual();
  interrupt(5'000);
  ASSERT_EQ(0, ::chown(journal().c_str(), 12'345, 0));
  EXPECT_FAILS(ErrorCode::kWrongJournal, resume());
  EXPECT_FAILS(ErrorCode::kWrongJournal, apply());
  ASSERT_EQ(0, ::chown(file().c_str(), 12'345, 0));
  EXPECT_OK(resume());
  EXPECT_TRUE(same_bytes(new_, get(file())));
}

TEST_F(InPlace, TheJournalIsPrivateAndInItsPlace) {
  make_usual();
  in_place_.journal = folder_ / "elsewhere";
  EXPECT_FALSE(fs::exists(journal()));
  static fs::path place;
  static mode_t mode;
  place = folder_ / "elsewhere";
  io::FileOps table = io::system_ops();
  table.lock = [](int fd) {
    struct ::stat found {};
    if (::stat(place.c_str(), &found) == 0) mode = found.st_mode & 0777;
    return io::system_ops().lock(fd);
  };
  const io::ScopedFileOps scope(table);
  ::umask(0);
  expect_new();
  ::umask(022);
  EXPECT_EQ(0600u, mode);
  EXPECT_FALSE(fs::exists(place));
}

TEST_F(InPlace, ASecondProcessIsKeptOut) {
  make_usual();
  const int fd = ::open(file().c_str(), O_RDONLY);
  ASSERT_EQ(0, ::flock(fd, LOCK_EX | LOCK_NB));
  EXPECT_FAILS(ErrorCode::kInUse, apply());
  EXPECT_FAILS(ErrorCode::kInUse, resume());
  ::close(fd);
  expect_new();
}

}  // namespace
}  // namespace bdelta::test::in_place_test
