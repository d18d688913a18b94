// A hostile patch over any source; its checksums and digests are made to fit, so that nothing but the structure
// protects. Whatever way the target is written, the outcome has to be the same, and what can be decoded to the end has
// to come out.
#include "fuzz/apply_check.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/patch_fixer.hpp"
#include "support/guard_page.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace bdelta;
  fuzz::Input input(data, size);
  const std::size_t source_bytes = input.u16();
  const test::GuardedBytes source(input.bytes(source_bytes));
  const fuzz::FixedPatch fixed = fuzz::fix_patch(source.bytes(), input.rest());
  fuzz::check_apply(source.bytes(), fixed.patch, fixed.target);
  return 0;
}
