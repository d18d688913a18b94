// Errors and results of every bdelta call.
//
// No function of the library throws across its public surface, prints, exits or aborts. What can fail returns
// Result<T>. An Error has a stable code (errors.def). Where they are known it has the file, the byte offset, what was
// expected and found, and what to do about it.
//
//   auto report = bdelta::apply_file("old", "new", "patch", {});
//   if (!report) return bdelta::exit_class(report.error().code);
//
// Thread safety: values; no shared state.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>

#include "bdelta/export.hpp"

namespace bdelta {

enum class ErrorCode : std::int32_t {
#define BDELTA_ERROR(name, number, exit_class, message) name = number,
#include "bdelta/errors.def"
#undef BDELTA_ERROR
};

// The short English sentence of the table, without a full stop. Never null; unknown codes give a fixed text.
[[nodiscard]] BDELTA_PUBLIC std::string_view error_message(ErrorCode code) noexcept;

// The identifier of the table without its leading k, e.g. "WrongSourceDigest"; used in JSON.
[[nodiscard]] BDELTA_PUBLIC std::string_view error_name(ErrorCode code) noexcept;

// The exit status that a program should return for this code (exits.def explains the classes).
[[nodiscard]] BDELTA_PUBLIC int exit_class(ErrorCode code) noexcept;

struct Error {
  static constexpr std::uint64_t kNoOffset = ~std::uint64_t{0};

  ErrorCode code = ErrorCode::kInternal;
  std::string detail = {};                // expected, found, likely cause; may be empty
  std::uint64_t offset = kNoOffset;       // bytes from the start of the file concerned
  std::string file = {};                  // the file at fault as it is shown to people, between quotes; empty: unknown
  std::string remedy = {};                // what to do, in words of this library ("raise output_limit_bytes"); may be empty
  std::uint64_t needed_bytes = 0;         // what the limit of size or memory has to be at least; 0: unknown, or no limit
};

// All of it in one line, for people: the file first, then message, detail, offset and remedy.
[[nodiscard]] BDELTA_PUBLIC std::string to_string(const Error& error);

// A value or an Error. `Result<void>` carries success alone.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit by intent
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT

  explicit operator bool() const noexcept { return state_.index() == 0; }
  [[nodiscard]] T& value() & noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] const T& value() const& noexcept { return *std::get_if<0>(&state_); }
  [[nodiscard]] T&& value() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T& operator*() & noexcept { return value(); }
  const T& operator*() const& noexcept { return value(); }
  T&& operator*() && noexcept { return std::move(*this).value(); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }
  const T* operator->() const noexcept { return std::get_if<0>(&state_); }
  [[nodiscard]] Error& error() & noexcept { return *std::get_if<1>(&state_); }
  [[nodiscard]] const Error& error() const& noexcept { return *std::get_if<1>(&state_); }
  [[nodiscard]] Error&& error() && noexcept { return std::move(*std::get_if<1>(&state_)); }

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  Result() = default;
  Result(Error error) : error_(std::move(error)), ok_(false) {}  // NOLINT: implicit by intent

  explicit operator bool() const noexcept { return ok_; }
  [[nodiscard]] Error& error() & noexcept { return error_; }
  [[nodiscard]] const Error& error() const& noexcept { return error_; }
  [[nodiscard]] Error&& error() && noexcept { return std::move(error_); }

 private:
  Error error_;
  bool ok_ = true;
};

using Status = Result<void>;

}  // namespace bdelta
