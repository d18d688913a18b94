// Patches that lie about views: counts and sizes, and where streams and directories are.
#include "hostile/view_lies.hpp"

namespace bdelta::test::hostile_views_test {
namespace {

TEST_F(HostileViews, Counts) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{4}, std::uint64_t{5'000'000}, kMost}) {
    SCOPED_TRACE(count);
    ViewFields source = fields(), kept = fields(), target = fields();
    source.source_count = count;
    kept.kept_count = count;
    target.target_count = count;
    expect_corrupt(source);
    if (count != 0) expect_corrupt(kept);
    expect_corrupt(target);
  }
}

TEST_F(HostileViews, CountsOfViewsAndKinds) {
  for (const std::uint64_t count : {std::uint64_t{0}, std::uint64_t{2}, std::uint64_t{5}, kMost}) {
    SCOPED_TRACE(count);
    ViewFields bent = fields();
    bent.view_count = count;
    const ErrorCode code = code_of(bent.body());
    EXPECT_EQ(3, exit_class(code));
    EXPECT_EQ(count == 2, code != ErrorCode::kPatchCorrupt || count == 2);  // what follows is another view then
  }
  ViewFields chunks = fields();
  chunks.kind = 1;  // of which OLD has none
  expect_corrupt(chunks);
  for (const std::uint64_t kind : {std::uint64_t{2}, std::uint64_t{256}, kMost}) {
    ViewFields bent = fields();
    bent.kind = kind;
    EXPECT_EQ(ErrorCode::kUnsupportedFeature, code_of(bent.body()));
  }
}

// Views of views are bounded by what they are made of, and by memory but for the last.
TEST_F(HostileViews, OneOfTheOther) {
  const Bytes source = gzip_of(source_), target = gzip_of(target_);
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  const SplitPatch split = split_patch(*patch);
  const view::ViewPlans right = view_plans_of(*patch);
  ASSERT_EQ(2u, right.size());
  const auto code_with = [&](const view::ViewPlans& plans) {
    std::vector<CraftedRecord> records = records_of(split.body);
    for (CraftedRecord& record : records) {
      if (record.tag == native::RecordTag::kView) record.body = *native::open_record(*native::encode_view(plans, {CodecId::kStore, 0, 0}));
    }
    const auto made = apply_patch(source, with_header(split.header, joined(records)), Sink::kPositioned);
    return made ? ErrorCode::kInternal : made.error().code;
  };
  EXPECT_EQ(ErrorCode::kInternal, code_with(right));
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (const std::int64_t step : std::initializer_list<std::int64_t>{-1, 1, 1 << 30}) {
      SCOPED_TRACE(std::to_string(i) + " " + std::to_string(step));
      view::ViewPlans bent = right;
      bent[i].source_view_bytes += static_cast<std::uint64_t>(step);
      EXPECT_EQ(ErrorCode::kPatchCorrupt, code_with(bent));
      bent = right;
      bent[i].target_view_bytes += static_cast<std::uint64_t>(step);
      EXPECT_EQ(3, exit_class(code_with(bent)));
    }
  }
  EXPECT_EQ(3, exit_class(code_with({right[0]})));
  EXPECT_EQ(3, exit_class(code_with({right[1]})));
  EXPECT_EQ(3, exit_class(code_with({right[1], right[0]})));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_with({right[0], right[1], right[1]}));
}

