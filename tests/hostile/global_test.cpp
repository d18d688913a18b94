// What the global record of a patch with prediction may declare: its tables are bounded before they are read.
#include "apply/predicted_copies.hpp"
#include "base/memory_limit.hpp"
#include "base/varint.hpp"
#include "exe/image_choice.hpp"
#include "exe/image_table.hpp"
#include "exe/images.hpp"
#include "exe/page_breaks.hpp"
#include "exe/rebuild_memory.hpp"
#include "io/memory_io.hpp"
#include "support/craft.hpp"
#include "support/generate.hpp"
#include "support/program_pair.hpp"
#include "support/sorted_program.hpp"

namespace bdelta::test::global_test {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{256} << 20;  // of each table, as FORMAT.md has it

// What comes of a record that declares tables of these sizes and, if any, this codec's window, and ends there.
ErrorCode code_for(std::uint64_t image_bytes, std::uint64_t label_bytes, std::uint64_t declared_bytes,
                   const Bytes& codec = {}) {
  const Bytes old = random_bytes(1000, 3);
  native::Header header = header_of(old, old);
  header.required_features = native::kFeaturePrediction;
  header.decoder_memory_bytes = declared_bytes;
  Bytes body = {2, 1, 0};  // tag, predictor, kinds
  append_varint(body, image_bytes);
  append_varint(body, label_bytes);
  append(body, codec);
  ApplyOptions options;
  options.memory_limit_bytes = ~std::uint64_t{0};
  const auto made = apply_patch(old, with_header(header, body), Sink::kSequential, options);
  EXPECT_FALSE(static_cast<bool>(made));
  return made ? ErrorCode::kInternal : made.error().code;
}

TEST(GlobalTables, BeyondTheDeclaredMemoryAreRefused) {
  EXPECT_EQ(ErrorCode::kPatchTruncated, code_for(600, 400, 1000)) << "allowed, so it is read on";
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_for(600, 401, 1000));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_for(1001, 0, 1000));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_for(~std::uint64_t{0}, 2, 1000)) << "a sum that wraps";
}

TEST(GlobalTables, ACodecsWindowBeyondTheDeclaredMemoryIsRefused) {
  const Bytes largest_lzma = {14 << 4 | static_cast<std::uint8_t>(CodecId::kLzma)};  // 64 MiB
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_for(600, 400, 1000, largest_lzma));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_for(600, 400, std::uint64_t{64} << 20, largest_lzma));
  EXPECT_EQ(ErrorCode::kPatchTruncated, code_for(600, 400, std::uint64_t{128} << 20, largest_lzma));
}

TEST(GlobalTables, BeyondTheFormatsLimitAreRefused) {
  const std::uint64_t all = reachable_limit(~std::uint64_t{0});
  EXPECT_EQ(ErrorCode::kPatchTruncated, code_for(kMostBytes, kMostBytes, all));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_for(kMostBytes + 1, 0, all));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_for(0, kMostBytes + 1, all));
}

TEST(GlobalRecord, AKindOfFieldThatIsNotKnownIsRefused) {
  const ProgramPair pair = program_pair(3, 60);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  const SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kGlobal), split.body[0]);
  const auto is_last_byte = [](std::uint8_t byte) { return byte < 0x80; };
  const auto kinds_end = std::find_if(split.body.begin() + 2, split.body.end(), is_last_byte) + 1;
  const Bytes rest(kinds_end, split.body.end());
  const auto with_kinds = [&](std::uint64_t kinds) {
    Bytes body(split.body.begin(), split.body.begin() + 2);
    append_varint(body, kinds);
    append(body, rest);
    return apply_patch(pair.old_version, with_header(split.header, body));
  };
  for (const unsigned bit : {33u, 34u, 63u}) {
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, with_kinds(std::uint64_t{1} << bit));
  }
  EXPECT_FAILS(ErrorCode::kWindowChecksum, with_kinds(0));  // known, and not those that the patch was made with
}

