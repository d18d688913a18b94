// Errors of the file layer: which code an errno becomes, and the words around it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bdelta/error.hpp"

namespace bdelta::io {

// Text for a message: bytes of control characters and those that are no UTF-8 as \xNN, so that it cannot forge lines or
// colours on any terminal.
[[nodiscard]] std::string escaped(std::string_view text);

// The name so, between quotes.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

// The code for `system_error` (an errno). `otherwise` is for errors that only the failing step can name.
[[nodiscard]] ErrorCode code_of(int system_error, ErrorCode otherwise) noexcept;

// `"name": what: text of the system. Hint.`
[[nodiscard]] Error file_error(int system_error, ErrorCode otherwise, const std::filesystem::path& path,
                               std::string_view what);

// The error with its file in front of the detail: «PATCH "update.bd": …».
[[nodiscard]] Error with_file(Error error, std::string_view role, const std::filesystem::path& path);

}  // namespace bdelta::io
