// CRC-32 and sizes that stand beside streams and follow from them: views have 0 in their place.
#include "deflate/zlib_stream.hpp"
#include "hash/adler32.hpp"
#include "hash/crc32.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/package.hpp"
#include "support/views.hpp"
#include "support/zip_streams.hpp"
#include "view/member_fields.hpp"

namespace bdelta::test::member_fields_test {
namespace {

using view::FieldKind;
using view::FieldPlace;
using view::MemberFields;

constexpr MemberFields kFields{0x11223344, 1 << 20, 0x99aabbcc, 0x55667788};  // of no more packed bytes has a CRC-32 its 0

template <class... Values>
Bytes fields_of(Values... values) {
  Bytes bytes;
  (append_le(bytes, static_cast<std::uint32_t>(values)), ...);
  return bytes;
}

Bytes joined_bytes(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& each : parts) append(all, each);
  return all;
}

// A local header with a name of `name_bytes` and an extra field of 4 bytes.
Bytes header_of(std::uint32_t crc, std::uint32_t packed, std::uint32_t raw, std::uint8_t flags = 0, std::uint8_t name_bytes = 3) {
  return joined_bytes({{'P', 'K', 3, 4, 20, 0, flags, 0, 8, 0, 1, 2, 3, 4}, fields_of(crc, packed, raw), {name_bytes, 0, 4, 0},
                       Bytes(std::size_t{name_bytes} + 4, 'n')});
}

const Bytes kZlibHead = {0x78, 0x9c};
const Bytes kGzipHead = {0x1f, 0x8b, 8, 0, 1, 2, 3, 4, 0, 3};

// What stands in the view before and behind the stream.
std::pair<Bytes, Bytes> told(ByteSpan before, ByteSpan behind, const MemberFields& fields) {
  view::GapTeller teller;
  std::pair<Bytes, Bytes> made;
  EXPECT_TRUE(teller.add(before, &fields, made.first));
  EXPECT_TRUE(teller.add(behind, nullptr, made.second));
  return made;
}

TEST(Crc32, OfPieces) {
  const Bytes bytes = {'1', '2', '3', '4', '5', '6', '7', '8', '9'};
  EXPECT_EQ(0xcbf43926u, crc32(bytes));
  EXPECT_EQ(0u, crc32({}));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(0xcbf43926u, crc32(ByteSpan(bytes).subspan(cut), crc32(ByteSpan(bytes).first(cut))));
  }
}

TEST(Adler32, OfPieces) {
  const Bytes bytes = {'W', 'i', 'k', 'i', 'p', 'e', 'd', 'i', 'a'};
  EXPECT_EQ(0x11e60398u, adler32(bytes));
  EXPECT_EQ(1u, adler32({}));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(0x11e60398u, adler32(ByteSpan(bytes).subspan(cut), adler32(ByteSpan(bytes).first(cut))));
  }
  const Bytes large(1'000'000, 0xff);  // sums that would overflow
  std::uint32_t low = 1, high = 0;
  for (const std::uint8_t byte : large) {
    low = (low + byte) % 65521;
    high = (high + low) % 65521;
  }
  EXPECT_EQ(high << 16 | low, adler32(large));
}

TEST(MemberFieldsPlace, IsInFrontOrBehind) {
  const Bytes plain = header_of(1, 2, 3), with_descriptor = header_of(0, 0, 0, 8);
  EXPECT_EQ((FieldPlace{FieldKind::kZipHeader, 0}), view::find_fields(plain));
  EXPECT_EQ((FieldPlace{FieldKind::kZipDescriptor, 0}), view::find_fields(with_descriptor));
  EXPECT_EQ((FieldPlace{FieldKind::kGzipTrailer, 0}), view::find_fields(kGzipHead));
  EXPECT_EQ((FieldPlace{FieldKind::kGzipTrailer, 0}), view::find_fields(joined_bytes({Bytes(8), kGzipHead})));
  EXPECT_EQ((FieldPlace{FieldKind::kGzipTrailer, 0}), view::find_fields(joined_bytes({Bytes(9000), kGzipHead})));
  for (const std::uint8_t flags : Bytes{0x01, 0x5e, 0x9c, 0xda}) {
    EXPECT_EQ((FieldPlace{FieldKind::kZlibTrailer, 0}), view::find_fields(Bytes{0x78, flags}));
    EXPECT_EQ((FieldPlace{FieldKind::kZlibTrailer, 0}), view::find_fields(joined_bytes({Bytes(3000), {0x78, flags}})));
  }
  EXPECT_EQ((FieldPlace{FieldKind::kZlibTrailer, 0}), view::find_fields(Bytes{0x08, 0x1d}));
  EXPECT_EQ((FieldPlace{FieldKind::kZipHeader, 500}), view::find_fields(joined_bytes({Bytes(500, 'P'), plain})));
  EXPECT_EQ((FieldPlace{FieldKind::kZipHeader, 9000}), view::find_fields(joined_bytes({Bytes(9000), plain})));
  const Bytes inside = header_of(1, 2, 3, 0, 200);  // of one whose name is long, another one ends there, too
  EXPECT_EQ((FieldPlace{FieldKind::kZipHeader, 0}), view::find_fields(joined_bytes({Bytes(inside.begin(), inside.end() - 37), plain})));
}

