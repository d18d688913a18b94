// Patches that lie about views: what is unpacked of OLD, and what is packed again of NEW.
#include "apply/applied_views.hpp"
#include "base/varint.hpp"
#include "bdelta/push.hpp"
#include "format/native/layout.hpp"
#include "format/native/raw_frames.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/views.hpp"
#include "view/deflate/recipe_writer.hpp"
#include "view/recipe_memory.hpp"

namespace bdelta::test::hostile_views_test {
namespace {

constexpr std::uint64_t kMost = ~std::uint64_t{0};
constexpr std::size_t kNone = ~std::size_t{0};
constexpr std::size_t kDirectoryNumbers = 4;  // in the geometry, of OLD's; NEW's has two more

Bytes changed(Bytes text) { return edited(std::move(text), {{Edit::kOverwrite, text.size() / 10, 9, 0, 7}}); }

Bytes archive_of(bool next) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 3; ++i) {
    const Bytes text = wordy_bytes(20'000, i);
    members.push_back({"file" + std::to_string(i), next ? changed(text) : text});
  }
  return zip_of(members);
}

// Where the fields of the record's body are that are to lie.
struct ViewFields {
  std::uint64_t source_view_bytes, target_view_bytes, source_largest_bytes, source_count, kept_count, target_count;
  std::uint64_t source_directory_count, target_directory_count, entry_bytes;
  Bytes geometry, recipe;
  std::uint64_t view_count = 1, kind = 0;

  explicit ViewFields(const view::ViewPlan& plan)
      : source_view_bytes(plan.source_view_bytes), target_view_bytes(plan.target_view_bytes),
        source_largest_bytes(plan.source_largest_bytes), source_count(plan.source_count), kept_count(plan.kept_count), target_count(plan.target_count),
        source_directory_count(plan.source_directory_count), target_directory_count(plan.target_directory_count), entry_bytes(plan.entry_bytes),
        geometry(plan.geometry), recipe(plan.recipe) {}

  // As numbers, those of the geometry.
  [[nodiscard]] std::vector<std::uint64_t> numbers() const {
    std::vector<std::uint64_t> all;
    ByteCursor cursor(geometry);
    while (cursor.available() != 0) all.push_back(cursor.varint());
    return all;
  }
  void set_numbers(const std::vector<std::uint64_t>& all) {
    geometry.clear();
    for (const std::uint64_t number : all) append_varint(geometry, number);
  }

  [[nodiscard]] Bytes body(std::uint64_t geometry_bytes, std::uint64_t recipe_bytes) const {
    Bytes bytes;
    const auto put = [&](std::initializer_list<std::uint64_t> numbers) {
      for (const std::uint64_t number : numbers) append_varint(bytes, number);
    };
    put({view_count, kind, source_view_bytes, target_view_bytes, source_largest_bytes, source_count, kept_count, target_count});
    put({source_directory_count, target_directory_count});
    if (source_directory_count != 0 || target_directory_count != 0) put({entry_bytes});
    put({geometry_bytes, recipe_bytes});
    Bytes raw = geometry;
    append(raw, recipe);
    EXPECT_OK(native::append_frames(bytes, raw, {CodecId::kStore, 0, 0}));
    return bytes;
  }
  [[nodiscard]] Bytes body() const { return body(geometry.size(), recipe.size()); }
};

class HostileViews : public ::testing::Test {
 protected:
  const Bytes source_ = archive_of(false);
  const Bytes target_ = archive_of(true);
  SplitPatch split_;
  std::vector<CraftedRecord> records_;
  std::size_t at_ = kNone;  // the record of views
  view::ViewPlan plan_;

  void SetUp() override {
    const auto patch = make_patch(source_, target_, create_options(3));
    ASSERT_OK(patch);
    split_ = split_patch(*patch);
    records_ = records_of(split_.body);
    for (std::size_t i = 0; i < records_.size(); ++i) {
      if (records_[i].tag == native::RecordTag::kView) at_ = i;
    }
    ASSERT_NE(kNone, at_);
    plan_ = view_plan_of(*patch);
    ASSERT_EQ(3u, plan_.source_count);
    ASSERT_EQ(3u, plan_.target_count);
    ASSERT_EQ(ErrorCode::kInternal, code_of(fields().body()));  // nothing is wrong
  }

  [[nodiscard]] ViewFields fields() const { return ViewFields(plan_); }

  // How applying ends through every sink, by one thread and by several; kInternal if nothing is wrong with it.
  [[nodiscard]] ErrorCode code_of(ByteSpan source, const std::vector<CraftedRecord>& records) const {
    return code_of(source, split_.header, records);
  }
  [[nodiscard]] ErrorCode code_of(ByteSpan source, const native::Header& header, const std::vector<CraftedRecord>& records) const {
    const Bytes patch = with_header(header, joined(records));
    std::optional<ErrorCode> code;
    for (const Sink sink : kAllSinks) {
      ApplyOptions options;
      options.threads = sink == Sink::kCheck ? 4 : 1;
      const auto applied = apply_patch(source, patch, sink, options);
      const ErrorCode found = applied ? ErrorCode::kInternal : applied.error().code;
      EXPECT_EQ(code.value_or(found), found);
      if (applied && sink != Sink::kCheck) {
        EXPECT_TRUE(same_bytes(target_, *applied));
      }
      code = found;
    }
    return *code;
  }
  [[nodiscard]] ErrorCode code_of(const Bytes& body) const {
    std::vector<CraftedRecord> records = records_;
    records[at_].body = body;
    return code_of(source_, records);
  }

  // The target must not have a byte.
  void expect_nothing_written(const Bytes& body) const {
    std::vector<CraftedRecord> records = records_;
    records[at_].body = body;
    const Bytes patch = with_header(split_.header, joined(records));
    io::MemoryReader source(source_);
    io::MemorySequentialReader from(patch);
    Bytes made;
    BytesWriter to(made);
    EXPECT_FAILS(ErrorCode::kPatchCorrupt, apply(source, from, static_cast<PositionedWriter&>(to), {}));
    EXPECT_EQ(0u, to.written());
  }
  void expect_corrupt(const ViewFields& fields) const {
    EXPECT_EQ(ErrorCode::kPatchCorrupt, code_of(fields.body()));
    expect_nothing_written(fields.body());
  }
};

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
      io::MemoryWriter writer(made);
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
