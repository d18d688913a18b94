// What the tests of patches that lie about views share: a pair of archives, and the record whose fields are to lie.
#pragma once

#include "apply/applied_views.hpp"
#include "base/varint.hpp"
#include "format/native/layout.hpp"
#include "format/native/raw_frames.hpp"
#include "support/archive.hpp"
#include "support/generate.hpp"
#include "support/views.hpp"

namespace bdelta::test::hostile_views_test {

inline constexpr std::uint64_t kMost = ~std::uint64_t{0};
inline constexpr std::size_t kNone = ~std::size_t{0};
inline constexpr std::size_t kDirectoryNumbers = 4;  // in the geometry, of OLD's; NEW's has two more

inline Bytes changed(Bytes text) { return edited(std::move(text), {{Edit::kOverwrite, text.size() / 10, 9, 0, 7}}); }

inline Bytes archive_of(bool next) {
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

// How applying ends through every sink, by one thread and by several alike; kInternal if NEW comes out.
inline ErrorCode code_everywhere(ByteSpan source, ByteSpan patch, const Bytes& target) {
  std::optional<ErrorCode> code;
  for (const Sink sink : kAllSinks) {
    for (const unsigned threads : {1u, 4u}) {
      ApplyOptions options;
      options.threads = threads;
      const auto applied = apply_patch(source, patch, sink, options);
      const ErrorCode found = applied ? ErrorCode::kInternal : applied.error().code;
      EXPECT_EQ(code.value_or(found), found);
      if (applied && sink != Sink::kCheck) {
        EXPECT_TRUE(same_bytes(target, *applied));
      }
      code = found;
    }
  }
  return *code;
}

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
    return code_everywhere(source, with_header(header, joined(records)), target_);
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

}  // namespace bdelta::test::hostile_views_test
