// A group whose streams are apart: tables of windows and streams, frames of every codec, their numbers as ops. Searches
// for sizes that are believed before they are bounded, and for windows that pass as sound and are not.
#include "fuzz/group_check.hpp"

namespace bdelta::fuzz {

void run(Input& input) { check_group(input, false); }

}  // namespace bdelta::fuzz
