// Directories of zip archives as views tell them: by the headers of the members, and back.
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/package.hpp"
#include "view/zip_entries.hpp"
#include "view/zip_layout.hpp"

namespace bdelta::test::zip_directory_test {
namespace {

using view::ZipDirectory;
using view::ZipHeaders;

Bytes together(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& each : parts) append(all, each);
  return all;
}

// What is told of the directory of an archive none of whose streams is unpacked.
Bytes told_of(ByteSpan file) {
  auto told = view::tell_directory(file, {}, view::find_zip_directory(file));
  EXPECT_TRUE(told.has_value());
  return told ? std::move(*told) : Bytes();
}

ByteSpan part(ByteSpan file, std::uint64_t pos, std::uint64_t bytes) {
  return file.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(bytes));
}

ByteSpan directory_bytes_of(ByteSpan file) {
  const ZipDirectory directory = view::find_zip_directory(file);
  return part(file, directory.pos_in(file.size()), directory.bytes);
}

ZipHeaders headers_of(ByteSpan file, std::size_t piece_bytes = ~std::size_t{0}) {
  const ZipDirectory directory = view::find_zip_directory(file);
  ZipHeaders headers(directory.bytes);
  const auto end = static_cast<std::size_t>(directory.pos_in(file.size()));
  for (std::size_t pos = 0; pos < end; pos += std::min(piece_bytes, end - pos)) {
    headers.pass(pos, file.subspan(pos, std::min(piece_bytes, end - pos)));
  }
  return headers;
}

std::optional<Bytes> made_of(ByteSpan file, ByteSpan told) {
  return view::make_directory(told, headers_of(file), view::find_zip_directory(file));
}

void expect_made_again(ByteSpan file) {
  const auto made = made_of(file, told_of(file));
  ASSERT_TRUE(made.has_value());
  EXPECT_TRUE(same_bytes(directory_bytes_of(file), *made));
}

std::vector<ZipMember> members_of(std::uint64_t seed, unsigned count = 5) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < count; ++i) {
    members.push_back({"member" + std::to_string(i), wordy_bytes(300 + (seed * 97 + i * 31) % 200, seed + i)});
  }
  return members;
}

// The first entry tells what all have: made by version 2.0; nothing else is told of any.
Bytes told_of_plain(unsigned count) {
  Bytes told(std::size_t{15} + count - 1);
  told[0] = 4;
  told[1] = 20;
  return told;
}

TEST(ToldDirectories, AByteForEachEntry) {
  EXPECT_EQ(told_of_plain(5), told_of(zip_of(members_of(1))));
  EXPECT_EQ(told_of_plain(9), told_of(zip_of(members_of(2, 9))));
}

TEST(ToldDirectories, AreTheSameWhateverMembersHold) {
  const auto told_with = [](std::uint64_t seed, auto&& bend) {
    std::vector<ZipMember> members = members_of(seed);
    ZipShape shape;
    bend(members, shape);
    const Bytes file = zip_of(members, shape);
    expect_made_again(file);
    return told_of(file);
  };
  const auto expect_same = [&](const Bytes& told, auto&& bend) {
    EXPECT_EQ(told, told_with(1, bend));
    EXPECT_EQ(told, told_with(2, bend));
  };
  const Bytes plain = told_of_plain(5);
  expect_same(plain, [](auto&, auto&) {});
  expect_same(plain, [](auto& members, auto&) { for (ZipMember& member : members) member.descriptor = true; });
  expect_same(plain, [](auto& members, auto&) { members[0].descriptor = members[3].descriptor = true; });
  expect_same(plain, [](auto& members, auto&) { members[1].level = members[4].level = 0; });
  expect_same(plain, [](auto& members, auto&) { members[2].encrypted = true; });
  expect_same(plain, [](auto& members, auto&) { std::swap(members[2], members[4]); });
  expect_same(plain, [](auto& members, auto&) { for (ZipMember& member : members) member.name = "same"; });
  expect_same(plain, [](auto& members, auto&) { for (ZipMember& member : members) member.name.clear(); });
  expect_same(plain, [](auto&, auto& shape) { shape.program = random_bytes(5000, 3); });
  expect_same(plain, [](auto&, auto& shape) { shape.zip64 = true; shape.comment = "of all"; });
  Bytes reversed = plain;
  reversed.insert(reversed.begin() + 1, 8);  // the fourth, where the first is expected; then two back
  reversed[0] = 6;
  for (std::size_t i = 16; i < reversed.size(); i += 2) {
    reversed[i] = 2;
    reversed.insert(reversed.begin() + static_cast<std::ptrdiff_t>(i) + 1, 3);
  }
  expect_same(reversed, [](auto&, auto& shape) { shape.reversed = true; });
}

