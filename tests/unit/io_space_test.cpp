// Before an output is written, space for it is asked for and claimed.
#include <cerrno>

#include "io/file_ops.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::io_space_test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

// What the table of the next tests answers.
std::uint64_t available;
int space_error;
fs::path asked;

FileOps table_with_space() {
  FileOps table = io::system_ops();
  table.free_bytes = [](const char* directory, std::uint64_t& out) {
    asked = directory;
    out = available;
    return space_error == 0 ? 0 : (errno = space_error, -1);
  };
  table.allocate = [](int, std::uint64_t) { return errno = EOPNOTSUPP, -1; };
  return table;
}

Status reserve(const fs::path& path, std::uint64_t size_bytes, const FileOptions& options = {}) {
  auto output = open_output(path, options);
  if (!output) return std::move(output).error();
  return (*output)->reserve(size_bytes);
}

TEST(IoSpace, TooLittleIsRefusedWithBothFigures) {
  const Folder folder;
  const FileOps table = table_with_space();
  const io::ScopedFileOps scope(table);
  available = 123'456;
  space_error = 0;
  EXPECT_OK(reserve(folder / "f", 123'456));
  EXPECT_EQ(folder.path(), asked);
  const Status refused = reserve(folder / "f", 123'457);
  EXPECT_FAILS(ErrorCode::kNoSpace, refused);
  EXPECT_NE(std::string::npos, refused.error().detail.find("needs 123457 bytes")) << refused.error().detail;
  EXPECT_NE(std::string::npos, refused.error().detail.find("only 123456 are available")) << refused.error().detail;
  EXPECT_EQ(0, folder.count());
}

TEST(IoSpace, IsNeededForWhatIsNotYetClaimedOnly) {
  const Folder folder;
  FileOps table = table_with_space();
  table.allocate = io::system_ops().allocate;
  const io::ScopedFileOps scope(table);
  available = 10'000;
  space_error = 0;
  auto output = open_output(folder / "f", {});
  ASSERT_OK(output);
  EXPECT_OK((*output)->reserve(8'000));
  available = 2'000;
  EXPECT_OK((*output)->reserve(10'000));
  available = 0;
  EXPECT_OK((*output)->reserve(9'000));
  EXPECT_FAILS(ErrorCode::kNoSpace, (*output)->reserve(10'001));
}

TEST(IoSpace, WhereNothingIsKnownNothingIsRefused) {
  const Folder folder;
  const FileOps table = table_with_space();
  const io::ScopedFileOps scope(table);
  available = 0;
  for (const int error : {ENOSYS, EACCES, EIO}) {
    space_error = error;
    EXPECT_OK(reserve(folder / "f", 1'000'000));
  }
  space_error = 0;
  available = ~std::uint64_t{0};
  EXPECT_OK(reserve(folder / "f", 1'000'000));
}

TEST(IoSpace, IsAskedForWhereTheTemporaryFileIsAndWhereItGoes) {
  static fs::path full;
  const Folder folder;
  const Folder elsewhere;
  FileOps table = table_with_space();
  table.free_bytes = [](const char* directory, std::uint64_t& out) {
    out = full == directory ? 5 : 5'000;
    return 0;
  };
  const io::ScopedFileOps scope(table);
  FileOptions options;
  options.temp_dir = elsewhere.path();
  for (const fs::path& place : {folder.path(), elsewhere.path()}) {
    full = place;
    const Status refused = reserve(folder / "f", 6, options);
    EXPECT_FAILS(ErrorCode::kNoSpace, refused);
    EXPECT_NE(std::string::npos, refused.error().detail.find(place.string())) << refused.error().detail;
  }
}

TEST(IoSpace, OfTheSystem) {
  std::uint64_t bytes = 0;
  const Folder folder;
  ASSERT_EQ(0, io::system_ops().free_bytes(folder.path().c_str(), bytes));
  EXPECT_GT(bytes, 0u);
  EXPECT_EQ(-1, io::system_ops().free_bytes((folder / "none").c_str(), bytes));
  if (fs::is_directory("/proc/self")) {
    ASSERT_EQ(0, io::system_ops().free_bytes("/proc", bytes));
    EXPECT_EQ(~std::uint64_t{0}, bytes) << "a file system without blocks says nothing";
  }
}

}  // namespace
}  // namespace bdelta::test::io_space_test
