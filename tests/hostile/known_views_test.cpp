// Views that are made by several threads.
#include "hostile/view_lies.hpp"

namespace bdelta::test::hostile_views_test {
namespace {

// What an archive's directory says is a guess alone: several threads make the view that one makes, or find the same fault.
TEST_F(HostileViews, UnpackingByAllThreadsIsAsByOne) {
  std::vector<ZipMember> members;
  for (unsigned i = 0; i < 40; ++i) {
    const Bytes text = wordy_bytes(i % 7 == 3 ? 700'000 : 3'000, i);
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
  for (std::size_t i = 0; i < 120; ++i) {  // of the directory at the end, and of streams
    Bytes bent = source;
    const std::size_t pos = i % 4 == 0 ? source.size() * i / 120 : source.size() - 1 - i * 19;
    bent[pos] ^= 0x41;
    SCOPED_TRACE(pos);
    ++(expect_alike(bent) ? good_count : bad_count);
  }
  EXPECT_LT(20u, good_count);
  EXPECT_LT(0u, bad_count);
}

}  // namespace
}  // namespace bdelta::test::hostile_views_test
