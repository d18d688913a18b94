// Around an output: modes, owners and times are those that users expect, nothing planted is followed, and names of any
// length work.
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <climits>
#include <cstring>
#include <vector>

#include "io/file_ops.hpp"
#include "io/open.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::io_place_test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

FileOptions overwriting() {
  FileOptions options;
  options.overwrite = true;
  return options;
}

Status write_whole(const fs::path& path, const FileOptions& options = {}) {
  auto output = open_output(path, options);
  if (!output) return std::move(output).error();
  if (Status written = (*output)->write(text("new")); !written) return written;
  return (*output)->finish();
}

std::uint32_t mode_of(const fs::path& path) {
  io::FileInfo info;
  EXPECT_EQ(0, io::system_ops().path_info(path.c_str(), info));
  return info.mode;
}

// --- mode and owner ---

std::vector<std::uint32_t> created_modes;
bool refuse_owner;
bool refuse_group;

// Replaced files seem to belong to another user and group; files keep their real owner.
FileOps table_with_owners() {
  FileOps table = io::system_ops();
  table.open = [](const char* path, io::OpenKind kind, std::uint32_t mode) {
    if (kind == io::OpenKind::kCreateNew) created_modes.push_back(mode);
    return io::system_ops().open(path, kind, mode);
  };
  table.link_info = [](const char* path, io::FileInfo& out) {
    const int result = io::system_ops().link_info(path, out);
    out.owner += 7;
    out.group += 7;
    return result;
  };
  table.set_owner = [](int fd, std::uint32_t owner, std::uint32_t) {
    io::FileInfo now;
    EXPECT_EQ(0, io::system_ops().info(fd, now));
    const bool refused = refuse_group || (refuse_owner && owner != now.owner);
    return refused ? (errno = EPERM, -1) : 0;
  };
  return table;
}

std::uint32_t mode_after_replacing(std::uint32_t mode) {
  const Folder folder;
  put(folder / "f", text("old"));
  EXPECT_EQ(0, ::chmod((folder / "f").c_str(), mode));
  const FileOps table = table_with_owners();
  const io::ScopedFileOps scope(table);
  EXPECT_OK(write_whole(folder / "f", overwriting()));
  return mode_of(folder / "f");
}

TEST(IoMode, SetIdBitsNeedTheOwnerAndTheGroup) {
  refuse_owner = refuse_group = false;
  EXPECT_EQ(06755u, mode_after_replacing(06755));
  refuse_owner = true;
  EXPECT_EQ(0755u, mode_after_replacing(06755)) << "the owner could not be kept";
  EXPECT_EQ(0740u, mode_after_replacing(0740)) << "but the group could";
  refuse_group = true;
  EXPECT_EQ(0755u, mode_after_replacing(06755));
}

TEST(IoMode, WithoutItsGroupTheGroupMayDoNoMoreThanEverybody) {
  refuse_owner = refuse_group = true;
  EXPECT_EQ(0600u, mode_after_replacing(0660));
  EXPECT_EQ(0644u, mode_after_replacing(0664));
  EXPECT_EQ(0711u, mode_after_replacing(0751));
}

TEST(IoMode, WithoutItsAccessListTheGroupMayDoNoMoreThanEverybody) {
  const Folder folder;
  put(folder / "f", text("old"));
  ASSERT_EQ(0, ::chmod((folder / "f").c_str(), 0664));
  FileOps table = io::system_ops();
  table.copy_access = [](const char*, int) { return errno = EPERM, -1; };
  const io::ScopedFileOps scope(table);
  EXPECT_OK(write_whole(folder / "f", overwriting()));
  EXPECT_EQ(0644u, mode_of(folder / "f"));
}

bool interrupted;

TEST(IoMode, AnInterruptionChangesNothing) {
  FileOps table = table_with_owners();
  table.copy_access = [](const char*, int) { return (interrupted = !interrupted) ? (errno = EINTR, -1) : 0; };
  table.set_mode = [](int fd, std::uint32_t mode) {
    return (interrupted = !interrupted) ? (errno = EINTR, -1) : io::system_ops().set_mode(fd, mode);
  };
  table.set_owner = [](int, std::uint32_t, std::uint32_t) {
    return (interrupted = !interrupted) ? (errno = EINTR, -1) : 0;
  };
  const Folder folder;
  put(folder / "f", text("old"));
  ASSERT_EQ(0, ::chmod((folder / "f").c_str(), 02764));
  interrupted = false;
  const io::ScopedFileOps scope(table);
  EXPECT_OK(write_whole(folder / "f", overwriting()));
  EXPECT_EQ(02764u, mode_of(folder / "f"));
}

std::uint32_t mode_after_writing(const fs::path& path, const io::OutputModel& model) {
  auto output = io::open_output(path, overwriting(), nullptr, model);
  EXPECT_OK(output);
  EXPECT_OK((*output)->finish());
  return mode_of(path);
}

TEST(IoMode, ANewFileGetsThePermissionsOfItsModelLessTheUmask) {
  const Folder folder;
  const mode_t before = ::umask(027);
  for (const auto& [permissions, given] : {std::pair{0755u, 0750u}, {0644u, 0640u}, {0444u, 0440u}, {0777u, 0750u}, {0u, 0u}}) {
    io::OutputModel model;
    model.permissions = permissions;
    EXPECT_EQ(given, mode_after_writing(folder / std::to_string(permissions), model));
  }
  put(folder / "there", text("old"));
  ASSERT_EQ(0, ::chmod((folder / "there").c_str(), 0604));
  io::OutputModel model;
  model.permissions = 0755;
  EXPECT_EQ(0604u, mode_after_writing(folder / "there", model)) << "it keeps its own";
  ::umask(before);
}

