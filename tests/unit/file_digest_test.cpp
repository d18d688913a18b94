// Digests of files that a patch leaves out: written, found, read and filled in.
#include "apply/file_digester.hpp"
#include "create/file_digest_pass.hpp"
#include "create/tar_members.hpp"
#include "format/native/file_digest_record.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/package.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test::file_digest_test {
namespace {

constexpr std::uint64_t kTargetBytes = 100'000;
constexpr std::uint64_t kEverything = ~std::uint64_t{0};

std::string string_of(const DigestText& text) { return {text.begin(), text.end()}; }

// Digests of the specification of SHA-256, in base64 by another program.
TEST(FileDigest, IsWrittenInBase64ForUrls) {
  EXPECT_EQ("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", string_of(digest_text(sha256({}))));
  const Bytes abc{'a', 'b', 'c'};
  EXPECT_EQ("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", string_of(digest_text(sha256(abc))));
  for (unsigned i = 0; i < 64; ++i) {
    const Sha256Digest digest = sha256(random_bytes(10, i));
    EXPECT_EQ(base64url(digest), string_of(digest_text(digest)));
  }
}

LeftOutDigests found_in(const Bytes& source, const Bytes& target, std::uint64_t most_hashed_bytes = kEverything) {
  WorkerPool pool(2);
  return find_file_digests(source, target, most_hashed_bytes, pool);
}

class EachShape : public ::testing::TestWithParam<PackageShape> {};

TEST_P(EachShape, OfChangedFilesAreFound) {
  const PackagePair pair = package_pair(GetParam());
  const LeftOutDigests found = found_in(pair.old_version, pair.new_version);
  EXPECT_EQ(pair.changed, found.digests);
  EXPECT_OK(check_file_digests(found.digests, pair.new_version.size()));
  ASSERT_EQ(found.digests.size(), found.others.size());
  Bytes bent = pair.new_version;
  for (const OtherText& other : found.others) {
    std::copy(other.bytes.begin(), other.bytes.end(), bent.begin() + static_cast<std::ptrdiff_t>(other.pos));
  }
  EXPECT_FALSE(same_bytes(pair.new_version, bent));
  // In place of each digest that of the old version; of the file that is new, none.
  for (std::size_t i = 0; i + 1 < found.others.size(); ++i) {
    const auto at = std::search(pair.old_version.begin(), pair.old_version.end(), found.others[i].bytes.begin(),
                                found.others[i].bytes.end());
    EXPECT_NE(pair.old_version.end(), at);
  }
  EXPECT_EQ(std::string(43, 'A'), string_of(found.others.back().bytes));
  FileDigester digester(found.digests);
  digester.fill(0, bent);
  EXPECT_TRUE(same_bytes(pair.new_version, bent));
}

PackageShape shape_of(void (*change)(PackageShape&)) {
  PackageShape shape;
  change(shape);
  return shape;
}

INSTANTIATE_TEST_SUITE_P(Shapes, EachShape, ::testing::Values(
    PackageShape{}, shape_of([](PackageShape& shape) { shape.reversed_list = true; }),
    shape_of([](PackageShape& shape) { shape.root = "./"; }),
    shape_of([](PackageShape& shape) { shape.root = "usr/lib/python3/"; }),
    shape_of([](PackageShape& shape) { shape.file_count = 300; })));

TEST(FileDigestPass, NothingIsLeftOutWhereNothingIsGained) {
  const PackagePair pair = package_pair();
  EXPECT_EQ(FileDigests{}, found_in(pair.new_version, pair.new_version).digests);
  EXPECT_EQ(FileDigests{}, found_in(pair.old_version, {}).digests);
  EXPECT_EQ(FileDigests{}, found_in(pair.old_version, wordy_bytes(50'000, 1)).digests);
  EXPECT_EQ(FileDigests{}, found_in(pair.old_version, tar_pair(10, 1).new_version).digests);
  const PackagePair before = package_pair(shape_of([](PackageShape& shape) { shape.list_first = true; }));
  EXPECT_EQ(FileDigests{}, found_in(before.old_version, before.new_version).digests);
}

TEST(FileDigestPass, AWrongDigestStays) {
  PackagePair pair = package_pair();
  pair.new_version[static_cast<std::size_t>(pair.changed[2].text_pos)] ^= 1;
  pair.new_version[static_cast<std::size_t>(pair.changed[5].data_pos)] ^= 1;
  FileDigests expected = pair.changed;
  expected.erase(expected.begin() + 5);
  expected.erase(expected.begin() + 2);
  EXPECT_EQ(expected, found_in(pair.old_version, pair.new_version).digests);
}

TEST(FileDigestPass, TheSmallestFilesGoFirst) {
  const PackagePair pair = package_pair();
  std::vector<std::uint64_t> sizes;
  for (const FileDigest& digest : pair.changed) sizes.push_back(digest.data_bytes);
  std::sort(sizes.begin(), sizes.end());
  const std::uint64_t three = sizes[0] + sizes[1] + sizes[2];
  for (const auto& [most_bytes, count] : {std::pair{three, 3u}, {three - 1, 2u}, {sizes[0], 0u}}) {
    const FileDigests found = found_in(pair.old_version, pair.new_version, most_bytes).digests;
    EXPECT_EQ(count, found.size());
    for (const FileDigest& digest : found) EXPECT_LE(digest.data_bytes, sizes[2]);
  }
}

TEST(FileDigestPass, ArchivesCutAnywhereAreLookedThrough) {
  const PackagePair pair = package_pair();
  for (std::size_t size = 0; size < pair.new_version.size(); size += 509) {
    const Bytes cut(pair.new_version.begin(), pair.new_version.begin() + static_cast<std::ptrdiff_t>(size));
    const LeftOutDigests found = found_in(pair.old_version, cut);
    EXPECT_OK(check_file_digests(found.digests, size));
    EXPECT_LE(found.digests.size(), pair.changed.size());
  }
}

std::vector<std::string> names_in(const Bytes& archive) {
  std::vector<std::string> names;
  for_each_tar_member(archive, [&](const TarMember& member) {
    if (member.is_file) names.push_back(member.name);
  });
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
  large[3 * kHeaderBlockBytes + 124] = 0x80;  // a size that is not octal
  EXPECT_EQ(std::vector<std::string>{"one"}, names_in(large));
  large[3 * kHeaderBlockBytes + 124] = '7';  // behind the end
  EXPECT_EQ(std::vector<std::string>{"one"}, names_in(large));
}

Result<FileDigests> read_record(ByteSpan record, std::uint64_t memory_bytes = kTargetBytes,
                                std::uint64_t target_bytes = kTargetBytes) {
  return read_behind_tag(record, target_bytes, memory_bytes, native::read_file_digests);
}

Bytes record_of(const std::vector<std::uint64_t>& numbers) { return record_of_numbers(8, numbers); }

TEST(FileDigestRecord, IsReadAsItWasWritten) {
  const FileDigests digests = {{512, 600, 5000}, {2048, 1, 4900}, {4096, 10, 99'957}};
  const Bytes record = native::encode_file_digests(digests);
  EXPECT_EQ(record_of({0, 9, 3, 1, 600, 10'000, 1, 1, 2 * 143 - 1, 3, 10, 2 * (99'957 - 4943)}), record);
  const auto read = read_record(record);
  ASSERT_OK(read);
  EXPECT_EQ(digests, *read);
  ASSERT_OK(read_record(record, 240));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, 239));
  for (std::size_t size = 1; size < record.size(); ++size) {
    EXPECT_FAILS(ErrorCode::kPatchTruncated, read_record(ByteSpan(record).first(size)));
  }
  const FileDigests odd = {{1, 1, 2}};
  const auto unaligned = read_record(native::encode_file_digests(odd));
  ASSERT_OK(unaligned);
  EXPECT_EQ(odd, *unaligned);
}

TEST(FileDigestRecord, OnlySoundDigestsAreTaken) {
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  const std::vector<std::vector<std::uint64_t>> bad = {
      {},
      {0, 0},
      {0, 17, 1, 0, 1, 2},                       // a unit too large
      {0, 0, 0},                                 // no digest
      {0, 0, 2, 0, 1, 2},                        // one too few
      {0, 0, 1, 0, 1},                           // without a text
      {0, 0, 1, 0, 1, 2, 0},                     // a byte too many
      {0, 0, 1, 0, 0, 2},                        // no data
      {0, 0, 1, 0, 1, 0},                        // a text on its data
      {0, 0, 1, 5, 10, 2 * 14},                  // on the last of them
      {0, 0, 1, 5, 10, 1},                       // in front of NEW
      {0, 0, 1, kTargetBytes, 1, 0},             // data behind NEW
      {0, 0, 1, kTargetBytes + 1, 1, 0},
      {0, 0, 1, 1, kTargetBytes, 0},
      {0, 0, 1, 0, kHuge, 2},
      {0, 0, 1, 0, 1, 2 * (kTargetBytes - 42)},  // a text that reaches beyond
      {0, 0, 1, 0, 1, 2 * (kTargetBytes + 1)},
      {0, 0, 1, 0, 1, kHuge},
      {0, 0, 1, 0, 1, kHuge - 1},
      {0, 16, 1, 2, 1, 2 * 90'000},              // units behind NEW
      {0, 16, 1, kHuge >> 16, 1, 2},
      {0, 0, 2, 0, 1, 2 * 500, 0, 1, 1},         // texts that share a byte
      {0, 0, 2, 0, 1, 2 * 500, 0, 1, 2 * 43 - 1},
      {0, 0, 2, 0, 1, 2 * 500, kHuge, 1, 0},     // data out of order
  };
  for (std::size_t i = 0; i < bad.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of(bad[i])));
  }
  ASSERT_OK(read_record(record_of({0, 0, 2, 0, 1, 2 * 500, 0, 1, 2 * 86 - 1})));
  ASSERT_OK(read_record(record_of({0, 0, 1, 0, kTargetBytes - 43, 2 * (kTargetBytes - 43)})));
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, read_record(record_of({1, 0, 1, 0, 1, 2})));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(empty_record(8, (1 << 20) + 1)));
  // At the end of the numbers nothing wraps into a place.
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of({0, 16, 2, 0, kHuge - 43, 2, 1, 1, 2}), kTargetBytes, kHuge));
}

