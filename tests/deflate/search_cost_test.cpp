// How many candidates a search looks at, and what is estimated of it for long texts.
#include "deflate/zlib_stream.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"
#include "view/deflate/analyse.hpp"
#include "view/deflate/search_cost.hpp"

namespace bdelta::test::search_cost_test {
namespace {

using namespace bdelta::deflate;

Bytes padded(Bytes text) {
  text.resize(text.size() + kTextPadding);
  return text;
}

std::uint64_t count(const Parameters& parameters, const Bytes& text) {
  MatcherSet matchers;
  const std::uint64_t size = text.size() - kTextPadding;
  Matcher& matcher = matchers.begin(parameters, size);
  matcher.set_text(text.data(), 0);
  matcher.set_end(size);
  std::vector<Token> tokens(4096);
  while (matcher.pos() < size) matcher.run(tokens.data(), tokens.size(), size);
  return matcher.looked_at();
}

// Lines of words, then rows in which all is alike but for a few digits.
Bytes words_and_rows(std::size_t size) {
  Bytes bytes = wordy_bytes(size / 2, 1);
  Random random(2);
  while (bytes.size() < size) {
    const std::string row = "    (" + std::to_string(100'000 + random.below(900'000)) + ", 17),\n";
    bytes.insert(bytes.end(), row.begin(), row.end());
  }
  bytes.resize(size);
  return bytes;
}

// Once where the text was once before, twice where it was twice. A lazy search looks a byte further on, too, where a longer
// match has room. No encoder sees the first byte of a text as a candidate.
TEST(SearchCost, CountsCandidates) {
  const std::string text = ".abcdXabcdYabcdZ";
  const Bytes bytes = padded(Bytes(text.begin(), text.end()));
  EXPECT_EQ(count(zlib_parameters(0), bytes), 0u);
  EXPECT_EQ(count(zlib_parameters(1), bytes), 3u);
  EXPECT_EQ(count(zlib_parameters(6), bytes), 4u);
}

TEST(SearchCost, OfALongTextIsNearToWhatIsCounted) {
  const Bytes text = padded(words_and_rows(3 << 20));
  const ByteSpan raw = ByteSpan(text).first(text.size() - kTextPadding);
  for (const unsigned level : {1u, 6u, 9u}) {
    MatcherSet matchers;
    const auto counted = static_cast<double>(count(zlib_parameters(level), text));
    EXPECT_NEAR(static_cast<double>(estimate_looked_at(matchers, zlib_parameters(level), raw, 0)), counted, counted / 8) << level;
  }
}

TEST(SearchCost, DoesNotDependOnWhatWasSearchedBefore) {
  const Bytes text = padded(words_and_rows(1 << 20));
  const ByteSpan raw = ByteSpan(text).first(text.size() - kTextPadding);
  MatcherSet fresh, used;
  (void)estimate_looked_at(used, zlib_parameters(9), raw.subspan(300'000), 1000);
  EXPECT_EQ(estimate_looked_at(used, zlib_parameters(9), raw, 0), estimate_looked_at(fresh, zlib_parameters(9), raw, 0));
}

// Rows have more candidates than words have.
TEST(SearchCost, OfAStreamIsFoundByAnalysing) {
  const Bytes all = words_and_rows(2 << 20);
  const ByteSpan words = ByteSpan(all).first(1 << 20), rows = ByteSpan(all).subspan(1 << 20);
  Analyser analyser;
  const auto of_words = analyser.analyse(zlib_deflate(words, {.level = 9})), of_rows = analyser.analyse(zlib_deflate(rows, {.level = 9}));
  ASSERT_OK(of_words);
  ASSERT_OK(of_rows);
  EXPECT_GT(of_rows->looked_at, 2 * of_words->looked_at);
  EXPECT_GT(of_words->looked_at, words.size() / 8);
}

}  // namespace
}  // namespace bdelta::test::search_cost_test
