// Frozen patches apply as they did when they were made, whatever the matcher and the writer do today.
#include <map>
#include <set>

#include "bdelta/inspect.hpp"
#include "exe/image_choice.hpp"
#include "exe/images.hpp"
#include "exe/program.hpp"
#include "exe/rebuild_memory.hpp"
#include "format/patch_reader.hpp"
#include "golden/golden_sets.hpp"
#include "io/memory_io.hpp"
#include "io/typed_reader.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"

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

// What a set is kept for, it has to use. Bits are those of FORMAT.md: 0 prediction, 1 target copies, 4 coded contents, 5 digests, 6
// page digests, 8 words, 9 coded literals, 10 places, 11 header sums, 12 file digests, 13 tracks,
// 14 coded misses, 15 moved numbers.
TEST(GoldenFolder, EveryRequiredFeatureIsFrozen) {
  const std::map<std::string, std::uint64_t> features = {
      {"bdt2-predicted", 1}, {"bdt2-predicted-fast", 1},
      {"bdt2-coded-literals", 528}, {"bdt2-coded-literals-many", 528},
      {"bdt2-coded-misses", 25616}, {"bdt2-coded-misses-many", 26128}, {"bdt2-coded-misses-predicted", 26129},
      {"bdt2-coded-misses-lanes", 25616},
      {"bdt2-target", 2}, {"bdt2-target-many", 258}, {"bdt2-predictor2", 1}, {"bdt2-predictor3", 1025},
      {"bdt2-predictor4", 1025}, {"bdt2-predictor5", 1025}, {"bdt2-predictor6", 9217}, {"bdt2-predictor7", 9217},
      {"bdt2-predictor8", 9217}, {"bdt2-predictor9", 9217},
      {"bdt2-places", 1024}, {"bdt2-places-many", 1024}, {"bdt2-places-predicted", 1025},
      {"bdt2-words", 256}, {"bdt2-words-contents", 25872}, {"bdt2-words-predicted", 257}, {"bdt2-words-covers", 257},
      {"bdt2-digests", 32}, {"bdt2-fixed", 1}, {"bdt2-header-sums", 3328}, {"bdt2-header-sums-cut", 2048},
      {"bdt2-moved-numbers", 41984}, {"bdt2-moved-numbers-cut", 42512},
      {"bdt2-file-digests", 5120}, {"bdt2-file-digests-cut", 6144},
      {"bdt2-tracks", 9216}, {"bdt2-tracks-many", 9216}, {"bdt2-tracks-predicted", 9217},
      {"bdt2-signed", 64}, {"bdt2-signed-predicted", 65}};
  for (const char* set : kGoldenSets) {
    const Bytes patch = get(kFolder / set / "patch");
    const auto found = features.find(set);
    EXPECT_EQ(found == features.end() ? 0 : found->second, info_of(patch).required_features) << set;
  }
}

// The fields of the OLD of a set.
std::vector<exe::Field> fields_of_old(const char* set, exe::PredictorId predictor) {
  const Bytes source = get(kFolder / set / "old");
  WorkerPool pool(1);
  return exe::Program(source, pool, 0, predictor).all_fields(pool);
}

using KindCounts = std::map<exe::FieldKind, std::size_t>;

KindCounts kinds_of_old(const char* set, exe::PredictorId predictor) {
  KindCounts counts;
  for (const exe::Field& field : fields_of_old(set, predictor)) ++counts[field.kind];
  return counts;
}

// The set of predictor 2 has fields of each form that predictor 1 does not know, in images of both widths.
TEST(GoldenFolder, EveryFormOfPredictor2IsFrozen) {
  const auto forms_of = [](exe::PredictorId predictor) {
    std::set<exe::FieldForm> forms;
    for (const exe::Field& field : fields_of_old("bdt2-predictor2", predictor)) forms.insert(field.form);
    return forms;
  };
  const std::set<exe::FieldForm> old_forms = forms_of(exe::PredictorId::k1);
  const std::set<exe::FieldForm> forms = forms_of(exe::PredictorId::k2);
  for (const exe::FieldForm form : {exe::FieldForm::kArm32Branch, exe::FieldForm::kPrel31, exe::FieldForm::kUleb21,
                                    exe::FieldForm::kUleb28, exe::FieldForm::kFileUleb21, exe::FieldForm::kFileUleb28}) {
    EXPECT_EQ(1u, forms.count(form)) << static_cast<int>(form);
    EXPECT_EQ(0u, old_forms.count(form)) << static_cast<int>(form);
  }
}

