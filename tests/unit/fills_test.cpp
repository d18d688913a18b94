// What fills write, and in which order they may stand.
#include "delta/fills.hpp"

#include "hash/sha256.hpp"
#include "support/fills.hpp"
#include "support/generate.hpp"
#include "support/memory.hpp"
#include "support/tar.hpp"

namespace bdelta::test::fills_test {
namespace {

using Form = FillEncoding;

constexpr std::uint64_t kTargetBytes = 100'000;

std::string digest_text(ByteSpan of) {
  std::string text(kDigestTextBytes, ' ');
  write_digest(Form::kBase64Url, sha256(of), reinterpret_cast<std::uint8_t*>(text.data()));
  return text;
}

// Digests of the specification of SHA-256, in base64 by another program.
TEST(FillEncodings, OfDigests) {
  EXPECT_EQ("47DEQpj8HBSa-_TImW-5JCeuQeRkm5NMpJWZG3hSuFU", digest_text({}));
  const Bytes abc{'a', 'b', 'c'};
  EXPECT_EQ("ungWv48Bz-pBQUDeXa4iI7ADYaOWF3qctBD_YfIAFa0", digest_text(abc));
  for (unsigned i = 0; i < 64; ++i) {
    const Bytes bytes = random_bytes(10, i);
    EXPECT_EQ(base64url(sha256(bytes)), digest_text(bytes));
  }
  std::string padded(kPaddedDigestBytes, ' ');
  write_digest(Form::kBase64, sha256(abc), reinterpret_cast<std::uint8_t*>(padded.data()));
  EXPECT_EQ("ungWv48Bz+pBQUDeXa4iI7ADYaOWF3qctBD/YfIAFa0=", padded);
  Sha256Digest raw{};
  write_digest(Form::kRaw, sha256(abc), raw.data());
  EXPECT_EQ(sha256(abc), raw);
}

Bytes one_header(Form form) {
  const Bytes archive = tar_of({{"a/file", 1'700'000'000, {}}}, form);
  return {archive.begin(), archive.begin() + kTarBlockBytes};
}

TEST(FillEncodings, OfTarChecksums) {
  const Bytes header = one_header(Form::kSixNulSpace);
  EXPECT_EQ((TarChecksum{'0', '1', '0', '1', '3', '1', 0, ' '}), tar_checksum(header, Form::kSixNulSpace));
  EXPECT_EQ((TarChecksum{'0', '1', '0', '1', '3', '1', ' ', 0}), tar_checksum(header, Form::kSixSpaceNul));
  EXPECT_EQ((TarChecksum{'0', '0', '1', '0', '1', '3', '1', 0}), tar_checksum(header, Form::kSevenNul));
  Bytes bent = header;
  bent[kTarChecksumAt] = 'x';  // what stands there does not count
  bent[kTarChecksumAt + 7] = 'x';
  EXPECT_EQ(tar_checksum(header, Form::kSevenNul), tar_checksum(bent, Form::kSevenNul));
  const Bytes most(kTarBlockBytes, 0xff);
  EXPECT_EQ((TarChecksum{'3', '7', '3', '4', '1', '0', 0, ' '}), tar_checksum(most, Form::kSixNulSpace));
}

TEST(FillEncodings, TarHeadersAreToldByFiveLetters) {
  const Bytes header = one_header(Form::kSevenNul);
  EXPECT_TRUE(is_tar_header(header));
  for (std::size_t at = 256; at <= 262; ++at) {
    Bytes other = header;
    other[at] ^= 1;
    EXPECT_EQ(at == 256 || at == 262, is_tar_header(other)) << at;
  }
}

FillRule whole(std::vector<FillRange> ranges) { return {kListedDigests, 0, std::move(ranges)}; }
FillRule pages(std::vector<FillRange> ranges) { return {kPageDigests, 12, std::move(ranges)}; }
FillRule headers(std::uint64_t pos, std::uint64_t blocks) {
  return {tar_checksums(Form::kSixNulSpace), 0, {{pos, blocks * kTarBlockBytes, 0}}};
}

TEST(Fills, TakeTheMemoryThatTheFormatSays) {
  EXPECT_EQ(0u, held_bytes({}));
  EXPECT_EQ(256u + 44, held_bytes({whole({{0, 5000, 6000}})}));
  EXPECT_EQ(256u + 3 * 33, held_bytes({pages({{0, 8193, 9000}})}));
  EXPECT_EQ(256u, held_bytes({headers(0, 100)}));
  EXPECT_EQ(2 * 256u + 2 * 44, held_bytes({whole({{0, 10, 6000}, {10, 10, 6100}})}));
  EXPECT_EQ(3 * 256u + 3 * 44 + 1010, held_bytes({whole({{100, 10, 0}, {2000, 10, 1000}, {4000, 10, 3500}})}));
}

TEST(Fills, AreInsideTheTarget) {
  const auto check = [](const FillRule& rule) { return check_fills({rule}, kTargetBytes); };
  EXPECT_OK(check(whole({{0, kTargetBytes - 43, kTargetBytes - 43}})));
  EXPECT_OK(check(pages({{0, 4097, kTargetBytes - 64}})));
  EXPECT_OK(check(headers(kTargetBytes - 1024, 2)));
  constexpr std::uint64_t kHuge = ~std::uint64_t{0};
  for (const FillRule& rule :
       {whole({{0, 0, 100}}), whole({{0, 10, kTargetBytes - 42}}), whole({{0, 10, kHuge}}), whole({{1, kHuge, 100}}),
        whole({{kTargetBytes, 1, kTargetBytes}}), whole({{kHuge, 2, 100}}), pages({{0, 4097, kTargetBytes - 63}}),
        headers(kTargetBytes - 1023, 2), headers(kHuge - 511, 2)}) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, check(rule));
  }
}

TEST(Fills, StandBehindWhatTheyAreOfOrInFront) {
  const auto at = [](std::uint64_t place) { return check_fills({whole({{1000, 500, place}})}, kTargetBytes); };
  EXPECT_OK(at(1500));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, at(1499));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, at(1000));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, at(958));
  EXPECT_OK(at(957));
  EXPECT_OK(at(0));
}

