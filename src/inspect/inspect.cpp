#include "bdelta/inspect.hpp"

#include "base/guard.hpp"
#include "base/try.hpp"
#include "format/format.hpp"
#include "io/file_error.hpp"

namespace bdelta {
namespace {

constexpr std::size_t kBufferBytes = 64;  // so little is taken of what follows the head, which may not have come yet
constexpr std::uint64_t kAnyMemory = ~std::uint64_t{0} >> 1;

Result<PatchInfo> over_file(Result<PatchInfo> (*call)(SequentialReader&), const std::filesystem::path& patch,
                            const FileOptions& options) {
  BDELTA_ASSIGN(const std::unique_ptr<SequentialReader> reader, open_sequential(patch, options));
  auto info = call(*reader);
  if (!info && exit_class(info.error().code) == 3) return io::with_file(std::move(info).error(), patch);
  return info;
}

}  // namespace

Result<PatchInfo> inspect(SequentialReader& patch) {
  return guarded([&]() -> Result<PatchInfo> {
    io::TypedReader in(patch, kBufferBytes);
    BDELTA_ASSIGN(const std::unique_ptr<PatchReader> reader, open_patch(in, kAnyMemory));
    return reader->info();
  });
}

Result<PatchInfo> verify_patch(SequentialReader& patch) {
  return guarded([&]() -> Result<PatchInfo> {
    io::TypedReader in(patch);
    BDELTA_ASSIGN(const Format* const format, recognise_format(in, known_formats()));
    BDELTA_ASSIGN(const std::unique_ptr<PatchReader> reader, format->open(in, kAnyMemory));
    BDELTA_ASSIGN(const bool verified, verify_whole(*reader, format->capabilities));
    PatchInfo info = reader->info();
    info.patch_bytes = in.position();
    info.verified = verified;
    return info;
  });
}

Result<PatchInfo> inspect_file(const std::filesystem::path& patch, const FileOptions& options) {
  return over_file(inspect, patch, options);
}

Result<PatchInfo> verify_patch_file(const std::filesystem::path& patch, const FileOptions& options) {
  return over_file(verify_patch, patch, options);
}

}  // namespace bdelta
