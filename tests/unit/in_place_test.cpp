// A patch applied to a file in its place: what is written, what is refused, and what is left behind.
#include "bdelta/in_place.hpp"

#include <sys/file.h>
#include <sys/stat.h>

#include "apply/block_journal.hpp"
#include "bdelta/create.hpp"
#include "io/memory_io.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"

namespace bdelta::test::in_place_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = kBlockBytes;

// What is written to files, by name, while it lives.
class WriteLog {
 public:
  explicit WriteLog(fs::path file) : table_(io::system_ops()) {
    file_ = std::move(file);
    fd_ = -1;
    bytes_ = 0;
    table_.open = [](const char* path, io::OpenKind kind, std::uint32_t mode) {
      const int fd = io::system_ops().open(path, kind, mode);
      if (kind == io::OpenKind::kUpdate && path == file_) fd_ = fd;
      return fd;
    };
    table_.write_at = [](int fd, const void* from, std::size_t size, std::uint64_t pos) {
      if (fd == fd_) bytes_ += size;
      return io::system_ops().write_at(fd, from, size, pos);
    };
    scope_.emplace(table_);
  }

  [[nodiscard]] static std::uint64_t bytes() { return bytes_; }

 private:
  static inline fs::path file_;
  static inline int fd_ = -1;
  static inline std::uint64_t bytes_ = 0;
  io::FileOps table_;
  std::optional<io::ScopedFileOps> scope_;
};

class InPlace : public ::testing::Test {
 protected:
  void make(Bytes old_version, Bytes new_version, PatchFormat format = PatchFormat::kBdt2) {
    old_ = std::move(old_version);
    new_ = std::move(new_version);
    put(file(), old_);
    auto patch = make_patch(old_, new_, create_options(3, format));
    ASSERT_OK(patch);
    put(folder_ / "patch", *patch);
  }

