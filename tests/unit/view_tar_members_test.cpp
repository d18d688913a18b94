// What a tar archive holds, as a list of members.
#include "base/bytes.hpp"
#include "support/memory.hpp"
#include "support/tar.hpp"
#include "view/tar_members.hpp"

namespace bdelta::test::view_tar_members_test {
namespace {

std::vector<std::string> names_in(const Bytes& archive) {
  std::vector<std::string> names;
  for (const view::Member& member : members_of(archive)) {
    if (member.is_file) names.push_back(member.name);
  }
  return names;
}

TEST(TarMembers, HaveTheNamesOfTheirExtensions) {
  const auto bytes_of = [](const std::string& text) { return Bytes(text.begin(), text.end()); };
  const std::string name(120, 'n');
  const Bytes pax = bytes_of("13 mtime=123\n130 path=" + name + "\n");
  const std::vector<std::string> expected = {name, "short", name, "last"};
  EXPECT_EQ(expected, names_in(tar_of({{"././@PaxHeader", 0, pax, 'x'},
                                       {"cut", 0, bytes_of("a")},
                                       {"short", 0, {}},
                                       {"folder/", 0, {}, '5'},
                                       {"././@LongLink", 0, bytes_of(name + '\0'), 'L'},
                                       {"cut", 0, bytes_of("b")},
                                       {"link", 0, {}, '2'},
                                       {"last", 0, bytes_of("c"), '\0'}})));
  for (const char* strange : {"", "x", "5", "0 path=a\n", "99 path=a\n", "3 p", "999999999 path=a\n", "7 path=\n"}) {
    EXPECT_EQ(std::vector<std::string>{"own"}, names_in(tar_of({{"pax", 0, bytes_of(strange), 'x'}, {"own", 0, {}}}))) << strange;
  }
}

TEST(TarMembers, EndWhereTheArchiveIsNotUnderstood) {
  const Bytes archive = tar_of({{"one", 0, Bytes(700, 'x')}, {"two", 0, Bytes(1, 'y')}});
  EXPECT_EQ((std::vector<std::string>{"one", "two"}), names_in(archive));
  Bytes large = archive;
  large[3 * kTarBlockBytes + 124] = 0x80;  // a size that is not octal
  EXPECT_EQ(std::vector<std::string>{"one"}, names_in(large));
  large[3 * kTarBlockBytes + 124] = '7';  // behind the end
  EXPECT_EQ(std::vector<std::string>{"one"}, names_in(large));
}

TEST(TarMembers, HavePositionsOfTheView) {
  const std::string name(120, 'n');
  const std::string long_name = name + '\0';
  const Bytes archive = tar_of({{"one", 0, Bytes(700, 'x')},
                                {"././@LongLink", 0, Bytes(long_name.begin(), long_name.end()), 'L'},
                                {"cut", 0, Bytes(1, 'y')}});
  Bytes view(77, 'z');
  append(view, archive);
  const view::Members members = members_of(view, 77);
  ASSERT_EQ(2u, members.size());
  EXPECT_EQ(77u, members[0].begin);
  EXPECT_EQ(77u + 512, members[0].data_pos);
  EXPECT_EQ(77u + 512 + 700, members[0].data_end());
  EXPECT_EQ(77u + 1536, members[0].end);
  EXPECT_EQ(name, members[1].name);
  EXPECT_EQ(members[0].end, members[1].begin) << "with its extension";
  EXPECT_EQ(members[1].begin + 1536, members[1].data_pos);
  EXPECT_EQ(members[1].data_pos + 512, members[1].end);
}

TEST(TarMembers, TellWhereTheirArchivesStand) {
  const Bytes archive = tar_of({{"one", 0, Bytes(700, 'x')}, {"two", 0, Bytes(1, 'y')}});
  Bytes view(77, 'z');
  append(view, archive);
  const std::uint64_t end = members_of(view, 77).back().end;
  view::Members members{{"plain", true, 0, 0, 77, 77}};
  for (const view::Member& member : members_of(view, 77)) members.push_back(member);
  members.push_back({"no tar", true, end, end + kTarBlockBytes, 0, end + kTarBlockBytes});
  const ByteRanges ranges = view::tar_ranges(view, members);
  ASSERT_EQ(1u, ranges.size());
  EXPECT_EQ(77u, ranges[0].begin);
  EXPECT_EQ(end, ranges[0].end);
  EXPECT_TRUE(view::tar_ranges(view, {members.front()}).empty());
}

}  // namespace
}  // namespace bdelta::test::view_tar_members_test