std::vector<std::pair<std::uint64_t, std::uint64_t>> parts_of(const Fills& fills) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> found;
  for (const Stretch& stretch : held_parts(fills)) found.emplace_back(stretch.begin, stretch.end);
  return found;
}

TEST(Fills, InFrontHoldPartsBack) {
  using Found = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
  EXPECT_EQ(Found{}, parts_of({whole({{0, 10, 100}}), headers(0, 4)}));
  EXPECT_EQ((Found{{100, 500}}), parts_of({whole({{400, 100, 100}})}));
  EXPECT_EQ((Found{{100, 600}}), parts_of({whole({{400, 100, 200}, {500, 100, 100}})}));
  EXPECT_EQ((Found{{100, 500}, {500, 700}}), parts_of({whole({{400, 100, 100}}), pages({{600, 100, 500}})}));

  const std::uint64_t target_bytes = 3 * kMostHeldPartBytes;
  EXPECT_OK(check_fills({whole({{kMostHeldPartBytes - 1, 1, 0}})}, target_bytes));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills({whole({{kMostHeldPartBytes, 1, 0}})}, target_bytes));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills({whole({{100, 9, 0}, {kMostHeldPartBytes + 7, 1, 108}})}, target_bytes));
  EXPECT_OK(check_fills({whole({{100, 8, 0}, {kMostHeldPartBytes + 7, 1, 108}})}, target_bytes));
}

TEST(Fills, HoldNoHeadersBack) {
  EXPECT_OK(check_fills({headers(0, 1), whole({{1000, 24, 512}}), headers(1024, 1)}, kTargetBytes));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills({headers(0, 1), whole({{1000, 24, 511}})}, kTargetBytes));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills({whole({{1000, 25, 512}}), headers(1024, 1)}, kTargetBytes));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills({headers(0, 100), whole({{1024, 10, 512}})}, kTargetBytes));
}

