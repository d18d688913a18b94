// The entry point that libFuzzer and standalone_main.cpp call; compiled into each target.
#include "fuzz/fuzz_input.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  bdelta::fuzz::Input input(data, size);
  bdelta::fuzz::run(input);
  return 0;
}
