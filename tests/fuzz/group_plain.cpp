// A group whose streams are apart: tables of windows and streams, frames of every codec, their numbers as ops. Searches
// for sizes that are believed before they are bounded, and for windows that pass as sound and are not.
#include "fuzz/group_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bdelta::fuzz::check_group({data, size}, false);
  return 0;
}
