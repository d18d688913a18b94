// The border of the library: what is thrown inside (by containers, for want of memory) leaves as an Error.
#pragma once

#include <exception>
#include <new>

#include "bdelta/error.hpp"

namespace bdelta {

// Calls `body`, which returns a Result or Status, and passes its result on. What is thrown becomes kOutOfMemory or
// `otherwise`.
template <class Body>
auto guarded(Body&& body, ErrorCode otherwise = ErrorCode::kInternal) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, {}};
  } catch (const std::exception& error) {
    return Error{otherwise, error.what()};
  } catch (...) {
    return Error{otherwise, {}};
  }
}

}  // namespace bdelta
