// Views that are made by several threads, or held against what is known of them.
#include "create/self_check.hpp"
#include "hostile/view_lies.hpp"

namespace bdelta::test::hostile_views_test {
namespace {

// What an archive's directory says is a guess alone: several threads make the view that one makes, or find the same fault.
TEST_F(HostileViews, UnpackingByAllThreadsIsAsByOne) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 40; ++i) {
    const Bytes text = wordy_bytes(i % 7 == 3 ? 150'000 : 3'000, i);
    members.push_back({.name = "file" + std::to_string(i), .content = text, .level = i % 9 == 5 ? 0 : 6, .descriptor = i % 3 == 0});
  }
  const Bytes source = zip_of(members, {.program = random_bytes(300, 1)});
  for (ZipMember& member : members) member.content = changed(member.content);
  const Bytes target = zip_of(members);
  const auto patch = make_patch(source, target, create_options(1));
  ASSERT_OK(patch);
  const view::ViewPlan plan = view_plan_of(*patch);
  ASSERT_LT(30u, plan.source_count);
  const auto expect_alike = [&](ByteSpan file) {
    std::optional<ErrorCode> code;
    Bytes view;
    for (const unsigned threads : {1u, 3u}) {
      WorkerPool pool(threads);
      io::MemoryReader reader(file);
      auto views = AppliedViews::make(reader, {plan}, target.size(), &pool);
      const ErrorCode found = views ? ErrorCode::kInternal : views.error().code;
      EXPECT_EQ(code.value_or(found), found);
      code = found;
      if (!views) continue;
      const ByteSpan made = views->source().view();
      if (threads != 1) {
        EXPECT_TRUE(same_bytes(view, made));
      }
      view.assign(made.begin(), made.end());
    }
    return code == ErrorCode::kInternal;
  };
  EXPECT_TRUE(expect_alike(source));
  unsigned good_count = 0, bad_count = 0;
  for (std::size_t i = 0; i < 60; ++i) {  // of the directory at the end, and of streams
    Bytes bent = source;
    const std::size_t pos = i % 4 == 0 ? source.size() * i / 60 : source.size() - 1 - i * 37;
    bent[pos] ^= 0x41;
    SCOPED_TRACE(pos);
    ++(expect_alike(bent) ? good_count : bad_count);
  }
  EXPECT_LT(5u, good_count);
  EXPECT_LT(0u, bad_count);
}

// What is known of views is held against what the patch has, and where the recipe is another nothing is taken on trust.
TEST_F(HostileViews, WhatIsKnownOfViewsIsProvenStill) {
  io::MemoryReader source(source_), target(target_);
  auto views = AppliedViews::make(source, {plan_}, target_.size(), nullptr);
  ASSERT_OK(views);
  const ByteSpan right = views->source().view();
  const Bytes view(right.begin(), right.end());
  const Bytes back = *make_patch(target_, source_, create_options(3));
  auto of_target = AppliedViews::make(target, {view_plan_of(back)}, source_.size(), nullptr, {}, true);
  ASSERT_OK(of_target);
  const ByteSpan target_view = of_target->source().view();
  std::vector<view::ProvenStream> proven;
  std::uint64_t shift = 0;  // modulo 2^64
  for (const view::PackedStream& stream : of_target->source_parts()[0]) {
    const auto pos = static_cast<std::size_t>(stream.file_pos + shift);
    shift += stream.raw_bytes - stream.packed_bytes;
    if (proven.size() == 3) break;  // the directory
    proven.push_back({xxh3_128(target_view.subspan(pos, static_cast<std::size_t>(stream.raw_bytes))),
                      ByteSpan(target_).subspan(static_cast<std::size_t>(stream.file_pos), static_cast<std::size_t>(stream.packed_bytes))});
  }
  const auto code_with = [&](const KnownViews& known) {
    io::Spool body;
    EXPECT_OK(body.append(joined(records_)));
    WorkerPool pool(2);
    const Status status = check_patch(source, target, native::encode_header(split_.header), body, pool, false, &known);
    return status ? ErrorCode::kInternal : status.error().code;
  };
  EXPECT_EQ(ErrorCode::kInternal, code_with({view, plan_.recipe, &proven}));
  std::vector<view::ProvenStream> few = proven;
  few.pop_back();  // so all are made
  EXPECT_EQ(ErrorCode::kInternal, code_with({view, plan_.recipe, &few}));
  Bytes other_view = view;
  other_view[view.size() / 2] ^= 1;
  EXPECT_EQ(ErrorCode::kSelfCheckFailed, code_with({other_view, plan_.recipe, &proven}));
  other_view = view;
  other_view.pop_back();
  EXPECT_EQ(ErrorCode::kSelfCheckFailed, code_with({other_view, plan_.recipe, &proven}));
  std::vector<view::ProvenStream> other = proven;
  other[1].text[0] ^= 1;
  EXPECT_EQ(ErrorCode::kSelfCheckFailed, code_with({view, plan_.recipe, &other}));
  EXPECT_EQ(ErrorCode::kInternal, code_with({view, ByteSpan(), &other}));
  other = proven;
  std::swap(other[0].packed, other[1].packed);
  EXPECT_NE(other[0].packed.size(), other[1].packed.size());
  EXPECT_EQ(ErrorCode::kInternal, code_with({view, plan_.recipe, &other}));
  other = proven;
  Bytes other_packed(proven[2].packed.begin(), proven[2].packed.end());
  other_packed[40] ^= 1;
  other[2].packed = other_packed;
  EXPECT_EQ(ErrorCode::kSelfCheckFailed, code_with({view, plan_.recipe, &other}));
}

}  // namespace
}  // namespace bdelta::test::hostile_views_test
