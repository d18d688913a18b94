// What a NEW that apply_file makes takes after OLD: permissions and holes.
#include <sys/stat.h>

#include "bdelta/apply.hpp"
#include "bdelta/push.hpp"
#include "io/memory_io.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"

namespace bdelta::test::apply_file_test {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBlock = 4096;

mode_t mode_of(const fs::path& path) {
  struct ::stat found {};
  EXPECT_EQ(0, ::stat(path.c_str(), &found));
  return found.st_mode & 07777;
}

Status push_file(const fs::path& old, const fs::path& made, const Bytes& patch, const ApplyOptions& options) {
  PushOptions how;
  how.apply = options;
  auto push = PushApply::open_file(old, made, how);
  if (!push) return std::move(push).error();
  if (Status fed = (*push)->feed(patch); !fed) return fed;
  auto report = (*push)->finish();
  return report ? Status() : Status(report.error());
}

Status stream_file(const fs::path& old, const fs::path& made, const Bytes& patch, const ApplyOptions& options) {
  io::MemorySequentialReader stream(patch);
  auto report = apply_file(old, made, stream, options);
  return report ? Status() : Status(report.error());
}

// How the patch comes.
enum class Way { kPath, kStream, kPush };

class ApplyFile : public ::testing::TestWithParam<Way> {
 protected:
  Status apply(const char* old, const char* made, const ApplyOptions& options = {}) const {
    if (GetParam() == Way::kPush) return push_file(folder_ / old, folder_ / made, get(folder_ / "patch"), options);
    if (GetParam() == Way::kStream) return stream_file(folder_ / old, folder_ / made, get(folder_ / "patch"), options);
    auto report = apply_file(folder_ / old, folder_ / made, folder_ / "patch", options);
    return report ? Status() : Status(report.error());
  }

  void make(const Bytes& old_version, const Bytes& new_version) const {
    put(folder_ / "old", old_version);
    auto patch = make_patch(old_version, new_version, create_options(3));
    ASSERT_OK(patch);
    put(folder_ / "patch", *patch);
  }

  void make_substitutions() const {
    const Bytes old_version = wordy_bytes(20'000, 1);
    make(old_version, edited(old_version, random_edits(5, old_version.size(), 500, 2)));
  }

  const Folder folder_;
};

TEST_P(ApplyFile, ANewFileGetsOldsPermissionsLessTheUmask) {
  make_substitutions();
  const mode_t before = ::umask(022);
  ASSERT_EQ(0, ::chmod((folder_ / "old").c_str(), 06775));
  EXPECT_OK(apply("old", "made"));
  EXPECT_EQ(0755u, mode_of(folder_ / "made")) << "no bit that umask takes, and no set-id bit";
  ASSERT_EQ(0, ::chmod((folder_ / "old").c_str(), 0640));
  EXPECT_OK(apply("old", "other"));
  EXPECT_EQ(0640u, mode_of(folder_ / "other"));
  ::umask(before);
}

TEST_P(ApplyFile, AReplacedFileKeepsItsOwn) {
  make_substitutions();
  ASSERT_EQ(0, ::chmod((folder_ / "old").c_str(), 0755));
  put(folder_ / "made", text("x"));
  ASSERT_EQ(0, ::chmod((folder_ / "made").c_str(), 0604));
  ApplyOptions options;
  options.files.overwrite = true;
  EXPECT_OK(apply("old", "made", options));
  EXPECT_EQ(0604u, mode_of(folder_ / "made"));
}

TEST_P(ApplyFile, AModeThatIsSetIsGivenToAny) {
  make_substitutions();
  put(folder_ / "there", text("x"));
  ApplyOptions options;
  options.files.overwrite = true;
  options.target_mode = 0711;
  EXPECT_OK(apply("old", "there", options));
  EXPECT_EQ(0711u, mode_of(folder_ / "there"));
  options.target_mode = 0666;  // beyond umask
  EXPECT_OK(apply("old", "made", options));
  EXPECT_EQ(0666u, mode_of(folder_ / "made"));
  options.target_mode = 04755;
  EXPECT_FAILS(ErrorCode::kUsage, apply("old", "third", options));
  EXPECT_FALSE(fs::exists(folder_ / "third"));
}

TEST_P(ApplyFile, HolesOfOldBecomeHolesOfNew) {
  if (!has_holes_in(folder_.path())) GTEST_SKIP() << "no holes in files here";
  constexpr std::size_t kSize = 12 << 20;
  Bytes old_version(kSize);
  const Bytes words = wordy_bytes(100'000, 1);
  std::copy(words.begin(), words.end(), old_version.begin() + (3 << 20));
  Bytes new_version = old_version;
  const Bytes more = random_bytes(10'000, 2);
  std::copy(more.begin(), more.end(), new_version.begin() + (8 << 20) + 77);
  new_version.resize(kSize + kBlock / 2);
  make(old_version, new_version);
  put_sparse(folder_ / "old", kSize, {{3 << 20, words}});
  for (const unsigned threads : {1u, 3u}) {
    ApplyOptions options;
    options.threads = threads;
    options.files.overwrite = true;
    EXPECT_OK(apply("old", "made", options));
    EXPECT_TRUE(same_bytes(new_version, get(folder_ / "made")));
    EXPECT_LE(allocated_bytes(folder_ / "made"), 200'000u);
  }
  put(folder_ / "old", old_version);  // as it would be without holes
  EXPECT_OK(apply("old", "dense"));
  EXPECT_TRUE(same_bytes(new_version, get(folder_ / "dense")));
  EXPECT_GE(allocated_bytes(folder_ / "dense"), kSize);
}

INSTANTIATE_TEST_SUITE_P(Ways, ApplyFile, ::testing::Values(Way::kPath, Way::kStream, Way::kPush));

TEST(ApplyFileStream, SeesThatNewIsUpToDateAndNamesNoPatch) {
  const Folder folder;
  const Bytes old_version = wordy_bytes(20'000, 1);
  const Bytes new_version = edited(old_version, random_edits(5, old_version.size(), 500, 2));
  Bytes patch = *make_patch(old_version, new_version, create_options(3));
  put(folder / "old", old_version);
  put(folder / "made", new_version);
  io::MemorySequentialReader stream(patch);
  const auto report = apply_file(folder / "old", folder / "made", stream, {});
  ASSERT_OK(report);
  EXPECT_TRUE(report->up_to_date);
  EXPECT_LE(report->patch_bytes, patch.size());
  patch[patch.size() / 2] ^= 1;
  const Status damaged = stream_file(folder / "old", folder / "other", patch, {});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, damaged);
  EXPECT_EQ("", damaged.error().file);
  EXPECT_FALSE(fs::exists(folder / "other"));
}

}  // namespace
}  // namespace bdelta::test::apply_file_test
