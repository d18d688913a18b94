#include "base/large_pages.hpp"

#if defined(__linux__)
#include <sys/mman.h>
#include <unistd.h>
#endif

#include <cstdint>

namespace bdelta {

#if defined(__linux__) && defined(MADV_HUGEPAGE)

void prefer_large_pages(const void* at, std::size_t bytes) noexcept {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  if (bytes < kLargePage) return;
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  // From the beginning of its page on, as an allocator's note in front of large memory takes but a few bytes of it.
  const std::uintptr_t begin = reinterpret_cast<std::uintptr_t>(at) / page * page;
  const std::uintptr_t end = (reinterpret_cast<std::uintptr_t>(at) + bytes) / page * page;
  (void)::madvise(reinterpret_cast<void*>(begin), end - begin, MADV_HUGEPAGE);
}

#else

void prefer_large_pages(const void*, std::size_t) noexcept {}

#endif

}  // namespace bdelta
