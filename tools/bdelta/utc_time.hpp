// The time of day for those who read manifests.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "bdelta/error.hpp"

namespace bdelta::cli {

// Seconds since 1970 in UTC as RFC 3339 has it, "2026-11-28T07:05:00Z"; up to the year 9999.
[[nodiscard]] std::string rfc3339(std::uint64_t unix_seconds);

// SOURCE_DATE_EPOCH, by which builds give the same bytes again, or nothing where it is not set. kUsage where it is no
// number of seconds up to the year 9999.
[[nodiscard]] Result<std::optional<std::uint64_t>> source_date_epoch();

// Seconds since 1970.
[[nodiscard]] std::uint64_t now_unix_seconds();

}  // namespace bdelta::cli