// Nor are exports found by predictor 1, tables by unwind pointers of eight bytes, or code of 32-bit ARM.
TEST(GoldenFolder, EveryTableOfPredictor2IsFrozen) {
  KindCounts old_counts = kinds_of_old("bdt2-predictor2", exe::PredictorId::k1);
  KindCounts counts = kinds_of_old("bdt2-predictor2", exe::PredictorId::k2);
  for (const exe::FieldKind kind : {exe::FieldKind::kImportExport, exe::FieldKind::kExceptionTable,
                                    exe::FieldKind::kDataReference}) {
    EXPECT_EQ(0u, old_counts[kind]) << static_cast<int>(kind);
    EXPECT_LE(100u, counts[kind]) << static_cast<int>(kind);
  }
  EXPECT_LT(3 * old_counts[exe::FieldKind::kGoTable], counts[exe::FieldKind::kGoTable]);
}

TEST(GoldenFolder, EveryFormOfPredictor3IsFrozen) {
  std::map<exe::FieldForm, std::size_t> counts;
  std::size_t calls_of_words = 0;
  for (const exe::Field& field : fields_of_old("bdt2-predictor3", exe::PredictorId::k3)) {
    ++counts[field.form];
    calls_of_words += field.form == exe::FieldForm::kThumbBranch && field.trailing_bytes == exe::kToArm ? 1 : 0;
  }
  for (const exe::FieldForm form : {exe::FieldForm::kThumbBranch, exe::FieldForm::kThumbCondition, exe::FieldForm::kOffset32,
                                    exe::FieldForm::kArm32Branch, exe::FieldForm::kFileOffset24}) {
    EXPECT_LE(50u, counts[form]) << static_cast<int>(form);
  }
  EXPECT_LE(50u, calls_of_words);
}

// The set of predictor 4 has many more fields of exception tables and of accesses to volatile memory than predictor 3 finds.
TEST(GoldenFolder, EveryTableOfPredictor4IsFrozen) {
  KindCounts old_counts = kinds_of_old("bdt2-predictor4", exe::PredictorId::k3);
  KindCounts counts = kinds_of_old("bdt2-predictor4", exe::PredictorId::k4);
  EXPECT_LT(10 * old_counts[exe::FieldKind::kExceptionTable], counts[exe::FieldKind::kExceptionTable]);
  EXPECT_EQ(0u, old_counts[exe::FieldKind::kFunctionStart]);
  EXPECT_LE(100u, counts[exe::FieldKind::kFunctionStart]);
}

// The set of predictor 5 has programs of seven shapes, and its patch rebuilds tables of each kind.
TEST(GoldenFolder, EveryKindOfTableOfPredictor5IsFrozen) {
  const Bytes source = get(kFolder / "bdt2-predictor5" / "old");
  std::map<exe::SortedTableKind, std::size_t> counts;
  for (const exe::SortedTable& table : exe::find_sorted_tables(source, exe::find_images(source))) ++counts[table.kind];
  EXPECT_EQ(3u, counts[exe::SortedTableKind::kBaseRelocations]);
  EXPECT_EQ(2u, counts[exe::SortedTableKind::kFunctions]);
  EXPECT_EQ(4u, counts[exe::SortedTableKind::kUnwindIndex]);
  EXPECT_EQ(4u, counts[exe::SortedTableKind::kRelativeRelocations]);

  const PredictionPlan plan = plan_of(get(kFolder / "bdt2-predictor5" / "patch"));
  EXPECT_EQ(5u, plan.predictor);
  EXPECT_EQ(exe::kTablesOf5, plan.kinds & exe::kAllTables);
}

