#include "exe/isa.hpp"

#include <algorithm>

#include "exe/isa_kernels.hpp"

namespace bdelta::exe {

void find_code_fields(const CodeSection& section, std::size_t block, AddressRange image, std::vector<Field>& out) {
  if (block >= code_block_count(section.bytes.size()) || image.low >= image.high) return;
  const std::size_t begin = block * kCodeBlockBytes;
  const CodeBlock where{begin, std::min(section.bytes.size(), begin + kCodeBlockBytes)};
  switch (section.machine) {
    case Machine::kX86_64: return find_x86_64_fields(section, where, image, out);
    case Machine::kX86_32: return find_x86_32_fields(section, where, image, out);
    case Machine::kArm64: return find_arm64_fields(section, where, image, out);
    case Machine::kArm32: return find_mixed_arm_fields(section, where, image, out);
    case Machine::kToy:
    case Machine::kNone: return;
  }
}

}  // namespace bdelta::exe
