// Making patches.
#include "bdelta/tree.hpp"
#include "capi/callbacks.hpp"

namespace bdelta::capi {
namespace {

Result<CreateOptions> create_options(const bdelta_create_options* options) {
  constexpr std::uint32_t kKnown = BDELTA_OVERWRITE | BDELTA_NO_SYNC | BDELTA_MAP_INPUTS | BDELTA_NO_PREDICT |
                                   BDELTA_NO_VERIFY | BDELTA_DIGESTS | BDELTA_DIGEST_PATCH | BDELTA_SHA256_INPUTS |
                                   BDELTA_NO_UNPACK | BDELTA_UNPACK_ALL;
  BDELTA_ASSIGN(const bdelta_create_options from, read_options(options, "bdelta_create_options"));
  if ((from.flags & ~kKnown) != 0 || from.reserved != 0) {
    return Error{ErrorCode::kUsage, "expected flags for making patches, found " + std::to_string(from.flags)};
  }
  if (from.format > BDELTA_FORMAT_BDT1 || from.level > kUltraLevel) {
    return Error{ErrorCode::kUsage, "expected format 0 or 1 and level 0 to 10, found " +
                                        std::to_string(from.format) + " and " + std::to_string(from.level)};
  }
  CreateOptions to;
  if (from.level != 0) to.level = static_cast<int>(from.level);
  to.format = from.format == BDELTA_FORMAT_BDT1 ? PatchFormat::kBdt1 : PatchFormat::kBdt2;
  BDELTA_ASSIGN(to.threads, thread_option(from.threads));
  to.memory_limit_bytes = from.memory_bytes;
  to.predict = (from.flags & BDELTA_NO_PREDICT) == 0;
  if ((from.flags & BDELTA_UNPACK_ALL) != 0) to.unpack = Unpack::kAll;
  if ((from.flags & BDELTA_NO_UNPACK) != 0) to.unpack = Unpack::kNone;
  to.verify = (from.flags & BDELTA_NO_VERIFY) == 0;
  to.group_digests = (from.flags & BDELTA_DIGESTS) != 0;
  to.digest_patch = (from.flags & BDELTA_DIGEST_PATCH) != 0;
  to.sha256_inputs = (from.flags & BDELTA_SHA256_INPUTS) != 0;
  to.max_patch_ratio = from.max_patch_ratio;
  to.time_limit_seconds = from.time_limit_seconds;
  to.max_apply_seconds = from.max_apply_seconds;
  to.progress = progress_option(from.progress, from.phase_progress, from.progress_user);
  to.files = file_options(from.flags, from.io_buffer_bytes, from.temp_dir);
  to.temp_dir = to.files.temp_dir;
  return to;
}

Result<TreeOptions> tree_options(const bdelta_tree_options* given) {
  BDELTA_ASSIGN(const bdelta_tree_options from, read_optional(given, "bdelta_tree_options"));
  if ((from.flags & ~(BDELTA_TREE_TIMES | BDELTA_TREE_SOURCE_LIST)) != 0) return too_new("bdelta_tree_options");
  TreeOptions to;
  to.times = (from.flags & BDELTA_TREE_TIMES) != 0;
  to.source_list = (from.flags & BDELTA_TREE_SOURCE_LIST) != 0;
  for (std::size_t i = 0; i < from.exclude_count; ++i) {
    BDELTA_TRY(require(from.exclude, "exclude"));
    BDELTA_TRY(require(from.exclude[i], "a pattern of exclude"));
    to.exclude.emplace_back(from.exclude[i]);
  }
  return to;
}

}  // namespace
}  // namespace bdelta::capi

using namespace bdelta;        // NOLINT: this file is the C face of that namespace
using namespace bdelta::capi;  // NOLINT

extern "C" {

int32_t bdelta_create_file(const char* source, const char* target, const char* patch,
                           const bdelta_create_options* options, bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const auto source_path, path_of(source, "source"));
    BDELTA_ASSIGN(const auto target_path, path_of(target, "target"));
    BDELTA_ASSIGN(const auto patch_path, path_of(patch, "patch"));
    BDELTA_ASSIGN(const CreateOptions how, create_options(options));
    return give(create_file(source_path, target_path, patch_path, how), report);
  });
}

int32_t bdelta_create_tree(const char* source, const char* target, const char* patch, const bdelta_create_options* options,
                           const bdelta_tree_options* of_trees, bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const auto source_path, path_of(source, "source"));
    BDELTA_ASSIGN(const auto target_path, path_of(target, "target"));
    BDELTA_ASSIGN(const auto patch_path, path_of(patch, "patch"));
    BDELTA_ASSIGN(const CreateOptions how, create_options(options));
    BDELTA_ASSIGN(const TreeOptions of_tree, tree_options(of_trees));
    return give(create_tree(source_path, target_path, patch_path, how, of_tree), report);
  });
}

int32_t bdelta_create(const bdelta_reader* source, const bdelta_reader* target, const bdelta_writer* patch,
                      const bdelta_create_options* options, bdelta_report* report, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(check_out(report, "bdelta_report"));
    BDELTA_ASSIGN(const bdelta_reader source_reader, CallbackReader::check(source, "source"));
    BDELTA_ASSIGN(const bdelta_reader target_reader, CallbackReader::check(target, "target"));
    BDELTA_ASSIGN(const bdelta_writer writer, CallbackWriter::check(patch, true));
    BDELTA_ASSIGN(const CreateOptions how, create_options(options));
    CallbackReader from(source_reader);
    CallbackReader to(target_reader);
    CallbackWriter out(writer);
    return give(create(from, to, out, how), report);
  });
}

int32_t bdelta_estimate_memory(uint64_t source_bytes, uint64_t target_bytes, const bdelta_create_options* options,
                               uint64_t* memory_bytes, bdelta_error* error) {
  return call(error, [&]() -> Status {
    BDELTA_TRY(require(memory_bytes, "memory_bytes"));
    BDELTA_ASSIGN(const CreateOptions how, create_options(options));
    BDELTA_ASSIGN(*memory_bytes, estimate_memory(source_bytes, target_bytes, how));
    return {};
  });
}

}  // extern "C"