TEST(ToldDirectories, CommentsAndExtraFieldsStand) {
  std::vector<ZipMember> members = members_of(1);
  members[1].comment = "remarkable";
  members[3].zip64 = true;
  const Bytes file = zip_of(members);
  const Bytes told = told_of(file);
  EXPECT_EQ(1, std::search(told.begin(), told.end(), members[1].comment.begin(), members[1].comment.end()) != told.end());
  expect_made_again(file);
}

// Members inside of a stored one have headers, too, and are none of the archive's.
TEST(ToldDirectories, ArchivesInArchives) {
  std::vector<ZipMember> members = members_of(1);
  members[2] = {"inner", zip_of(members_of(7, 40)), 0};
  EXPECT_EQ(told_of_plain(5), told_of(zip_of(members)));
  expect_made_again(zip_of(members));
}

// What looks like a record and is none, in front of the archive and inside it.
TEST(ToldDirectories, BytesThatLookLikeRecords) {
  const Bytes local = {'P', 'K', 3, 4}, descriptor = {'P', 'K', 7, 8}, start = {'P', 'K'};
  for (const Bytes& sign : std::vector<Bytes>{local, descriptor, start, together({start, local}), together({descriptor, descriptor})}) {
    for (const std::size_t more : {0u, 5u, 16u, 400u}) {
      std::vector<ZipMember> members = members_of(1);
      members[1].descriptor = true;
      members[1].level = 0;
      members[1].content = together({sign, Bytes(more), sign});
      members[3].name = std::string(sign.begin(), sign.end());
      expect_made_again(zip_of(members, {together({sign, Bytes(more), sign}), {}, false, false}));
    }
  }
}

TEST(ToldDirectories, EntriesThatSayOtherwise) {
  const Bytes right = zip_of(members_of(1));
  const std::size_t directory = static_cast<std::size_t>(view::find_zip_directory(right).pos_in(right.size()));
  for (std::size_t at = 4; at < 46 + 7; ++at) {
    if (at >= 28 && at < 34) continue;  // lengths
    SCOPED_TRACE(at);
    Bytes file = right;
    file[directory + at] ^= 1;
    expect_made_again(file);
    const Bytes told = told_of(file);
    const bool is_whole = at >= 42;  // of another position or another name
    const bool shares = at < 6 || at >= 28;
    EXPECT_EQ(is_whole ? 1 : shares ? 4 : 12, told[0]);
    EXPECT_EQ(is_whole ? 6 : 4, is_whole ? told[46 + 7 + 1] : told[0] & 4);
  }
}

