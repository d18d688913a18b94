// Frozen patches apply as they did when they were made, whatever the matcher and the writer do today.
#include <set>

#include "golden/golden_sets.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"

namespace bdelta::test {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(BDELTA_TESTDATA) / "golden";

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, Applies) {
  const std::filesystem::path folder = kFolder / GetParam();
  const Bytes source = get(folder / "old");
  const Bytes target = get(folder / "new");
  const Bytes patch = get(folder / "patch");
  ASSERT_FALSE(patch.empty()) << "no golden set here; tests run in the source directory";
  for (const unsigned threads : {1u, 3u}) {
    for (const Sink sink : kAllSinks) {
      ApplyOptions options;
      options.threads = threads;
      const auto made = apply_patch(source, patch, sink, options);
      ASSERT_OK(made);
      if (sink != Sink::kCheck) {
        EXPECT_TRUE(same_bytes(target, *made));
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sets, Golden, ::testing::ValuesIn(kGoldenSets), [](const auto& set) {
  std::string name = set.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

TEST(GoldenFolder, EverySetIsTestedAndDescribed) {
  std::set<std::string> named(std::begin(kGoldenSets), std::end(kGoldenSets));
  const Bytes manifest_bytes = get(kFolder / "MANIFEST.txt");
  const std::string manifest(manifest_bytes.begin(), manifest_bytes.end());
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(1u, named.erase(name)) << name << " is in no list";
    EXPECT_NE(std::string::npos, manifest.find("\n" + name + " ")) << name << " is not in MANIFEST.txt";
  }
  EXPECT_TRUE(named.empty()) << *named.begin() << " is missing";
}

}  // namespace
}  // namespace bdelta::test
