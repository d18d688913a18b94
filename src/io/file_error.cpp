#include "io/file_error.hpp"

#include <cerrno>
#include <system_error>

namespace bdelta::io {
namespace {

std::string_view hint(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kNotFound: return "Check the spelling and that the directory exists.";
    case ErrorCode::kIsDirectory: return "Name a file.";
    case ErrorCode::kPermission: return "Check the permissions of the file and of its directory.";
    case ErrorCode::kNoSpace: return "Free some space or choose another place for the output.";
    case ErrorCode::kReadFailed: return "The disk or the connection to it may be faulty.";
    case ErrorCode::kSyncFailed: return "The disk or the connection to it may be faulty; don't trust the file.";
    default: return {};
  }
}

void append_escaped(std::string& to, unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  to += "\\x";
  to += kDigits[byte >> 4];
  to += kDigits[byte & 15];
}

}  // namespace

std::string shown(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  std::string out = "\"";
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto byte = static_cast<unsigned char>(text[i]);
    const bool c1 = byte == 0xc2 && i + 1 < text.size() && text[i + 1] >= 0x80 && text[i + 1] < 0xa0;
    if (c1) {  // U+0080 to U+009F steer terminals as well
      append_escaped(out, byte);
      append_escaped(out, static_cast<unsigned char>(text[++i]));
    } else if (byte < 0x20 || byte == 0x7f) {
      append_escaped(out, byte);
    } else {
      out += static_cast<char>(byte);
    }
  }
  return out += '"';
}

ErrorCode code_of(int system_error, ErrorCode otherwise) noexcept {
  switch (system_error) {
    case ENOENT:
    case ENOTDIR: return ErrorCode::kNotFound;
    case EISDIR: return ErrorCode::kIsDirectory;
    case EACCES:
    case EPERM:
    case EROFS: return ErrorCode::kPermission;
#ifdef EDQUOT
    case EDQUOT:
#endif
    case ENOSPC: return ErrorCode::kNoSpace;
    case EPIPE: return ErrorCode::kBrokenPipe;
    case ENOMEM: return ErrorCode::kOutOfMemory;
    default: return otherwise;
  }
}

Error file_error(int system_error, ErrorCode otherwise, const std::filesystem::path& path, std::string_view what) {
  const ErrorCode code = code_of(system_error, otherwise);
  std::string detail = shown(path);
  detail.append(": ").append(what).append(": ").append(std::generic_category().message(system_error)).append(".");
  if (const std::string_view advice = hint(code); !advice.empty()) detail.append(" ").append(advice);
  return {code, std::move(detail), Error::kNoOffset};
}

Error with_file(Error error, std::string_view role, const std::filesystem::path& path) {
  error.detail = std::string(role) + " " + shown(path) + (error.detail.empty() ? "" : ": " + error.detail);
  return error;
}

}  // namespace bdelta::io
