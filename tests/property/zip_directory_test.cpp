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

ZipDirectory directory_of(ByteSpan file) {
  const auto directory = view::find_zip_directory(file);
  EXPECT_TRUE(directory.has_value());
  return directory.value_or(ZipDirectory());
}

std::optional<Bytes> describe_directory_of(ByteSpan file, const view::PackedStreams& replaced, const ZipDirectory& directory) {
  view::FileWindow window(file);
  return view::describe_directory(window, replaced, directory);
}

// The description of the directory of an archive none of whose streams is unpacked.
Bytes told_of(ByteSpan file) {
  auto description = describe_directory_of(file, {}, directory_of(file));
  EXPECT_TRUE(description.has_value());
  return description ? std::move(*description) : Bytes();
}

ByteSpan part(ByteSpan file, std::uint64_t pos, std::uint64_t bytes) {
  return file.subspan(static_cast<std::size_t>(pos), static_cast<std::size_t>(bytes));
}

ByteSpan directory_bytes_of(ByteSpan file) {
  const ZipDirectory directory = directory_of(file);
  return part(file, directory.file_pos, directory.bytes);
}

// From where the archive begins, as all that is in front of it passes.
ZipHeaders headers_of(ByteSpan file, std::size_t piece_bytes = ~std::size_t{0}) {
  const view::ZipDirectories directories = {directory_of(file)};
  view::HeadersAhead headers(directories);
  const auto end = static_cast<std::size_t>(directories[0].file_pos);
  for (std::size_t pos = 0; pos < end; pos += std::min(piece_bytes, end - pos)) {
    headers.pass(pos, file.subspan(pos, std::min(piece_bytes, end - pos)));
  }
  return headers.take_next();
}

