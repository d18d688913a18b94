// The border of the library: what is thrown inside (by containers, for want of memory) leaves as an Error.
#pragma once

#include <exception>
#include <new>
#include <utility>

#include "bdelta/error.hpp"

namespace bdelta {

// Thrown where work ends early by wish of the caller (a callback, a time limit), to be caught by `guarded` alone.
struct Interrupted {
  Error error;
};

// Calls `body`, which returns a Result or Status, and passes its result on. What is thrown becomes the error of an
// Interrupted, kOutOfMemory or `otherwise`.
template <class Body>
auto guarded(Body&& body, ErrorCode otherwise = ErrorCode::kInternal) noexcept -> decltype(body()) {
  try {
    return body();
  } catch (Interrupted& interrupted) {
    return std::move(interrupted.error);
  } catch (const std::bad_alloc&) {
    return Error{ErrorCode::kOutOfMemory, {}};
  } catch (const std::exception& error) {
    return Error{otherwise, error.what()};
  } catch (...) {
    return Error{otherwise, {}};
  }
}

}  // namespace bdelta
