// What holds of real files: those in the directory BDELTA_CORPUS, which tools/bench/README.md describes.
#include <cstdlib>
#include <filesystem>

#include "interop/reference_bdt1.hpp"
#include "support/craft.hpp"
#include "support/expect.hpp"
#include "support/io_support.hpp"
#include "unit/exe_promises.hpp"

namespace bdelta::test::corpus_test {
namespace {

namespace fs = std::filesystem;

class Corpus : public ::testing::Test {
 protected:
  void SetUp() override {
    const char* named = std::getenv("BDELTA_CORPUS");
    if (named == nullptr || *named == 0) GTEST_SKIP() << "BDELTA_CORPUS names no directory of pairs (see tools/bench/README.md)";
    folder_ = named;
  }

  fs::path folder_;
};

TEST_F(Corpus, FieldsOfProgramsKeepTheirPromises) {
  constexpr std::uintmax_t kMostBytes = std::uintmax_t{64} << 20;
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder_)) {
    if (!entry.is_regular_file() || entry.file_size() > kMostBytes) continue;
    EXPECT_TRUE(keeps_promises(get(entry.path()))) << entry.path();
    ++count;
  }
  EXPECT_GT(count, 0u);
}

TEST_F(Corpus, PatchesOfTheOriginalApply) {
  if (!fs::is_directory(folder_ / "bdt1")) GTEST_SKIP() << "BDELTA_CORPUS has no directory bdt1";
  std::size_t count = 0;
  for (const auto& entry : fs::directory_iterator(folder_ / "bdt1")) {
    if (!fs::exists(entry.path() / "patch")) continue;
    SCOPED_TRACE(entry.path().filename());
    const Bytes source = get(entry.path() / "old");
    const Bytes target = get(entry.path() / "new");
    const Bytes patch = get(entry.path() / "patch");
    const ReferenceResult result = reference_bdt1_apply(source, patch);
    ASSERT_TRUE(result.ok) << result.complaint;
    ASSERT_TRUE(same_bytes(target, result.target));
    expect_rebuilt_everywhere(source, patch, target);
    ++count;
  }
  EXPECT_GT(count, 0u);
}

}  // namespace
}  // namespace bdelta::test::corpus_test
