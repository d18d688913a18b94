// Sentences of the programs that no small pair of files brings about.
#include "cli/text.hpp"

#include <gtest/gtest.h>

namespace bdelta::cli::cli_text_test {
namespace {

TEST(MemoryNote, SaysWhatIsNeededBeyondTheUsual) {
  constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;
  EXPECT_EQ("", memory_note(0));
  EXPECT_EQ("", memory_note(256 * kMiB));
  EXPECT_TRUE(memory_note(256 * kMiB + 1).ends_with(" bpatch --memory 257M\n"));
  EXPECT_TRUE(memory_note(300 * kMiB).ends_with(" bpatch --memory 300M\n"));
  EXPECT_TRUE(memory_note(~std::uint64_t{0}).ends_with(" bpatch --memory 17592186044416M\n"));
}

}  // namespace
}  // namespace bdelta::cli::cli_text_test
