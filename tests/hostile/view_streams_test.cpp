// Patches that lie about views: how streams are packed again, where the record stands, and OLD that is another.
#include "bdelta/push.hpp"
#include "hostile/view_lies.hpp"
#include "support/memory_writer.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta::test::hostile_views_test {
namespace {

TEST_F(HostileViews, AGeometryCutOrLonger) {
  const ViewFields right = fields();
  for (std::size_t length = 0; length < right.geometry.size(); ++length) {
    SCOPED_TRACE(length);
    ViewFields bent = right;
    bent.geometry.resize(length);
    expect_corrupt(bent);
  }
  ViewFields longer = right;
  longer.geometry.push_back(0);
  expect_corrupt(longer);
}

// NEW's digest is what remains where the recipe is another sound one.
TEST_F(HostileViews, RecipesCutAndFlipped) {
  const ViewFields right = fields();
  for (std::size_t length = 0; length < right.recipe.size(); ++length) {
    SCOPED_TRACE(length);
    ViewFields bent = right;
    bent.recipe.resize(length);
    EXPECT_EQ(3, exit_class(code_of(bent.body())));
  }
  for (std::size_t bit = 0; bit < 8 * right.recipe.size(); ++bit) {
    SCOPED_TRACE(bit);
    ViewFields bent = right;
    bent.recipe[bit / 8] = static_cast<std::uint8_t>(bent.recipe[bit / 8] ^ 1u << bit % 8);
    const ErrorCode code = code_of(bent.body());
    EXPECT_TRUE(code == ErrorCode::kPatchCorrupt || code == ErrorCode::kTargetDigest) << static_cast<int>(code);
  }
  ViewFields longer = right;
  longer.recipe.push_back(0);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(longer.body()));
}

// A text that isn't the stream's is seen when the stream is whole, by several threads as by one, and not if the view ends before.
TEST_F(HostileViews, AStreamAtFaultIsToldWhereItEnds) {
  const auto back = make_patch(target_, source_, create_options(3));
  ASSERT_OK(back);
  const view::ViewPlan of_target = view_plan_of(*back);
  io::MemoryReader source(source_), target(target_);
  auto seen = AppliedViews::make(target, {of_target}, source_.size(), nullptr);
  ASSERT_OK(seen);
  const ByteSpan right = seen->source().view();
  std::size_t fault_count = 0;
  for (std::size_t step = 0; step <= 40; ++step) {
    Bytes view(right.begin(), right.end());
    if (step % 4 != 0) view[view.size() * (step % 4) / 5] ^= 0x55;
    view.resize(view.size() * step / 40);
    std::optional<ErrorCode> code;
    for (const unsigned threads : {1u, 4u}) {
      SCOPED_TRACE(step);
      auto views = AppliedViews::make(source, {plan_}, target_.size(), nullptr);
      ASSERT_OK(views);
      WorkerPool pool(threads);
      Bytes made;
      MemoryWriter writer(made);
      const TargetSink sink = views->rebuild_into({nullptr, &writer}, pool, threads);
      Status status = sink.sequential->write(ByteSpan(view).first(view.size() / 2));
      if (status) status = sink.sequential->write(ByteSpan(view).subspan(view.size() / 2));
      if (status) status = views->settle(true);
      const ErrorCode found = status ? ErrorCode::kInternal : status.error().code;
      EXPECT_EQ(code.value_or(found), found);
      code = found;
      if (!status) ++fault_count;
    }
  }
  EXPECT_LT(10u, fault_count);
}

// What nobody needs may change: a larger limit of a stream, a codec's window where nothing is coded.
TEST_F(HostileViews, BitsOfTheBody) {
  const Bytes right = fields().body();
  for (std::size_t bit = 0; bit < 8 * right.size(); bit += 3) {
    SCOPED_TRACE(bit);
    Bytes bent = right;
    bent[bit / 8] = static_cast<std::uint8_t>(bent[bit / 8] ^ 1u << bit % 8);
    const ErrorCode code = code_of(bent);
    EXPECT_TRUE(exit_class(code) == 3 || code == ErrorCode::kTargetDigest || code == ErrorCode::kInternal)
        << static_cast<int>(code);
  }
  for (std::size_t length = 0; length < right.size(); ++length) {
    SCOPED_TRACE(length);
    EXPECT_EQ(3, exit_class(code_of(Bytes(right.begin(), right.begin() + static_cast<std::ptrdiff_t>(length)))));
  }
  Bytes longer = right;
  longer.push_back(0);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(longer));
}

TEST_F(HostileViews, TheRecordAndItsBitGoTogether) {
  std::vector<CraftedRecord> without = records_;
  without.erase(without.begin() + static_cast<std::ptrdiff_t>(at_));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source_, without));
  std::vector<CraftedRecord> twice = records_;
  twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(at_), records_[at_]);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source_, twice));
  native::Header header = split_.header;
  header.required_features &= ~native::kFeatureView;
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source_, header, records_));
  // Behind the first group.
  std::vector<CraftedRecord> late = without;
  ASSERT_GE(late.size(), 2u);
  late.insert(late.end() - 1, records_[at_]);
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source_, late));
  EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source_, {{native::RecordTag::kEnd, {}}}));
}

