#pragma once

#include <cerrno>

namespace bdelta::io {

// What a call of the system answers in the end: again for as long as only a signal has ended it.
template <class Call>
auto retry_interrupted(const Call& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

}  // namespace bdelta::io
