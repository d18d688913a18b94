// OLD of a call over paths, and what NEW takes after it.
#pragma once

#include "bdelta/apply.hpp"
#include "io/open.hpp"

namespace bdelta {

// The reader of OLD, and the model of NEW with what `options` say of it. kUsage for a mode beyond permissions, and the
// errors of open_random. `counters` may be null.
Result<io::ModelFile> open_source(const std::filesystem::path& path, const ApplyOptions& options, io::IoCounters* counters);

}  // namespace bdelta
