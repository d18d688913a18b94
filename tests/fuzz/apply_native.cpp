// A hostile patch over any source; its checksums and digests are made to fit, so that nothing but the structure
// protects. Whatever way the target is written, the outcome has to be the same, and what can be decoded to the end has
// to come out.
#include "fuzz/apply_check.hpp"
#include "fuzz/fuzz_input.hpp"
#include "fuzz/patch_fixer.hpp"
#include "support/guard_page.hpp"

namespace bdelta::fuzz {

void run(Input& input) {
  const std::size_t source_bytes = input.u16();
  const test::GuardedBytes source(input.bytes(source_bytes));
  const FixedPatch fixed = fix_patch(source.bytes(), input.rest());
  check_apply(source.bytes(), fixed.patch, fixed.target);
}

}  // namespace bdelta::fuzz