TEST(IoMode, PermissionsThatAreSetAreGivenWhateverIsThere) {
  const Folder folder;
  refuse_owner = refuse_group = true;
  const FileOps table = table_with_owners();
  const io::ScopedFileOps scope(table);
  const mode_t before = ::umask(077);
  io::OutputModel model;
  model.permissions = 0664;
  model.sets_permissions = true;
  EXPECT_EQ(0664u, mode_after_writing(folder / "new", model));
  put(folder / "there", text("old"));
  ASSERT_EQ(0, ::chmod((folder / "there").c_str(), 06751));
  EXPECT_EQ(0664u, mode_after_writing(folder / "there", model));
  ::umask(before);
}

TEST(IoMode, AModelHasNoSetIdBits) {
  const Folder folder;
  put(folder / "f", text("x"));
  for (const mode_t mode : {06755u, 01751u, 0640u}) {
    ASSERT_EQ(0, ::chmod((folder / "f").c_str(), mode));
    const auto opened = io::open_model(folder / "f", {}, nullptr);
    ASSERT_OK(opened);
    EXPECT_EQ(mode & 0777u, opened->model.permissions);
    EXPECT_FALSE(opened->model.sets_permissions || opened->model.has_holes);
    EXPECT_EQ(1u, opened->reader->size());
  }
}

TEST(IoMode, TemporaryFilesArePrivateFromTheirCreationOn) {
  const Folder folder;
  const Folder elsewhere;
  put(folder / "f", text("old"));
  const FileOps table = table_with_owners();
  const io::ScopedFileOps scope(table);
  created_modes.clear();
  FileOptions options = overwriting();
  options.temp_dir = elsewhere.path();
  EXPECT_OK(write_whole(folder / "f", options));
  EXPECT_OK(write_whole(folder / "g", options));
  EXPECT_EQ((std::vector<std::uint32_t>{0600, 0600}), created_modes);
}

TEST(IoMode, TimesAreThoseOfWriting) {
  const Folder folder;
  put(folder / "f", text("old"));
  const auto long_ago = fs::file_time_type::clock::now() - std::chrono::hours(5000);
  fs::last_write_time(folder / "f", long_ago);
  EXPECT_OK(write_whole(folder / "f", overwriting()));
  EXPECT_GT(fs::last_write_time(folder / "f"), long_ago + std::chrono::hours(4000));
}

// --- names ---

int random_calls;

TEST(IoNames, ALinkPlantedUnderTheTemporaryNameIsNotFollowed) {
  const Folder folder;
  put(folder / "victim", text("precious"));
  const fs::path guessed = folder / ".bdelta-0000000000000000.tmp";
  fs::create_symlink("victim", guessed);
  FileOps table = io::system_ops();
  table.random_bytes = [](void* to, std::size_t size) {
    if (++random_calls > 4) return io::system_ops().random_bytes(to, size);
    std::memset(to, 0, size);
    return 0;
  };
  for (const bool exists : {false, true}) {
    random_calls = 0;
    const io::ScopedFileOps scope(table);
    SCOPED_TRACE(exists);
    EXPECT_OK(write_whole(folder / "f", overwriting()));
    EXPECT_GT(random_calls, 4);
    EXPECT_EQ(Bytes({'p', 'r', 'e', 'c', 'i', 'o', 'u', 's'}), get(folder / "victim"));
    EXPECT_TRUE(fs::is_symlink(guessed));
    EXPECT_EQ(3, folder.count());
  }
}

TEST(IoNames, ANameThatIsAlwaysTakenIsAnErrorAndNoLoop) {
  const Folder folder;
  put(folder / ".bdelta-0000000000000000.tmp", text("somebody's"));
  FileOps table = io::system_ops();
  table.random_bytes = [](void* to, std::size_t size) { return std::memset(to, 0, size), 0; };
  const io::ScopedFileOps scope(table);
  EXPECT_FAILS(ErrorCode::kOpenFailed, write_whole(folder / "f"));
  EXPECT_EQ(1, folder.count());
}

TEST(IoNames, AsLongAsTheSystemAllows) {
  const Folder folder;
  const std::string longest(255, 'n');
  EXPECT_OK(write_whole(folder / longest));
  EXPECT_OK(write_whole(folder / longest, overwriting()));
  EXPECT_EQ(1, folder.count());
  EXPECT_FAILS(ErrorCode::kOpenFailed, write_whole(folder / (longest + "n")));
  fs::path deep = folder.path();
  while (deep.native().size() + 201 < PATH_MAX - 40) deep /= std::string(200, 'd');
  fs::create_directories(deep);
  EXPECT_OK(write_whole(deep / "f"));
  const fs::path too_deep = deep / std::string(static_cast<std::size_t>(PATH_MAX) - deep.native().size(), 'x');
  EXPECT_FAILS(ErrorCode::kOpenFailed, write_whole(too_deep));
}

}  // namespace
}  // namespace bdelta::test::io_place_test
