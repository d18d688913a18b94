// What the tests of updates in place share: a pair, its patch, and runs that are interrupted.
#pragma once

#include "apply/block_journal.hpp"
#include "bdelta/create.hpp"
#include "bdelta/in_place.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"

namespace bdelta::test::in_place_test {

namespace fs = std::filesystem;

inline constexpr std::size_t kBlock = kBlockBytes;

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

}  // namespace bdelta::test::in_place_test