TEST(Fills, StandInAnOrderInWhichNoneIsOfALaterOne) {
  const FillRule inner = whole({{100, 50, 400}});
  const FillRule outer = whole({{200, 300, 600}});        // has the place of the inner one
  const FillRule program = pages({{5120, 8192, 14'000}}); // in an archive
  const FillRule file = whole({{5120, 9000, 20'000}});    // that has the list of the program
  const std::vector<Fills> right = {
      {inner, outer}, {headers(0, 100), program, file}, {headers(1024, 1), outer}, {program, headers(14'336, 20), outer},
      {whole({{100, 50, 400}, {200, 300, 600}})}, {whole({{2000, 50, 1000}}), whole({{900, 300, 500}})},
      {whole({{2000, 50, 1000}}), whole({{900, 300, 3000}})}, {whole({{100, 50, 1000}}), whole({{900, 300, 500}})}};
  for (const Fills& fills : right) EXPECT_OK(check_fills(fills, kTargetBytes));
  const std::vector<Fills> wrong = {
      {outer, inner}, {headers(0, 100), file, program}, {program, headers(0, 100)}, {file, headers(14'119, 1)},
      {file, headers(4609, 1)}, {whole({{200, 300, 600}}), whole({{100, 50, 499}})},
      {whole({{900, 300, 500}}), whole({{2000, 50, 1000}})}, {whole({{900, 300, 500}}), whole({{100, 50, 1000}})},
      {whole({{900, 300, 3000}}), whole({{2000, 50, 1000}})}};
  for (std::size_t i = 0; i < wrong.size(); ++i) {
    SCOPED_TRACE(i);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills(wrong[i], kTargetBytes));
  }
  EXPECT_OK(check_fills({file, headers(14'120, 1)}, kTargetBytes));
  EXPECT_OK(check_fills({file, headers(4608, 1)}, kTargetBytes));
  EXPECT_OK(check_fills({whole({{200, 300, 600}}), whole({{100, 50, 500}})}, kTargetBytes));
}

TEST(Fills, ShareNoByte) {
  const auto places = [](std::uint64_t a, std::uint64_t b) {
    return check_fills({whole({{0, 10, a}}), pages({{20, 10, b}})}, kTargetBytes);
  };
  EXPECT_OK(places(100, 143));
  EXPECT_OK(places(132, 100));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, places(100, 142));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, places(131, 100));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, places(100, 105));
  EXPECT_OK(check_fills({headers(0, 4), headers(2048, 1)}, kTargetBytes));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills({headers(0, 4), headers(2047, 1)}, kTargetBytes));
  EXPECT_OK(check_fills({whole({{0, 10, 600}}), headers(512, 1)}, kTargetBytes));  // a place may lie among headers
  EXPECT_OK(check_fills({headers(512, 1), whole({{0, 10, 600}})}, kTargetBytes));
}

TEST(Fills, AreNoMoreThanAPatchMayHave) {
  FillRule many = whole({});
  for (std::uint64_t i = 0; i < kMostFillRanges; ++i) many.ranges.push_back({64 * i, 1, 64 * i + 8});
  const std::uint64_t target_bytes = 64 * kMostFillRanges + 1000;
  EXPECT_OK(check_fills({many}, target_bytes));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills({many, headers(0, 1)}, target_bytes));

  // Of eight times the target at the most, however these bytes lie.
  Fills deep;
  for (std::uint64_t i = 0; i < 16; ++i) deep.push_back(whole({{0, 1000, 1000 + 50 * i}}));
  EXPECT_OK(check_fills(deep, 2000));
  deep.push_back(whole({{0, 1, 1000 + 50 * 16}}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, check_fills(deep, 2000));
  EXPECT_OK(check_fills(deep, 2001));
}

}  // namespace
}  // namespace bdelta::test::fills_test
