// Numbers in lists of types: how they move, what a patch says of them, and what is then read from OLD.
#include "delta/moved_numbers.hpp"

#include <functional>

#include "apply/moved_source.hpp"
#include "create/number_pass.hpp"
#include "format/native/moved_number_record.hpp"
#include "support/generate.hpp"
#include "support/kernel_modules.hpp"
#include "support/memory.hpp"
#include "support/plain_record.hpp"

namespace bdelta::test::moved_numbers_test {
namespace {

constexpr std::uint64_t kPlenty = std::uint64_t{1} << 30;

TEST(MovedNumbers, GoByTheLastThresholdInFrontOfThem) {
  const Thresholds common = {{10, 2}, {30, 0}, {40, ~std::uint32_t{0}}};
  const Thresholds own = {{35, 5}, {50, 7}};
  const std::uint32_t numbers[] = {0, 9, 10, 29, 30, 34, 35, 40, 49, 50, ~std::uint32_t{0}};
  const std::uint32_t by_common[] = {0, 9, 12, 31, 30, 34, 35, 39, 48, 49, ~std::uint32_t{0} - 1};
  const std::uint32_t by_own[] = {0, 9, 12, 31, 30, 34, 40, 45, 54, 57, 6};
  for (std::size_t i = 0; i < std::size(numbers); ++i) {
    EXPECT_EQ(by_common[i], moved(common, {}, numbers[i])) << numbers[i];
    EXPECT_EQ(by_own[i], moved(common, own, numbers[i])) << numbers[i];
    EXPECT_EQ(numbers[i], moved({}, {}, numbers[i]));
  }
}

TEST(MovedNumbers, InOrderAreSound) {
  EXPECT_OK(check_moved_numbers(moved_number_example(), 100));
  EXPECT_OK(check_moved_numbers(moved_number_example(), 24));
  const auto bent = [](const std::function<void(MovedNumbers&)>& bend) {
    MovedNumbers numbers = moved_number_example();
    bend(numbers);
    return check_moved_numbers(numbers, 100);
  };
  const std::function<void(MovedNumbers&)> wrong[] = {
      [](MovedNumbers& n) { n.lists.clear(); },
      [](MovedNumbers& n) { n.lists.push_back(n.lists[0]); },
      [](MovedNumbers& n) { n.lists.push_back({3, {}}); },
      [](MovedNumbers& n) { n.lists.push_back({100, {}}); },
      [](MovedNumbers& n) { n.lists.resize(kMostNumberLists + 1); },
      [](MovedNumbers& n) { n.type_bytes = 101; },
      [](MovedNumbers& n) { n.common.types[0].begin = 0; },
      [](MovedNumbers& n) { n.common.types[1].begin = 10; },
      [](MovedNumbers& n) { n.common.strings[0].begin = 0; },
      [](MovedNumbers& n) { n.lists[0].own.types[0].begin = 0; },
      [](MovedNumbers& n) { n.lists[0].own.strings = {{5, 1}, {4, 1}}; },
      [](MovedNumbers& n) { n.common = n.lists[0].own = {}; }};
  for (const auto& bend : wrong) EXPECT_FAILS(ErrorCode::kPatchCorrupt, bent(bend));
  EXPECT_OK(bent([](MovedNumbers& n) { n.common = {}; }));
  EXPECT_OK(bent([](MovedNumbers& n) { n.lists[0].own = {}; }));
}

TEST(MovedSource, ReadsAsIfAllWereOneFile) {
  const ModulePair pair = module_pair();
  WorkerPool pool(2);
  const MovedNumbers numbers = learn_moved_numbers(pair.old_version, pair.new_version, pool);
  Bytes expected = pair.old_version;
  move_numbers(expected, numbers);
  HiddenReader reader(pair.old_version);
  const auto source = MovedSource::make(reader, numbers, nullptr);
  ASSERT_OK(source);
  EXPECT_EQ(expected.size(), (*source)->size());
  Random random(1);
  Bytes read;
  for (unsigned i = 0; i < 2000; ++i) {
    const auto pos = static_cast<std::size_t>(random.below(expected.size()));
    const std::size_t most = i % 2 == 0 ? 16 : 20'000;
    read.resize(static_cast<std::size_t>(random.below(std::min(most, expected.size() - pos) + 1)));
    EXPECT_OK((*source)->read_at(pos, read));
    EXPECT_TRUE(same_bytes(ByteSpan(expected).subspan(pos, read.size()), read));
  }
  reader.read_error = Error{ErrorCode::kReadFailed, "no more"};
  EXPECT_FAILS(ErrorCode::kReadFailed, (*source)->read_at(0, read));
  EXPECT_FAILS(ErrorCode::kReadFailed, MovedSource::make(reader, numbers, nullptr));
}

TEST(MovedSource, HasTheListsThatThePatchNames) {
  Bytes file(4);
  append(file, words({0x1eb9f, 24, 0, 24, 24, 1, 8, 2u << 24, 12, 5, 10u << 24, 52}));
  file.push_back(0);
  const auto make = [&](const Bytes& source, const MovedNumbers& numbers) {
    io::MemoryReader reader(source);
    return MovedSource::make(reader, numbers, nullptr);
  };
  EXPECT_OK(make(file, moved_number_example()));
  MovedNumbers other = moved_number_example();
  for (const std::uint64_t type_bytes : {0u, 23u, 25u}) {
    other.type_bytes = type_bytes;
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(file, other));
  }
  other = moved_number_example();
  for (const std::uint64_t pos : {3u, 5u, 30u, 52u}) {
    other.lists[0].header_pos = pos;
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(file, other));
  }
  Bytes bent = file;
  bent[4 + 24 + 7] = 0;  // a kind that there is not
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(bent, moved_number_example()));
  // A list inside a list.
  Bytes nested(4);
  append(nested, words({0x1eb9f, 24, 0, 48, 48, 0, 1, 4u << 24 | 3, 0}));
  append(nested, words({0x1eb9f, 24, 0, 12, 12, 0, 1, 2u << 24, 12}));
  nested.push_back(0);
  other = moved_number_example();
  other.type_bytes = 48;
  EXPECT_OK(make(nested, other));
  other.type_bytes = 60;
  other.lists.push_back({4 + 24 + 12, {}});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(nested, other));
  // Lists in another order than their headers.
  Bytes crossed(4);
  append(crossed, words({0x1eb9f, 24, 36, 12, 0, 0, 0x1eb9f, 24, 0, 12, 0, 0, 1, 2u << 24, 12, 1, 2u << 24, 12}));
  other = moved_number_example();
  other.type_bytes = 12;
  EXPECT_OK(make(crossed, other));
  other.type_bytes = 24;
  other.lists.push_back({4 + 24, {}});
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(crossed, other));
}

