// Progress of applying: it moves before windows are made, never falls, and ends at all.
#include "bdelta/apply.hpp"
#include "bdelta/push.hpp"
#include "support/generate.hpp"
#include "support/io_support.hpp"
#include "support/memory.hpp"
#include "support/program_pair.hpp"

namespace bdelta::test::apply_progress_test {
namespace {

// What a callback was told, and how much of it before the first write.
class Told {
 public:
  [[nodiscard]] std::function<bool(std::uint64_t, std::uint64_t)> callback() {
    return [this](std::uint64_t done, std::uint64_t total) {
      EXPECT_LE(done, total);
      if (!done_.empty()) {
        EXPECT_GE(done, done_.back());
      }
      if (total != 0) {
        EXPECT_TRUE(total_ == 0 || total_ == total);
        total_ = total;
      }
      done_.push_back(done);
      return true;
    };
  }

  void note_write() {
    if (!before_write_) before_write_ = done_.size();
  }

  // Different shares above 0 that were told before the first write.
  [[nodiscard]] std::vector<std::uint64_t> steps_before_write() const {
    std::vector<std::uint64_t> steps(done_.begin(), done_.begin() + static_cast<std::ptrdiff_t>(before_write_.value_or(0)));
    steps.erase(std::unique(steps.begin(), steps.end()), steps.end());
    std::erase(steps, 0u);
    return steps;
  }

  void expect_all(std::uint64_t target_size) const {
    ASSERT_FALSE(done_.empty());
    EXPECT_EQ(target_size, total_);
    EXPECT_EQ(target_size, done_.back());
  }

 private:
  std::vector<std::uint64_t> done_;
  std::uint64_t total_ = 0;
  std::optional<std::size_t> before_write_;
};

class NotingWriter final : public SequentialWriter {
 public:
  NotingWriter(Bytes& to, Told& told) : to_(to), told_(told) {}
  Status write(ByteSpan bytes) override {
    told_.note_write();
    append(to_, bytes);
    return {};
  }
  Status finish() override { return {}; }

 private:
  Bytes& to_;
  Told& told_;
};

struct Pair {
  Bytes source;
  Bytes target;
  Bytes patch;
};

Pair programs(int level = 6) {
  ProgramPair pair = program_pair(11, 400);
  auto patch = make_patch(pair.old_version, pair.new_version, create_options(level));
  EXPECT_OK(patch);
  EXPECT_TRUE(test::info_of(*patch).predicted);
  return {std::move(pair.old_version), std::move(pair.new_version), std::move(*patch)};
}

Pair words(PatchFormat format = PatchFormat::kBdt2) {
  Pair pair;
  pair.source = wordy_bytes(500'000, 1);
  pair.target = edited(pair.source, random_edits(9, pair.source.size(), 20'000, 2));
  auto patch = make_patch(pair.source, pair.target, create_options(3, format));
  EXPECT_OK(patch);
  pair.patch = std::move(*patch);
  return pair;
}

void apply_told(const Pair& pair, Told& told, unsigned threads = 1) {
  ApplyOptions options;
  options.threads = threads;
  options.progress = told.callback();
  HiddenReader source(pair.source);
  io::MemorySequentialReader patch(pair.patch);
  Bytes made;
  NotingWriter target(made, told);
  EXPECT_OK(apply(source, patch, target, options));
  EXPECT_TRUE(same_bytes(pair.target, made));
  told.expect_all(pair.target.size());
}

TEST(ApplyProgress, PredictionIsPreparedBeforeWindowsAreMade) {
  for (const unsigned threads : {1u, 3u}) {
    Told told;
    const Pair pair = programs();
    apply_told(pair, told, threads);
    const std::vector<std::uint64_t> steps = told.steps_before_write();
    ASSERT_GE(steps.size(), 3u) << "OLD's digest, the map of covers, the fields of code";
    EXPECT_GE(steps.back(), pair.target.size() / 4) << "it takes about as long as windows do";
    EXPECT_LT(steps.front(), pair.target.size() / 4);
  }
}

TEST(ApplyProgress, WithoutPredictionOnlyTheDigestComesBefore) {
  Told told;
  const Pair pair = words();
  apply_told(pair, told);
  ASSERT_FALSE(told.steps_before_write().empty());
  EXPECT_LT(told.steps_before_write().front(), pair.target.size() / 2);
}

TEST(ApplyProgress, EndsAtAllWhateverIsApplied) {
  Pair empty = words();
  empty.target.clear();
  empty.patch = *make_patch(empty.source, empty.target, create_options(3));
  Pair fresh = words();
  fresh.source.clear();
  fresh.patch = *make_patch(fresh.source, fresh.target, create_options(9));
  for (const Pair& pair : {words(PatchFormat::kBdt1), empty, fresh, programs(9), programs(kUltraLevel)}) {
    Told told;
    apply_told(pair, told);
  }
}

TEST(ApplyProgress, OfAPatchInPieces) {
  const Pair pair = programs();
  Told told;
  PushOptions options;
  options.apply.progress = told.callback();
  io::MemoryReader source(pair.source);
  Bytes made;
  NotingWriter target(made, told);
  auto push = PushApply::open(source, static_cast<SequentialWriter&>(target), options);
  ASSERT_OK(push);
  for (std::size_t at = 0; at < pair.patch.size(); at += 1000) {
    EXPECT_OK((*push)->feed(ByteSpan(pair.patch).subspan(at, std::min<std::size_t>(1000, pair.patch.size() - at))));
  }
  EXPECT_OK((*push)->finish());
  told.expect_all(pair.target.size());
  EXPECT_GE(told.steps_before_write().size(), 3u);
}

TEST(ApplyProgress, WhereNewIsThereAlreadyNothingIsLeftToDo) {
  const Pair pair = words();
  const Folder folder;
  put(folder / "old", pair.source);
  put(folder / "new", pair.target);
  put(folder / "patch", pair.patch);
  Told told;
  ApplyOptions options;
  options.progress = told.callback();
  const auto report = apply_file(folder / "old", folder / "new", folder / "patch", options);
  ASSERT_OK(report);
  EXPECT_TRUE(report->up_to_date);
  told.expect_all(pair.target.size());
}

// The self-check of create is such an application: it moves through its own part of the whole.
TEST(ApplyProgress, OfMakingAPatchNeverFallsEither) {
  const ProgramPair pair = program_pair(11, 400);
  for (const bool verify : {true, false}) {
    Told told;
    CreateOptions options = create_options(6);
    options.verify = verify;
    options.progress = told.callback();
    EXPECT_OK(make_patch(pair.old_version, pair.new_version, options));
    told.expect_all(pair.new_version.size());
  }
}

}  // namespace
}  // namespace bdelta::test::apply_progress_test
