// Applying, checking and describing patches, and the names of errors.
#include <cstddef>

#include "bdelta/in_place.hpp"
#include "bdelta/tree.hpp"
#include "capi/callbacks.hpp"

namespace bdelta::capi {
namespace {

Result<InPlaceOptions> in_place_options(const bdelta_in_place_options* options) {
  BDELTA_ASSIGN(const bdelta_in_place_options read, read_optional(options, "bdelta_in_place_options"));
  if ((read.flags & ~BDELTA_DRY_RUN) != 0) {
    return Error{ErrorCode::kUsage, "expected flags for updates in place alone, found " + std::to_string(read.flags)};
  }
  InPlaceOptions how;
  if (read.journal) {
    BDELTA_ASSIGN(how.journal, path_of(read.journal, "journal"));
  }
  if (read.scratch_bytes != 0) how.scratch_limit_bytes = read.scratch_bytes;
  how.dry_run = (read.flags & BDELTA_DRY_RUN) != 0;
  return how;
}

// `to` may be null.
Status give(const Result<PatchInfo>& found, bdelta_info* to) {
  if (!found) return found.error();
  if (!to) return {};
  const PatchInfo& info = *found;
  bdelta_info filled{};
  filled.version = info.version;
  std::copy_n(info.format.begin(), std::min(info.format.size(), sizeof filled.format - 1), filled.format);
  filled.draft = info.draft;
  filled.has_digests = info.source_digest && info.target_digest;
  filled.source_bytes = info.source_size.value_or(0);
  filled.target_bytes = info.target_size.value_or(0);
  if (info.source_digest) std::copy(info.source_digest->begin(), info.source_digest->end(), filled.source_xxh3_128);
  if (info.target_digest) std::copy(info.target_digest->begin(), info.target_digest->end(), filled.target_xxh3_128);
  filled.required_features = info.required_features;
  filled.optional_features = info.optional_features;
  filled.window_bytes = info.window_bytes;
  filled.group_bytes = info.group_bytes;
  filled.decoder_memory_bytes = info.decoder_memory_bytes;
  filled.predicted = info.predicted;
  filled.unpacked = info.unpacked;
  filled.has_head_sha256 = info.head_sha256.has_value();
  if (info.head_sha256) std::copy(info.head_sha256->begin(), info.head_sha256->end(), filled.head_sha256);
  filled.verified = info.verified;
  filled.patch_bytes = info.patch_bytes;
  filled.of_tree = info.of_tree;
  if (info.tree) {
    filled.entry_count = info.tree->entry_count;
    filled.kept_files = info.tree->kept_files;
    filled.changed_files = info.tree->changed_files;
    filled.added_files = info.tree->added_files;
    filled.removed_files = info.tree->removed_files;
    filled.made_bytes = info.tree->made_bytes;
  }
  write_struct(filled, to);
  return {};
}

// The calls over files, and the same over directories.
using ApplyPaths = Result<Report> (*)(const std::filesystem::path& source, const std::filesystem::path& target,
                                      const std::filesystem::path& patch, const ApplyOptions& options);
using CheckPaths = Result<Report> (*)(const std::filesystem::path& source, const std::filesystem::path& patch,
                                      const ApplyOptions& options);

int32_t call_apply(ApplyPaths apply, const char* source, const char* target, const char* patch,
                   const bdelta_apply_options* options, bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const auto source_path, path_of(source, "source"));
    BDELTA_ASSIGN(const auto target_path, path_of(target, "target"));
    BDELTA_ASSIGN(const auto patch_path, path_of(patch, "patch"));
    BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
    return capi::give(apply(source_path, target_path, patch_path, how), report);
  });
}

int32_t call_check(CheckPaths check, const char* source, const char* patch, const bdelta_apply_options* options,
                   bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const auto source_path, path_of(source, "source"));
    BDELTA_ASSIGN(const auto patch_path, path_of(patch, "patch"));
    BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
    return capi::give(check(source_path, patch_path, how), report);
  });
}

}  // namespace
}  // namespace bdelta::capi

using namespace bdelta;        // NOLINT: this file is the C face of that namespace
using namespace bdelta::capi;  // NOLINT

