// What a zip archive holds, as a list of members with positions of its view.
#include <algorithm>

#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/zip_streams.hpp"
#include "view/zip_entries.hpp"
#include "view/zip_members.hpp"

namespace bdelta::test::view_zip_members_test {
namespace {

using Names = std::vector<std::string>;

view::Members members_of(ByteSpan file, const view::PackedStreams& streams = {}) {
  view::Members members;
  view::add_zip_members(file, streams, members);
  return members;
}

Names names_in(ByteSpan file) {
  Names names;
  for (const view::Member& member : members_of(file)) names.push_back(member.name);
  return names;
}

// Streams of an archive, and its view with these unpacked.
struct Viewed {
  view::PackedStreams streams;
  Bytes view;
};

Viewed viewed(ByteSpan file, const std::vector<ZipMember>& members, const std::string& stays_packed) {
  Viewed made;
  std::size_t end = 0;
  for (const view::FoundStream& found : zip_streams(file)) {
    if (found.name == stays_packed) continue;
    const auto named = [&](const ZipMember& member) { return member.name == found.name; };
    const Bytes& text = std::find_if(members.begin(), members.end(), named)->content;
    made.streams.push_back({found.file_pos, found.packed_bytes, text.size()});
    append(made.view, file.subspan(end, static_cast<std::size_t>(found.file_pos) - end));
    append(made.view, text);
    end = static_cast<std::size_t>(found.file_pos + found.packed_bytes);
  }
  append(made.view, file.subspan(end));
  return made;
}

std::vector<ZipMember> members_of_each_kind() {
  std::vector<ZipMember> members;
  const auto add = [&](const std::string& name, void (*bend)(ZipMember&)) {
    ZipMember member{name, wordy_bytes(2000 + 100 * members.size(), members.size())};
    bend(member);
    members.push_back(std::move(member));
  };
  add("a/first", [](ZipMember&) {});
  add("stored", [](ZipMember& member) { member.level = 0; });
  add("folder/", [](ZipMember& member) { member.level = 0, member.content.clear(); });
  add("packed", [](ZipMember&) {});
  add("described", [](ZipMember& member) { member.descriptor = true; });
  add("secret", [](ZipMember& member) { member.encrypted = true; });
  add("secret, stored", [](ZipMember& member) { member.level = 0, member.encrypted = true; });
  add("large", [](ZipMember& member) { member.zip64 = true; });
  add("last", [](ZipMember&) {});
  return members;
}

TEST(ZipMembers, HavePositionsOfTheView) {
  const Names no_files = {"folder/", "packed", "secret", "secret, stored"};
  const std::vector<ZipMember> members = members_of_each_kind();
  for (const bool reversed : {false, true}) {
    ZipShape shape;
    shape.program = random_bytes(777, 1);
    shape.reversed = reversed;
    shape.zip64 = reversed;
    const Bytes file = zip_of(members, shape);
    const auto [streams, view] = viewed(file, members, "packed");
    ASSERT_EQ(4u, streams.size());
    const view::Members found = members_of(file, streams);
    ASSERT_EQ(members.size(), found.size());
    for (std::size_t i = 0; i < members.size(); ++i) {
      SCOPED_TRACE(members[i].name);
      EXPECT_EQ(members[i].name, found[i].name);
      EXPECT_EQ(i == 0 ? 777 : found[i - 1].end, found[i].begin);
      const bool is_file = std::find(no_files.begin(), no_files.end(), members[i].name) == no_files.end();
      EXPECT_EQ(is_file, found[i].is_file);
      const auto data = ByteSpan(view).subspan(static_cast<std::size_t>(found[i].data_pos))
                            .first(static_cast<std::size_t>(found[i].data_bytes));
      EXPECT_EQ(is_file || members[i].level == 0, same_bytes(members[i].content, data));
      EXPECT_EQ(members[i].descriptor ? 16u : 0u, found[i].end - found[i].data_end());
    }
  }
}

TEST(ZipMembers, OfWhatIsNoArchiveThereAreNone) {
  const std::vector<ZipMember> two = {{"one", wordy_bytes(500, 1)}, {"two", wordy_bytes(500, 2)}};
  Bytes archive = zip_of(two);
  EXPECT_EQ((Names{"one", "two"}), names_in(archive));
  EXPECT_EQ(Names{}, names_in({}));
  EXPECT_EQ(Names{}, names_in(wordy_bytes(3000, 3)));
  EXPECT_EQ(Names{}, names_in(ByteSpan(archive).first(archive.size() - 1)));
  const auto entry = static_cast<std::size_t>(view::find_zip_directory(archive)->file_pos);
  archive[entry] ^= 1;
  EXPECT_EQ(Names{}, names_in(archive)) << "an entry without its magic";
  archive[entry] ^= 1;
  archive[0] ^= 1;
  EXPECT_EQ(Names{"two"}, names_in(archive)) << "a header without its magic";
}

// The first member says that it has all of the second, too; streams of the two may overlap otherwise than members do.
TEST(ZipMembers, NoneBeginsInsideAnother) {
  const std::vector<ZipMember> three = {{"one", wordy_bytes(500, 1), 0}, {"two", random_bytes(2000, 2)},
                                        {"three", wordy_bytes(500, 3)}};
  Bytes archive = zip_of(three);
  const auto entry = static_cast<std::size_t>(view::find_zip_directory(archive)->file_pos);
  const view::PackedStreams streams = viewed(archive, three, {}).streams;
  ASSERT_EQ(2u, streams.size());
  for (const std::size_t bytes : {500u, 540u, 600u, 900u}) {
    SCOPED_TRACE(bytes);
    archive[entry + 20] = static_cast<std::uint8_t>(bytes & 0xff);
    archive[entry + 21] = static_cast<std::uint8_t>(bytes >> 8);
    const view::Members members = members_of(archive, streams);
    EXPECT_EQ(bytes == 500 ? 3u : 2u, members.size());
    std::uint64_t end = 0;
    for (const view::Member& member : members) {
      EXPECT_LE(end, member.begin);
      EXPECT_LE(member.begin, member.data_pos);
      EXPECT_LE(member.data_pos, member.data_end());
      EXPECT_LE(member.data_end(), member.end);
      end = member.end;
    }
    EXPECT_LE(end, view::view_bytes_of(archive.size(), streams));
  }
}

}  // namespace
}  // namespace bdelta::test::view_zip_members_test