TEST(MemberFieldsPlace, IsNone) {
  const Bytes plain = header_of(1, 2, 3);
  for (const Bytes& gap : std::vector<Bytes>{{}, joined_bytes({plain, {0}}), Bytes(plain.begin(), plain.end() - 1), Bytes{0x78, 0x9d},
                                             joined_bytes({kGzipHead, {0}}), Bytes(3000), Bytes{0x78}, Bytes{0x78, 0x20}, Bytes{0x78, 0xbb}, Bytes{0x79, 0x9c}}) {
    EXPECT_EQ(FieldPlace{}, view::find_fields(gap));
  }
  // A head of 1,024 bytes is the longest.
  Bytes longest = header_of(1, 2, 3);
  longest.resize(1024);
  store_le(longest.data() + 28, std::uint16_t{1024 - 33});
  EXPECT_EQ((FieldPlace{FieldKind::kZipHeader, 0}), view::find_fields(longest));
  longest.push_back(0);
  store_le(longest.data() + 28, std::uint16_t{1025 - 33});
  EXPECT_EQ(FieldPlace{}, view::find_fields(longest));
  for (const std::size_t bytes : {1024u, 1025u}) {
    Bytes head = kGzipHead;
    head[3] = 4;
    append_le(head, static_cast<std::uint16_t>(bytes - 12));
    head.resize(bytes);
    EXPECT_EQ(bytes == 1024 ? FieldKind::kGzipTrailer : FieldKind::kNone, view::find_fields(head).kind);
  }
}

TEST(MemberFieldsTold, ZeroIsWhatIsRight) {
  const auto& [crc, packed, raw, adler] = kFields;
  EXPECT_EQ(0x55667788u, adler);
  const Bytes behind = Bytes(30, 'b');
  EXPECT_EQ(std::pair(header_of(0, 0, 0), behind), told(header_of(*crc, packed, raw), behind, kFields));
  const Bytes descriptor = joined_bytes({{'P', 'K', 7, 8}, fields_of(*crc, packed, raw), Bytes(5, 'x')});
  const Bytes told_descriptor = joined_bytes({{'P', 'K', 7, 8}, fields_of(0, 0, 0), Bytes(5, 'x')});
  EXPECT_EQ(std::pair(header_of(0, 0, 0, 8), told_descriptor), told(header_of(0, 0, 0, 8), descriptor, kFields));
  EXPECT_EQ(std::pair(kGzipHead, fields_of(0, 0, 7)), told(kGzipHead, fields_of(*crc, raw, 7), kFields));
  EXPECT_EQ(std::pair(kZlibHead, Bytes({0, 0, 0, 0, 7})), told(kZlibHead, Bytes({0x55, 0x66, 0x77, 0x88, 7}), kFields));
}

TEST(MemberFieldsTold, ChecksumsOfLargeStreamsStand) {
  for (const std::optional<std::uint32_t> crc : {kFields.crc, std::optional<std::uint32_t>()}) {
    const MemberFields large{crc, (1 << 20) + 1, 8, kFields.adler};
    EXPECT_EQ(Bytes({0x55, 0x66, 0x77, 0x88}), told(kZlibHead, Bytes({0x55, 0x66, 0x77, 0x88}), large).second);
    EXPECT_EQ(header_of(*kFields.crc, 0, 0), told(header_of(*kFields.crc, (1 << 20) + 1, 8), {}, large).first);
    const Bytes descriptor = joined_bytes({{'P', 'K', 7, 8}, fields_of(*kFields.crc, (1 << 20) + 1, 8)});
    EXPECT_EQ(joined_bytes({{'P', 'K', 7, 8}, fields_of(*kFields.crc, 0, 0)}), told(header_of(0, 0, 0, 8), descriptor, large).second);
    EXPECT_EQ(fields_of(*kFields.crc, 0), told(kGzipHead, fields_of(*kFields.crc, 8), large).second);
  }
}

TEST(MemberFieldsTold, WhatIsWrongStandsAndZeroIsTurnedRound) {
  const auto& [crc, packed, raw, adler] = kFields;
  const Bytes wrong = joined_bytes({{'P', 'K', 7, 8}, fields_of(1, 2, 3)});
  EXPECT_EQ(wrong, told(header_of(0, 0, 0, 8), wrong, kFields).second);
  const Bytes zeros = joined_bytes({{'P', 'K', 7, 8}, fields_of(0, 0, 0)});
  EXPECT_EQ(joined_bytes({{'P', 'K', 7, 8}, fields_of(*crc, packed, raw)}), told(header_of(0, 0, 0, 8), zeros, kFields).second);
  EXPECT_EQ(header_of(5, packed, 6), told(header_of(5, 0, 6), {}, kFields).first);
  for (const Bytes& short_behind : std::vector<Bytes>{{'P', 'K', 7, 8, 9, 9, 9}, Bytes(16, 'x'), {}}) {
    EXPECT_EQ(short_behind, told(header_of(0, 0, 0, 8), short_behind, kFields).second);
  }
  EXPECT_EQ(Bytes({0x55, 0x66, 0x77, 0x88}), told(kZlibHead, Bytes(4), kFields).second);
  EXPECT_EQ(Bytes({0x55, 0x66, 0x77, 0x89}), told(kZlibHead, Bytes({0x55, 0x66, 0x77, 0x89}), kFields).second);
  EXPECT_EQ(Bytes(3, 'x'), told(kZlibHead, Bytes(3, 'x'), kFields).second);
  EXPECT_EQ(adler, kFields.adler);
  EXPECT_EQ(Bytes(7, 'x'), told(kGzipHead, Bytes(7, 'x'), kFields).second);
}

