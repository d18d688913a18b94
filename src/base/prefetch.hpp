// A hint that a cache line will be wanted soon; never an access, so any address will do.
#pragma once

namespace bdelta {

inline void prefetch_line(const void* at) noexcept {
#if defined(__GNUC__)
  __builtin_prefetch(at);
#else
  (void)at;
#endif
}

}  // namespace bdelta
