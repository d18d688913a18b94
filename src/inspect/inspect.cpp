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

struct Opened {
  const Format* format;
  std::unique_ptr<PatchReader> reader;

  [[nodiscard]] PatchInfo info() const {
    PatchInfo info = reader->info();
    info.format = format->name;
    return info;
  }
};

Result<Opened> open(io::TypedReader& patch) {
  BDELTA_ASSIGN(const Format* const format, recognise_format(patch, known_formats()));
  BDELTA_ASSIGN(std::unique_ptr<PatchReader> reader, format->open(patch, kAnyMemory));
  return Opened{format, std::move(reader)};
}

}  // namespace

Result<PatchInfo> inspect(SequentialReader& patch) {
  return guarded([&]() -> Result<PatchInfo> {
    io::TypedReader in(patch, kBufferBytes);
    BDELTA_ASSIGN(const Opened opened, open(in));
    BDELTA_TRY(opened.reader->read_tree());
    return opened.info();
  });
}

Result<PatchInfo> verify_patch(SequentialReader& patch) {
  return guarded([&]() -> Result<PatchInfo> {
    io::TypedReader in(patch);
    BDELTA_ASSIGN(const Opened opened, open(in));
    BDELTA_ASSIGN(const bool verified, verify_whole(*opened.reader, *opened.format));
    PatchInfo info = opened.info();
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
