// Frozen patches apply as they did when they were made, whatever the matcher and the writer do today.
#include <map>
#include <set>

#include "bdelta/inspect.hpp"
#include "bdelta/tree.hpp"
#include "exe/image_extents.hpp"
#include "exe/images.hpp"
#include "exe/program.hpp"
#include "format/format.hpp"
#include "golden/golden_sets.hpp"
#include "io/memory_io.hpp"
#include "io/typed_reader.hpp"
#include "support/craft.hpp"
#include "support/exe_fields.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"
#include "support/views.hpp"
#include "view/deflate/inflate.hpp"
#include "view/deflate/recipe_reader.hpp"
#include "view/find_streams.hpp"
#include "view/gzip_head.hpp"

namespace bdelta::test::golden_test {
namespace {

const std::filesystem::path kFolder = std::filesystem::path(BDELTA_TESTDATA) / "golden";

class Golden : public ::testing::TestWithParam<const char*> {};

TEST_P(Golden, Applies) {
  const std::filesystem::path folder = kFolder / GetParam();
  const Bytes source = get(folder / "old");
  const Bytes target = get(folder / "new");
  const Bytes patch = get(folder / "patch");
  ASSERT_FALSE(patch.empty()) << "no golden set here; tests run in the source directory";
  expect_rebuilt_everywhere(source, patch, target);
}

INSTANTIATE_TEST_SUITE_P(Sets, Golden, ::testing::ValuesIn(kGoldenSets), [](const auto& set) {
  std::string name = set.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
});

// Directories, by a patch that has a list of OLD and of which no set of files tells.
TEST(GoldenFolder, TreesApply) {
  namespace fs = std::filesystem;
  const fs::path folder = kFolder / "trees";
  const Folder made;
  EXPECT_EQ(32u, info_of(get(folder / "patch")).required_features);
  EXPECT_TRUE(has_record(get(folder / "patch"), native::RecordTag::kTree));
  const auto report = apply_tree(folder / "old", made / "new", folder / "patch", {});
  ASSERT_OK(report);
  EXPECT_FALSE(report->up_to_date);
  std::size_t count = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "new")) {
    ++count;
    const fs::path same = made / "new" / entry.path().lexically_relative(folder / "new");
    if (entry.is_symlink()) {
      EXPECT_EQ(fs::read_symlink(entry.path()), fs::read_symlink(same));
    } else if (entry.is_regular_file()) {
      EXPECT_TRUE(same_bytes(get(entry.path()), get(same))) << same;
    }
  }
  EXPECT_EQ(8u, count);
  const auto again = fs::recursive_directory_iterator(made / "new");
  EXPECT_EQ(static_cast<std::ptrdiff_t>(count), std::distance(begin(again), end(again)));
}

// What a set is kept for, it has to use. Bits are those of FORMAT.md: 0 prediction, 1 target copies, 2 views,
// 9 modelled literals, 14 modelled misses.
TEST(GoldenFolder, EveryRequiredFeatureIsFrozen) {
  const std::map<std::string, std::uint64_t> features = {
      {"bdt2-arm-and-go", 1}, {"bdt2-modelled-literals", 512}, {"bdt2-modelled-literals-many", 512},
      {"bdt2-modelled-misses", 16384}, {"bdt2-modelled-misses-lanes", 16384}, {"bdt2-modelled-misses-many", 16896},
      {"bdt2-modelled-misses-predicted", 16897}, {"bdt2-every-field", 1}, {"bdt2-fixed", 1}, {"bdt2-image-choice", 1},
      {"bdt2-macho-tables", 1}, {"bdt2-mixed-pages", 1}, {"bdt2-moved-numbers-cut", 512}, {"bdt2-pe-exceptions", 1},
      {"bdt2-predicted", 1}, {"bdt2-predicted-fast", 1}, {"bdt2-signed-covers", 1}, {"bdt2-sorted-tables", 1},
      {"bdt2-target", 2}, {"bdt2-target-many", 2}, {"bdt2-thumb", 1}, {"bdt2-view-crc", 4}, {"bdt2-view-encoders", 4}, {"bdt2-view-fed", 4}, {"bdt2-view-gzip", 4}, {"bdt2-view-go", 4},
      {"bdt2-view-jar", 4}, {"bdt2-view-kept", 4}, {"bdt2-view-lent", 4},
      {"bdt2-view-members", 4}, {"bdt2-view-nested", 4}, {"bdt2-view-pieces", 4}, {"bdt2-view-program", 5}, {"bdt2-view-tar", 4}, {"bdt2-view-zip", 4},
      {"bdt2-substitutions-modelled", 16384},
      {"bdt2-substitutions-covers", 1}, {"bdt2-substitutions-predicted", 1}, {"bdt2-windows", 3},
      {"bdt2-windows-modelled", 16897},
      {"bdt2-windows-mixed", 16898}, {"bdt2-windows-mixed-packed", 16898}};
  for (const char* set : kGoldenSets) {
    const Bytes patch = get(kFolder / set / "patch");
    const auto found = features.find(set);
    EXPECT_EQ(found == features.end() ? 0 : found->second, info_of(patch).required_features) << set;
  }
}

