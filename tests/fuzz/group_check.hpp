// A group out of an input, read to its end: what group_plain and group_packed share.
#pragma once

#include "fuzz/fuzz_input.hpp"

namespace bdelta::fuzz {

// Options, limits of a header, covers of the target where the group needs them, then the head and the frames. The form
// of the group is set: packed or not.
void check_group(Input& input, bool packed);

}  // namespace bdelta::fuzz
