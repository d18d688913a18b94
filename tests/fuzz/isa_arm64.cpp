// Any bytes as arm64 code, at any address. Searches for instructions that lead the decoder out of the section, fields
// that overlap or lead out of the image, and addresses that are not read as they are written.
#include "fuzz/field_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bdelta::fuzz::check_code_input(data, size, bdelta::exe::Machine::kArm64);
  return 0;
}
