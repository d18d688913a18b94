// What the global record of a patch with prediction may declare: its tables are bounded before they are read.
#include "apply/predicted_copies.hpp"
#include "base/memory_limit.hpp"
#include "base/varint.hpp"
#include "exe/image_extents.hpp"
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

// Whether a record that declares tables of these sizes and, if any, this codec's window, and ends there, is refused for
// that.
bool is_too_large(std::uint64_t image_bytes, std::uint64_t label_bytes, std::uint64_t declared_bytes,
                   const Bytes& codec = {}) {
  const Bytes old = random_bytes(1000, 3);
  native::Header header = header_of(old, old);
  header.required_features = native::kFeaturePrediction;
  header.decoder_memory_bytes = declared_bytes;
  Bytes body = {1, 0};  // predictor, kinds
  append_varint(body, image_bytes);
  append_varint(body, label_bytes);
  append(body, codec);
  ApplyOptions options;
  options.memory_limit_bytes = ~std::uint64_t{0};
  const Bytes record = native::seal_record(native::RecordTag::kGlobal, body);
  const auto made = apply_patch(old, with_header(header, record), Sink::kSequential, options);
  EXPECT_FALSE(static_cast<bool>(made));
  if (made) return false;
  EXPECT_EQ(ErrorCode::kPatchCorrupt, made.error().code);
  return made.error().detail.find("than the header declares") != std::string::npos;
}

TEST(GlobalTables, BeyondTheDeclaredMemoryAreRefused) {
  EXPECT_FALSE(is_too_large(600, 400, 1000)) << "allowed, so it is read on";
  EXPECT_TRUE(is_too_large(600, 401, 1000));
  EXPECT_TRUE(is_too_large(1001, 0, 1000));
  EXPECT_TRUE(is_too_large(~std::uint64_t{0}, 2, 1000)) << "a sum that wraps";
}

TEST(GlobalTables, ACodecsWindowBeyondTheDeclaredMemoryIsRefused) {
  const Bytes largest_lzma = {14 << 4 | static_cast<std::uint8_t>(CodecId::kLzma)};  // 64 MiB
  EXPECT_TRUE(is_too_large(600, 400, 1000, largest_lzma));
  EXPECT_TRUE(is_too_large(600, 400, std::uint64_t{64} << 20, largest_lzma));
  EXPECT_FALSE(is_too_large(600, 400, std::uint64_t{128} << 20, largest_lzma));
}

TEST(GlobalTables, BeyondTheFormatsLimitAreRefused) {
  const std::uint64_t all = reachable_limit(~std::uint64_t{0});
  EXPECT_FALSE(is_too_large(kMostBytes, kMostBytes, all));
  EXPECT_TRUE(is_too_large(kMostBytes + 1, 0, all));
  EXPECT_TRUE(is_too_large(0, kMostBytes + 1, all));
}

TEST(GlobalRecord, AKindOfFieldThatIsNotKnownIsRefused) {
  const ProgramPair pair = program_pair(3, 60);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  const SplitPatch split = split_patch(*patch);
  const std::vector<CraftedRecord> honest = records_of(split.body);
  ASSERT_EQ(native::RecordTag::kGlobal, honest[0].tag);
  const auto is_last_byte = [](std::uint8_t byte) { return byte < 0x80; };
  const auto kinds_end = std::find_if(honest[0].body.begin() + 1, honest[0].body.end(), is_last_byte) + 1;
  const auto with_kinds = [&](std::uint64_t kinds) {
    std::vector<CraftedRecord> records = honest;
    Bytes& body = records[0].body;
    body.resize(1);
    append_varint(body, kinds);
    body.insert(body.end(), kinds_end, honest[0].body.end());
    return apply_patch(pair.old_version, with_header(split.header, joined(records)));
  };
  for (const unsigned bit : {36u, 37u, 63u}) {
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, with_kinds(std::uint64_t{1} << bit));
  }
  EXPECT_FAILS(ErrorCode::kWindowChecksum, with_kinds(0));  // known, and not those that the patch was made with
}

TEST(GlobalRecord, AnotherPredictorIsRefused) {
  const ProgramPair pair = program_pair(3, 60);
  const auto patch = make_patch(pair.old_version, pair.new_version, create_options(3));
  ASSERT_OK(patch);
  const SplitPatch split = split_patch(*patch);
  ASSERT_EQ(static_cast<std::uint8_t>(native::RecordTag::kGlobal), split.body[0]);
  std::vector<CraftedRecord> records = records_of(split.body);
  ASSERT_EQ(1, records[0].body[0]);
  for (const unsigned other : {0u, 2u, 9u, 127u}) {
    records[0].body[0] = static_cast<std::uint8_t>(other);
    EXPECT_FAILS(ErrorCode::kUnsupportedFeature, apply_patch(pair.old_version, with_header(split.header, joined(records))));
  }
}

