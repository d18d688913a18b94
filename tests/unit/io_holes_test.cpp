// Where the file that an output takes after has holes, blocks of zeros in the output are not written.
#include <cerrno>
#include <mutex>
#include <thread>

#include "io/open.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::io_holes_test {
namespace {

namespace fs = std::filesystem;
using io::FileOps;

constexpr std::size_t kBlock = 4096;

// What the table of these tests saw.
std::mutex seen_mutex;
std::vector<std::pair<std::uint64_t, std::size_t>> written;  // position and size of each write
int allocate_count;
int find_hole_count;
int find_hole_error;
std::uint64_t available;

FileOps recording_table() {
  written.clear();
  allocate_count = find_hole_count = find_hole_error = 0;
  available = ~std::uint64_t{0};
  FileOps table = io::system_ops();
  table.write_at = [](int fd, const void* from, std::size_t size, std::uint64_t pos) {
    const std::lock_guard lock(seen_mutex);
    written.emplace_back(pos, size);
    return io::system_ops().write_at(fd, from, size, pos);
  };
  table.allocate = [](int fd, std::uint64_t size) { return ++allocate_count, io::system_ops().allocate(fd, size); };
  table.find_hole = [](int fd, std::uint64_t& out) {
    ++find_hole_count;
    return find_hole_error != 0 ? (errno = find_hole_error, -1) : io::system_ops().find_hole(fd, out);
  };
  table.free_bytes = [](const char*, std::uint64_t& out) { return out = available, 0; };
  return table;
}

io::OutputModel with_holes(std::uint64_t hole_bytes = 0) {
  io::OutputModel model;
  model.has_holes = true;
  model.hole_bytes = hole_bytes;
  return model;
}

// Blocks of bytes or of zeros, a letter each, and a part of one at the end.
Bytes blocks(std::string_view pattern, std::size_t rest = 0) {
  Bytes all;
  for (const char kind : pattern) all.resize(all.size() + kBlock, kind == '0' ? 0 : static_cast<std::uint8_t>(kind));
  all.resize(all.size() + rest);
  return all;
}

Status write_pieces(const fs::path& path, const Bytes& bytes, std::size_t piece, const io::OutputModel& model,
                    const FileOptions& options = {}) {
  auto output = io::open_output(path, options, nullptr, model);
  if (!output) return std::move(output).error();
  if (Status reserved = (*output)->reserve(bytes.size()); !reserved) return reserved;
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    const ByteSpan part = ByteSpan(bytes).subspan(at, std::min(piece, bytes.size() - at));
    if (Status done = (*output)->positioned()->write_at(at, part); !done) return done;
  }
  return (*output)->finish();
}

TEST(IoHoles, BlocksOfZerosAreNotWritten) {
  const Folder folder;
  const FileOps table = recording_table();
  const io::ScopedFileOps scope(table);
  const Bytes bytes = blocks("ab00c0d0", 100);
  EXPECT_OK(write_pieces(folder / "f", bytes, bytes.size(), with_holes()));
  EXPECT_EQ((std::vector<std::pair<std::uint64_t, std::size_t>>{{0, 2 * kBlock}, {4 * kBlock, kBlock}, {6 * kBlock, kBlock}}),
            written);
  EXPECT_EQ(0, allocate_count) << "a claim would fill the holes";
  EXPECT_TRUE(bytes == get(folder / "f"));
}

// Windows begin and end anywhere: what of a block lies in one of them is looked at by itself.
TEST(IoHoles, PiecesOfAnySizeGiveTheSameHoles) {
  const Folder folder;
  const Bytes bytes = blocks("a000b00cc00000d00", 77);
  for (const std::size_t piece : {std::size_t{1000}, kBlock, kBlock + 1, 3 * kBlock - 1}) {
    SCOPED_TRACE(piece);
    const FileOps table = recording_table();
    const io::ScopedFileOps scope(table);
    EXPECT_OK(write_pieces(folder / std::to_string(piece), bytes, piece, with_holes()));
    for (const auto& [pos, size] : written) {
      EXPECT_NE(0, bytes[static_cast<std::size_t>(pos)]) << pos;
      EXPECT_NE(0, bytes[static_cast<std::size_t>(pos) + size - 1]) << pos;
    }
    EXPECT_TRUE(bytes == get(folder / std::to_string(piece)));
  }
}

TEST(IoHoles, ZerosInsideABlockAreWritten) {
  const Folder folder;
  const FileOps table = recording_table();
  const io::ScopedFileOps scope(table);
  Bytes bytes(4 * kBlock);
  bytes[kBlock - 1] = 1;
  bytes[2 * kBlock] = 1;
  EXPECT_OK(write_pieces(folder / "f", bytes, bytes.size(), with_holes()));
  EXPECT_EQ((std::vector<std::pair<std::uint64_t, std::size_t>>{{0, kBlock}, {2 * kBlock, kBlock}}), written);
  EXPECT_TRUE(bytes == get(folder / "f"));
}

TEST(IoHoles, TheEndMayBeAHoleAndSoMayAll) {
  const Folder folder;
  for (const Bytes& bytes : {blocks("a0000", 5), blocks("0000000", 1), Bytes(3), Bytes()}) {
    EXPECT_OK(write_pieces(folder / std::to_string(bytes.size()), bytes, 7000, with_holes()));
    EXPECT_TRUE(bytes == get(folder / std::to_string(bytes.size())));
  }
}

