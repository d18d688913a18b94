// Names and digests in JSON.
#include "cli/json.hpp"

#include <gtest/gtest.h>

namespace bdelta::cli::cli_json_test {
namespace {

std::string named(const std::filesystem::path& name) {
  Json json;
  put_name(json, "source", name);
  return dump(json);
}

TEST(JsonNames, AreTextWhereTheyCanBe) {
  EXPECT_EQ(R"({"source":"r/1.0/app"})", named("r/1.0/app"));
  EXPECT_EQ(R"({"source":"a\n\"b\\"})", named("a\n\"b\\"));
  EXPECT_EQ("{\"source\":\"gr\xc3\xbc\xc3\x9f\"}", named("gr\xc3\xbc\xc3\x9f"));
  EXPECT_EQ("{\"source\":\"\xef\xbf\xbd\"}", named("\xef\xbf\xbd"));  // U+FFFD itself
}

TEST(JsonNames, HaveTheirBytesBesideWhereTheyCanNot) {
  EXPECT_EQ("{\"source\":\"caf\xef\xbf\xbd\",\"source_hex\":\"636166e9\"}", named("caf\xe9"));
  EXPECT_EQ("{\"source\":\"\xef\xbf\xbd""a\",\"source_hex\":\"ff61\"}", named("\xff""a"));
}

TEST(JsonDigests, AreThoseThatAreKnown) {
  Json json;
  KnownDigests digests;
  put_digests(json, "source_", digests);
  EXPECT_TRUE(json.empty());
  digests.xxh3_128.emplace().fill(0xa5);
  put_digests(json, "source_", digests);
  EXPECT_EQ(R"({"source_xxh3_128":"a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5"})", dump(json));
  digests.sha256.emplace().fill(1);
  put_digests(json, "", digests);
  std::string ones;
  for (int i = 0; i < 32; ++i) ones += "01";
  EXPECT_EQ(ones, json["sha256"]);
}

}  // namespace
}  // namespace bdelta::cli::cli_json_test
