// The reader of version 1, on patches made by hand.
#include "support/craft.hpp"
#include "support/generate.hpp"

namespace bdelta::test::bdt1_reader_test {
namespace {

TEST(Bdt1Reader, MatchesMayGoBackAndEndAnywhere) {
  const Bytes old = bytes_of("0123456789");
  // "89" + x, then back to "012", then "89" again.
  const Bytes patch = bdt1_patch(10, 8, {{8, 0, 2}, {-10, 1, 3}, {5, 0, 2}}, bytes_of("x"));
  const auto made = apply_patch(old, patch);
  ASSERT_OK(made);
  EXPECT_EQ(bytes_of("89x01289"), *made);
}

TEST(Bdt1Reader, AllLiteral) {
  const auto made = apply_patch({}, bdt1_patch(0, 5, {}, bytes_of("hello")));
  ASSERT_OK(made);
  EXPECT_EQ(bytes_of("hello"), *made);
}

TEST(Bdt1Reader, NothingAtAll) {
  const auto made = apply_patch({}, bdt1_patch(0, 0, {}, {}));
  ASSERT_OK(made);
  EXPECT_TRUE(made->empty());
}

TEST(Bdt1Reader, EmptyMatchesCostNothing) {
  const Bytes old = bytes_of("0123456789");
  const auto made = apply_patch(old, bdt1_patch(10, 3, {{0, 0, 0}, {4, 0, 0}, {0, 0, 3}, {0, 0, 0}}, {}));
  ASSERT_OK(made);
  EXPECT_EQ(bytes_of("456"), *made);
}

TEST(Bdt1Reader, CopiesOutsideOldAreRefused) {
  const Bytes old = bytes_of("0123456789");
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, apply_patch(old, bdt1_patch(10, 3, {{-1, 0, 3}}, {})));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, apply_patch(old, bdt1_patch(10, 3, {{8, 0, 3}}, {})));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange, apply_patch(old, bdt1_patch(10, 3, {{0x7fffffff, 0, 3}}, {})));
  EXPECT_FAILS(ErrorCode::kOpOutOfRange,
               apply_patch(old, bdt1_patch(10, 3, {{std::numeric_limits<std::int32_t>::min(), 0, 3}}, {})));
}

TEST(Bdt1Reader, IntegersOfOtherSizesAreRefused) {
  Bytes patch = bdt1_patch(0, 0, {}, {});
  patch[5] = 8;
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch({}, patch));
}

TEST(Bdt1Reader, WindowsCutMatchesAndLiterals) {
  const Bytes old = random_bytes(std::size_t{9} << 20, 1);
  const Bytes literal = random_bytes(std::size_t{5} << 20, 2);
  Bytes expected = literal;
  append(expected, old);
  const auto size = static_cast<std::uint32_t>(expected.size());
  const Bytes patch = bdt1_patch(9 << 20, size, {{0, 5 << 20, 9 << 20}}, literal);
  for (const Sink sink : {Sink::kPositioned, Sink::kSequential}) {
    ApplyOptions options;
    options.threads = 3;
    const auto made = apply_patch(old, patch, sink, options);
    ASSERT_OK(made);
    EXPECT_TRUE(same_bytes(expected, *made));
  }
}

}  // namespace
}  // namespace bdelta::test::bdt1_reader_test