TEST(IoHoles, FromSeveralThreads) {
  const Folder folder;
  Bytes bytes = pattern(400'000);
  std::fill(bytes.begin() + 50'000, bytes.begin() + 250'000, std::uint8_t{0});
  auto output = io::open_output(folder / "f", {}, nullptr, with_holes());
  ASSERT_OK(output);
  std::vector<std::thread> threads;
  for (std::size_t part = 0; part < 4; ++part) {
    threads.emplace_back([&, part] {
      for (std::size_t pos = part * 1000; pos < bytes.size(); pos += 4000) {
        EXPECT_OK((*output)->positioned()->write_at(pos, ByteSpan(bytes).subspan(pos, 1000)));
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_OK((*output)->finish());
  EXPECT_TRUE(bytes == get(folder / "f"));
}

TEST(IoHoles, AreOnTheDiskAsInTheModel) {
  const Folder folder;
  if (!has_holes_in(folder.path())) GTEST_SKIP() << "no holes in files here";
  constexpr std::uint64_t kSize = 32 << 20;
  put_sparse(folder / "old", kSize, {{0, pattern(100'000)}, {20 << 20, pattern(50'000)}});
  const auto opened = io::open_model(folder / "old", {}, nullptr);
  ASSERT_OK(opened);
  ASSERT_TRUE(opened->model.has_holes);
  EXPECT_EQ(kSize - allocated_bytes(folder / "old"), opened->model.hole_bytes);
  EXPECT_OK(write_pieces(folder / "new", get(folder / "old"), 3'000'000, opened->model));
  EXPECT_TRUE(get(folder / "old") == get(folder / "new"));
  EXPECT_LE(allocated_bytes(folder / "new"), 200'000u);
}

TEST(IoHoles, OfAModelWithoutThemEverythingIsWritten) {
  const Folder folder;
  put(folder / "old", blocks("a00b"));
  const FileOps table = recording_table();
  const io::ScopedFileOps scope(table);
  const auto opened = io::open_model(folder / "old", {}, nullptr);
  ASSERT_OK(opened);
  EXPECT_FALSE(opened->model.has_holes);
  EXPECT_EQ(0u, opened->model.hole_bytes);
  EXPECT_EQ(1, find_hole_count) << "one question, and no other cost";
  EXPECT_OK(write_pieces(folder / "f", blocks("a00b"), 4 * kBlock, opened->model));
  EXPECT_EQ((std::vector<std::pair<std::uint64_t, std::size_t>>{{0, 4 * kBlock}}), written);
  EXPECT_EQ(1, allocate_count);
}

TEST(IoHoles, AreNotLookedForWhereTheSystemDoesNotTell) {
  const Folder folder;
  put_sparse(folder / "old", 1 << 20, {{0, Bytes(10, 1)}});
  const FileOps table = recording_table();
  const io::ScopedFileOps scope(table);
  for (const int error : {EOPNOTSUPP, EINVAL, ENXIO, EIO}) {
    find_hole_error = error;
    const auto opened = io::open_model(folder / "old", {}, nullptr);
    ASSERT_OK(opened);
    EXPECT_FALSE(opened->model.has_holes);
  }
}

TEST(IoHoles, RoomIsAskedForTheRestAlone) {
  const Folder folder;
  const FileOps table = recording_table();
  const io::ScopedFileOps scope(table);
  constexpr std::uint64_t kHoles = 9'000'000'000;
  auto output = io::open_output(folder / "f", {}, nullptr, with_holes(kHoles));
  ASSERT_OK(output);
  available = 1'000'000'000;
  EXPECT_OK((*output)->reserve(10'000'000'000));
  EXPECT_OK((*output)->reserve(100));  // less than the holes
  available = 999'999'999;
  const Status refused = (*output)->reserve(10'000'000'000);
  EXPECT_FAILS(ErrorCode::kNoSpace, refused);
  EXPECT_NE(std::string::npos, refused.error().detail.find("needs 1000000000 bytes")) << refused.error().detail;
  EXPECT_EQ(0, allocate_count);
}

TEST(IoHoles, ACopyFromAnotherFileSystemHasThemToo) {
  const Folder folder;
  const Folder elsewhere;
  FileOps table = recording_table();
  static int rename_count;
  rename_count = 0;
  table.rename_new = [](const char* from, const char* to) {
    return ++rename_count == 1 ? (errno = EXDEV, -1) : io::system_ops().rename_new(from, to);
  };
  const io::ScopedFileOps scope(table);
  FileOptions options;
  options.temp_dir = elsewhere.path();
  const Bytes bytes = blocks("a0000b00");
  EXPECT_OK(write_pieces(folder / "f", bytes, bytes.size(), with_holes(), options));
  EXPECT_EQ(2, rename_count);
  EXPECT_EQ((std::vector<std::pair<std::uint64_t, std::size_t>>{{0, kBlock}, {5 * kBlock, kBlock}, {0, kBlock}, {5 * kBlock, kBlock}}),
            written);
  EXPECT_TRUE(bytes == get(folder / "f"));
  EXPECT_EQ(0, elsewhere.count());
}

}  // namespace
}  // namespace bdelta::test::io_holes_test