TEST_F(HostileViews, ThePushReaderSaysTheSame) {
  ViewFields bent = fields();
  bent.source_count = 2;
  std::vector<CraftedRecord> records = records_;
  records[at_].body = bent.body();
  const Bytes patch = with_header(split_.header, joined(records));
  io::MemoryReader source(source_);
  Bytes made;
  BytesWriter writer(made);
  auto push = PushApply::open(source, static_cast<PositionedWriter&>(writer), {});
  ASSERT_OK(push);
  Status status;
  for (std::size_t i = 0; i < patch.size() && status; ++i) status = (*push)->feed(ByteSpan(patch).subspan(i, 1));
  if (status) status = [&]() -> Status {
    auto report = (*push)->finish();
    return report ? Status() : Status(report.error());
  }();
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, status);
  EXPECT_EQ(0u, writer.written());
}

// OLD is the one that the header tells, and has no streams: the patch is to blame.
TEST_F(HostileViews, OldWithoutStreams) {
  for (const Bytes& source : {Bytes(source_.size()), random_bytes(source_.size(), 1), Bytes(), Bytes(10)}) {
    native::Header header = split_.header;
    header.source_size = source.size();
    header.source_digest = header_of(source, target_).source_digest;
    EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source, header, records_));
  }
}

// Few bytes of OLD that are very many: no more is unpacked than is declared.
TEST_F(HostileViews, OldThatIsABomb) {
  const Bytes source = gzip_of(Bytes(std::size_t{64} << 20), 9);
  native::Header header = split_.header;
  header.source_size = source.size();
  header.source_digest = header_of(source, target_).source_digest;
  for (const std::uint64_t bytes : {std::uint64_t{1} << 20, std::uint64_t{64} << 20}) {
    ViewFields bent = fields();
    bent.source_view_bytes = bent.source_largest_bytes = bytes;
    bent.source_count = 1;
    std::vector<CraftedRecord> records = records_;
    records[at_].body = bent.body();
    EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(source, header, records));
  }
}

TEST(KeptViews, HaveABoundOfBytes) {
  EXPECT_TRUE(view::may_be_kept(16 * 150 + 15, 100, 50));
  EXPECT_FALSE(view::may_be_kept(16 * 150 + 16, 100, 50));
  EXPECT_TRUE(view::may_be_kept(kMost, kMost / 16, 0));
  EXPECT_FALSE(view::may_be_kept(kMost, kMost / 16 - 1, 0));
  EXPECT_TRUE(view::may_be_kept(kMost, 1, kMost));
}

// A few bytes of a recipe that are very many joints.
TEST(HeldRecipes, AreBoundedByTheirLength) {
  constexpr std::uint64_t kRawBytes = std::uint64_t{64} << 20;
  deflate::StreamRecipe recipe;
  for (std::uint64_t pos = 100; pos < kRawBytes; pos += 100) recipe.joints.push_back({pos, {}, {}});
  deflate::RecipeWriter writer;
  const std::uint64_t packed_bytes = kRawBytes / 64;
  ASSERT_TRUE(writer.add(recipe, {kRawBytes, packed_bytes}));
  view::ViewPlan plan;
  plan.recipe = writer.finish();
  ASSERT_LT(plan.recipe.size(), 64'000u);
  ASSERT_GT(view::held_bytes(recipe), view::most_held_bytes(plan.recipe.size()));
  plan.target_count = 1;
  plan.target_view_bytes = kRawBytes;
  plan.geometry = view::encode_geometry({}, {}, {}, {{{0, packed_bytes, kRawBytes}}, {}}, {{0}, {}});
  io::MemoryReader source(ByteSpan{});
  const auto views = AppliedViews::make(source, {plan}, packed_bytes, nullptr);
  EXPECT_FAILS(ErrorCode::kPatchCorrupt, views);
}

// What looks like heads of members without an end doesn't make a patch slow: each is looked at as far as a name may be long.
TEST(HeadsWithoutEnd, CostLittle) {
  const Bytes head = {0x1f, 0x8b, 8, 8, 1, 1, 1, 1, 2, 3};
  Bytes file = head;
  file.resize(2000, 'n');
  EXPECT_EQ(0u, view::likely_stream_pos(file, 0));
  file[10 + 1024] = 0;  // right behind the longest name
  EXPECT_EQ(10u + 1025, view::likely_stream_pos(file, 0));
  file[10 + 1024] = 'n';
  file[10 + 1025] = 0;
  EXPECT_EQ(0u, view::likely_stream_pos(file, 0));
}

}  // namespace
}  // namespace bdelta::test::hostile_views_test
