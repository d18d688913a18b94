// Options of the C interface mean what they mean in C++.
#include <sys/stat.h>

#include <cstring>
#include <thread>

#include "bdelta/bdelta.h"
#include "capi/push_pairs.hpp"
#include "support/io_support.hpp"

namespace bdelta::test::options_test {
namespace {

template <class Struct>
Struct sized() {
  Struct made;
  std::memset(&made, 0, sizeof made);
  made.struct_size = sizeof made;
  return made;
}

class COptions : public ::testing::Test {
 protected:
  COptions() {
    put(folder_ / "old", pair_.source);
    put(folder_ / "new", pair_.target);
    put(folder_ / "patch", pair_.patch);
  }

  std::int32_t apply(const bdelta_apply_options* options, bdelta_report* report = nullptr) const {
    std::filesystem::remove(folder_ / "made");
    return bdelta_apply_file((folder_ / "old").c_str(), (folder_ / "made").c_str(), (folder_ / "patch").c_str(), options,
                             report, nullptr);
  }

  [[nodiscard]] mode_t mode_of_made() const {
    struct ::stat found {};
    EXPECT_EQ(0, ::stat((folder_ / "made").c_str(), &found));
    return found.st_mode & 07777;
  }

  const Pair pair_ = small_groups();
  const Folder folder_;
  bdelta_apply_options apply_options_ = sized<bdelta_apply_options>();
  bdelta_report report_ = sized<bdelta_report>();
};

TEST_F(COptions, NoThreadsAreAsManyAsTheMachineHasWhenApplying) {
  const unsigned all = std::max(1u, std::thread::hardware_concurrency());
  ASSERT_EQ(BDELTA_OK, apply(&apply_options_, &report_));
  EXPECT_EQ(all, report_.threads);
  ASSERT_EQ(BDELTA_OK, apply(nullptr, &report_));
  EXPECT_EQ(1u, report_.threads) << "without options";
  apply_options_.threads = 2;
  ASSERT_EQ(BDELTA_OK, apply(&apply_options_, &report_));
  EXPECT_EQ(2u, report_.threads);
  ApplyOptions options;
  EXPECT_EQ(1u, options.threads);
  options.threads = 0;
  std::filesystem::remove(folder_ / "made");
  const auto report = apply_file(folder_ / "old", folder_ / "made", folder_ / "patch", options);
  ASSERT_OK(report);
  EXPECT_EQ(all, report->threads);
  apply_options_.threads = 0xffffffff;
  EXPECT_EQ(BDELTA_kUsage, apply(&apply_options_));
}

TEST_F(COptions, NoThreadsAreAsManyAsTheMachineHasWhenMakingAPatch) {
  bdelta_create_options options = sized<bdelta_create_options>();
  const auto create = [&](const bdelta_create_options* how) {
    std::filesystem::remove(folder_ / "p");
    return bdelta_create_file((folder_ / "old").c_str(), (folder_ / "new").c_str(), (folder_ / "p").c_str(), how, &report_,
                              nullptr);
  };
  ASSERT_EQ(BDELTA_OK, create(&options));
  EXPECT_EQ(std::max(1u, std::thread::hardware_concurrency()), report_.threads);
  ASSERT_EQ(BDELTA_OK, create(nullptr));
  EXPECT_EQ(1u, report_.threads);
}

TEST_F(COptions, TheModeOfNew) {
  const mode_t before = ::umask(022);
  ASSERT_EQ(0, ::chmod((folder_ / "old").c_str(), 0775));
  EXPECT_EQ(BDELTA_OK, apply(&apply_options_));
  EXPECT_EQ(0755u, mode_of_made());
  apply_options_.target_mode = 0606;
  EXPECT_EQ(BDELTA_OK, apply(&apply_options_));
  EXPECT_EQ(0606u, mode_of_made());
  ::umask(before);
  apply_options_.target_mode = 01000;
  EXPECT_EQ(BDELTA_kUsage, apply(&apply_options_));
  apply_options_.target_mode = 0;
  apply_options_.reserved_2 = 1;
  EXPECT_EQ(BDELTA_kUsage, apply(&apply_options_));
}

// A program with an older header, where the options end before the mode.
TEST_F(COptions, OlderOptionsHaveNoMode) {
  apply_options_.target_mode = 0606;
  apply_options_.reserved_2 = 1;
  apply_options_.struct_size = offsetof(bdelta_apply_options, target_mode);
  ASSERT_EQ(0, ::chmod((folder_ / "old").c_str(), 0600));
  EXPECT_EQ(BDELTA_OK, apply(&apply_options_));
  EXPECT_EQ(0600u, mode_of_made());
}

TEST_F(COptions, BufferBytes) {
  bdelta_info info = sized<bdelta_info>();
  ASSERT_EQ(BDELTA_OK, bdelta_info_file((folder_ / "patch").c_str(), &info, nullptr));
  info.window_bytes = 4 << 20;
  EXPECT_EQ((2u * 13 + 8) << 20, bdelta_apply_buffer_bytes(&info, 1));
  EXPECT_EQ((5u * 13 + 8) << 20, bdelta_apply_buffer_bytes(&info, 3));
  info.window_bytes = 100;  // parts of plain windows are larger
  EXPECT_EQ((4u * 9 + 8) << 20, bdelta_apply_buffer_bytes(&info, 2));
  PatchInfo same;
  same.window_bytes = info.window_bytes;
  EXPECT_EQ(apply_buffer_bytes(same, 0), bdelta_apply_buffer_bytes(&info, 0));
  EXPECT_EQ(apply_buffer_bytes(same, std::max(1u, std::thread::hardware_concurrency())), apply_buffer_bytes(same, 0));
  EXPECT_EQ(0u, bdelta_apply_buffer_bytes(nullptr, 1));
  info.struct_size = 8;
  EXPECT_EQ(0u, bdelta_apply_buffer_bytes(&info, 1));
}

}  // namespace
}  // namespace bdelta::test::options_test
