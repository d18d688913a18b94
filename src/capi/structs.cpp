#include "capi/structs.hpp"

namespace bdelta::capi {
namespace {

constexpr std::uint32_t kMostThreads = 1024;

// As much of the text as there is room for. A cut UTF-8 sequence is dropped.
void put_text(std::string_view text, char* to, std::size_t size) noexcept {
  if (!to || size == 0) return;
  std::size_t length = std::min(text.size(), size - 1);
  if (length < text.size()) {
    while (length > 0 && (static_cast<unsigned char>(text[length]) & 0xc0) == 0x80) --length;
  }
  std::memcpy(to, text.data(), length);
  to[length] = '\0';
}

std::optional<Sha256Bytes> digest_option(const std::uint8_t* bytes) {
  std::optional<Sha256Bytes> digest;
  if (bytes) std::copy_n(bytes, sizeof(Sha256Bytes), digest.emplace().begin());
  return digest;
}

}  // namespace

std::int32_t tell(const Status& status, bdelta_error* to) noexcept {
  const auto code = status ? std::int32_t{BDELTA_OK} : static_cast<std::int32_t>(status.error().code);
  if (!to) return code;
  std::uint32_t size = 0;
  std::memcpy(&size, to, sizeof size);
  bdelta_error filled{};
  std::memcpy(&filled, to, std::min<std::size_t>(size, sizeof filled));
  filled.code = code;
  filled.offset = status ? BDELTA_NO_OFFSET : status.error().offset;
  filled.needed_bytes = status ? 0 : status.error().needed_bytes;
  try {
    put_text(status ? std::string() : to_string(status.error()), filled.message, filled.message_size);
  } catch (...) {  // no memory for the long text
    put_text(error_message(status.error().code), filled.message, filled.message_size);
  }
  write_struct(filled, to);
  return code;
}

Error too_new(const char* name) {
  return {ErrorCode::kUsage, std::string(name) + ": it asks for something that this version of the library does not "
                                                 "know; the program was built for a newer one"};
}

Status require(const void* pointer, const char* name) {
  return pointer ? Status() : Status(Error{ErrorCode::kUsage, std::string(name) + " must not be NULL"});
}

Result<std::filesystem::path> path_of(const char* text, const char* name) {
  BDELTA_TRY(require(text, name));
#ifdef _WIN32
  return std::filesystem::u8path(text);
#else
  return std::filesystem::path(text);
#endif
}

Result<unsigned> thread_option(std::uint32_t threads) {
  static_assert(BDELTA_ALL_CORES == 0, "as in C++");
  if (threads <= kMostThreads) return unsigned{threads};
  return Error{ErrorCode::kUsage, "expected at most 1024 threads, found " + std::to_string(threads)};
}

FileOptions file_options(std::uint32_t flags, std::uint64_t io_buffer_bytes, const char* temp_dir) {
  FileOptions files;
  files.mode = (flags & BDELTA_MAP_INPUTS) != 0 ? IoMode::kMmap : IoMode::kStdio;
  files.sync = (flags & BDELTA_NO_SYNC) == 0;
  files.overwrite = (flags & BDELTA_OVERWRITE) != 0;
  if (io_buffer_bytes != 0) files.buffer_bytes = io_buffer_bytes;
  if (temp_dir) files.temp_dir = temp_dir;
  return files;
}

ProgressCallback progress_option(bdelta_progress progress, bdelta_phase_progress phase_progress, void* user) {
  if (phase_progress) {
    return [=](const Progress& now) { return phase_progress(user, now.done, now.total, now.phase) == 0; };
  }
  if (!progress) return {};
  return [=](std::uint64_t done, std::uint64_t total) { return progress(user, done, total) == 0; };
}

Result<ApplyOptions> apply_options(const bdelta_apply_options& from) {
  constexpr std::uint32_t kKnown = BDELTA_OVERWRITE | BDELTA_NO_SYNC | BDELTA_MAP_INPUTS | BDELTA_OUTSIDE_LINKS |
                                   BDELTA_KEEP_OTHERS | BDELTA_KEEP_STATE | BDELTA_TRUST_TIMES;
  if ((from.flags & ~kKnown) != 0 || from.reserved != 0 || from.reserved_2 != 0) {
    return Error{ErrorCode::kUsage, "expected flags for applying alone, found " + std::to_string(from.flags)};
  }
  ApplyOptions options;
  BDELTA_ASSIGN(options.threads, thread_option(from.threads));
  if (from.memory_bytes != 0) options.memory_limit_bytes = from.memory_bytes;
  if (from.target_bytes != 0) options.output_limit_bytes = from.target_bytes;
  if (from.window_bytes != 0) options.window_limit_bytes = from.window_bytes;
  options.expected_patch_sha256 = digest_option(from.patch_sha256);
  options.expected_head_sha256 = digest_option(from.head_sha256);
  options.progress = progress_option(from.progress, from.phase_progress, from.progress_user);
  options.time_limit_seconds = from.time_limit_seconds;
  options.files = file_options(from.flags, from.io_buffer_bytes, from.temp_dir);
  options.outside_links = (from.flags & BDELTA_OUTSIDE_LINKS) != 0;
  options.keep_others = (from.flags & BDELTA_KEEP_OTHERS) != 0;
  options.keep_state = (from.flags & BDELTA_KEEP_STATE) != 0;
  options.trust_times = (from.flags & BDELTA_TRUST_TIMES) != 0;
  if (from.state_file) options.state_file = from.state_file;
  if (from.target_mode != 0) options.target_mode = from.target_mode;
  return options;
}

Result<ApplyOptions> pull_options(const bdelta_apply_options* options) {
  BDELTA_ASSIGN(const bdelta_apply_options read, read_options(options, "bdelta_apply_options"));
  if (read.allocator) return Error{ErrorCode::kUsage, "an allocator belongs to push mode"};
  return apply_options(read);
}

namespace {

void put_digests(const KnownDigests& digests, std::uint8_t* xxh3_128, std::uint8_t* sha256) noexcept {
  if (digests.xxh3_128) std::copy(digests.xxh3_128->begin(), digests.xxh3_128->end(), xxh3_128);
  if (digests.sha256) std::copy(digests.sha256->begin(), digests.sha256->end(), sha256);
}

bdelta_report c_report(const Report& report) {
  bdelta_report to{};
  to.threads = report.threads;
  to.source_bytes = report.source_bytes;
  to.target_bytes = report.target_bytes;
  to.patch_bytes = report.patch_bytes;
  to.cover_count = report.cover_count;
  to.covered_bytes = report.covered_bytes;
  to.literal_bytes = report.literal_bytes;
  to.residual_bytes = report.residual_bytes;
  to.window_count = report.window_count;
  to.up_to_date = report.up_to_date;
  to.verified = report.verified;
  to.has_head_sha256 = report.head_sha256.has_value();
  to.decoder_memory_bytes = report.decoder_memory_bytes;
  to.written_bytes = report.written_bytes;
  to.journal_bytes = report.journal_bytes;
  to.nominal_apply_ns = report.nominal_apply_ns;
  put_digests(report.source_digests, to.source_xxh3_128, to.source_sha256);
  put_digests(report.target_digests, to.target_xxh3_128, to.target_sha256);
  put_digests(report.patch_digests, to.patch_xxh3_128, to.patch_sha256);
  if (report.head_sha256) std::copy(report.head_sha256->begin(), report.head_sha256->end(), to.head_sha256);
  return to;
}

}  // namespace

Status give(const Result<Report>& made, bdelta_report* report) {
  if (!made) return made.error();
  if (report) write_struct(c_report(*made), report);
  return {};
}

}  // namespace bdelta::capi
