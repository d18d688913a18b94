#include "option_checks.h"

#include <string.h>

#include "push_checks.h"

static int32_t stop(void *user, uint64_t done, uint64_t total) {
  (void)done;
  (void)total;
  ++*(int *)user;
  return 1;
}

static int32_t check_with(const set *of, const bdelta_apply_options *options) {
  const bdelta_reader source = reader_of(&of->source);
  memory_input state;
  bdelta_input patch = input_of(&state);
  memset(&state, 0, sizeof state);
  state.from = &of->patch;
  return bdelta_check(&source, &patch, options, NULL, NULL);
}

void check_apply_options(const set *of) {
  bdelta_apply_options options = apply_defaults();
  uint8_t digest[32];
  char seen[200] = "";
  int called = 0;
  options.target_bytes = of->target.size - 1;
  CHECK_CODE(BDELTA_kOutputLimit, check_with(of, &options));
  options.target_bytes = of->target.size;
  CHECK_CODE(BDELTA_OK, check_with(of, &options));
  options = apply_defaults();
  options.memory_bytes = 1000;
  CHECK_CODE(BDELTA_kMemoryLimit, check_with(of, &options));
  options = apply_defaults();
  options.window_bytes = 100;
  CHECK_CODE(BDELTA_kMemoryLimit, check_with(of, &options));
  options = apply_defaults();
  options.threads = 3;
  CHECK_CODE(BDELTA_OK, check_with(of, &options));
  options.threads = BDELTA_ALL_CORES;
  CHECK_CODE(BDELTA_OK, check_with(of, &options));
  options.threads = 5000;
  CHECK_CODE(BDELTA_kUsage, check_with(of, &options));
  options = apply_defaults();
  options.progress = stop;
  options.progress_user = &called;
  CHECK_CODE(BDELTA_kCancelled, check_with(of, &options));
  CHECK(called == 1);
  options.phase_progress = note_phase;
  options.progress_user = seen;
  CHECK_CODE(BDELTA_OK, check_with(of, &options));
  CHECK(called == 1 && strncmp(seen, "read ", 5) == 0 && strstr(seen, "execute ") != NULL);
  options = apply_defaults();
  options.time_limit_seconds = 1e-9;
  CHECK_CODE(BDELTA_kTimeLimit, check_with(of, &options));
  options.time_limit_seconds = 1e6;
  CHECK_CODE(BDELTA_OK, check_with(of, &options));
  options.time_limit_seconds = -1;
  CHECK_CODE(BDELTA_kUsage, check_with(of, &options));
  options = apply_defaults();
  options.flags = 1u << 30;
  CHECK_CODE(BDELTA_kUsage, check_with(of, &options));
  options = apply_defaults();
  sha256_of(&of->patch, digest);
  options.patch_sha256 = digest;
  CHECK_CODE(BDELTA_OK, check_with(of, &options));
  options.head_sha256 = digest; /* there is no list behind the head */
  CHECK_CODE(BDELTA_kPatchDigest, check_with(of, &options));
}

/* Structs as an older header had them, and as a newer one may. */
void check_struct_sizes(const set *of) {
  struct {
    uint32_t struct_size;
    uint32_t threads;
    uint64_t memory_bytes;
  } old_options;
  struct {
    uint32_t struct_size;
    int32_t code;
    uint64_t guard;
  } old_error;
  struct {
    bdelta_apply_options known;
    uint64_t later;
  } new_options;
  struct {
    bdelta_report known;
    uint64_t later;
  } new_report;
  struct {
    uint32_t struct_size;
    uint32_t version;
    uint64_t guard;
  } old_info;
  bdelta_error error;
  const bdelta_apply_options *cut = (const bdelta_apply_options *)(const void *)&old_options;
  const bdelta_reader source = reader_of(&of->source);
  memory_input state;
  bdelta_input patch = input_of(&state);
  memset(&state, 0, sizeof state);
  state.from = &of->patch;

  old_options.struct_size = sizeof old_options;
  old_options.threads = 2;
  old_options.memory_bytes = 1000;
  old_error.struct_size = 8;
  old_error.guard = 77;
  CHECK_CODE(BDELTA_kMemoryLimit, bdelta_check(&source, &patch, cut, NULL, (bdelta_error *)(void *)&old_error));
  CHECK(old_error.code == BDELTA_kMemoryLimit && old_error.guard == 77);
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  state.pos = 0;
  CHECK_CODE(BDELTA_kMemoryLimit, bdelta_check(&source, &patch, cut, NULL, &error));
  CHECK(error.needed_bytes > 1000);
  old_options.memory_bytes = error.needed_bytes;
  state.pos = 0;
  CHECK_CODE(BDELTA_OK, bdelta_check(&source, &patch, cut, NULL, &error));
  CHECK(error.needed_bytes == 0);
  old_options.memory_bytes = 0;
  CHECK_CODE(BDELTA_OK, check_with(of, cut));
  old_options.struct_size = 3;
  CHECK_CODE(BDELTA_kUsage, check_with(of, cut));
  old_options.struct_size = 0;
  CHECK_CODE(BDELTA_kUsage, check_with(of, cut));

  memset(&new_options, 0, sizeof new_options);
  new_options.known.struct_size = sizeof new_options;
  memset(&new_report, 0xff, sizeof new_report);
  new_report.known.struct_size = sizeof new_report;
  state.pos = 0;
  CHECK_CODE(BDELTA_OK, bdelta_check(&source, &patch, &new_options.known, &new_report.known, NULL));
  CHECK(new_report.known.target_bytes == of->target.size && new_report.later == 0);
  CHECK(new_report.known.struct_size == sizeof new_report);
  new_options.later = 1;
  CHECK_CODE(BDELTA_kUsage, check_with(of, &new_options.known));

  old_info.struct_size = 8;
  old_info.guard = 77;
  state.pos = 0;
  CHECK_CODE(BDELTA_OK, bdelta_info_stream(&patch, (bdelta_info *)(void *)&old_info, NULL));
  CHECK(old_info.version == 2 && old_info.guard == 77);
}
