// Errors of the file layer: which code an errno becomes, and the words around it.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "bdelta/error.hpp"

namespace bdelta::io {

// Text for a message, so that it cannot forge lines, colours or another order of its characters on any terminal. As \xNN come
// bytes of control characters, of those that turn the direction of text, and those that are no UTF-8.
[[nodiscard]] std::string escaped(std::string_view text);

// The name so, between quotes.
[[nodiscard]] std::string shown(const std::filesystem::path& path);

// The code for `system_error` (an errno). `otherwise` is for errors that only the failing step can name.
[[nodiscard]] ErrorCode code_of(int system_error, ErrorCode otherwise) noexcept;

// An error of the system about a file. what: the step that failed; empty where the code's message says it. The system's
// own text is left out where that message says the same.
[[nodiscard]] Error file_error(int system_error, ErrorCode otherwise, const std::filesystem::path& path,
                               std::string_view what = {});

// An error about a file that the system has no word on. An empty remedy stands for the usual one of the code.
[[nodiscard]] Error file_error(ErrorCode code, const std::filesystem::path& path, std::string detail, std::string remedy = {});

// The error with the file that is at fault, unless one is known.
[[nodiscard]] Error with_file(Error error, const std::filesystem::path& path);

}  // namespace bdelta::io