// Chunks of images that are said of OLD where there are none, or of NEW with sizes that can't be.
TEST(HostilePngs, ChunksThatCantBe) {
  const Bytes data = zlib_of(wordy_bytes(20'000, 1)), next = zlib_of(changed(wordy_bytes(20'000, 1)));
  const Bytes source = png_of(data, 1000), target = png_of(next, 1000);
  const auto patch = make_patch(source, target, create_options(3));
  ASSERT_OK(patch);
  const view::ViewPlans right = view_plans_of(*patch);
  ASSERT_EQ(view::StreamKind::kPngChunks, right[0].kind);
  io::MemoryReader reader(source);
  EXPECT_OK(AppliedViews::make(reader, right, target.size(), nullptr));
  const auto refuse = [&](const view::ViewPlan& bent) {
    const auto views = AppliedViews::make(reader, {bent}, target.size(), nullptr);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, views);
  };
  for (const Bytes& recipe : std::vector<Bytes>{{}, {0}, {0, 1}, {0xff, 0xff, 0x03}, {0xe8, 0x07, 0}, {0x80}}) {
    view::ViewPlan bent = right[0];
    bent.recipe = recipe;
    refuse(bent);
  }
  view::ViewPlan bent = right[0];
  bent.source_largest_bytes -= 1;
  refuse(bent);
  bent = right[0];
  bent.geometry[0] ^= 2;  // where they begin in OLD
  refuse(bent);
}

TEST_F(HostileViews, SizesOfViews) {
  const auto each = [&](std::uint64_t ViewFields::*field) {
    const std::uint64_t right = fields().*field;
    for (const std::uint64_t bytes : {std::uint64_t{0}, right - 1, right + 1, right << 20, kMost / 1032, kMost}) {
      SCOPED_TRACE(bytes);
      ViewFields bent = fields();
      bent.*field = bytes;
      EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(bent.body()));
      const bool may_be_told = field == &ViewFields::target_view_bytes && (bytes == right - 1 || bytes == right + 1);  // of a directory
      if (!may_be_told) expect_nothing_written(bent.body());
    }
  };
  each(&ViewFields::source_view_bytes);
  each(&ViewFields::target_view_bytes);
}

TEST_F(HostileViews, TheLargestStreamIsALimit) {
  for (const std::uint64_t bytes : {std::uint64_t{0}, plan_.source_largest_bytes - 1, plan_.source_view_bytes + 1, kMost}) {
    SCOPED_TRACE(bytes);
    ViewFields bent = fields();
    bent.source_largest_bytes = bytes;
    expect_corrupt(bent);
  }
}

TEST_F(HostileViews, WhatIsHeldIsDeclared) {
  for (const std::uint64_t memory : {std::uint64_t{0}, plan_.source_view_bytes - 1, plan_.source_view_bytes + 1000}) {
    SCOPED_TRACE(memory);
    native::Header header = split_.header;
    header.decoder_memory_bytes = memory;
    EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source_, header, records_));
  }
  native::Header header = split_.header;
  header.decoder_memory_bytes = std::uint64_t{1} << 40;
  EXPECT_EQ(ErrorCode::kMemoryLimit, code_of(source_, header, records_));
}

TEST_F(HostileViews, LengthsOfParts) {
  const ViewFields right = fields();
  const std::uint64_t geometry = right.geometry.size(), recipe = right.recipe.size();
  const std::pair<std::uint64_t, std::uint64_t> lengths[] = {
      {0, recipe}, {geometry - 1, recipe}, {geometry + 1, recipe}, {geometry, 0}, {geometry, recipe - 1},
      {geometry - 1, recipe + 1}, {geometry + 1, recipe - 1}, {kMost, recipe}, {geometry, kMost},
      {kMost, kMost}, {kMost - recipe, recipe + 1}};
  for (const auto& [geometry_bytes, recipe_bytes] : lengths) {
    SCOPED_TRACE(std::to_string(geometry_bytes) + " " + std::to_string(recipe_bytes));
    const ErrorCode code = code_of(right.body(geometry_bytes, recipe_bytes));
    EXPECT_TRUE(code == ErrorCode::kPatchCorrupt || code == ErrorCode::kCodecFailed);
    EXPECT_EQ(3, exit_class(code));
  }
}

