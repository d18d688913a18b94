// Patches of version 1, which have no checksum. Searches for matches that lead out of either file, and for windows
// whose memory the patch does not pay for.
#include "delta/op.hpp"
#include "format/bdt1/layout.hpp"
#include "fuzz/fuzz_input.hpp"
#include "io/memory_io.hpp"
#include "support/guard_page.hpp"
#include "support/read_plan.hpp"

namespace bdelta::fuzz {
namespace {

constexpr std::uint64_t kMemoryLimit = 1 << 20;
constexpr std::uint64_t kMostTargetBytes = 1 << 20;

void read_windows(PatchReader& patch) {
  const std::uint64_t source_size = *patch.info().source_size;
  std::uint64_t pos = 0;
  for (;;) {
    WindowDelta window;
    const auto more = patch.next(window);
    if (!more || !*more) {
      require(!more || pos == patch.info().target_size, "windows add up to NEW");
      return;
    }
    require(window.target_pos == pos, "windows follow one another");
    require(window.target_length > 0, "each window brings the end nearer");
    pos += window.target_length;
    if (!validate_window(window, source_size)) return;
  }
}

}  // namespace

void run(Input& input) {
  test::GuardedBytes patch(input.rest());
  const std::uint8_t prefix[] = {'B', 'D', 'T', 1, 0, 4};
  std::copy_n(prefix, std::min(patch.bytes().size(), sizeof prefix), patch.writable().begin());
  io::MemorySequentialReader from(patch.bytes());
  io::TypedReader reader(from, 64);
  const auto opened = test::open_patch(reader, kMemoryLimit);
  if (opened && (*opened)->info().target_size <= kMostTargetBytes) read_windows(**opened);
}

}  // namespace bdelta::fuzz
