// What a sample tells of sets of covers: the smallest is taken, but cheap covers only where they are clearly better.
#include "create/sample_chooser.hpp"

#include "create/budget.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::sample_chooser_test {
namespace {

constexpr std::size_t kSize = 400'000;

// Two sets for a file that has not changed, of which one leaves 40,000 bytes to literals and the other fewer: which of them
// a sample of all of it takes at a level.
std::vector<std::size_t> best_sets(int level, std::size_t bytes_left_by_second, bool second_is_cheap) {
  const Bytes bytes = random_bytes(kSize, 1);
  io::MemoryReader source(bytes), target(bytes);
  BudgetRequest request;
  request.level = level;
  request.source_size = request.target_size = kSize;
  const auto budget = make_budget(request);
  EXPECT_OK(budget);
  WorkerPool pool(2);
  CreateInputs inputs{source, target, {}, {}};
  for (auto* input : {&inputs.source, &inputs.target}) {
    auto loaded = InputBytes::load(source, pool);
    EXPECT_OK(loaded);
    *input = std::move(*loaded);
  }
  inputs.segment = {0, kSize};
  inputs.source_pieces = FilePieces(inputs.source.bytes());
  inputs.target_pieces = FilePieces(inputs.target.bytes());
  io::Spool body;
  native::Writer writer({kQuickCodec, kQuickCodec, kQuickCodec}, body, pool);
  BodyCoder coder(*budget, inputs, writer, pool);

  const Covers first{{0, 0, kSize - 40'000}};
  const Covers second{{0, 0, kSize - bytes_left_by_second}};
  const ByteRanges all{{0, kSize}};
  SampleChooser chooser(coder, inputs, nullptr, {{first, second}, all, first, second_is_cheap});
  const auto best = chooser.best_sets();
  EXPECT_OK(best);
  return *best;
}

using Sets = std::vector<std::size_t>;

TEST(SampleChooser, TakesTheSmallest) {
  EXPECT_EQ((Sets{1}), best_sets(6, 39'000, false));
  EXPECT_EQ((Sets{0}), best_sets(6, 41'000, false));
}

// The sample flatters them.
TEST(SampleChooser, TakesCheapCoversOnlyWhereTheyAreMuchSmaller) {
  EXPECT_EQ((Sets{0}), best_sets(6, 39'000, true));
  EXPECT_EQ((Sets{1}), best_sets(6, 10'000, true));
}

// Where all sets are tried in the end, those that the sample can't tell apart are kept for that.
TEST(SampleChooser, KeepsWhatIsNearWhereTheLevelTriesSeveral) {
  EXPECT_EQ((Sets{1}), best_sets(9, 20'000, false));
  EXPECT_EQ((Sets{1, 0}), best_sets(9, 39'950, false));
  EXPECT_EQ((Sets{1, 0}), best_sets(9, 39'000, true));
  EXPECT_EQ((Sets{1}), best_sets(9, 10'000, true));
}

}  // namespace
}  // namespace bdelta::test::sample_chooser_test
