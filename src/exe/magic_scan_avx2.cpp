// The scan for magics in registers of 32 bytes. Compiled with -mavx2; called only where the processor has it.
#include "exe/magic_scan.hpp"

namespace bdelta::exe {
namespace {

struct Avx2;

}  // namespace

bool any_begins_magic_avx2(const std::uint8_t* block) noexcept { return any_begins_magic<Avx2>(block); }

}  // namespace bdelta::exe
