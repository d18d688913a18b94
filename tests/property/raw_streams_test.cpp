// Streams of zlib and gzip that stand anywhere in a file.
#include "create/view_parts.hpp"
#include "deflate/zlib_stream.hpp"
#include "property/view_pairs.hpp"
#include "support/tar.hpp"
#include "view/raw_streams.hpp"

namespace bdelta::test::raw_streams_test {
namespace {

using namespace view_pairs;

constexpr std::uint64_t kAll = ~std::uint64_t{0};

std::vector<view::FoundStream> found_in(ByteSpan file, std::uint64_t most_raw_bytes) { return view::RawStreamScan().find_all(file, most_raw_bytes); }

Bytes joined_bytes(std::initializer_list<Bytes> parts) {
  Bytes all;
  for (const Bytes& each : parts) append(all, each);
  return all;
}

// Objects with streams of several levels.
Bytes document_of(bool next, unsigned count = 6) {
  Bytes file = bytes_of("%PDF-1.7\n");
  for (unsigned i = 0; i < count; ++i) {
    const Bytes text = next && i % 2 == 0 ? changed(text_of(i, 9000)) : text_of(i, 9000);
    append(file, bytes_of("obj " + std::to_string(i) + " stream\n"));
    append(file, zlib_of(text, 1 + static_cast<int>(i)));
    append(file, bytes_of("\nendstream\n"));
  }
  return file;
}

TEST(RawStreams, OfBothKindsAnywhere) {
  const Bytes text = text_of(1, 5000), zlib = zlib_of(text), gzip = gzip_of(text, 6, {.name = "a name"});
  for (const std::size_t before : {0u, 1u, 511u, 512u, 513u, 5000u}) {
    const Bytes file = joined_bytes({Bytes(before, 0x78), zlib, bytes_of("between"), gzip, Bytes(3)});
    const auto found = found_in(file, kAll);
    ASSERT_EQ(2u, found.size()) << before;
    EXPECT_EQ(before + 2, found[0].file_pos);
    EXPECT_EQ(zlib.size() - 6, found[0].packed_bytes);
    EXPECT_EQ(text.size(), found[0].raw_bytes);
    EXPECT_EQ(before + zlib.size() + 7 + 10 + 7, found[1].file_pos);
    EXPECT_EQ(gzip.size() - 25, found[1].packed_bytes);
  }
}

TEST(RawStreams, AreNoneWithoutTheirEndOrChecksum) {
  const Bytes zlib = zlib_of(text_of(1, 5000));
  ASSERT_GT(4096u, zlib.size());
  Bytes wrong = zlib;
  wrong.back() ^= 1;
  EXPECT_TRUE(found_in(wrong, kAll).empty());
  EXPECT_TRUE(found_in(ByteSpan(zlib).first(zlib.size() - 1), kAll).empty());
  EXPECT_TRUE(found_in(ByteSpan(zlib).first(zlib.size() / 2), kAll).empty());
  EXPECT_TRUE(found_in(zlib_of(text_of(1, 50)), kAll).empty());  // not worth it
  EXPECT_TRUE(found_in({}, kAll).empty());
  Bytes large = zlib_of(random_bytes(6000, 1));
  large.back() ^= 1;  // but it is no accident
  EXPECT_EQ(1u, found_in(large, kAll).size());
}

TEST(RawStreams, HaveNoMoreBytesThanThereMayBe) {
  const Bytes text = text_of(1, 5000), file = joined_bytes({zlib_of(text), zlib_of(text)});
  EXPECT_EQ(2u, found_in(file, 10'000).size());
  EXPECT_EQ(1u, found_in(file, 9'999).size());
  EXPECT_EQ(0u, found_in(file, 4'999).size());
}

TEST(RawStreams, BeginInTheirRange) {
  const Bytes zlib = zlib_of(text_of(1, 5000));
  const Bytes file = joined_bytes({Bytes(1000), zlib, Bytes(1000)});
  view::RawStreamScan scan;
  scan.allow(file.size());
  EXPECT_TRUE(scan.next(file, 1000, 1001, kAll).has_value());
  EXPECT_FALSE(scan.next(file, 1001, file.size(), kAll).has_value());
  EXPECT_FALSE(scan.next(file, 0, 1000, kAll).has_value());
}

// Of heads that seem to begin a stream which goes on behind many others: literals, stored blocks, streams that break, and those
// whose text is large; and heads alone.
std::vector<Bytes> floods() {
  Bytes broken = zlib_of(text_of(2, 5000));
  broken.resize(100);
  Bytes zeros = zlib_of(Bytes(2'000'000));
  zeros.resize(1000);
  const Bytes stored = {0x78, 0x01, 0x00, 0x09, 0x00, 0xf6, 0xff};
  std::vector<Bytes> all;
  for (const Bytes& part : {bytes_of("x^:!"), stored, broken, zeros, bytes_of("\x78\x9c"), bytes_of("\x1f\x8b\x08")}) {
    Bytes flood;
    while (flood.size() < 200'000) append(flood, part);
    all.push_back(std::move(flood));
  }
  return all;
}

// What is in front of them is found, and what is behind them nobody looks for.
TEST(RawStreams, AreNotLookedForBehindAFloodOfHeads) {
  const Bytes zlib = zlib_of(text_of(1, 5000));
  for (const Bytes& flood : floods()) {
    const Bytes file = joined_bytes({zlib, flood, bytes_of("no block"), zlib});
    view::RawStreamScan scan;
    const auto found = scan.find_all(file, kAll);
    ASSERT_EQ(1u, found.size());
    EXPECT_EQ(2u, found[0].file_pos);
    EXPECT_EQ(1u, scan.unscanned().count);
    EXPECT_LT(flood.size() / 8, scan.unscanned().bytes);
  }
}

// What is worth something else does not pay for a flood.
TEST(RawStreams, AreLookedForByTheWorkThatBytesAreWorth) {
  const Bytes flood = floods()[0], zlib = zlib_of(text_of(1, 5000));
  view::RawStreamScan scan;
  EXPECT_TRUE(scan.find_all(flood, kAll).empty());
  EXPECT_EQ(1u, scan.unscanned().count);
  EXPECT_EQ(1u, scan.find_all(joined_bytes({Bytes(200'000), zlib}), kAll).size());
  EXPECT_EQ(1u, scan.unscanned().count);
}

// Many files of an archive may begin as gzip does, and inflate to much that has no end.
TEST(RawStreams, AtTheBeginOfFilesAreInflatedByTheWorkThatFilesAreWorth) {
  const auto parts_with = [](const Bytes& content) {
    std::vector<TarFile> files(200, {"file", 0, content});
    files.front().content = files.back().content = gzip_of(text_of(1, 5000));
    const Bytes archive = tar_of(files);
    return find_parts(archive, {whole_part(archive.size())}, {false, false, kAll});
  };
  Bytes zeros = gzip_of(Bytes(2'000'000)), no_block = gzip_of(text_of(2, 5000));
  zeros.resize(1000);
  no_block[10] = 0xff;
  const FoundParts flood = parts_with(zeros), broken = parts_with(no_block);
  EXPECT_EQ(1u, flood.streams.size());
  EXPECT_LT(180u, flood.unscanned.count);
  EXPECT_EQ(2u, broken.streams.size());
  EXPECT_EQ(0u, broken.unscanned.count);
  EXPECT_EQ(broken.parts.size(), flood.parts.size());
}

TEST(RawStreams, ReportsSayWhereNobodyLooked) {
  const Bytes source = random_bytes(1000, 1), flood = floods()[1];
  for (const Bytes& target : {flood, joined_bytes({document_of(true), flood})}) {
    const auto made = make_reported(source, target, create_options(3));
    ASSERT_OK(made);
    expect_rebuilt(source, made->bytes, target);
    EXPECT_EQ(1u, made->report.unpack.unscanned.count);
    EXPECT_LT(flood.size() / 2, made->report.unpack.unscanned.bytes);
    EXPECT_EQ(0u, made->report.unpack.left_bytes());
  }
  const auto none = make_reported(source, document_of(true), create_options(3));
  ASSERT_OK(none);
  EXPECT_EQ(0u, none->report.unpack.unscanned.count);
}

TEST(RawStreams, AreUnpackedInFilesThatAreNoArchives) {
  for (const int level : {1, 3, 6}) {
    const Bytes patch = expect_unpacked(document_of(false), document_of(true), level);
    EXPECT_EQ(3u, view_plan_of(patch).target_count);  // the others stand in OLD
    EXPECT_EQ(3u, view_plan_of(patch).source_count);
  }
}

TEST(RawStreams, HaveChecksumsThatFollow) {
  const Bytes source = document_of(false, 1), target = document_of(true, 1);
  const auto sum_at = static_cast<std::ptrdiff_t>(target.size() - 11 - 4);
  const auto right = make_patch(source, target, create_options(3));
  ASSERT_OK(right);
  for (const std::uint8_t flip : Bytes{1, 0x80}) {
    Bytes wrong = target;
    wrong[static_cast<std::size_t>(sum_at)] ^= flip;
    wrong[static_cast<std::size_t>(sum_at + 3)] ^= flip;
    expect_held(source, wrong);
    expect_held(wrong, target);
  }
}

TEST(RawStreams, OfFilesThatAreTheSameAreNotLookedFor) {
  const Bytes file = document_of(false);
  expect_left_packed(file, file);
  Bytes target = file;
  append(target, bytes_of("more at the end, that is no stream, however much of it there is, and there is much of it here"));
  expect_left_packed(file, target);
  expect_left_packed(document_of(false), document_of(true), packed_options(3));
}

// A program's fields are predicted where they stand.
TEST(RawStreams, OfProgramsStayPacked) {
  for (const char* magic : {"\x7f" "ELF", "MZ"}) {
    expect_left_packed(joined_bytes({bytes_of(magic), document_of(false)}), joined_bytes({bytes_of(magic), document_of(true)}));
  }
}

}  // namespace
}  // namespace bdelta::test::raw_streams_test
