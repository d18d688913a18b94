// Which word is meant by a misspelt one.
#include "cli/suggest.hpp"

#include <gtest/gtest.h>

namespace bdelta::cli::cli_suggest_test {
namespace {

const std::vector<std::string> kOptions{"verify", "no-verify", "memory", "max-ratio", "io", "io-buffer", "threads"};

TEST(Nearest, FindsInsertedRemovedReplacedAndSwappedLetters) {
  EXPECT_EQ("verify", nearest("verifyy", kOptions));
  EXPECT_EQ("verify", nearest("vrify", kOptions));
  EXPECT_EQ("verify", nearest("verifu", kOptions));
  EXPECT_EQ("memory", nearest("mmeory", kOptions));
  EXPECT_EQ("no-verify", nearest("noverify", kOptions));
  EXPECT_EQ("max-ratio", nearest("max_raito", kOptions));
}

TEST(Nearest, TakesABeginningAndLargeLetters) {
  EXPECT_EQ("memory", nearest("mem", kOptions));
  EXPECT_EQ("io-buffer", nearest("io-b", kOptions));
  EXPECT_EQ("threads", nearest("THREADS", kOptions));
  EXPECT_EQ("max-ratio", nearest("MaxRatio", kOptions));
}

TEST(Nearest, PrefersWhatIsNearerAndThenWhatStandsFirst) {
  EXPECT_EQ("bdt2", nearest("bdt", {"bdt2", "bdt1"}));
  EXPECT_EQ("bdt1", nearest("bt1", {"bdt2", "bdt1"}));
  EXPECT_EQ("stdio", nearest("stdo", {"mmap", "stdio"}));
}

TEST(Nearest, GivesNothingForWhatIsFar) {
  for (const char* word : {"", "x", "bogus", "memoryless-thing", "level", "fast"}) EXPECT_EQ("", nearest(word, kOptions)) << word;
  EXPECT_EQ("", nearest("verify", {}));
  EXPECT_EQ("", nearest("veerrify", {"vary"}));
}

// A letter in three may be wrong, and one in a short word.
TEST(Nearest, AllowsAChangeInEachThreeLetters) {
  EXPECT_EQ("abcdef", nearest("abxdex", {"abcdef"}));
  EXPECT_EQ("", nearest("axcxex", {"abcdef"}));
  EXPECT_EQ("ab", nearest("ax", {"ab"}));
  EXPECT_EQ("", nearest("xx", {"ab"}));
}

TEST(DidYouMean, AsksOrSaysNothing) {
  EXPECT_EQ(" (did you mean --memory?)", did_you_mean("memori", kOptions, "--"));
  EXPECT_EQ(" (did you mean mmap?)", did_you_mean("map", {"mmap", "stdio"}));
  EXPECT_EQ("", did_you_mean("bogus", kOptions, "--"));
}

}  // namespace
}  // namespace bdelta::cli::cli_suggest_test
