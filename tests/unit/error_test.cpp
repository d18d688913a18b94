// The table of errors.
#include <map>
#include <set>
#include <string>

#include "support/expect.hpp"

namespace bdelta::test::error_test {
namespace {

struct Row {
  const char* name;
  int number;
  int exit_class;
  const char* message;
};
constexpr Row kRows[] = {
#define BDELTA_ERROR(name, number, exit_class, message) {#name, number, exit_class, message},
#include "bdelta/errors.def"
#undef BDELTA_ERROR
};

TEST(ErrorTable, NumbersAndNamesAreUnique) {
  std::set<int> numbers;
  std::set<std::string> names;
  for (const Row& row : kRows) {
    EXPECT_TRUE(numbers.insert(row.number).second) << row.name;
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
  }
}

TEST(ErrorTable, ClassesFollowTheHundreds) {
  const std::map<int, std::set<int>> classes = {{1, {1}}, {2, {2}}, {3, {3}},      {4, {4}},
                                                {5, {5}}, {6, {6, 7}}, {9, {70, 130}}};
  for (const Row& row : kRows) {
    const auto found = classes.find(row.number / 100);
    ASSERT_NE(classes.end(), found) << row.name;
    EXPECT_TRUE(found->second.contains(row.exit_class)) << row.name;
  }
}

TEST(ErrorTable, MessagesAreSentencesWithoutAnEnd) {
  for (const Row& row : kRows) {
    const std::string message = row.message;
    ASSERT_FALSE(message.empty()) << row.name;
    EXPECT_NE('.', message.back()) << row.name;
  }
}

TEST(ErrorTable, TheFunctionsSayWhatTheTableSays) {
  for (const Row& row : kRows) {
    const auto code = static_cast<ErrorCode>(row.number);
    EXPECT_EQ(std::string(row.name).substr(1), error_name(code));
    EXPECT_EQ(row.message, error_message(code));
    EXPECT_EQ(row.exit_class, exit_class(code));
  }
}

TEST(ErrorTable, NumbersAreFrozen) {
  // Programs out there compare these: a change here is a break of compatibility, not a fix.
  EXPECT_EQ(100, static_cast<int>(ErrorCode::kUsage));
  EXPECT_EQ(300, static_cast<int>(ErrorCode::kNotAPatch));
  EXPECT_EQ(303, static_cast<int>(ErrorCode::kPatchTruncated));
  EXPECT_EQ(401, static_cast<int>(ErrorCode::kWrongSourceDigest));
  EXPECT_EQ(501, static_cast<int>(ErrorCode::kTargetDigest));
  EXPECT_EQ(600, static_cast<int>(ErrorCode::kOutputLimit));
  EXPECT_EQ(901, static_cast<int>(ErrorCode::kCancelled));
}

TEST(ErrorTable, UnknownCodesHaveFixedTexts) {
  const auto code = static_cast<ErrorCode>(12345);
  EXPECT_EQ("Unknown", error_name(code));
  EXPECT_FALSE(error_message(code).empty());
  EXPECT_EQ(70, exit_class(code));
}

TEST(Error, TextHasMessageDetailAndOffset) {
  EXPECT_EQ("the patch is damaged", to_string({ErrorCode::kPatchCorrupt, ""}));
  EXPECT_EQ("the patch is damaged: a group is odd (at byte 77)",
            to_string({ErrorCode::kPatchCorrupt, "a group is odd", 77}));
}

TEST(Error, TextHasTheFileFirstAndTheRemedyLast) {
  EXPECT_EQ("\"p\": the patch is damaged; fetch it again",
            to_string({.code = ErrorCode::kPatchCorrupt, .file = "\"p\"", .remedy = "fetch it again"}));
  EXPECT_EQ("\"p\": the patch is damaged: a group is odd (at byte 77); fetch it again",
            to_string({ErrorCode::kPatchCorrupt, "a group is odd", 77, "\"p\"", "fetch it again"}));
}

TEST(Result, HoldsEitherValueOrError) {
  Result<int> value = 4;
  ASSERT_TRUE(static_cast<bool>(value));
  EXPECT_EQ(4, *value);
  Result<int> failure = Error{ErrorCode::kInternal, "x", 3};
  ASSERT_FALSE(static_cast<bool>(failure));
  EXPECT_EQ(3u, failure.error().offset);
  EXPECT_TRUE(static_cast<bool>(Status()));
  EXPECT_FALSE(static_cast<bool>(Status(Error{})));
}

}  // namespace
}  // namespace bdelta::test::error_test
