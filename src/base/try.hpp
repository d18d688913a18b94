// Early return for Result: the only macros of the library besides the error table.
#pragma once

#include <utility>

#include "bdelta/error.hpp"

// Evaluates a Status expression and returns its error from the enclosing function.
#define BDELTA_TRY(expression)                                              \
  do {                                                                      \
    if (auto try_status_ = (expression); !try_status_) {                    \
      return std::move(try_status_).error();                                \
    }                                                                       \
  } while (false)

#define BDELTA_CONCAT_(a, b) a##b
#define BDELTA_CONCAT(a, b) BDELTA_CONCAT_(a, b)

// Declares `declaration` with the value of a Result expression, or returns its error.
#define BDELTA_ASSIGN(declaration, expression) \
  BDELTA_ASSIGN_(BDELTA_CONCAT(try_result_, __LINE__), declaration, expression)
#define BDELTA_ASSIGN_(temporary, declaration, expression)     \
  auto temporary = (expression);                               \
  if (!temporary) return std::move(temporary).error();         \
  declaration = std::move(temporary).value()
