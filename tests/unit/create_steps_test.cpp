// Steps of making a patch that other tests don't see one by one: what each gives follows from what it is given.
#include "create/create_work.hpp"
#include "create/settled_budget.hpp"
#include "create/survey.hpp"

#include "io/memory_io.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::create_steps_test {
namespace {

constexpr std::size_t kSize = std::size_t{8} << 20;

// Work on a pair, under the limit that does for any two files of such sizes, or a byte less.
class Steps {
 public:
  Steps(Bytes source, Bytes target, bool limit_is_ample)
      : source_bytes_(std::move(source)), target_bytes_(std::move(target)), options_(options_for(limit_is_ample)),
        budget_(make_budget(CreateWork::request_of(task))), work(task, *budget_) {}

 private:
  CreateOptions options_for(bool limit_is_ample) {
    CreateOptions options;
    BudgetRequest request;
    request.level = options.level;
    request.source_size = source_bytes_.size();
    request.target_size = target_bytes_.size();
    request.source_view = request.target_view = true;
    options.memory_limit_bytes = *ample_limit(request) - (limit_is_ample ? 0 : 1);
    return options;
  }

  const Bytes source_bytes_, target_bytes_;
  io::MemoryReader source_{source_bytes_}, target_{target_bytes_};
  const CreateOptions options_;
  const ProgressCallback progress_;
  Timeline timeline_;
  Watch watch_{progress_};

 public:
  const CreateTask task{source_, target_, options_, timeline_, watch_};

 private:
  const Result<Budget> budget_;

 public:
  CreateWork work;
};

TEST(CreateSteps, FilesThatHardlyDifferGetAllOfTheWorkUnderALimitThatOthersWouldNot) {
  const Bytes source = random_bytes(kSize, 1);
  Bytes target = source;
  target[kSize / 2] ^= 1;
  Steps steps(source, target, false);
  EXPECT_FALSE(steps.work.budget().ample);
  auto inputs = load_inputs(steps.task, steps.work);
  ASSERT_OK(inputs);
  EXPECT_FALSE(survey_pair(*inputs, steps.work).is_made) << "there is no memory for it yet";
  EXPECT_TRUE(settle_budget(steps.task, *inputs, steps.work).empty());
  EXPECT_TRUE(steps.work.budget().ample);
  const Survey survey = survey_pair(*inputs, steps.work);
  EXPECT_TRUE(survey.is_made);
  EXPECT_EQ((Covers{{0, 0, kSize}}), survey.plain);
}

TEST(CreateSteps, FilesThatDifferKeepTheirBudgetAndSayWhatItLeavesOut) {
  Steps steps(random_bytes(kSize, 1), random_bytes(kSize, 2), false);
  const auto inputs = load_inputs(steps.task, steps.work);
  ASSERT_OK(inputs);
  const std::vector<LeftOut> left_out = settle_budget(steps.task, *inputs, steps.work);
  EXPECT_FALSE(steps.work.budget().ample);
  ASSERT_EQ(3u, left_out.size());
  EXPECT_EQ("substitutions", left_out[0].name);
  EXPECT_EQ(*ample_limit(CreateWork::request_of(steps.task)), left_out[0].needed_bytes);
}

TEST(CreateSteps, UnderAnAmpleLimitNothingIsSettled) {
  Steps steps(random_bytes(kSize, 1), random_bytes(kSize, 2), true);
  EXPECT_TRUE(steps.work.budget().ample);
  const auto inputs = load_inputs(steps.task, steps.work);
  ASSERT_OK(inputs);
  EXPECT_TRUE(settle_budget(steps.task, *inputs, steps.work).empty());
  EXPECT_TRUE(steps.work.budget().ample);
}

TEST(CreateSteps, DigestsOfNewAreKnownOnceAllSegmentsAreLoaded) {
  const Bytes bytes = random_bytes(kSize, 3);
  Steps steps(bytes, bytes, true);
  auto inputs = load_inputs(steps.task, steps.work);
  ASSERT_OK(inputs);
  auto digests = digest_inputs(steps.task, *inputs, steps.work);
  ASSERT_OK(digests);
  EXPECT_FALSE(digests->target.xxh3_128);
  digests->finish_target();
  EXPECT_EQ(xxh3_128(bytes), *digests->source.xxh3_128);
  EXPECT_EQ(xxh3_128(bytes), *digests->target.xxh3_128);
  const ByteRanges segments = segments_of(*inputs, steps.work.budget());
  ASSERT_EQ(1u, segments.size());
  ASSERT_OK(load_segment(segments[0], *inputs, steps.work, *digests));
  EXPECT_TRUE(inputs->is_one_segment());
}

}  // namespace
}  // namespace bdelta::test::create_steps_test
