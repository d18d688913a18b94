// Sentences of the programs that no small pair of files brings about.
#include "cli/text.hpp"
#include "cli/values.hpp"

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

TEST(SizeArgument, IsShortAndDoesWhenItIsTyped) {
  EXPECT_EQ("0", size_argument(0));
  EXPECT_EQ("1023", size_argument(1023));
  EXPECT_EQ("1K", size_argument(1024));
  EXPECT_EQ("2K", size_argument(1025));
  EXPECT_EQ("1024K", size_argument((1 << 20) - 1));
  EXPECT_EQ("97M", size_argument(97 << 20));
  EXPECT_EQ("98M", size_argument((97 << 20) + 1));
  for (std::uint64_t bytes = 1; bytes != 0; bytes *= 2) {
    for (const std::uint64_t size : {bytes - 1, bytes, bytes + 1, bytes + bytes / 3}) {
      const auto typed = parse_size(size_argument(size));
      ASSERT_TRUE(typed.has_value()) << size;
      EXPECT_GE(*typed, size);
      EXPECT_LE(*typed - size, size / 1024 + (size < 1024 ? 0u : std::uint64_t{1} << 20)) << size;
    }
  }
}

}  // namespace
}  // namespace bdelta::cli::cli_text_test