TEST(FileDigestRecord, HasRoomForAllThatAPatchMayHave) {
  FileDigests digests;
  for (std::uint64_t i = 0; i < kMostFileDigests; ++i) digests.push_back({64 * i, 1, 64 * i + 8});
  const Bytes record = native::encode_file_digests(digests);
  EXPECT_LT(record.size(), native::kMaxFileDigestRecordBytes);
  ASSERT_OK(read_record(record, kMostFileDigests * FileDigest::kHeldBytes, 1 << 23));
  digests.push_back({64 * kMostFileDigests, 1, 64 * kMostFileDigests + 8});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt,
               read_record(native::encode_file_digests(digests), kMostFileDigests * 100, 1 << 23));
}

// What comes out of a digester for windows of a size. Every other one without a text goes by as it is.
Bytes filled(const Bytes& bent, const FileDigests& digests, std::size_t window_bytes) {
  FileDigester digester(digests);
  Bytes made = bent;
  bool odd = false;
  for (std::size_t pos = 0; pos < made.size(); pos += window_bytes) {
    const MutableByteSpan window = MutableByteSpan(made).subspan(pos, std::min(window_bytes, made.size() - pos));
    odd = !odd;
    if (odd && !digester.fills(pos, window.size())) {
      digester.hash(pos, window);
    } else {
      digester.fill(pos, window);
    }
  }
  return made;
}

