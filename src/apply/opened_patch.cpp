#include "apply/opened_patch.hpp"

#include <system_error>

#include "base/memory_limit.hpp"
#include "base/try.hpp"
#include "io/open.hpp"

namespace bdelta {

OpenedPatch::OpenedPatch(SequentialReader& stream, const ApplyOptions& options) : reader_(&stream) {
  if (options.expected_patch_sha256) {
    expect_whole(std::make_unique<VerifiedPatch>(stream, *options.expected_patch_sha256, options.files));
  }
  expect_head(options);
}

Result<OpenedPatch> OpenedPatch::open(const std::filesystem::path& path, const ApplyOptions& options,
                                      io::IoCounters* counters) {
  std::error_code ignored;
  // Asked by name: to open a fifo and close it again would break the pipe of its writer.
  if (options.expected_patch_sha256 && path != "-" && std::filesystem::is_regular_file(path, ignored)) {
    FileOptions files = options.files;
    files.mode = IoMode::kStdio;
    OpenedPatch opened;
    BDELTA_ASSIGN(opened.file_, io::open_random(path, files, counters));
    opened.expect_whole(std::make_unique<VerifiedPatch>(*opened.file_, *options.expected_patch_sha256));
    opened.expect_head(options);
    return opened;
  }
  BDELTA_ASSIGN(auto stream, io::open_sequential(path, options.files, counters));
  OpenedPatch opened(*stream, options);
  opened.stream_ = std::move(stream);
  return opened;
}

void OpenedPatch::set_watch(Watch* watch) noexcept {
  if (verified_) verified_->set_watch(watch);
  if (listed_) listed_->set_watch(watch);
}

void OpenedPatch::expect_whole(std::unique_ptr<VerifiedPatch> verified) {
  verified_ = std::move(verified);
  reader_ = verified_.get();
}

void OpenedPatch::expect_head(const ApplyOptions& options) {
  if (!options.expected_head_sha256) return;
  listed_ = std::make_unique<ListedPatch>(*reader_, *options.expected_head_sha256, reachable_limit(options.memory_limit_bytes));
  reader_ = listed_.get();
}

}  // namespace bdelta
