// What the tests of the io room share: a directory of their own and plain reading and writing of small files.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "base/bytes.hpp"
#include "bdelta/files.hpp"
#include "io/file_handle.hpp"
#include "support/expect.hpp"

namespace bdelta::test {

// For tests that make thousands of small files: in memory where the system has such a place.
inline std::filesystem::path quick_directory() {
  const std::filesystem::path in_memory = "/dev/shm";
  const auto all = std::filesystem::perms::others_write;
  std::error_code error;
  const bool usable = (std::filesystem::status(in_memory, error).permissions() & all) == all && !error;
  return usable ? in_memory : std::filesystem::temp_directory_path();
}

// An empty directory for one test, removed afterwards.
class Folder {
 public:
  explicit Folder(const std::filesystem::path& parent = std::filesystem::temp_directory_path()) {
    std::string name = (parent / "bdelta_io_XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) ADD_FAILURE() << "cannot create " << name;
    path_ = name;
  }
  ~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }
  [[nodiscard]] std::ptrdiff_t count() const {
    return std::distance(std::filesystem::directory_iterator(path_), std::filesystem::directory_iterator());
  }

 private:
  std::filesystem::path path_;
};

inline Bytes pattern(std::size_t size, std::uint32_t seed = 1) {
  Bytes bytes(size);
  for (auto& byte : bytes) {
    seed = seed * 1664525u + 1013904223u;
    byte = static_cast<std::uint8_t>(seed >> 24);
  }
  return bytes;
}

inline ByteSpan text(std::string_view words) {
  return {reinterpret_cast<const std::uint8_t*>(words.data()), words.size()};
}

inline void put(const std::filesystem::path& path, ByteSpan bytes) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  ASSERT_TRUE(file.good());
}

inline Bytes get(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

// A file of `size` bytes with the bytes at their places and nothing between them: holes, where the file system has such.
inline void put_sparse(const std::filesystem::path& path, std::uint64_t size,
                       const std::vector<std::pair<std::uint64_t, Bytes>>& places) {
  put(path, {});
  std::fstream file(path, std::ios::binary | std::ios::in | std::ios::out);
  for (const auto& [pos, bytes] : places) {
    file.seekp(static_cast<std::streamoff>(pos));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  }
  file.close();
  ASSERT_TRUE(file.good());
  std::filesystem::resize_file(path, size);
}

// Whether files in `directory` can have holes, and the system tells of them.
inline bool has_holes_in(const std::filesystem::path& directory) {
  const Folder folder(directory);
  put_sparse(folder / "f", 1 << 20, {{0, Bytes(4096, 1)}});
  const auto file = io::open_file(folder / "f", io::OpenKind::kRead, 0, "");
  std::uint64_t pos = 0;
  return file && io::system_ops().find_hole(file->fd(), pos) == 0 && pos < 1 << 20;
}

// Bytes that the file takes on the disk.
inline std::uint64_t allocated_bytes(const std::filesystem::path& path) {
  io::FileInfo info;
  EXPECT_EQ(0, io::system_ops().path_info(path.c_str(), info));
  return info.allocated_bytes;
}

// A pipe that holds `bytes`, at most 64 KiB, with no writer any more.
class FullPipe {
 public:
  explicit FullPipe(ByteSpan bytes) {
    int ends[2] = {-1, -1};
    EXPECT_EQ(0, ::pipe(ends));
    EXPECT_EQ(static_cast<ssize_t>(bytes.size()), ::write(ends[1], bytes.data(), bytes.size()));
    ::close(ends[1]);
    end_ = ends[0];
  }
  ~FullPipe() { ::close(end_); }
  FullPipe(const FullPipe&) = delete;
  FullPipe& operator=(const FullPipe&) = delete;

  [[nodiscard]] std::filesystem::path name() const { return "/dev/fd/" + std::to_string(end_); }

 private:
  int end_ = -1;
};

inline Bytes read_all(SequentialReader& reader, std::size_t piece) {
  Bytes all;
  Bytes part(piece);
  for (;;) {
    auto got = reader.read(part);
    if (!got) {
      ADD_FAILURE() << to_string(got.error());
      return all;
    }
    append(all, ByteSpan(part).first(*got));
    if (*got < piece) return all;
  }
}

}  // namespace bdelta::test
