#include "bdelta/error.hpp"

namespace bdelta {
namespace {

struct Row {
  ErrorCode code;
  std::string_view name;
  int exit_class;
  std::string_view message;
};

constexpr Row kRows[] = {
#define BDELTA_ERROR(name, number, exit_class, message) {ErrorCode::name, #name, exit_class, message},
#include "bdelta/errors.def"
#undef BDELTA_ERROR
};

const Row* find(ErrorCode code) noexcept {
  for (const Row& row : kRows) {
    if (row.code == code) return &row;
  }
  return nullptr;
}

}  // namespace

std::string_view error_message(ErrorCode code) noexcept {
  const Row* row = find(code);
  return row ? row->message : "unknown error";
}

std::string_view error_name(ErrorCode code) noexcept {
  const Row* row = find(code);
  return row ? row->name.substr(1) : "Unknown";
}

int exit_class(ErrorCode code) noexcept {
  const Row* row = find(code);
  return row ? row->exit_class : 70;
}

std::string to_string(const Error& error) {
  std::string text = error.file.empty() ? std::string() : error.file + ": ";
  text.append(error_message(error.code));
  if (!error.detail.empty()) text.append(": ").append(error.detail);
  if (error.offset != Error::kNoOffset) text.append(" (at byte ").append(std::to_string(error.offset)).append(")");
  if (!error.remedy.empty()) text.append("; ").append(error.remedy);
  return text;
}

}  // namespace bdelta