std::optional<Bytes> made_of(ByteSpan file, ByteSpan description) {
  return view::make_directory(description, headers_of(file), directory_of(file));
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

// The first entry tells what all have: made by version 2.0; nothing else is said of any.
Bytes told_of_plain(unsigned count) {
  Bytes description(std::size_t{15} + count - 1);
  description[0] = 4;
  description[1] = 20;
  return description;
}

TEST(DescribedDirectories, AByteForEachEntry) {
  EXPECT_EQ(told_of_plain(5), told_of(zip_of(members_of(1))));
  EXPECT_EQ(told_of_plain(9), told_of(zip_of(members_of(2, 9))));
}

TEST(DescribedDirectories, AreTheSameWhateverMembersHold) {
  const auto told_with = [](std::uint64_t seed, auto&& bend) {
    std::vector<ZipMember> members = members_of(seed);
    ZipShape shape;
    bend(members, shape);
    const Bytes file = zip_of(members, shape);
    expect_made_again(file);
    return told_of(file);
  };
  const auto expect_same = [&](const Bytes& description, auto&& bend) {
    EXPECT_EQ(description, told_with(1, bend));
    EXPECT_EQ(description, told_with(2, bend));
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

TEST(DescribedDirectories, CommentsAndExtraFieldsStand) {
  std::vector<ZipMember> members = members_of(1);
  members[1].comment = "remarkable";
  members[3].zip64 = true;
  const Bytes file = zip_of(members);
  const Bytes description = told_of(file);
  EXPECT_EQ(1, std::search(description.begin(), description.end(), members[1].comment.begin(), members[1].comment.end()) != description.end());
  expect_made_again(file);
}

// Members inside of a stored one have headers, too, and are none of the archive's.
TEST(DescribedDirectories, ArchivesInArchives) {
  std::vector<ZipMember> members = members_of(1);
  members[2] = {"inner", zip_of(members_of(7, 40)), 0};
  EXPECT_EQ(told_of_plain(5), told_of(zip_of(members)));
  expect_made_again(zip_of(members));
}

// What looks like a record and is none, in front of the archive and inside it.
TEST(DescribedDirectories, BytesThatLookLikeRecords) {
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

TEST(DescribedDirectories, EntriesThatSayOtherwise) {
  const Bytes right = zip_of(members_of(1));
  const std::size_t directory = static_cast<std::size_t>(directory_of(right).file_pos);
  for (std::size_t at = 4; at < 46 + 7; ++at) {
    if (at >= 28 && at < 34) continue;  // lengths
    SCOPED_TRACE(at);
    Bytes file = right;
    file[directory + at] ^= 1;
    expect_made_again(file);
    const Bytes description = told_of(file);
    const bool is_whole = at >= 42;  // of another position or another name
    const bool shares = at < 6 || at >= 28;
    EXPECT_EQ(is_whole ? 1 : shares ? 4 : 12, description[0]);
    EXPECT_EQ(is_whole ? 6 : 4, is_whole ? description[46 + 7 + 1] : description[0] & 4);
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
  const std::uint64_t bytes = directory_of(file).bytes;
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
    Bytes description = right;
    description.erase(description.begin() + static_cast<std::ptrdiff_t>(at));
    description.insert(description.begin() + static_cast<std::ptrdiff_t>(at), in_place.begin(), in_place.end());
    EXPECT_FALSE(made_of(file, description).has_value()) << at;
  };
  refused(0, together({right, Bytes{0}}));
  for (const std::uint8_t what : Bytes{3, 5, 9, 16, 17, 32, 255}) refused(17, {what});
  refused(17, {2, 8});                                                     // the seventh header of five
  refused(17, {2, 9});                                                     // one in front of the first
  refused(17, {2, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1});  // the same, by far
  refused(17, together({{1}, Bytes(46)}));                                   // an entry without a magic
  refused(3, {255});                                                       // an extra field that is not there
}

TEST(MadeDirectories, RefusePositionsOfMoreThan32Bits) {
  const Bytes file = zip_of(members_of(1));
  const Bytes right = told_of(file);
  ZipDirectory directory = directory_of(file);
  const auto made_at = [&](std::uint64_t pos) {
    ZipHeaders headers(directory.bytes);
    headers.pass(pos, ByteSpan(file).first(static_cast<std::size_t>(directory.file_pos)));
    return view::make_directory(right, headers, directory).has_value();
  };
  const std::uint64_t last_pos = directory.file_pos - 40;  // no header is behind
  EXPECT_TRUE(made_at(UINT32_MAX - last_pos));
  EXPECT_FALSE(made_at(UINT32_MAX));
  directory.archive_pos = 1000;
  EXPECT_TRUE(made_at(UINT32_MAX - last_pos + 1000));
}

TEST(MadeDirectories, TellNoneOfOtherEntries) {
  const Bytes file = zip_of(members_of(1));
  const ZipDirectory right = directory_of(file);
  const auto bent = [&](std::int64_t pos, std::int64_t bytes) {
    ZipDirectory directory = right;
    directory.file_pos += static_cast<std::uint64_t>(pos);
    directory.bytes += static_cast<std::uint64_t>(bytes);
    return describe_directory_of(file, {}, directory).has_value();
  };
  EXPECT_TRUE(bent(0, 0));
  EXPECT_FALSE(bent(0, -1));
  EXPECT_FALSE(bent(1, -1));
  EXPECT_FALSE(bent(-1, 1));
  EXPECT_FALSE(bent(0, 1));
  EXPECT_FALSE(describe_directory_of(file, {{right.file_pos - 5, 6, 6}}, right).has_value());
  EXPECT_TRUE(describe_directory_of(file, {{right.file_pos - 5, 5, 6}}, right).has_value());
}

TEST(DirectoryRoom, HoldsWhatIsInTheFile) {
  const auto takes = [](const ZipDirectory& directory) { return view::DirectoryRoom(1000, 500).take(directory); };
  EXPECT_TRUE(takes({500, 500, 0, 0}));
  EXPECT_TRUE(takes({500, 500, 500, 0}));
  EXPECT_TRUE(takes({999, 1, 999, 0}));
  EXPECT_FALSE(takes({500, 0, 0, 0}));
  EXPECT_FALSE(takes({501, 500, 0, 0}));
  EXPECT_FALSE(takes({400, 501, 0, 0}));
  EXPECT_FALSE(takes({500, 500, 501, 0}));
  EXPECT_FALSE(takes({1000, 1, 0, 0}));
  EXPECT_FALSE(takes({~std::uint64_t{0}, 2, 0, 0}));
  EXPECT_FALSE(takes({500, ~std::uint64_t{0} - 400, 0, 0}));
}

TEST(DirectoryRoom, HoldsSoManyBytesAndArchives) {
  view::DirectoryRoom entries(1000, 500);
  EXPECT_TRUE(entries.take({100, 300, 100, 0}));
  EXPECT_FALSE(entries.take({400, 201, 400, 0}));
  EXPECT_TRUE(entries.take({400, 200, 400, 0}));
  view::DirectoryRoom archives(1000, 500);
  for (unsigned i = 0; i < 4; ++i) EXPECT_TRUE(archives.take({990 + i, 1, i, 0})) << i;
  EXPECT_FALSE(archives.take({995, 1, 900, 0}));
  EXPECT_TRUE(archives.take({995, 1, 980, 0}));
}

// One in another, one behind another, and one whose archive begins inside of another.
TEST(HeadersAhead, AreThoseOfEachDirectory) {
  const Bytes inner = zip_of(members_of(7, 4)), behind = zip_of(members_of(3, 6));
  std::vector<ZipMember> members = members_of(1);
  members[2] = {"inner", inner, 0};
  const Bytes outer = zip_of(members);
  const Bytes file = together({outer, Bytes(100), behind});
  ZipDirectory of_inner = directory_of(inner), of_outer = directory_of(outer), of_behind = directory_of(behind);
  const auto inner_pos = static_cast<std::uint64_t>(std::search(file.begin(), file.end(), inner.begin(), inner.end()) - file.begin());
  of_inner.archive_pos = inner_pos;
  of_inner.file_pos += inner_pos;
  of_behind.archive_pos = outer.size() + 100;
  of_behind.file_pos += of_behind.archive_pos;
  const view::ZipDirectories directories = {of_inner, of_outer, of_behind};
  for (const std::size_t piece : {std::size_t{1}, std::size_t{33}, file.size()}) {
    view::HeadersAhead headers(directories);
    std::size_t pos = 0;
    for (const ZipDirectory& directory : directories) {
      const auto description = describe_directory_of(file, {}, directory);
      ASSERT_TRUE(description.has_value());
      EXPECT_LT(description->size(), 60u);
      for (const auto end = static_cast<std::size_t>(directory.file_pos); pos < end; pos += std::min(piece, end - pos)) {
        headers.pass(pos, ByteSpan(file).subspan(pos, std::min(piece, end - pos)));
      }
      const auto made = view::make_directory(*description, headers.take_next(), directory);
      ASSERT_TRUE(made.has_value());
      EXPECT_TRUE(same_bytes(part(file, directory.file_pos, directory.bytes), *made));
    }
  }
}

}  // namespace
}  // namespace bdelta::test::zip_directory_test