// Places that are cut, that are of no program, that reach out of OLD, or that there is no memory for.
TEST(GlobalRecord, PlacesOfProgramsThatDoNotFitAreRefused) {
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
  const auto make = [&](std::vector<exe::Image> named, std::size_t cut_bytes = 0) {
    PredictionPlan plan;
    exe::append_image_extents(plan.images, named);
    plan.images.resize(plan.images.size() - cut_bytes);
    if (cut_bytes == 0) exe::append_image_table(plan.images, exe::Images(named), exe::Images(all));
    exe::append_labels(plan.labels, {});
    return PredictedCopies::make(source, plan, info, ~std::uint64_t{0}, pool);
  };
  EXPECT_OK(make({}));
  EXPECT_OK(make({all[0]}));
  EXPECT_OK(make({all[1]}));
  EXPECT_OK(make(all));
  const auto other = [&](std::uint64_t pos_step, std::uint64_t size_step, exe::ImageFormat format) {
    exe::Image image = all[1];
    image.file_pos += pos_step;
    image.size_bytes += size_step;
    image.format = format;
    return std::vector<exe::Image>{image};
  };
  const exe::ImageFormat right = all[1].format;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(other(1, ~std::uint64_t{0}, right)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(other(0, ~std::uint64_t{0}, right)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(other(0, 1, right)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(other(~std::uint64_t{0}, 1, right)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(other(0, 0 - all[1].size_bytes, right)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(other(0, 0, exe::ImageFormat::kToy)));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(all, 1));
  info.decoder_memory_bytes = 900;
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(all));
}

// Page breaks that are missing, cut or beyond their limits. Fourteen bytes for each byte of such a table.
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
  const auto make = [&](const Bytes& breaks) {
    PredictionPlan plan;
    plan.kinds = exe::set_of(exe::SortedTableKind::kMixedUnwindPages);
    exe::append_image_extents(plan.images, images.all);
    append(plan.images, breaks);
    exe::append_image_table(plan.images, images, images);
    exe::append_labels(plan.labels, {});
    info.decoder_memory_bytes = plan.images.size() + plan.labels.size() + 14 * tables[1].size_bytes +
                                exe::OwnerMap::kBytesPerStretch + 2 * 256 + spare_bytes;
    return PredictedCopies::make(source, plan, info, ~std::uint64_t{0}, pool);
  };
  Bytes sound;
  exe::append_page_breaks(sound, std::vector<exe::PageBreaks>{{0, {{0x1000, true}, {0x1100, false}}}});
  EXPECT_OK(make(sound));
  EXPECT_OK(make({0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make({1, 0, 0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make({0x81, 0x80, 0x04, 0, 1, 0}));
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(Bytes(sound.begin(), sound.end() - 1)));
  spare_bytes = ~std::uint64_t{0};  // one byte less
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(sound));
}

// What each kind takes that is named (PREDICTION.md), beside what the patch brings and one stretch of OLD.
TEST(GlobalRecord, TablesAreNotRebuiltBeyondTheDeclaredMemory) {
  const Bytes old = sorted_program({1, 2, 3, 4, 5}, SortedShape::kPe64).bytes;
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(old, exe::find_images(old));
  ASSERT_EQ(2u, tables.size());
  const exe::Images images(exe::find_images(old));
  PredictionPlan plan;
  exe::append_image_extents(plan.images, images.all);
  exe::append_image_table(plan.images, images, images);
  exe::append_labels(plan.labels, {});
  const std::uint64_t plan_bytes = plan.images.size() + plan.labels.size() + exe::OwnerMap::kBytesPerStretch + 2 * 256;
  PatchInfo info;
  info.target_size = old.size();
  io::MemoryReader source(old);
  WorkerPool pool(1);
  const auto make = [&](exe::KindSet kinds, std::uint64_t memory_bytes) {
    plan.kinds = kinds;
    info.decoder_memory_bytes = memory_bytes;
    return PredictedCopies::make(source, plan, info, ~std::uint64_t{0}, pool);
  };
  const std::uint64_t place_bytes = tables[0].size_bytes, function_bytes = tables[1].size_bytes;
  const std::uint64_t of_places = 8 * place_bytes, of_functions = 56 * (function_bytes / 12);
  const std::uint64_t of_both =
      place_bytes + function_bytes + std::max(of_places - place_bytes, of_functions - function_bytes);
  for (const auto& [kinds, bytes] : {std::pair{exe::set_of(tables[0].kind), of_places},
                                     std::pair{exe::set_of(tables[1].kind), of_functions},
                                     std::pair{exe::kAllTables & ~exe::set_of(exe::SortedTableKind::kMixedUnwindPages), of_both},
                                     std::pair{exe::KindSet{1}, std::uint64_t{0}}}) {
    EXPECT_OK(make(kinds, plan_bytes + bytes));
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, make(kinds, plan_bytes + bytes - 1));
  }
}

// The example of PREDICTION.md, with tables of other sizes.
TEST(GlobalRecord, CoversAndTheirStretchesAreDeclared) {
  const Bytes old = sorted_program({1, 2, 3, 4, 5}, SortedShape::kElf64).bytes;
  const exe::Images images(exe::find_images(old));
  PredictionPlan plan;
  plan.kinds = exe::set_of(exe::SortedTableKind::kUnwindIndex) | exe::set_of(exe::SortedTableKind::kRelativeRelocations);
  plan.covers = {{100, 0, 50}, {120, 50, 10}, {140, 60, 20}, {160, 80, 5}};
  exe::append_image_extents(plan.images, images.all);
  exe::append_image_table(plan.images, images, images);
  exe::append_labels(plan.labels, {});
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(old, images.all);
  const std::uint64_t table_bytes = exe::rebuild_memory_bytes(images.all, tables, plan.kinds);
  const std::uint64_t bytes = plan.images.size() + plan.labels.size() + table_bytes + 4 * 24 + 5 * 16 + 2 * 256;
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
