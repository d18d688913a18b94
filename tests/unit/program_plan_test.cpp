// What a patch says of programs, by how much memory whoever applies it takes.
#include "create/program_plan.hpp"

#include "apply/predicted_copies.hpp"
#include "create/table_pass.hpp"
#include "support/expect.hpp"
#include "support/sorted_program.hpp"

namespace bdelta::test::program_plan_test {
namespace {

constexpr std::uint64_t kMiB = std::uint64_t{1} << 20;

// One program on both sides, which has tables that a linker sorts.
struct Sides {
  Bytes file = sorted_program({1, 2, 3, 4, 5}, SortedShape::kElf64).bytes;
  WorkerPool pool{1};
  exe::Program old_program{file, exe::find_images(file), pool};
  exe::Program new_program{file, exe::find_images(file), pool};
  TablePass tables{old_program, new_program, pool};

  // What a plan with so many covers takes beside its images, where fields take field_bytes and all covers own one stretch each.
  std::uint64_t apply_bytes(std::size_t cover_count, std::uint64_t field_bytes) {
    PredictionPlan plan;
    plan.covers.resize(cover_count);
    const std::uint64_t all_bytes =
        complete_plan({old_program, new_program.images(), tables, {}, cover_count, field_bytes}, plan);
    return all_bytes - plan.images.size() - plan.labels.size() - 2 * kBytesPerImage;
  }
};

TEST(ProgramPlan, CountsCoversTheirStretchesAndFields) {
  Sides sides;
  EXPECT_EQ(4000 * 40u, sides.apply_bytes(4000, 0));
  EXPECT_EQ(10 * 40u + kMiB, sides.apply_bytes(10, kMiB));
}

TEST(ProgramPlan, HasAsManyCoversAsFitBesideTheRest) {
  Sides sides;
  const std::size_t most = most_covers_in_apply(sides.old_program, sides.tables, 10 * kMiB);
  EXPECT_LT(4'000'000u, most);
  EXPECT_GT(5'000'000u, most);
  EXPECT_NEAR(static_cast<double>(most) - kMiB / 40.0,
              static_cast<double>(most_covers_in_apply(sides.old_program, sides.tables, 11 * kMiB)), 1);
  EXPECT_EQ(~std::size_t{0}, most_covers_in_apply(sides.old_program, sides.tables, 160 * kMiB)) << "fewer would not help";
}

}  // namespace
}  // namespace bdelta::test::program_plan_test
