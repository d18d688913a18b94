#include "bdelta/inspect.hpp"

#include "base/guard.hpp"
#include "base/try.hpp"
#include "format/patch_reader.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kBufferBytes = 64;  // so little is taken of what follows the head, which may not have come yet

}  // namespace

Result<PatchInfo> inspect(SequentialReader& patch) {
  return guarded([&]() -> Result<PatchInfo> {
    io::TypedReader in(patch, kBufferBytes);
    BDELTA_ASSIGN(const std::unique_ptr<PatchReader> reader, open_patch(in, ~std::uint64_t{0} >> 1));
    return reader->info();
  });
}

Result<PatchInfo> inspect_file(const std::filesystem::path& patch, const FileOptions& options) {
  BDELTA_ASSIGN(const std::unique_ptr<SequentialReader> reader, open_sequential(patch, options));
  auto info = inspect(*reader);
  if (!info && exit_class(info.error().code) == 3) return io::with_file(std::move(info).error(), patch);
  return info;
}

}  // namespace bdelta