TEST(GlobalRecord, KindsOfTablesAreUnknownBeforePredictor5) {
  std::vector<unsigned> functions(120);
  std::iota(functions.begin(), functions.end(), 0u);
  const Bytes old = sorted_program(functions, SortedShape::kPe64).bytes;
  std::rotate(functions.begin() + 10, functions.begin() + 50, functions.end());
  const Bytes wanted = sorted_program(functions, SortedShape::kPe64).bytes;
  const auto patch = make_patch(old, wanted, create_options(3));
  ASSERT_OK(patch);
  SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kGlobal), split.body[0]);
  ASSERT_EQ(5, split.body[1]);
  ASSERT_OK(apply_patch(old, with_header(split.header, split.body)));
  for (split.body[1] = 1; split.body[1] < 5; ++split.body[1]) {
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch(old, with_header(split.header, split.body)));
  }
}

// A choice of predictor 6 that is cut, that is too long, or that OLD has no program for.
TEST(GlobalRecord, AChoiceOfProgramsThatDoesNotFitIsRefused) {
  const ProgramPair pair = program_pair(3, 60);
  Bytes old = pair.old_version;
  append(old, pair.old_version);
  const std::vector<exe::Image> all = exe::find_images(old);
  ASSERT_EQ(2u, all.size());
  io::MemoryReader source(old);
  WorkerPool pool(1);
  PatchInfo info;
  info.target_size = old.size();
  info.decoder_memory_bytes = std::uint64_t{16} << 20;
  const auto make = [&](std::vector<std::uint32_t> numbers, std::size_t cut_bytes = 0) {
    std::vector<exe::Image> chosen;
    for (const std::uint32_t number : numbers) chosen.push_back(all[std::min<std::size_t>(number, 1)]);
    PredictionPlan plan;
    plan.predictor = 6;
    exe::append_image_choice(plan.images, numbers);
    plan.images.resize(plan.images.size() - cut_bytes);
    if (cut_bytes == 0) exe::append_image_table(plan.images, exe::Images(chosen), exe::Images(all));
    exe::append_labels(plan.labels, {});
    return PredictedCopies::make(source, plan, info, ~std::uint64_t{0}, pool);
  };
  for (const std::vector<std::uint32_t>& sound : {std::vector<std::uint32_t>{}, {0}, {1}, {0, 1}}) EXPECT_OK(make(sound));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make({2}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make({0, 4094}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make({0, 4095}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(std::vector<std::uint32_t>(256)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make({0, 1}, 1));
}

// Page breaks of predictor 8 that are missing, cut or beyond their limits; before 8 there is no such kind of table. Twenty
// bytes for each byte of such a table.
TEST(GlobalRecord, PageBreaksThatDoNotFitAreRefused) {
  const Bytes old = sorted_program({1, 2, 3, 4, 5}, SortedShape::kMachOMixed64).bytes;
  const exe::Images images(exe::find_images(old));
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(old, images.all);
  ASSERT_EQ(2u, tables.size());
  io::MemoryReader source(old);
  WorkerPool pool(1);
  PatchInfo info;
  info.target_size = old.size();
  std::uint64_t spare_bytes = 0;
  const auto make = [&](std::uint64_t predictor, const Bytes& breaks) {
    PredictionPlan plan;
    plan.predictor = predictor;
    plan.kinds = exe::set_of(exe::SortedTableKind::kMixedUnwindPages);
    exe::append_image_choice(plan.images, std::vector<std::uint32_t>{0});
    append(plan.images, breaks);
    exe::append_image_table(plan.images, images, images);
    exe::append_labels(plan.labels, {});
    info.decoder_memory_bytes = plan.images.size() + plan.labels.size() + 20 * tables[1].size_bytes + spare_bytes;
    return PredictedCopies::make(source, plan, info, ~std::uint64_t{0}, pool);
  };
  Bytes sound;
  exe::append_page_breaks(sound, std::vector<exe::PageBreaks>{{0, {{0x1000, true}, {0x1100, false}}}});
  EXPECT_OK(make(8, sound));
  EXPECT_OK(make(8, {0}));
  EXPECT_FAILS(ErrorCode::kUnsupportedFeature, make(7, sound));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(8, {1, 0, 0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(8, {1, 0x80, 0x02, 1, 0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(8, Bytes(sound.begin(), sound.end() - 1)));
  spare_bytes = ~std::uint64_t{0};  // one byte less
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(8, sound));
}

// Ten bytes for each byte of a table of a kind that is named, beside the table of images and the labels.
TEST(GlobalRecord, TablesAreNotRebuiltBeyondTheDeclaredMemory) {
  const Bytes old = sorted_program({1, 2, 3, 4, 5}, SortedShape::kPe64).bytes;
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(old, exe::find_images(old));
  ASSERT_EQ(2u, tables.size());
  const exe::Images images(exe::find_images(old));
  PredictionPlan plan;
  plan.predictor = 5;
  exe::append_image_table(plan.images, images, images);
  exe::append_labels(plan.labels, {});
  const std::uint64_t plan_bytes = plan.images.size() + plan.labels.size();
  PatchInfo info;
  info.target_size = old.size();
  io::MemoryReader source(old);
  WorkerPool pool(1);
  const auto make = [&](exe::KindSet kinds, std::uint64_t memory_bytes) {
    plan.kinds = kinds;
    info.decoder_memory_bytes = memory_bytes;
    return PredictedCopies::make(source, plan, info, ~std::uint64_t{0}, pool);
  };
  const std::uint64_t place_bytes = 10 * tables[0].size_bytes, function_bytes = 10 * tables[1].size_bytes;
  for (const auto& [kinds, bytes] : {std::pair{exe::set_of(tables[0].kind), place_bytes},
                                     std::pair{exe::set_of(tables[1].kind), function_bytes},
                                     std::pair{exe::kTablesOf5, place_bytes + function_bytes},
                                     std::pair{exe::KindSet{1}, std::uint64_t{0}}}) {
    EXPECT_OK(make(kinds, plan_bytes + bytes));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(kinds, plan_bytes + bytes - 1));
  }
}

// What predictor 9 says of covers, of the stretches of OLD that they own, and of tables, the example of PREDICTOR9.md with
// tables of other sizes.
TEST(GlobalRecord, Predictor9CountsCoversAndTheirStretches) {
  const Bytes old = sorted_program({1, 2, 3, 4, 5}, SortedShape::kElf64).bytes;
  const exe::Images images(exe::find_images(old));
  PredictionPlan plan;
  plan.predictor = 9;
  plan.kinds = exe::kTablesOf5;
  plan.covers = {{100, 0, 50}, {120, 50, 10}, {140, 60, 20}, {160, 80, 5}};
  exe::append_image_choice(plan.images, std::vector<std::uint32_t>{0});
  exe::append_image_table(plan.images, images, images);
  exe::append_labels(plan.labels, {});
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(old, images.all);
  const std::uint64_t table_bytes = exe::rebuild_memory_bytes(images.all, tables, plan.kinds, exe::PredictorId::k9);
  const std::uint64_t bytes = plan.images.size() + plan.labels.size() + table_bytes + 4 * 24 + 5 * 16;
  io::MemoryReader source(old);
  WorkerPool pool(1);
  PatchInfo info;
  info.target_size = old.size();
  const auto make = [&](std::uint64_t memory_bytes) {
    info.decoder_memory_bytes = memory_bytes;
    return PredictedCopies::make(source, plan, info, ~std::uint64_t{0}, pool);
  };
  EXPECT_OK(make(bytes));
  for (const std::uint64_t less : {bytes - 1, bytes - 16, bytes - 5 * 16, bytes - 5 * 16 - 1, std::uint64_t{0}}) {
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(less));
  }
}

}  // namespace
}  // namespace bdelta::test::global_test