TEST(FileDigester, WindowsMayEndAnywhere) {
  // A text in data of another digest, texts in another order than data, data that meet.
  const FileDigests digests = {{10, 90, 700}, {100, 50, 400}, {160, 400, 600}, {650, 1, 2000}, {690, 200, 1500}};
  ASSERT_OK(check_file_digests(digests, 3000));
  Bytes expected = wordy_bytes(3000, 5);
  for (const std::uint32_t index : by_text(digests)) {
    const FileDigest& digest = digests[index];
    const ByteSpan data = ByteSpan(expected).subspan(static_cast<std::size_t>(digest.data_pos),
                                                     static_cast<std::size_t>(digest.data_bytes));
    const std::string text = base64url(sha256(data));
    std::copy(text.begin(), text.end(), expected.begin() + static_cast<std::ptrdiff_t>(digest.text_pos));
  }
  Bytes bent = expected;
  for (const FileDigest& digest : digests) std::fill_n(bent.begin() + static_cast<std::ptrdiff_t>(digest.text_pos), 43, 7);
  for (const std::size_t window_bytes : {1u, 7u, 42u, 43u, 44u, 100u, 512u, 1000u, 4096u}) {
    EXPECT_TRUE(same_bytes(expected, filled(bent, digests, window_bytes))) << window_bytes;
  }
}

}  // namespace
}  // namespace bdelta::test::file_digest_test
