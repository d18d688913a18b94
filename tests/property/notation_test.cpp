// A table that NEW has in another notation: each entry is cut alike, so covers take less than they are usually taken to
// cost, and an entry is copied rather than told.
#include "support/generate.hpp"
#include "support/memory.hpp"

namespace bdelta::test::notation_test {
namespace {

struct Notations {
  Bytes lines;
  Bytes quoted;
};

// Words of 4 to 24 letters, as a list of lines and as nested arrays of strings.
Notations notations(int word_count, std::uint64_t seed) {
  Random random(seed);
  Notations made;
  for (int i = 0; i < word_count; ++i) {
    std::string word;
    for (std::uint64_t left = 4 + random.below(21); left > 0; --left) {
      word.push_back(static_cast<char>('a' + random.below(26)));
    }
    append(made.lines, bytes_of(word + " \n"));
    append(made.quoted, bytes_of("[\"" + word + "\"],"));
  }
  return made;
}

TEST(Notation, OfATableCostsLittleWhereItChanges) {
  const Notations table = notations(20'000, 1);
  for (const int level : {3, 6, 9}) {
    SCOPED_TRACE(level);
    const auto patch = make_patch(table.lines, table.quoted, create_options(level));
    ASSERT_OK(patch);
    EXPECT_LT(patch->size(), 40'000u) << "as literals a word takes three bytes";
    expect_rebuilt_everywhere(table.lines, *patch, table.quoted);
  }
}

}  // namespace
}  // namespace bdelta::test::notation_test
