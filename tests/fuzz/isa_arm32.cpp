// Any bytes as 32-bit ARM code, at any address. Searches for instructions that lead the decoder out of the section, fields
// that overlap or lead out of the image, and addresses that are not read as they are written.
#include "fuzz/field_check.hpp"

namespace bdelta::fuzz {

void run(Input& input) { check_code_input(input, exe::Machine::kArm32); }

}  // namespace bdelta::fuzz
