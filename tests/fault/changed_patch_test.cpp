// A patch whose SHA-256 was proven and that is another when it is read again: kInputChanged, and no NEW, also where the
// bytes that came in its place are a sound patch and where size and times tell nothing.
#include <sys/stat.h>

#include <chrono>
#include <thread>

#include "bdelta/apply.hpp"
#include "hash/sha256.hpp"
#include "io/file_ops.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"

namespace bdelta::test::changed_patch_test {
namespace {

namespace fs = std::filesystem;

// What happens to the patch, once its digest was taken.
struct Change {
  fs::path patch;
  Bytes bytes;                      // what it is then
  std::uint64_t at_least_pos = 0;   // the change comes before the read there, of the second reading
  bool same_times = false;          // fstat goes on saying what it said at first
  int fd = -1;
  int readings = 0;
  bool done = false;
  std::optional<io::FileInfo> first_info;
};
Change* g_change = nullptr;

struct timespec changed_at(const fs::path& path) {
  struct ::stat found {};
  EXPECT_EQ(0, ::stat(path.c_str(), &found));
  return found.st_ctim;
}

// Until the clock of the file system has ticked, so that the change can be told.
void change_now() {
  const struct timespec before = changed_at(g_change->patch);
  for (int attempt = 0; attempt < 2000; ++attempt) {
    put(g_change->patch, g_change->bytes);
    const struct timespec now = changed_at(g_change->patch);
    if (now.tv_sec != before.tv_sec || now.tv_nsec != before.tv_nsec) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  g_change->done = true;
}

io::FileOps changing_table() {
  io::FileOps table = io::system_ops();
  table.open = [](const char* path, io::OpenKind kind, std::uint32_t mode) {
    const int fd = io::system_ops().open(path, kind, mode);
    if (g_change->patch == path) g_change->fd = fd;
    return fd;
  };
  table.read_at = [](int fd, void* to, std::size_t size, std::uint64_t pos) {
    if (fd == g_change->fd) {
      g_change->readings += pos == 0;
      if (g_change->readings == 2 && pos >= g_change->at_least_pos && !g_change->done) change_now();
    }
    return io::system_ops().read_at(fd, to, size, pos);
  };
  table.info = [](int fd, io::FileInfo& out) {
    const int result = io::system_ops().info(fd, out);
    if (fd != g_change->fd || !g_change->same_times) return result;
    if (!g_change->first_info) g_change->first_info = out;
    out = *g_change->first_info;
    return result;
  };
  return table;
}

class ChangedPatch : public ::testing::Test {
 protected:
  void SetUp() override {
    // More than is read at a time, and stored, so that patches of NEWs of one size are of one size.
    source_ = random_bytes(300'000, 1);
    const Bytes target = random_bytes(700'000, 2);
    const Bytes other_target = random_bytes(700'000, 3);
    const auto patch = make_patch(source_, target, create_options(1));
    const auto other = make_patch(source_, other_target, create_options(1));
    ASSERT_OK(patch);
    ASSERT_OK(other);
    patch_ = *patch;
    other_ = *other;
    ASSERT_EQ(patch_.size(), other_.size());
    put(folder_ / "old", source_);
    options_.expected_patch_sha256 = sha256(patch_);
    options_.files.overwrite = true;
  }

  // A patch that is as it should be, and becomes `bytes`.
  void expect_refused(const Bytes& bytes, std::uint64_t at_least_pos, bool same_times,
                      ErrorCode code = ErrorCode::kInputChanged) {
    for (const bool exists : {false, true}) {
      put(folder_ / "patch", patch_);
      fs::remove(folder_ / "new");
      if (exists) put(folder_ / "new", text("what was there"));
      EXPECT_FAILS(code, disturbed(bytes, at_least_pos, same_times, false));
      EXPECT_EQ(exists ? 3 : 2, folder_.count());
      if (exists) {
        EXPECT_TRUE(same_bytes(text("what was there"), get(folder_ / "new")));
      }
    }
    put(folder_ / "patch", patch_);
    EXPECT_FAILS(code, disturbed(bytes, at_least_pos, same_times, true));
  }

  Result<Report> disturbed(const Bytes& bytes, std::uint64_t at_least_pos, bool same_times, bool check_only) {
    Change change;
    change.patch = folder_ / "patch";
    change.bytes = bytes;
    change.at_least_pos = at_least_pos;
    change.same_times = same_times;
    g_change = &change;
    const io::FileOps table = changing_table();
    const io::ScopedFileOps scope(table);
    auto report = check_only ? check_file(folder_ / "old", change.patch, options_)
                             : apply_file(folder_ / "old", folder_ / "new", change.patch, options_);
    EXPECT_TRUE(change.done);
    return report;
  }

  Folder folder_;
  Bytes source_;
  Bytes patch_;
  Bytes other_;
  ApplyOptions options_;
};

constexpr std::uint64_t kSecondPiece = 1;  // a read behind the first one

TEST_F(ChangedPatch, ByASoundOneIsNotApplied) {
  expect_refused(other_, 0, false);
  expect_refused(other_, 0, true);
}

TEST_F(ChangedPatch, InItsMiddleIsNotApplied) {
  Bytes bad = patch_;
  bad[bad.size() - 1000] ^= 1;
  for (const std::uint64_t pos : {std::uint64_t{0}, kSecondPiece}) expect_refused(bad, pos, false);
}

// What is read first was proven to its last bit; then the windows tell, or the digest at the end.
TEST_F(ChangedPatch, InItsLastByteIsToldByTheDigestAlone) {
  Bytes bad = patch_;
  bad.back() ^= 1;
  expect_refused(bad, kSecondPiece, true);
}

TEST_F(ChangedPatch, ThatBecameLongerOrShorter) {
  Bytes longer = patch_;
  longer.resize(longer.size() + 1000);
  expect_refused(longer, kSecondPiece, false);
  expect_refused(Bytes(patch_.begin(), patch_.begin() + 5000), kSecondPiece, false, ErrorCode::kInputTruncated);
}

TEST_F(ChangedPatch, WithTheSameBytesIsSaidToHaveChangedByItsTimesAlone) {
  expect_refused(patch_, 0, false);
  put(folder_ / "patch", patch_);
  EXPECT_OK(disturbed(patch_, 0, true, false));
}

}  // namespace
}  // namespace bdelta::test::changed_patch_test
