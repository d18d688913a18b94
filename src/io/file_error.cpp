#include "io/file_error.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>

#include "base/utf8.hpp"

namespace bdelta::io {
namespace {

std::string_view hint(ErrorCode code) noexcept {
  switch (code) {
    case ErrorCode::kNotFound: return "check the spelling and that the directory exists";
    case ErrorCode::kIsDirectory: return "name a file in it";
    case ErrorCode::kPermission: return "check the permissions of the file and of its directory";
    case ErrorCode::kNoSpace: return "free some space or choose another place for the output";
    case ErrorCode::kReadFailed: return "the disk or the connection to it may be faulty";
    case ErrorCode::kSyncFailed: return "the disk or the connection to it may be faulty, so don't trust the file";
    default: return {};
  }
}

// Whether the message of its code says all that the system's text does.
bool is_told_by_code(int system_error) noexcept {
  switch (system_error) {
    case ENOENT:
    case EISDIR:
    case EACCES:
    case ENOSPC:
    case EPIPE:
    case ENOMEM: return true;
    default: return false;
  }
}

// Of characters of two or three bytes: what begins a line, or turns the direction of the text around it (Unicode's Bidi_Control).
bool moves_text(std::string_view character) noexcept {
  unsigned number = 0;
  for (const char byte : character) number = number << 6 | (static_cast<unsigned char>(byte) & 0x3fu);
  if (character.size() == 2) return (number & 0x7ff) == 0x061c;
  number &= 0xffff;
  return character.size() == 3 && (number == 0x200e || number == 0x200f || (number >= 0x2028 && number <= 0x202e) ||
                                   (number >= 0x2066 && number <= 0x2069));
}

// Bytes of the character at the front of `text`; 0 where it is a control character or no UTF-8. U+0080 to U+009F steer
// terminals as well, and so do those bytes alone on terminals of other encodings.
std::size_t printable_length(std::string_view text) noexcept {
  const auto byte = [&](std::size_t at) { return at < text.size() ? static_cast<unsigned char>(text[at]) : 0u; };
  const bool is_control = byte(0) < 0x20 || byte(0) == 0x7f || (byte(0) == 0xc2 && byte(1) < 0xa0);
  const std::size_t length = is_control ? 0 : utf8_length(text);
  return moves_text(text.substr(0, length)) ? 0 : length;
}

void append_escaped(std::string& to, unsigned char byte) {
  constexpr char kDigits[] = "0123456789abcdef";
  to += "\\x";
  to += kDigits[byte >> 4];
  to += kDigits[byte & 15];
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string out;
  while (!text.empty()) {
    const std::size_t length = printable_length(text);
    if (length == 0) append_escaped(out, static_cast<unsigned char>(text.front()));
    out.append(text.substr(0, length));
    text.remove_prefix(std::max<std::size_t>(1, length));
  }
  return out;
}

std::string shown(const std::filesystem::path& path) {
  const std::u8string text = path.u8string();
  return '"' + escaped({reinterpret_cast<const char*>(text.data()), text.size()}) + '"';
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
  std::string detail(what);
  if (!is_told_by_code(system_error)) {
    detail.append(what.empty() ? "" : ": ").append(std::generic_category().message(system_error));
  }
  return file_error(code, path, std::move(detail));
}

Error file_error(ErrorCode code, const std::filesystem::path& path, std::string detail, std::string remedy) {
  if (remedy.empty()) remedy = hint(code);
  return {.code = code, .detail = std::move(detail), .file = shown(path), .remedy = std::move(remedy)};
}

Error with_file(Error error, const std::filesystem::path& path) {
  if (error.file.empty()) error.file = shown(path);
  return error;
}

}  // namespace bdelta::io