TEST(ZipHeadersFound, AreTheSameInAnyPieces) {
  std::vector<ZipMember> members = members_of(1, 12);
  for (unsigned i = 0; i < 12; i += 2) members[i].descriptor = true;
  members[3].level = members[6].level = 0;
  members[6].content = together({{'P', 'K', 7, 8}, {'P', 'P', 'K', 3}, {'P', 'K', 7, 8}, Bytes(20, 'P')});
  const Bytes file = zip_of(members, {together({{'P', 'K'}, {'P', 'K', 7, 8, 'P', 'K'}}), {}, false, false});
  const ZipHeaders whole = headers_of(file);
  ASSERT_EQ(12u, whole.found().size());
  for (std::size_t piece = 1; piece < 100; ++piece) {
    const ZipHeaders cut = headers_of(file, piece);
    ASSERT_EQ(12u, cut.found().size()) << piece;
    for (std::size_t i = 0; i < 12; ++i) {
      EXPECT_EQ(whole.found()[i].pos, cut.found()[i].pos);
      EXPECT_EQ(whole.found()[i].shared, cut.found()[i].shared);
      EXPECT_TRUE(same_bytes(whole.name_of(whole.found()[i]), cut.name_of(cut.found()[i])));
    }
  }
}

TEST(ZipHeadersFound, AreNoMoreThanADirectoryHasRoomFor) {
  const Bytes file = zip_of(members_of(1));
  const std::uint64_t bytes = view::find_zip_directory(file).bytes;
  ASSERT_EQ(5u * (46 + 7), bytes);
  for (const auto& [room, count] : {std::pair<std::uint64_t, std::size_t>{0, 0}, {52, 0}, {53, 1}, {bytes - 1, 4}, {bytes, 5}, {9999, 5}}) {
    ZipHeaders headers(room);
    headers.pass(0, ByteSpan(file).first(file.size() - 22 - static_cast<std::size_t>(bytes)));
    EXPECT_EQ(count, headers.found().size()) << room;
  }
}

TEST(MadeDirectories, RefuseWhatCantBe) {
  const Bytes file = zip_of(members_of(1));
  const Bytes right = told_of(file);
  ASSERT_TRUE(made_of(file, right).has_value());
  for (std::size_t length = 0; length < right.size(); ++length) {
    EXPECT_FALSE(made_of(file, ByteSpan(right).first(length)).has_value()) << length;
  }
  const auto refused = [&](std::size_t at, Bytes in_place) {
    Bytes told = right;
    told.erase(told.begin() + static_cast<std::ptrdiff_t>(at));
    told.insert(told.begin() + static_cast<std::ptrdiff_t>(at), in_place.begin(), in_place.end());
    EXPECT_FALSE(made_of(file, told).has_value()) << at;
  };
  refused(0, together({right, Bytes{0}}));
  for (const std::uint8_t what : Bytes{3, 5, 9, 16, 17, 32, 255}) refused(17, {what});
  refused(17, {2, 8});                                                     // the seventh header of five
  refused(17, {2, 9});                                                     // one in front of the first
  refused(17, {2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1});  // the same, by far
  refused(17, together({{1}, Bytes(46)}));                                   // an entry without a magic
  refused(3, {255});                                                       // an extra field that is not there
  ZipDirectory shifted = view::find_zip_directory(file);
  shifted.shift = 1;
  EXPECT_FALSE(view::make_directory(right, headers_of(file), shifted).has_value());
}

TEST(MadeDirectories, TellNoneThatIsElsewhere) {
  const Bytes file = zip_of(members_of(1));
  const ZipDirectory right = view::find_zip_directory(file);
  for (const ZipDirectory& bent : {ZipDirectory{right.bytes - 1, right.behind_bytes, 0}, ZipDirectory{right.bytes, right.behind_bytes - 1, 0},
                                   ZipDirectory{right.bytes + 1, right.behind_bytes, 0}, ZipDirectory{1, ~std::uint64_t{0}, 0},
                                   ZipDirectory{~std::uint64_t{0}, 1, 0}, ZipDirectory{file.size() + 1, 0, 0}}) {
    EXPECT_FALSE(view::tell_directory(file, {}, bent).has_value());
  }
  EXPECT_FALSE(view::tell_directory(file, {{right.pos_in(file.size()) - 5, 6, 6}}, right).has_value());
  EXPECT_TRUE(view::tell_directory(file, {{right.pos_in(file.size()) - 5, 5, 6}}, right).has_value());
}

}  // namespace
}  // namespace bdelta::test::zip_directory_test