TEST(MemberFieldsTold, OldIsTakenForRight) {
  const MemberFields unknown{{}, 7, 9, 0};
  EXPECT_EQ(Bytes(4), told(kZlibHead, Bytes({1, 2, 3, 4}), unknown).second);
  EXPECT_EQ(header_of(0, 0, 0), told(header_of(12345, 7, 9), {}, unknown).first);
  EXPECT_EQ(fields_of(0, 0), told(kGzipHead, fields_of(12345, 9), unknown).second);
}

// --- in patches ---

Bytes text_of(std::uint64_t seed, bool next) {
  const Bytes text = wordy_bytes(20'000, seed);
  return next ? edited(text, {{Edit::kOverwrite, 2000, 9, 0, 7}, {Edit::kInsert, 4000, 5, 0, 8}}) : text;
}

void expect_views(ByteSpan source, ByteSpan target) {
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  EXPECT_TRUE(has_feature(*patch, native::kFeatureView));
  expect_rebuilt_everywhere(source, *patch, target);
  expect_rebuilt_in_pieces(source, *patch, target);
}

std::vector<ZipMember> members_of(bool next, bool descriptor) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 3; ++i) {
    members.push_back({"file" + std::to_string(i), text_of(i, next)});
    members.back().descriptor = descriptor;
  }
  return members;
}

TEST(MemberFieldsInPatches, ThatLie) {
  for (const bool descriptor : {false, true}) {
    const Bytes source = zip_of(members_of(false, descriptor)), target = zip_of(members_of(true, descriptor));
    const view::FoundStream second = zip_streams(target)[1];
    const auto first = static_cast<std::size_t>(descriptor ? second.file_pos + second.packed_bytes + 4 : second.file_pos - 5 - 16);
    for (std::size_t at = first; at < first + 12; at += 4) {
      for (const std::uint32_t value : {0u, 1u, 0xffffffffu}) {
        SCOPED_TRACE(std::to_string(at) + " " + std::to_string(value));
        Bytes bent = target;
        ASSERT_NE(0u, load_le<std::uint32_t>(bent.data() + at));
        store_le(bent.data() + at, value);
        expect_views(source, bent);
        expect_views(bent, source);
      }
    }
  }
  const Bytes source = gzip_of(text_of(1, false)), target = gzip_of(text_of(1, true));
  for (const std::size_t at : {target.size() - 8, target.size() - 4}) {
    for (const std::uint32_t value : {0u, 1u}) {
      Bytes bent = target;
      store_le(bent.data() + at, value);
      expect_views(source, bent);
      expect_views(bent, source);
    }
  }
}

TEST(MemberFieldsInPatches, OfLargeStreams) {
  for (const bool descriptor : {false, true}) {
    std::vector<ZipMember> members = members_of(false, descriptor);
    members[1].content = random_bytes(1'300'000, 3);
    const Bytes source = zip_of(members);
    members[1].content[2000] ^= 1;
    expect_views(source, zip_of(members));
  }
}

// What is between two streams is held in part, however long it is.
TEST(MemberFieldsInPatches, BesideGapsOfAnyLength) {
  std::vector<std::size_t> sizes = {0, 1, 2, 900, 30'000};
  for (std::size_t bytes = 930; bytes < 960; bytes += 3) sizes.push_back(bytes);
  for (const std::size_t bytes : sizes) {
    SCOPED_TRACE(bytes);
    for (const bool descriptor : {false, true}) {
      std::vector<ZipMember> members = members_of(false, descriptor), next = members_of(true, descriptor);
      const ZipMember between = {"between", random_bytes(bytes, 1), 0};
      members.insert(members.begin() + 1, between);
      next.insert(next.begin() + 1, between);
      expect_views(zip_of(members), zip_of(next));
    }
  }
  for (const std::size_t name : {0u, 900u, 1010u, 1020u}) {
    const GzipHead head = {.name = std::string(name, 'n')};
    const auto file_of = [&](bool next) {
      return joined_bytes({gzip_of(text_of(1, next), 6, head), gzip_of(text_of(2, next), 6, head), gzip_of(text_of(3, next))});
    };
    expect_views(file_of(false), file_of(true));
  }
}

}  // namespace
}  // namespace bdelta::test::member_fields_test
