// A group with a code of the context coder: any bytes are such a code, so that what is decoded is any numbers. Searches
// for numbers that lead out of a window or of the model's tables, and for codes that take long.
#include "fuzz/group_check.hpp"

namespace bdelta::fuzz {

void run(Input& input) { check_group(input, true); }

}  // namespace bdelta::fuzz