  // A pair that differs here and there.
  void make_usual() {
    Bytes old_version = wordy_bytes(100'000, 1);
    Bytes new_version = old_version;
    for (const std::size_t at : {5'000u, 8'191u, 8'192u, 70'000u, 99'999u}) new_version[at] ^= 1;
    make(std::move(old_version), std::move(new_version));
  }

  [[nodiscard]] fs::path file() const { return folder_ / "f"; }
  [[nodiscard]] fs::path journal() const { return folder_ / ".f.bdelta-journal"; }
  [[nodiscard]] Result<Report> apply() const { return apply_in_place(file(), folder_ / "patch", options_, in_place_); }
  [[nodiscard]] Result<Report> resume() const { return resume_in_place(file(), options_, in_place_); }

  // Applies, and judges.
  Report expect_new() const {
    auto report = apply();
    EXPECT_OK(report);
    EXPECT_TRUE(same_bytes(new_, get(file())));
    EXPECT_FALSE(fs::exists(journal()));
    return report ? *report : Report();
  }
  void expect_old() const {
    EXPECT_TRUE(same_bytes(old_, get(file())));
    EXPECT_FALSE(fs::exists(journal()));
  }

  // A run that ends when it has written `bytes` to the file.
  void interrupt(std::uint64_t bytes) const {
    static std::uint64_t left;
    static int fd_of_file;
    static fs::path path;
    left = bytes;
    path = file();
    io::FileOps table = io::system_ops();
    table.open = [](const char* name, io::OpenKind kind, std::uint32_t mode) {
      const int fd = io::system_ops().open(name, kind, mode);
      if (kind == io::OpenKind::kUpdate && name == path) fd_of_file = fd;
      return fd;
    };
    table.write_at = [](int fd, const void* from, std::size_t size, std::uint64_t pos) -> std::ptrdiff_t {
      if (fd != fd_of_file) return io::system_ops().write_at(fd, from, size, pos);
      if (left == 0) return errno = EIO, -1;
      size = std::min<std::size_t>(size, left);
      left -= size;
      return io::system_ops().write_at(fd, from, size, pos);
    };
    const io::ScopedFileOps scope(table);
    EXPECT_FAILS(ErrorCode::kUnfinished, apply());
    EXPECT_TRUE(fs::exists(journal()));
  }

  const Folder folder_;
  Bytes old_, new_;
  ApplyOptions options_;
  InPlaceOptions in_place_;
};

TEST_F(InPlace, WritesTheBlocksThatDiffer) {
  for (const IoMode mode : {IoMode::kStdio, IoMode::kMmap}) {
    for (const unsigned threads : {1u, 3u}) {
      make_usual();
      options_.files.mode = mode;
      options_.threads = threads;
      const WriteLog log(file());
      const Report report = expect_new();
      const std::uint64_t differing = 3 * kBlock + 100'000 % kBlock;  // of the five, two are in one block
      EXPECT_EQ(differing, report.written_bytes);
      EXPECT_EQ(differing, WriteLog::bytes());
      EXPECT_LE(report.journal_bytes, differing + differing / 50 + 65'536);
      EXPECT_FALSE(report.up_to_date);
      EXPECT_TRUE(report.verified);
      EXPECT_TRUE(report.source_digests.xxh3_128 && report.target_digests.xxh3_128);
    }
  }
}

TEST_F(InPlace, GrowsAndShrinks) {
  const Bytes longer = wordy_bytes(50'000, 1);
  for (const std::size_t size : {0u, 1u, 4'095u, 4'096u, 4'097u, 49'999u}) {
    const Bytes shorter(longer.begin(), longer.begin() + static_cast<std::ptrdiff_t>(size));
    make(longer, shorter);
    EXPECT_EQ(0u, expect_new().written_bytes);
    make(shorter, longer);
    EXPECT_LE(longer.size() - size, expect_new().written_bytes);
  }
}

TEST_F(InPlace, TakesAnyEdits) {
  for (std::uint64_t seed = 1; seed <= 30; ++seed) {
    const Bytes old_version = wordy_bytes(60'000, seed);
    make(old_version, edited(old_version, random_edits(6, old_version.size(), 9'000, seed)),
         seed % 3 == 0 ? PatchFormat::kBdt1 : PatchFormat::kBdt2);
    options_.files.mode = seed % 2 == 0 ? IoMode::kMmap : IoMode::kStdio;
    expect_new();
    if (HasFailure()) return;
  }
}

TEST_F(InPlace, KeepsLinksAndPermissions) {
  make_usual();
  ASSERT_EQ(0, ::chmod(file().c_str(), 0751));
  fs::create_hard_link(file(), folder_ / "other");
  fs::create_symlink("f", folder_ / "link");
  struct ::stat before {}, after {};
  ASSERT_EQ(0, ::stat(file().c_str(), &before));
  EXPECT_OK(apply_in_place(folder_ / "link", folder_ / "patch", options_, in_place_));
  ASSERT_EQ(0, ::stat(file().c_str(), &after));
  EXPECT_EQ(before.st_ino, after.st_ino);
  EXPECT_EQ(before.st_mode, after.st_mode);
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_TRUE(same_bytes(new_, get(folder_ / "other")));
}

TEST_F(InPlace, WritesNothingWhereTheFileIsNew) {
  make_usual();
  expect_new();
  for (const IoMode mode : {IoMode::kStdio, IoMode::kMmap}) {
    options_.files.mode = mode;
    const WriteLog log(file());
    EXPECT_TRUE(expect_new().up_to_date);
    EXPECT_EQ(0u, WriteLog::bytes());
  }
  make(wordy_bytes(9'000, 1), wordy_bytes(20'000, 1));  // of another size
  put(file(), new_);
  EXPECT_TRUE(expect_new().up_to_date);
  make(wordy_bytes(9'000, 1), wordy_bytes(9'000, 1));
  EXPECT_TRUE(expect_new().up_to_date);
}

TEST_F(InPlace, RefusesAnotherOld) {
  make_usual();
  old_[50] ^= 1;
  put(file(), old_);
  for (const IoMode mode : {IoMode::kStdio, IoMode::kMmap}) {
    options_.files.mode = mode;
    EXPECT_FAILS(ErrorCode::kWrongSourceDigest, apply());
    expect_old();
  }
  old_.push_back(1);
  put(file(), old_);
  EXPECT_FAILS(ErrorCode::kWrongSourceSize, apply());
  expect_old();
  old_ = wordy_bytes(100'000, 7);  // of which windows would be wrong, too
  put(file(), old_);
  EXPECT_FAILS(ErrorCode::kWrongSourceDigest, apply());
  expect_old();
}

TEST_F(InPlace, RefusesADamagedPatch) {
  make_usual();
  Bytes bent = get(folder_ / "patch");
  bent[bent.size() - 20] ^= 1;
  put(folder_ / "patch", bent);
  const auto report = apply();
  ASSERT_FALSE(report);
  EXPECT_EQ(3, exit_class(report.error().code)) << to_string(report.error());
  expect_old();
}

TEST_F(InPlace, StaysWithinScratch) {
  make_usual();
  in_place_.dry_run = true;
  const auto would = apply();
  ASSERT_OK(would);
  expect_old();
  EXPECT_EQ(3 * kBlock + 100'000 % kBlock, would->written_bytes);
  in_place_.dry_run = false;
  in_place_.scratch_limit_bytes = would->journal_bytes - 1;
  const auto refused = apply();
  EXPECT_FAILS(ErrorCode::kScratchLimit, refused);
  EXPECT_EQ(would->journal_bytes, refused.error().needed_bytes);
  EXPECT_NE(std::string::npos, refused.error().detail.find(std::to_string(would->journal_bytes) + " bytes")) << refused.error().detail;
  expect_old();
  in_place_.scratch_limit_bytes = would->journal_bytes;
  EXPECT_EQ(would->journal_bytes, expect_new().journal_bytes);
}

TEST_F(InPlace, WithoutSpaceForTheJournalOrForGrowthItStaysOld) {
  const auto refused = [&](io::FileOps table) {
    const io::ScopedFileOps scope(table);
    EXPECT_FAILS(ErrorCode::kNoSpace, apply());
    expect_old();
  };
  io::FileOps full = io::system_ops();
  full.write_at = [](int, const void*, std::size_t, std::uint64_t) -> std::ptrdiff_t { return errno = ENOSPC, -1; };
  make_usual();
  refused(full);
  make(wordy_bytes(10'000, 1), wordy_bytes(20'000, 1));
  full = io::system_ops();
  full.claim = [](int, std::uint64_t, std::uint64_t) { return errno = ENOSPC, -1; };
  refused(full);
  full = io::system_ops();
  full.free_bytes = [](const char*, std::uint64_t& out) { return out = 9'999, 0; };
  refused(full);
  expect_new();
}

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

TEST_F(InPlace, WrongCallsAreRefused) {
  make_usual();
  EXPECT_FAILS(ErrorCode::kSamePath, apply_in_place(file(), file(), options_, in_place_));
  EXPECT_FAILS(ErrorCode::kNotFound, apply_in_place(folder_ / "none", folder_ / "patch", options_, in_place_));
  EXPECT_FAILS(ErrorCode::kIsDirectory, apply_in_place(folder_.path(), folder_ / "patch", options_, in_place_));
  EXPECT_FAILS(ErrorCode::kNotFound, apply_in_place(file(), folder_ / "none", options_, in_place_));
  options_.target_mode = 0644;
  EXPECT_FAILS(ErrorCode::kUsage, apply());
  expect_old();
}

TEST_F(InPlace, CanBeCancelled) {
  make_usual();
  options_.progress = [](const Progress&) { return false; };
  EXPECT_FAILS(ErrorCode::kCancelled, apply());
  expect_old();
}

// A regular file that is told to be a device. Its first bytes are OLD.
class Device : public InPlace {
 protected:
  Device() : table_(io::system_ops()) {
    device_ = file();
    own_number_ = false;
    in_memory_.clear();
    table_.info = [](int fd, io::FileInfo& out) { return io::system_ops().info(fd, out) != 0 ? -1 : as_device(out, is_file(out)); };
    table_.link_info = [](const char* path, io::FileInfo& out) {
      return io::system_ops().link_info(path, out) != 0 ? -1 : as_device(out, path == device_);
    };
    table_.is_in_memory = [](const char* directory, bool& out) { return out = in_memory_ == directory, 0; };
  }

  // Of the file and of what stands behind it.
  void put_device(const Bytes& first) {
    put(file(), first);
    std::ofstream(file(), std::ios::binary | std::ios::app).write("behind", 6);
  }
  [[nodiscard]] Bytes first_bytes(std::size_t count) const {
    Bytes all = get(file());
    EXPECT_LE(count, all.size());
    all.resize(std::min(count, all.size()));
    return all;
  }

  static bool is_file(const io::FileInfo& info) {
    io::FileInfo now;
    return io::system_ops().path_info(device_.c_str(), now) == 0 && now.inode == info.inode && now.device == info.device;
  }
  static int as_device(io::FileInfo& info, bool is_so) {
    if (!is_so) return 0;
    info.is_regular = false;
    info.is_device = true;
    info.device_number = own_number_ ? info.device : ~std::uint64_t{0};
    info.size = 0;
    return 0;
  }

  static inline fs::path device_, in_memory_;
  static inline bool own_number_ = false;
  io::FileOps table_;
};

TEST_F(Device, IsUpdatedWithinItsFirstBytes) {
  for (const IoMode mode : {IoMode::kStdio, IoMode::kMmap}) {
    make_usual();
    put_device(old_);
    options_.files.mode = mode;
    in_place_.journal = folder_ / "journal";
    const io::ScopedFileOps scope(table_);
    EXPECT_OK(apply());
    EXPECT_TRUE(same_bytes(new_, first_bytes(new_.size())));
    EXPECT_EQ(new_.size() + 6, fs::file_size(file()));
    EXPECT_TRUE(apply()->up_to_date);
  }
}

TEST_F(Device, HoldsNewOfAnotherSize) {
  const Bytes longer = wordy_bytes(50'000, 1);
  const Bytes shorter(longer.begin(), longer.begin() + 30'000);
  in_place_.journal = folder_ / "journal";
  make(longer, shorter);
  put_device(old_);
  const io::ScopedFileOps scope(table_);
  EXPECT_OK(apply());
  EXPECT_EQ(longer.size() + 6, fs::file_size(file()));
  EXPECT_TRUE(same_bytes(new_, first_bytes(new_.size())));
  EXPECT_TRUE(apply()->up_to_date);

  make(shorter, wordy_bytes(30'006, 1));
  put_device(old_);
  EXPECT_OK(apply());
  EXPECT_TRUE(same_bytes(new_, get(file())));
  make(shorter, wordy_bytes(30'007, 1));
  put_device(old_);
  EXPECT_FAILS(ErrorCode::kNoSpace, apply());
  EXPECT_TRUE(same_bytes(old_, first_bytes(old_.size())));
  make(longer, shorter);
  put(file(), Bytes(100));
  EXPECT_FAILS(ErrorCode::kNoSpace, apply());
  put(file(), Bytes(40'000));
  EXPECT_FAILS(ErrorCode::kWrongSourceSize, apply());
}

TEST_F(Device, NeedsAJournalThatOutlivesIt) {
  make_usual();
  put_device(old_);
  const io::ScopedFileOps scope(table_);
  EXPECT_FAILS(ErrorCode::kUsage, apply());
  in_place_.journal = folder_ / "journal";
  in_memory_ = folder_.path();
  EXPECT_FAILS(ErrorCode::kUsage, apply());
  in_memory_.clear();
  own_number_ = true;
  EXPECT_FAILS(ErrorCode::kUsage, apply());
  own_number_ = false;
  EXPECT_OK(apply());
}

TEST_F(Device, ThatIsMountedIsRefused) {
  make_usual();
  table_.open = [](const char* path, io::OpenKind kind, std::uint32_t mode) {
    if (kind == io::OpenKind::kUpdate) return errno = EBUSY, -1;
    return io::system_ops().open(path, kind, mode);
  };
  const io::ScopedFileOps scope(table_);
  in_place_.journal = folder_ / "journal";
  EXPECT_FAILS(ErrorCode::kInUse, apply());
}

}  // namespace
}  // namespace bdelta::test::in_place_test
