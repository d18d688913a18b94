// A patch applied to a file in its place: what is written, and what is refused.
#include <sys/stat.h>

#include "unit/in_place_files.hpp"

namespace bdelta::test::in_place_test {
namespace {

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
