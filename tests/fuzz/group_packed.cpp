// A group with a code of the context coder: any bytes are such a code, so that what is decoded is any numbers. Searches
// for numbers that lead out of a window or of the model's tables, and for codes that take long.
#include "fuzz/group_check.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bdelta::fuzz::check_group({data, size}, true);
  return 0;
}
