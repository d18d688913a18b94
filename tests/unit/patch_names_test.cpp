// What the patches of a release are called.
#include "bdelta/patch_names.hpp"

#include "support/expect.hpp"

namespace bdelta::cli::patch_names_test {
namespace {

using Names = std::vector<std::string>;

Names names_of(const std::vector<std::filesystem::path>& sources, const std::filesystem::path& target = "/new/app") {
  const auto names = patch_names(sources, target);
  EXPECT_OK(names);
  return names ? *names : Names();
}

TEST(PatchNames, AreThoseOfOldAndNew) {
  EXPECT_EQ(Names({"app-1.0--app.bdelta", "app-1.1--app.bdelta"}), names_of({"/r/app-1.0", "/other/app-1.1"}));
  EXPECT_EQ(Names({"app--app.bdelta"}), names_of({"/r/1.0/app"}));
  EXPECT_EQ(Names({"a--b.tar.bdelta"}), names_of({"/x/./y/../a"}, "/b.tar/"));
}

TEST(PatchNames, ThatCollideGetTheFoldersThatDiffer) {
  EXPECT_EQ(Names({"1.0-app--app.bdelta", "1.1-app--app.bdelta"}), names_of({"/r/1.0/app", "/r/1.1/app"}));
  EXPECT_EQ(Names({"1.0-app--app.bdelta", "1.1-app--app.bdelta"}), names_of({"/r/1.0/bin/app", "/r/1.1/bin/app"}));
  EXPECT_EQ(Names({"1.0-linux-app--app.bdelta", "1.0-win-app--app.bdelta", "1.1-linux-app--app.bdelta"}),
            names_of({"/r/1.0/linux/app", "/r/1.0/win/app", "/r/1.1/linux/app"}));
}

TEST(PatchNames, GetNoFolderThatIsNotNeeded) {
  EXPECT_EQ(Names({"x-app--app.bdelta", "y-app--app.bdelta", "other--app.bdelta"}),
            names_of({"/1/x/app", "/2/y/app", "/3/x/other"}));
}

TEST(PatchNames, OfPathsOfDifferentDepths) {
  EXPECT_EQ(Names({"app--app.bdelta", "1-app--app.bdelta"}), names_of({"/app", "/1/app"}));
  EXPECT_EQ(Names({"1.0-app--app.bdelta", "bin-app--app.bdelta"}), names_of({"/r/1.0/app", "/r/1.1/bin/app"}));
}

TEST(PatchNames, HoldNothingThatBreaks) {
  EXPECT_EQ(Names({"a_b__c_d_e--app.bdelta"}), names_of({"/r/a b\"'c\\d:e"}));
  EXPECT_EQ(Names({"lib_1_2--app.bdelta"}), names_of({"/r/lib 1%2"}));
  EXPECT_EQ(Names({"a+b~1_2@3-4.so--app.bdelta"}), names_of({"/r/a+b~1_2@3-4.so"}));
  EXPECT_EQ(Names({"gr\xc3\xbc\xc3\x9f--app.bdelta"}), names_of({"/r/gr\xc3\xbc\xc3\x9f"}));
  EXPECT_EQ(Names({"caf_xe9--n_xff.bdelta"}), names_of({"/r/caf\xe9"}, "/n\xff"));
  EXPECT_EQ(Names({"_x0a_xc2_x9b--app.bdelta"}), names_of({"/r/\n\xc2\x9b"}));
}

TEST(PatchNames, ThatCanNotBeToldApartAreRefused) {
  EXPECT_FAILS(ErrorCode::kUsage, patch_names({"/r/app", "/r/app"}, "/new"));
  EXPECT_FAILS(ErrorCode::kUsage, patch_names({"/r/app", "/r/x/../app"}, "/new"));
  EXPECT_FAILS(ErrorCode::kUsage, patch_names({"/r/a b", "/r/a_b"}, "/new"));
  EXPECT_FAILS(ErrorCode::kUsage, patch_names({"/r/1.0/app", "/r/1.1/app", "/r/1.0-app"}, "/new"));
  // On some file systems these two are one.
  EXPECT_FAILS(ErrorCode::kUsage, patch_names({"/r/App", "/r/app"}, "/new"));
  EXPECT_EQ(Names({"1-App--app.bdelta", "2-app--app.bdelta"}), names_of({"/r/1/App", "/r/2/app"}));
}

}  // namespace
}  // namespace bdelta::cli::patch_names_test
