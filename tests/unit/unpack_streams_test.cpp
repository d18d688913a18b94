// Which streams stay packed because the other file has them.
#include "create/unpack_streams.hpp"

#include <string>

#include "support/generate.hpp"
#include "support/memory.hpp"

namespace bdelta::test::unpack_streams_test {
namespace {

constexpr std::size_t kStreamBytes = 100;

// Streams of one file, one behind the other, by name and by what they hold.
struct Listed {
  Bytes file;
  std::vector<view::FoundStream> streams;

  void add(const std::string& name, std::uint64_t content) {
    streams.push_back({file.size(), kStreamBytes, 2 * kStreamBytes, name});
    append(file, random_bytes(kStreamBytes, content));
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const view::FoundStream& stream : streams) all.push_back(stream.name);
    return all;
  }
};

using Names = std::vector<std::string>;

void leave_out(Listed& source, Listed& target) { leave_out_unchanged(source.file, source.streams, target.file, target.streams); }

TEST(LeaveOutUnchanged, AllThatAreAlikeHoweverManyThereAre) {
  Listed source, target;
  for (int i = 0; i < 50; ++i) {
    source.add("same" + std::to_string(i), 1);
    target.add("same" + std::to_string(i), 1);
  }
  source.add("changed", 2);
  target.add("changed", 3);
  leave_out(source, target);
  EXPECT_EQ(Names{"changed"}, source.names());
  EXPECT_EQ(Names{"changed"}, target.names());
}

TEST(LeaveOutUnchanged, ButForThoseThatChangeUnderTheirName) {
  Listed source, target;
  source.add("a", 1);
  source.add("b", 1);
  target.add("a", 1);
  target.add("b", 2);
  leave_out(source, target);
  EXPECT_EQ(Names{"b"}, source.names());
  EXPECT_EQ(Names{"b"}, target.names());
}

// One stays packed, for NEW's to be copied from.
TEST(LeaveOutUnchanged, OneAtLeastWhereNewHasIt) {
  Listed source, target;
  source.add("a", 1);
  target.add("a", 2);
  target.add("moved", 1);
  leave_out(source, target);
  EXPECT_EQ(Names{}, source.names());
  EXPECT_EQ(Names{"a"}, target.names());
}

TEST(LeaveOutUnchanged, NothingThatTheOtherFileHasNot) {
  Listed source, target;
  source.add("gone", 1);
  target.add("come", 2);
  leave_out(source, target);
  EXPECT_EQ(Names{"gone"}, source.names());
  EXPECT_EQ(Names{"come"}, target.names());
}

}  // namespace
}  // namespace bdelta::test::unpack_streams_test