Result<MovedNumbers> read_record(ByteSpan record, std::uint64_t memory_bytes = kPlenty) {
  return read_body_of(record, 0, memory_bytes, [](io::TypedReader& patch, native::Header header) {
    header.source_size = 100;
    return native::read_moved_numbers(patch, header);
  });
}

constexpr std::uint8_t kTag = 10;
const std::vector<std::uint64_t> kExample = {0, 24, 1, 9, 1, 50, 10, 0, 2, 10, 4, 20, 3, 1, 7, 2};

TEST(MovedNumberRecord, IsAsTheFormatHasIt) {
  const Bytes record = record_of_numbers(kTag, kExample);
  EXPECT_TRUE(same_bytes(record, native::encode_moved_numbers(moved_number_example())));
  const auto numbers = read_record(record);
  ASSERT_OK(numbers);
  EXPECT_EQ(moved_number_example(), *numbers);
  EXPECT_EQ(24u + 96 + 4 * 8, numbers->held_bytes());
  EXPECT_OK(read_record(record, 24 + 96 + 4 * 8));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, 24 + 96 + 4 * 8 - 1));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record, 23));
}

TEST(MovedNumberRecord, WithImpossibleNumbersIsRefused) {
  const auto bent = [](std::size_t at, std::uint64_t number) {
    std::vector<std::uint64_t> numbers = kExample;
    numbers[at] = number;
    return read_record(record_of_numbers(kTag, numbers));
  };
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, bent(0, 1));
  const std::pair<std::size_t, std::uint64_t> wrong[] = {
      {1, 101}, {1, ~std::uint64_t{0}}, {2, 0}, {2, 2}, {2, 65'537}, {3, 8}, {3, 201}, {3, ~std::uint64_t{0}}, {4, 0}, {4, 9},
      {5, 0}, {5, std::uint64_t{1} << 32}, {6, std::uint64_t{1} << 32}, {7, 1}, {8, 1}, {9, 0}, {11, 0},
      {11, ~std::uint32_t{0}}, {13, 0}, {13, 2}, {14, 0}, {15, ~std::uint64_t{0}}};
  for (const auto& [at, number] : wrong) {
    SCOPED_TRACE(std::to_string(at) + ": " + std::to_string(number));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, bent(at, number));
  }
  EXPECT_OK(bent(6, (std::uint64_t{1} << 32) - 1));  // the least number of 32 bits
  EXPECT_OK(bent(1, 100));
  for (std::size_t left = 1; left < kExample.size(); ++left) {
    const std::vector<std::uint64_t> less(kExample.begin(), kExample.end() - static_cast<std::ptrdiff_t>(left));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of_numbers(kTag, less)));
  }
  std::vector<std::uint64_t> more = kExample;
  more.push_back(0);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(record_of_numbers(kTag, more)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, read_record(empty_record(kTag, native::kMaxMovedNumberRecordBytes + 1)));
}

}  // namespace
}  // namespace bdelta::test::moved_numbers_test