// Likewise of records.
TEST(GoldenFolder, EveryRecordIsFrozen) {
  using native::RecordTag;
  const std::multimap<RecordTag, std::string> sets = {
      {RecordTag::kDigests, "bdt2-digests"}, {RecordTag::kFills, "bdt2-file-digests"}, {RecordTag::kFills, "bdt2-header-sums"},
      {RecordTag::kFills, "bdt2-signed"}, {RecordTag::kFills, "bdt2-view-tar"}, {RecordTag::kFills, "bdt2-view-jar"}, {RecordTag::kFills, "bdt2-jar-digests-cut"}, {RecordTag::kView, "bdt2-view-zip"},
      {RecordTag::kMovedNumbers, "bdt2-moved-numbers"}, {RecordTag::kSubstitutions, "bdt2-substitutions"},
      {RecordTag::kGlobal, "bdt2-predicted"}, {RecordTag::kCovers, "bdt2-predicted"}, {RecordTag::kGroup, "bdt2-predicted"}};
  for (const auto& [tag, set] : sets) EXPECT_TRUE(has_record(get(kFolder / set / "patch"), tag)) << set;
}

// One that says yes, and one that says no.
TEST(GoldenFolder, WhetherTokensMayBeTakenIsFrozen) {
  const Bytes target = get(kFolder / "bdt2-view-lent" / "new");
  const view::ViewPlan plan = view_plan_of(get(kFolder / "bdt2-view-lent" / "patch"));
  auto recipes = deflate::RecipeReader::open(plan.recipe);
  ASSERT_OK(recipes);
  std::size_t pos = 0;
  for (const bool lends : {true, false}) {
    const std::vector<view::FoundStream> found = view::find_gzip_stream(target, pos);
    ASSERT_EQ(1u, found.size());
    const auto stream = deflate::inflate(ByteSpan(target).subspan(static_cast<std::size_t>(found[0].file_pos)), {});
    ASSERT_OK(stream);
    const auto recipe = recipes->next({stream->raw().size(), stream->packed_bytes});
    ASSERT_OK(recipe);
    EXPECT_EQ(lends, recipe->lends);
    pos = static_cast<std::size_t>(found[0].file_pos + stream->packed_bytes) + view::kGzipTrailerBytes;
  }
  EXPECT_EQ(target.size(), pos);
}

constexpr const char* kProgramSets[] = {
    "bdt2-every-field", "bdt2-predicted", "bdt2-predicted-fast", "bdt2-fixed", "bdt2-arm-and-go", "bdt2-thumb",
    "bdt2-pe-exceptions", "bdt2-sorted-tables", "bdt2-image-choice", "bdt2-macho-tables", "bdt2-mixed-pages"};

// The fields of the OLD of a set that its patch predicts.
std::vector<exe::Field> predicted_fields(const std::string& set) {
  const Bytes source = get(kFolder / set / "old");
  const PredictionPlan plan = plan_of(get(kFolder / set / "patch"));
  WorkerPool pool(1);
  std::vector<exe::Field> fields = all_fields(exe::Program(source, exe::find_images(source), pool));
  std::erase_if(fields, [&](const exe::Field& field) { return !exe::has_kind(plan.kinds, field.kind); });
  return fields;
}

