// The border of the library: what is thrown inside (by containers, for want of memory) leaves as an Error.
#pragma once

#include <exception>
#include <new>

#include "bdelta/error.hpp"

namespace bdelta {

// Calls `body`, which returns a Result or Status, and passes its result on.
template <class Body>
auto guarded(Body&& body) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, {}};
  } catch (const std::exception& error) {
    return Error{ErrorCode::kInternal, error.what()};
  } catch (...) {
    return Error{ErrorCode::kInternal, {}};
  }
}

}  // namespace bdelta
