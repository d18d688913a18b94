// The calls of c_abi_calls that make patches, and the one that says what memory that takes.
#pragma once

#include "fuzz/fuzz_input.hpp"

namespace bdelta::fuzz {

void call_create(Input& input);
void call_estimate(Input& input);

}  // namespace bdelta::fuzz