// Every number of the geometry: the directory and positions of OLD; counterparts, gaps, packed and raw sizes of NEW; its
// directory. Where all sizes fit by chance it is NEW's digest that is wrong.
TEST_F(HostileViews, EachNumberOfTheGeometry) {
  const std::vector<std::uint64_t> right = fields().numbers();
  ASSERT_EQ(kDirectoryNumbers + 3u + 3u * 4u + kDirectoryNumbers + 2, right.size());
  for (std::size_t i = 0; i < right.size(); ++i) {
    for (const std::int64_t step : std::initializer_list<std::int64_t>{1, -1, -200, 40'000, INT64_MAX, INT64_MIN}) {
      SCOPED_TRACE(std::to_string(i) + " " + std::to_string(step));
      std::vector<std::uint64_t> numbers = right;
      const auto number = static_cast<std::uint64_t>(unzigzag(right[i]));
      numbers[i] = zigzag(static_cast<std::int64_t>(number + static_cast<std::uint64_t>(step)));
      ViewFields bent = fields();
      bent.set_numbers(numbers);
      const ErrorCode code = code_of(bent.body());
      EXPECT_TRUE(code == ErrorCode::kPatchCorrupt || (code == ErrorCode::kTargetDigest && i >= kDirectoryNumbers + 3)) << static_cast<int>(code);
    }
  }
}

// Ranges of OLD behind its view: inside OLD, none empty, and as many bytes as the view has room for.
TEST_F(HostileViews, KeptRanges) {
  const auto with_kept = [&](const std::vector<std::uint64_t>& kept, std::uint64_t view_bytes) {
    ViewFields bent = fields();
    std::vector<std::uint64_t> numbers = bent.numbers();
    numbers.insert(numbers.begin() + kDirectoryNumbers + 3, kept.begin(), kept.end());
    bent.set_numbers(numbers);
    bent.kept_count = kept.size() / 2;
    bent.source_view_bytes += view_bytes;
    return bent;
  };
  const std::uint64_t size = source_.size();
  EXPECT_EQ(ErrorCode::kInternal, code_of(with_kept({}, 0).body()));
  const std::vector<std::pair<std::vector<std::uint64_t>, std::uint64_t>> wrong = {
      {{0, 0}, 0}, {{size, 0}, 0}, {{0, size + 1}, size + 1}, {{size, 1}, 1}, {{size - 1, 2}, 2}, {{0, kMost}, kMost}, {{kMost, 1}, 1},
      {{1, kMost}, 0}, {{0, 5}, 4}, {{0, 5}, 6}, {{0, 5}, 0}, {{0, size, 0, 1}, size + 1}, {{0, 5, kMost - 3, 5}, 10},
      {{10, 5, 0, size - 14}, size - 9}};
  for (const auto& [kept, view_bytes] : wrong) {
    SCOPED_TRACE(testing::PrintToString(kept) + std::to_string(view_bytes));
    expect_corrupt(with_kept(kept, view_bytes));
  }
}

TEST_F(HostileViews, CountsAndBytesOfDirectories) {
  ASSERT_EQ(1u, plan_.source_directory_count);
  ASSERT_EQ(1u, plan_.target_directory_count);
  for (std::uint64_t ViewFields::*const field : {&ViewFields::source_directory_count, &ViewFields::target_directory_count, &ViewFields::entry_bytes}) {
    for (const std::uint64_t number : {std::uint64_t{0}, std::uint64_t{2}, view::kMostStreams, view::kMostStreams + 1, kMost / 5, kMost / 4 + 1, kMost}) {
      SCOPED_TRACE(number);
      ViewFields bent = fields();
      bent.*field = number;
      EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(bent.body()));
    }
  }
}

// Entries of OLD's directory are not those of a directory where the numbers say, as for each directory here.
TEST_F(HostileViews, DirectoriesThatOverlap) {
  ViewFields bent = fields();
  std::vector<std::uint64_t> numbers = bent.numbers();
  const std::vector<std::uint64_t> more = {zigzag(0), zigzag(0), zigzag(46), zigzag(0)};
  numbers.insert(numbers.begin() + kDirectoryNumbers, more.begin(), more.end());
  bent.set_numbers(numbers);
  bent.source_directory_count = 2;
  bent.entry_bytes += 46;
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(bent.body()));
  numbers = fields().numbers();
  numbers[1] = zigzag(-5);  // into the last stream
  bent = fields();
  bent.set_numbers(numbers);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(bent.body()));
}

}  // namespace
}  // namespace bdelta::test::hostile_views_test
