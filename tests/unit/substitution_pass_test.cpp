// Which substitutions are worth a table in the patch.
#include "create/substitution_pass.hpp"

#include "base/bytes.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::substitution_pass_test {
namespace {

// A file of noise in which one pattern became another in 200 places, and so many other bytes something else: whether
// substitutions are learned.
bool learns_substitutions(std::size_t other_changes) {
  constexpr std::size_t kSize = 2'000'000;
  Bytes source = random_bytes(kSize, 1);
  Bytes target = source;
  Random random(2);
  for (std::size_t i = 0; i < other_changes; ++i) {
    target[random.below(kSize)] ^= static_cast<std::uint8_t>(1 + random.below(255));
  }
  for (std::size_t pos = 5'000; pos + 10'000 < kSize; pos += 9'900 + random.below(100)) {
    store_le<std::uint32_t>(&source[pos], 0x12345678);
    store_le<std::uint32_t>(&target[pos], 0x9ABCDEF0);
  }
  WorkerPool pool(2);
  const Covers covers{{0, 0, kSize}};
  const auto substitutions = learn_substitutions({source, false, target, covers}, ~std::uint64_t{0}, kQuickCodec, pool);
  EXPECT_OK(substitutions);
  return substitutions->has_value();
}

TEST(SubstitutionPass, LearnsThoseThatSaveAShareOfTheResidual) {
  EXPECT_TRUE(learns_substitutions(0));
  EXPECT_TRUE(learns_substitutions(10'000));
  EXPECT_FALSE(learns_substitutions(100'000)) << "they save less than a 128th of what these take";
}

}  // namespace
}  // namespace bdelta::test::substitution_pass_test
