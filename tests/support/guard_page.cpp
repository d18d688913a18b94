#include "support/guard_page.hpp"

#include <algorithm>

#if defined(__unix__) || defined(__APPLE__)
#include <sys/mman.h>
#include <unistd.h>
#define BDELTA_GUARD_PAGES 1
#endif

namespace bdelta::test {

#ifdef BDELTA_GUARD_PAGES

GuardedBytes::GuardedBytes(std::size_t size) : size_(size) {
  static const auto page_bytes = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t data_bytes = (size + page_bytes - 1) / page_bytes * page_bytes;
  void* const memory =
      mmap(nullptr, data_bytes + page_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (memory == MAP_FAILED || mprotect(static_cast<std::uint8_t*>(memory) + data_bytes, page_bytes, PROT_NONE) != 0) {
    if (memory != MAP_FAILED) (void)munmap(memory, data_bytes + page_bytes);
    plain_.resize(size);
    begin_ = plain_.data();
    return;
  }
  mapping_ = memory;
  mapping_bytes_ = data_bytes + page_bytes;
  begin_ = static_cast<std::uint8_t*>(memory) + (data_bytes - size);
}

GuardedBytes::~GuardedBytes() {
  if (mapping_ != nullptr) (void)munmap(mapping_, mapping_bytes_);
}

#else

GuardedBytes::GuardedBytes(std::size_t size) : size_(size), plain_(size) { begin_ = plain_.data(); }

GuardedBytes::~GuardedBytes() = default;

#endif

void GuardedBytes::copy(ByteSpan bytes) noexcept { std::copy(bytes.begin(), bytes.end(), begin_); }

}  // namespace bdelta::test
