#include "utc_time.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "cli/text.hpp"
#include "cli/values.hpp"

namespace bdelta::cli {
namespace {

constexpr std::uint64_t kEndOfTime = 253'402'300'799;  // the last second of 9999

}  // namespace

std::string rfc3339(std::uint64_t unix_seconds) {
  using std::chrono::days;
  const std::chrono::sys_seconds time{std::chrono::seconds(unix_seconds)};
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::year_month_day date{day};
  const std::chrono::hh_mm_ss clock{time - day};
  char text[64];
  std::snprintf(text, sizeof text, "%04d-%02u-%02uT%02d:%02d:%02dZ", int{date.year()}, unsigned{date.month()},
                unsigned{date.day()}, static_cast<int>(clock.hours().count()), static_cast<int>(clock.minutes().count()),
                static_cast<int>(clock.seconds().count()));
  return text;
}

Result<std::optional<std::uint64_t>> source_date_epoch() {
  const char* const text = std::getenv("SOURCE_DATE_EPOCH");
  if (text == nullptr) return std::optional<std::uint64_t>();
  const std::string digits = text;
  const auto seconds = digits.find_first_not_of("0123456789") == digits.npos ? parse_size(digits) : std::nullopt;
  if (seconds && *seconds <= kEndOfTime) return seconds;
  return Error{ErrorCode::kUsage, "SOURCE_DATE_EPOCH: expected seconds since 1970, found " + one_line(digits)};
}

std::uint64_t now_unix_seconds() {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::seconds>(now).count());
}

}  // namespace bdelta::cli
