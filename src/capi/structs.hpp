// What crosses the border between C and C++: structs of any age, errors, options and reports.
#pragma once

#include <algorithm>
#include <cstring>
#include <string>

#include "base/guard.hpp"
#include "base/try.hpp"
#include "bdelta/apply.hpp"
#include "bdelta/bdelta.h"

namespace bdelta::capi {

// kUsage unless the caller's struct begins with its size.
inline Result<std::uint32_t> size_of_struct(const void* at, const char* name) {
  std::uint32_t size = 0;
  std::memcpy(&size, at, sizeof size);
  if (size >= sizeof size && size % sizeof size == 0) return size;
  return Error{ErrorCode::kUsage,
               std::string(name) + ": expected struct_size to be its size, found " + std::to_string(size)};
}

// The caller means something that came after this version.
Error too_new(const char* name);

// A struct of the caller's, which may be smaller or larger than ours: what is missing is 0, what we do not know has to
// be.
template <class Struct>
Result<Struct> read_struct(const Struct* from, const char* name) {
  Struct to{};
  BDELTA_ASSIGN(const std::uint32_t size, size_of_struct(from, name));
  std::memcpy(&to, from, std::min<std::size_t>(size, sizeof to));
  const auto* const bytes = reinterpret_cast<const unsigned char*>(from);
  if (size > sizeof to && std::any_of(bytes + sizeof to, bytes + size, [](unsigned char byte) { return byte != 0; })) {
    return too_new(name);
  }
  return to;
}

// The same for structs that may be left out: NULL is all zeros.
template <class Struct>
Result<Struct> read_optional(const Struct* from, const char* name) {
  return from ? read_struct(from, name) : Result<Struct>(Struct{});
}

// The same for options: with NULL one thread works, so that callbacks come from one alone.
template <class Options>
Result<Options> read_options(const Options* from, const char* name) {
  Options usual{};
  usual.threads = 1;
  return from ? read_struct(from, name) : Result<Options>(usual);
}

// Fills what the caller's struct has room for, which struct_size says; the rest of a larger one becomes 0.
template <class Struct>
void write_struct(const Struct& from, Struct* to) {
  std::uint32_t size = 0;
  std::memcpy(&size, to, sizeof size);
  auto* const bytes = reinterpret_cast<unsigned char*>(to);
  const std::size_t known = std::min<std::size_t>(size, sizeof from);
  if (known > sizeof size) {
    std::memcpy(bytes + sizeof size, reinterpret_cast<const unsigned char*>(&from) + sizeof size, known - sizeof size);
  }
  if (size > known) std::memset(bytes + known, 0, size - known);
}

// Checked before the work, so that no result is lost to a struct that can't take it. `to` may be null.
inline Status check_out(const void* to, const char* name) {
  if (!to) return {};
  BDELTA_TRY(size_of_struct(to, name));
  return {};
}

// Puts the outcome into the caller's struct, which may be null, and gives the code to return.
std::int32_t tell(const Status& status, bdelta_error* to) noexcept;

// The frame of every function that can fail: nothing is thrown across it.
template <class Body>
std::int32_t call(bdelta_error* error, Body&& body) noexcept {
  return tell(guarded([&]() -> Status { return body(); }), error);
}

// kUsage where `pointer` is null.
Status require(const void* pointer, const char* name);

Result<std::filesystem::path> path_of(const char* text, const char* name);
Result<unsigned> thread_option(std::uint32_t threads);
FileOptions file_options(std::uint32_t flags, std::uint64_t io_buffer_bytes, const char* temp_dir);
ProgressCallback progress_option(bdelta_progress progress, bdelta_phase_progress phase_progress, void* user);

// All but the allocator, which is that of push.
Result<ApplyOptions> apply_options(const bdelta_apply_options& from);

// The options of a call that is not push.
Result<ApplyOptions> pull_options(const bdelta_apply_options* options);

// Hands on the error, or the report to a caller who wants one.
Status give(const Result<Report>& made, bdelta_report* report);

}  // namespace bdelta::capi
