#include "apply/source_file.hpp"

#include "apply/journal_file.hpp"
#include "base/try.hpp"

namespace bdelta {
namespace {

constexpr std::uint32_t kMostPermissions = 0777;

}  // namespace

Result<io::ModelFile> open_source(const std::filesystem::path& path, const ApplyOptions& options,
                                  io::IoCounters* counters) {
  const std::uint32_t mode = options.target_mode.value_or(0);
  if (mode > kMostPermissions) {
    return Error{ErrorCode::kUsage, "expected permission bits for target_mode, 0 to 511 (octal 777), found " +
                                        std::to_string(mode) + "; set-id bits are never given"};
  }
  BDELTA_TRY(check_finished(path));
  BDELTA_ASSIGN(io::ModelFile source, io::open_model(path, options.files, counters));
  source.model.sets_permissions = options.target_mode.has_value();
  if (options.target_mode) source.model.permissions = mode;
  return source;
}

}  // namespace bdelta