TEST(GoldenFolder, EveryKindOfTableOfPredictor7IsFrozen) {
  const Bytes source = get(kFolder / "bdt2-predictor7" / "old");
  std::map<exe::SortedTableKind, std::size_t> counts;
  for (const exe::SortedTable& table : exe::find_sorted_tables(source, exe::find_images(source))) {
    ++counts[table.kind];
    EXPECT_TRUE(table.kind == exe::SortedTableKind::kFunctionStarts || table.size_bytes > exe::kUnwindPageBytes);
  }
  EXPECT_EQ(2u, counts[exe::SortedTableKind::kFunctionStarts]);
  EXPECT_EQ(2u, counts[exe::SortedTableKind::kUnwindPages]);

  const PredictionPlan plan = plan_of(get(kFolder / "bdt2-predictor7" / "patch"));
  EXPECT_EQ(7u, plan.predictor);
  EXPECT_EQ(exe::kTablesOf7 & ~exe::kTablesOf5, plan.kinds & exe::kAllTables);
}

// Five programs: Go of either width, one that lists the places of its pointers, and two with pages of either kind.
TEST(GoldenFolder, WhatPredictor8BringsIsFrozen) {
  const Bytes source = get(kFolder / "bdt2-predictor8" / "old");
  const std::vector<exe::Image> images = exe::find_images(source);
  ASSERT_EQ(5u, images.size());
  WorkerPool pool(1);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(exe::PredictorId::k8, exe::Program(source, {images[i]}, pool).needed_predictor()) << i;
  }
  std::map<exe::SortedTableKind, std::size_t> counts;
  for (const exe::SortedTable& table : exe::find_sorted_tables(source, images)) ++counts[table.kind];
  EXPECT_EQ(2u, counts[exe::SortedTableKind::kMixedUnwindPages]);

  const PredictionPlan plan = plan_of(get(kFolder / "bdt2-predictor8" / "patch"));
  EXPECT_EQ(8u, plan.predictor);
  EXPECT_TRUE(exe::has_tables(plan.kinds, exe::SortedTableKind::kMixedUnwindPages));
  for (const exe::FieldKind kind : {exe::FieldKind::kGoTable, exe::FieldKind::kRelocationPlace}) {
    EXPECT_TRUE(exe::has_kind(plan.kinds, kind));
  }
}

// That memory is declared by predictor 9, and less than by the one that the same programs had before.
TEST(GoldenFolder, WhatPredictor9DeclaresIsFrozen) {
  const Bytes source = get(kFolder / "bdt2-predictor9" / "old");
  const PredictionPlan plan = plan_of(get(kFolder / "bdt2-predictor9" / "patch"));
  EXPECT_EQ(9u, plan.predictor);
  const std::vector<exe::Image> images = exe::find_images(source);
  const std::vector<exe::SortedTable> tables = exe::find_sorted_tables(source, images);
  EXPECT_EQ(exe::kTablesOf5, plan.kinds & exe::kAllTables);
  EXPECT_LT(2 * exe::rebuild_memory_bytes(images, tables, plan.kinds, exe::PredictorId::k9),
            exe::rebuild_memory_bytes(images, tables, plan.kinds, exe::PredictorId::k5));
}

// The patch of predictor 6 is about two programs of nine, one of which has tables that are rebuilt.
TEST(GoldenFolder, AChoiceOfPredictor6IsFrozen) {
  EXPECT_EQ(9u, exe::find_images(get(kFolder / "bdt2-predictor6" / "old")).size());
  const PredictionPlan plan = plan_of(get(kFolder / "bdt2-predictor6" / "patch"));
  EXPECT_EQ(6u, plan.predictor);
  const auto choice = exe::parse_image_choice(plan.images);
  ASSERT_OK(choice);
  EXPECT_EQ((std::vector<std::uint32_t>{1, 6}), choice->numbers);
  EXPECT_NE(0u, plan.kinds & exe::kAllTables);
}

TEST(GoldenFolder, EverySetIsTestedAndDescribed) {
  std::set<std::string> named(std::begin(kGoldenSets), std::end(kGoldenSets));
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
