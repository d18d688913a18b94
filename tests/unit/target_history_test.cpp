#include "apply/target_history.hpp"
#include "support/expect.hpp"
#include "support/generate.hpp"

namespace bdelta::test::target_history_test {
namespace {

// All places that are kept, after pieces of any size, beside a plain copy of the target.
TEST(TargetHistory, GivesTheLastBytesOfTheTarget) {
  Random random(1);
  for (const std::uint64_t capacity : {1u, 2u, 7u, 64u, 1000u}) {
    TargetHistory history(capacity);
    Bytes target;
    for (int round = 0; round < 200; ++round) {
      const Bytes piece = random_bytes(static_cast<std::size_t>(random.below(round % 10 == 0 ? 3 * capacity : 9)), target.size());
      history.append(piece);
      append(target, piece);
      const std::uint64_t kept = std::min<std::uint64_t>(capacity, target.size());
      for (int look = 0; look < 10; ++look) {
        const std::uint64_t pos = target.size() - random.below(kept + 1);
        Bytes out(static_cast<std::size_t>(random.below(target.size() - pos + 1)));
        history.read(pos, out);
        ASSERT_TRUE(same_bytes(ByteSpan(target).subspan(static_cast<std::size_t>(pos), out.size()), out)) << capacity;
      }
    }
  }
}

}  // namespace
}  // namespace bdelta::test::target_history_test