// Each form stands for a way to write an address, and a patch proves of many of them that they are written alike for
// ever.
TEST(GoldenFolder, EveryFormAndKindOfFieldIsFrozen) {
  std::map<exe::FieldForm, std::size_t> forms;
  std::map<exe::FieldKind, std::size_t> kinds;
  std::size_t calls_of_words = 0;  // by code of halfwords
  for (const char* set : kProgramSets) {
    for (const exe::Field& field : predicted_fields(set)) {
      ++forms[field.form];
      ++kinds[field.kind];
      calls_of_words += field.form == exe::FieldForm::kThumbBranch && field.trailing_bytes == exe::kToArm ? 1 : 0;
    }
  }
  for (std::size_t form = 0; form < exe::kFieldFormCount; ++form) {
    EXPECT_LE(1u, forms[static_cast<exe::FieldForm>(form)]) << form;
  }
  for (std::size_t kind = 0; kind < exe::kFieldKindCount; ++kind) {
    if (static_cast<exe::FieldKind>(kind) == exe::FieldKind::kOther) continue;
    EXPECT_LE(1u, kinds[static_cast<exe::FieldKind>(kind)]) << kind;
  }
  EXPECT_LE(50u, calls_of_words);
}

// How many tables of each kind OLD of a set has.
std::map<exe::SortedTableKind, std::size_t> tables_of_old(const char* set) {
  const Bytes source = get(kFolder / set / "old");
  std::map<exe::SortedTableKind, std::size_t> counts;
  for (const exe::SortedTable& table : exe::find_sorted_tables(source, exe::find_images(source))) ++counts[table.kind];
  return counts;
}

TEST(GoldenFolder, EveryKindOfSortedTableIsRebuilt) {
  using Kind = exe::SortedTableKind;
  const std::map<const char*, std::map<Kind, std::size_t>> sets = {
      {"bdt2-sorted-tables",
       {{Kind::kBaseRelocations, 3}, {Kind::kFunctions, 2}, {Kind::kUnwindIndex, 4}, {Kind::kRelativeRelocations, 4}}},
      {"bdt2-macho-tables", {{Kind::kFunctionStarts, 2}, {Kind::kUnwindPages, 2}}},
      {"bdt2-mixed-pages", {{Kind::kFunctionStarts, 2}, {Kind::kMixedUnwindPages, 2}}}};
  exe::KindSet rebuilt = 0;
  for (const auto& [set, counts] : sets) {
    EXPECT_EQ(counts, tables_of_old(set)) << set;
    rebuilt |= plan_of(get(kFolder / set / "patch")).kinds;
  }
  EXPECT_EQ(exe::kAllTables, rebuilt & exe::kAllTables);
}

// One patch is about two programs of nine, one of which has tables that are rebuilt.
TEST(GoldenFolder, AChoiceOfImagesIsFrozen) {
  const Bytes source = get(kFolder / "bdt2-image-choice" / "old");
  const std::vector<exe::Image> all = exe::find_images(source);
  ASSERT_EQ(9u, all.size());
  const PredictionPlan plan = plan_of(get(kFolder / "bdt2-image-choice" / "patch"));
  const auto places = exe::parse_image_extents(plan.images, source.size(), 2);
  ASSERT_OK(places);
  ASSERT_EQ(2u, places->all.size());
  EXPECT_EQ(all[1].file_pos, places->all[0].pos);
  EXPECT_EQ(all[6].file_pos, places->all[1].pos);
  EXPECT_EQ(all[6].size_bytes, places->all[1].size_bytes);
  EXPECT_EQ(exe::ImageFormat::kPe, places->all[1].format);
  EXPECT_NE(0u, plan.kinds & exe::kAllTables);
}

TEST(GoldenFolder, EverySetIsTestedAndDescribed) {
  std::set<std::string> named(std::begin(kGoldenSets), std::end(kGoldenSets));
  named.insert("trees");
  const Bytes manifest_bytes = get(kFolder / "MANIFEST.txt");
  const std::string manifest(manifest_bytes.begin(), manifest_bytes.end());
  for (const auto& entry : std::filesystem::directory_iterator(kFolder)) {
    if (!entry.is_directory()) continue;
    const std::string name = entry.path().filename().string();
    EXPECT_EQ(1u, named.erase(name)) << name << " is in no list";
    EXPECT_NE(std::string::npos, manifest.find("\n" + name + " ")) << name << " is not in MANIFEST.txt";
  }
  EXPECT_TRUE(named.empty()) << *named.begin() << " is missing";
}

}  // namespace
}  // namespace bdelta::test::golden_test