extern "C" {

const char* bdelta_version(void) { return BDELTA_VERSION; }

// The texts are literals, or ends of literals, so a NUL stands behind them.
const char* bdelta_error_name(int32_t code) {
  return code == BDELTA_OK ? "OK" : error_name(static_cast<ErrorCode>(code)).data();
}

const char* bdelta_error_message(int32_t code) {
  return code == BDELTA_OK ? "done" : error_message(static_cast<ErrorCode>(code)).data();
}

int32_t bdelta_exit_class(int32_t code) { return code == BDELTA_OK ? 0 : exit_class(static_cast<ErrorCode>(code)); }

int32_t bdelta_apply_file(const char* source, const char* target, const char* patch,
                          const bdelta_apply_options* options, bdelta_report* report, bdelta_error* error) {
  return call_apply(&apply_file, source, target, patch, options, report, error);
}

int32_t bdelta_check_file(const char* source, const char* patch, const bdelta_apply_options* options,
                          bdelta_report* report, bdelta_error* error) {
  return call_check(&check_file, source, patch, options, report, error);
}

int32_t bdelta_apply_tree(const char* source, const char* target, const char* patch, const bdelta_apply_options* options,
                          bdelta_report* report, bdelta_error* error) {
  return call_apply(&apply_tree, source, target, patch, options, report, error);
}

int32_t bdelta_check_tree(const char* source, const char* patch, const bdelta_apply_options* options, bdelta_report* report,
                          bdelta_error* error) {
  return call_check(&check_tree, source, patch, options, report, error);
}

int32_t bdelta_tree_state(const char* directory, uint32_t* state, bdelta_error* error) {
  return call(error, [&]() -> Status {
    if (!state) return Error{ErrorCode::kUsage, "state is NULL"};
    BDELTA_ASSIGN(const auto path, path_of(directory, "directory"));
    BDELTA_ASSIGN(const TreeState found, tree_state(path));
    *state = static_cast<uint32_t>(found);
    return {};
  });
}

int32_t bdelta_resume_tree(const char* directory, const bdelta_apply_options* options, uint32_t* resumed, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_ASSIGN(const auto path, path_of(directory, "directory"));
    BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
    BDELTA_ASSIGN(const Resumed done, resume_tree(path, how));
    if (resumed) *resumed = static_cast<uint32_t>(done);
    return {};
  });
}

int32_t bdelta_apply_in_place(const char* file, const char* patch, const bdelta_apply_options* options,
                              const bdelta_in_place_options* in_place, bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const auto file_path, path_of(file, "file"));
    BDELTA_ASSIGN(const auto patch_path, path_of(patch, "patch"));
    BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
    BDELTA_ASSIGN(const InPlaceOptions how_in_place, in_place_options(in_place));
    return give(apply_in_place(file_path, patch_path, how, how_in_place), report);
  });
}

int32_t bdelta_resume_in_place(const char* file, const bdelta_apply_options* options, const bdelta_in_place_options* in_place,
                               bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const auto file_path, path_of(file, "file"));
    BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
    BDELTA_ASSIGN(const InPlaceOptions how_in_place, in_place_options(in_place));
    return give(resume_in_place(file_path, how, how_in_place), report);
  });
}

int32_t bdelta_apply(const bdelta_reader* source, const bdelta_input* patch, const bdelta_writer* target,
                     const bdelta_apply_options* options, bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const bdelta_reader reader, CallbackReader::check(source, "source"));
    BDELTA_ASSIGN(const bdelta_input input, CallbackInput::check(patch));
    BDELTA_ASSIGN(const bdelta_writer writer, CallbackWriter::check(target, false));
    BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
    CallbackReader from(reader);
    CallbackInput in(input);
    CallbackWriter to(writer);
    return give(to.is_stream() ? apply(from, in, static_cast<SequentialWriter&>(to), how)
                               : apply(from, in, static_cast<PositionedWriter&>(to), how), report);
  });
}

int32_t bdelta_check(const bdelta_reader* source, const bdelta_input* patch, const bdelta_apply_options* options,
                     bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const bdelta_reader reader, CallbackReader::check(source, "source"));
    BDELTA_ASSIGN(const bdelta_input input, CallbackInput::check(patch));
    BDELTA_ASSIGN(const ApplyOptions how, pull_options(options));
    CallbackReader from(reader);
    CallbackInput in(input);
    return give(check(from, in, how), report);
  });
}

uint64_t bdelta_apply_buffer_bytes(const bdelta_info* info, uint32_t threads) {
  const auto read = info ? read_struct(info, "bdelta_info") : Result<bdelta_info>(Error{ErrorCode::kUsage, {}});
  if (!read || read->struct_size < offsetof(bdelta_info, window_bytes) + sizeof read->window_bytes) return 0;
  PatchInfo what;
  what.window_bytes = read->window_bytes;
  what.unpacked = read->unpacked != 0;
  return apply_buffer_bytes(what, threads);
}

int32_t bdelta_info_file(const char* patch, bdelta_info* info, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(require(info, "info"));
    BDELTA_TRY(check_out(info, "bdelta_info"));
    BDELTA_ASSIGN(const auto path, path_of(patch, "patch"));
    return give(inspect_file(path, {}), info);
  });
}

int32_t bdelta_info_stream(const bdelta_input* patch, bdelta_info* info, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(require(info, "info"));
    BDELTA_TRY(check_out(info, "bdelta_info"));
    BDELTA_ASSIGN(const bdelta_input input, CallbackInput::check(patch));
    CallbackInput in(input);
    return give(inspect(in), info);
  });
}

int32_t bdelta_verify_patch_file(const char* patch, bdelta_info* info, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(info, "bdelta_info"));
    BDELTA_ASSIGN(const auto path, path_of(patch, "patch"));
    return give(verify_patch_file(path, {}), info);
  });
}

int32_t bdelta_verify_patch(const bdelta_input* patch, bdelta_info* info, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(info, "bdelta_info"));
    BDELTA_ASSIGN(const bdelta_input input, CallbackInput::check(patch));
    CallbackInput in(input);
    return give(verify_patch(in), info);
  });
}

}  // extern "C"
