#include "cli/values.hpp"

#include <locale>
#include <sstream>

#include "base/checked.hpp"

namespace bdelta::cli {
namespace {

constexpr std::uint64_t kMaxThreads = 1024;
constexpr std::uint64_t kMaxIoBufferBytes = std::uint64_t{64} << 20;

// Digits with at most one point among or around them, above 0, whatever the locale.
std::optional<double> parse_decimal(const std::string& text) {
  if (text.empty() || text.find_first_not_of("0123456789.") != std::string::npos) return std::nullopt;
  std::istringstream stream(text);
  stream.imbue(std::locale::classic());
  double value = 0;
  stream >> value;
  if (stream.fail() || !stream.eof() || !(value > 0)) return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::uint64_t> parse_size(const std::string& text) {
  std::uint64_t value = 0;
  std::size_t at = 0;
  for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at) {
    if (!checked_mul(value, 10, value) || !checked_add(value, static_cast<std::uint64_t>(text[at] - '0'), value)) return std::nullopt;
  }
  if (at == 0) return std::nullopt;
  std::string unit = text.substr(at);
  if (unit.size() == 3 && unit.substr(1) == "iB") unit.resize(1);
  if (unit.empty() || unit == "B") return value;
  const std::size_t power = std::string("KMGT").find(unit);
  if (unit.size() != 1 || power == std::string::npos) return std::nullopt;
  if (!checked_mul(value, std::uint64_t{1} << (10 * (power + 1)), value)) return std::nullopt;
  return value;
}

std::optional<double> parse_ratio(const std::string& text) {
  if (text.empty() || text.back() != '%') return parse_decimal(text);
  const std::optional<double> percent = parse_decimal(text.substr(0, text.size() - 1));
  return percent ? std::optional<double>(*percent / 100) : std::nullopt;
}

std::optional<double> parse_seconds(const std::string& text) { return parse_decimal(text); }

std::optional<unsigned> parse_threads(const std::string& text) {
  if (text.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  const std::optional<std::uint64_t> count = parse_size(text);
  return count && *count <= kMaxThreads ? std::optional<unsigned>(static_cast<unsigned>(*count)) : std::nullopt;
}

std::optional<Sha256Bytes> parse_sha256(const std::string& text) {
  Sha256Bytes bytes{};
  if (text.size() != 2 * bytes.size()) return std::nullopt;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const std::size_t digit = std::string("0123456789abcdef0123456789ABCDEF").find(text[i]);
    if (digit == std::string::npos) return std::nullopt;
    bytes[i / 2] = static_cast<std::uint8_t>(unsigned{bytes[i / 2]} << 4 | (digit & 15));
  }
  return bytes;
}

std::optional<std::uint32_t> parse_mode(const std::string& text) {
  constexpr std::uint32_t kMost = 0777;
  if (text.empty() || text.find_first_not_of("01234567") != std::string::npos) return std::nullopt;
  std::uint32_t mode = 0;
  for (const char digit : text) {
    mode = mode * 8 + static_cast<std::uint32_t>(digit - '0');
    if (mode > kMost) return std::nullopt;
  }
  return mode;
}

std::string check_size(const std::string& text) {
  return parse_size(text) ? std::string() : "expected a size such as 64M or 2GiB, found " + text;
}

std::string check_ratio(const std::string& text) {
  const std::optional<double> share = parse_ratio(text);
  if (!share) return "expected a share above 0 such as 0.6 or 60%, found " + text;
  if (*share > 1 && text.back() != '%') return "expected a share of at most 1, found " + text + " (did you mean " + text + "%?)";
  return "";
}

std::string check_seconds(const std::string& text) {
  return parse_seconds(text) ? std::string() : "expected seconds above 0 such as 2.5, found " + text;
}

std::string check_threads(const std::string& text) {
  return parse_threads(text) ? std::string() : "expected a number from 0 to " + std::to_string(kMaxThreads) + ", found " + text;
}

std::string check_buffer(const std::string& text) {
  const std::optional<std::uint64_t> bytes = parse_size(text);
  return bytes && *bytes <= kMaxIoBufferBytes ? std::string() : "expected a size from 0 to 64M, found " + text;
}

std::string check_sha256(const std::string& text) {
  return parse_sha256(text) ? std::string() : "expected 64 hexadecimal digits, found " + text;
}

std::string check_mode(const std::string& text) {
  return parse_mode(text) ? std::string() : "expected permission bits in octal up to 777, such as 644, found " + text;
}

std::uint64_t size_or(const std::string& text, std::uint64_t otherwise) {
  return text.empty() ? otherwise : *parse_size(text);
}

}  // namespace bdelta::cli
