/* Every function of the half that applies, by a C90 program that links nothing else.
 *
 * usage: capi_apply GOLDEN_FOLDER SCRATCH_FOLDER SET … */
#include <stdio.h>
#include <string.h>

#include "option_checks.h"
#include "push_checks.h"
#include "support.h"

static char scratch[500];

static void scratch_path(char *to, const char *name) { sprintf(to, "%.480s/%.200s", scratch, name); }

static set load_set(const char *golden, const char *name) {
  set of;
  sprintf(of.folder, "%.400s/%.200s", golden, name);
  of.source = load(of.folder, "old");
  of.target = load(of.folder, "new");
  of.patch = load(of.folder, "patch");
  return of;
}

static void drop_set(set *of) {
  drop(&of->source);
  drop(&of->target);
  drop(&of->patch);
}

static void test_names(void) {
  CHECK(strcmp(bdelta_error_name(BDELTA_kWrongSourceDigest), "WrongSourceDigest") == 0);
  CHECK(strcmp(bdelta_error_name(BDELTA_OK), "OK") == 0);
  CHECK(strcmp(bdelta_error_name(12345), "Unknown") == 0);
  CHECK(strlen(bdelta_error_message(BDELTA_kOutOfMemory)) > 10);
  CHECK(bdelta_exit_class(BDELTA_OK) == 0);
  CHECK(bdelta_exit_class(BDELTA_kPatchDigest) == 3);
  CHECK(bdelta_exit_class(12345) == 70);
  CHECK(strchr(bdelta_version(), '.') != NULL);
}

static void test_in_place(const set *of) {
  char file[750], patch[750], journal[750];
  bdelta_apply_options options = apply_defaults();
  bdelta_in_place_options in_place;
  bdelta_report report;
  bytes made;
  FILE *to;
  if (of->target.size == 0 || same(&of->source, &of->target)) return; /* no block would be written */
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  memset(&in_place, 0, sizeof in_place);
  in_place.struct_size = sizeof in_place;
  sprintf(patch, "%s/patch", of->folder);
  scratch_path(file, "in-place");
  scratch_path(journal, "in-place-journal");
  to = fopen(file, "wb");
  CHECK(to != NULL && fwrite(of->source.data, 1, of->source.size, to) == of->source.size);
  CHECK(fclose(to) == 0);

  in_place.flags = BDELTA_DRY_RUN;
  CHECK_CODE(BDELTA_OK, bdelta_apply_in_place(file, patch, &options, &in_place, &report, NULL));
  made = load(scratch, "in-place");
  CHECK(same(&made, &of->source));
  drop(&made);
  CHECK(report.target_bytes == of->target.size && report.written_bytes != 0 && report.journal_bytes > report.written_bytes);
  in_place.flags = 0;
  in_place.journal = journal;
  in_place.scratch_bytes = report.journal_bytes - 1;
  CHECK_CODE(BDELTA_kScratchLimit, bdelta_apply_in_place(file, patch, &options, &in_place, &report, NULL));
  in_place.scratch_bytes = report.journal_bytes;
  CHECK_CODE(BDELTA_OK, bdelta_apply_in_place(file, patch, &options, &in_place, &report, NULL));
  made = load(scratch, "in-place");
  CHECK(same(&made, &of->target));
  drop(&made);
  CHECK(report.up_to_date == 0 && !exists(journal));
  CHECK_CODE(BDELTA_OK, bdelta_resume_in_place(file, NULL, NULL, &report, NULL));
  CHECK(report.up_to_date == 1);
  in_place.flags = 2;
  CHECK_CODE(BDELTA_kUsage, bdelta_apply_in_place(file, patch, &options, &in_place, &report, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_resume_in_place(NULL, NULL, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kSamePath, bdelta_apply_in_place(file, file, NULL, NULL, NULL, NULL));
}

static void test_files(const set *of) {
  char source[750], patch[750], target[750];
  bdelta_apply_options options = apply_defaults();
  bdelta_report report;
  bdelta_info info;
  bytes made;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  sprintf(source, "%s/old", of->folder);
  sprintf(patch, "%s/patch", of->folder);
  scratch_path(target, "made");
  remove(target);

  CHECK_CODE(BDELTA_OK, bdelta_check_file(source, patch, &options, &report, NULL));
  CHECK(report.target_bytes == of->target.size);
  CHECK(!exists(target));
  CHECK_CODE(BDELTA_OK, bdelta_apply_file(source, target, patch, &options, &report, NULL));
  CHECK(report.patch_bytes == of->patch.size && report.source_bytes == of->source.size && report.up_to_date == 0);
  made = load(scratch, "made");
  CHECK(same(&made, &of->target));
  drop(&made);

  CHECK_CODE(BDELTA_OK, bdelta_info_file(patch, &info, NULL));
  CHECK(info.target_bytes == of->target.size && info.source_bytes == of->source.size);
  CHECK(memcmp(info.format, "bdt", 3) == 0 && info.version == (uint32_t)(info.format[3] - '0'));
  CHECK(info.verified == 0 && info.patch_bytes == 0);
  CHECK_CODE(BDELTA_OK, bdelta_verify_patch_file(patch, &info, NULL));
  CHECK(info.verified == (info.version == 2) && info.patch_bytes == of->patch.size && info.target_bytes == of->target.size);
  CHECK_CODE(BDELTA_kNotFound, bdelta_verify_patch_file(target + 1, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_verify_patch_file(NULL, &info, NULL));
  /* Only a format with digests can tell that nothing is to be done. */
  options.flags |= BDELTA_OVERWRITE;
  CHECK_CODE(BDELTA_OK, bdelta_apply_file(source, target, patch, &options, &report, NULL));
  CHECK(report.up_to_date == info.has_digests);
  options.flags &= ~BDELTA_OVERWRITE;
  if (!info.has_digests) {
    CHECK_CODE(BDELTA_kOutputExists, bdelta_apply_file(source, target, patch, &options, NULL, NULL));
  }
  remove(target);
}

static void test_callbacks(const set *of) {
  bdelta_apply_options options = apply_defaults();
  const bdelta_reader source = reader_of(&of->source);
  memory_input state;
  bdelta_input patch = input_of(&state);
  bdelta_info info;
  int way;
  for (way = 0; way < 4; ++way) {
    memory_output made;
    const bdelta_writer target = way % 2 ? place_at(&made) : stream_to(&made);
    memset(&made, 0, sizeof made);
    memset(&state, 0, sizeof state);
    state.from = &of->patch;
    state.most = way < 2 ? 7 : 0;
    CHECK_CODE(BDELTA_OK, bdelta_apply(&source, &patch, &target, &options, NULL, NULL));
    CHECK(same(&made.made, &of->target));
    drop(&made.made);
  }
  memset(&state, 0, sizeof state);
  state.from = &of->patch;
  CHECK_CODE(BDELTA_OK, bdelta_check(&source, &patch, &options, NULL, NULL));
  state.pos = 0;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  CHECK_CODE(BDELTA_OK, bdelta_info_stream(&patch, &info, NULL));
  CHECK(info.target_bytes == of->target.size);
}

/* `info` is not written when something is wrong. */
static void test_verify(const set *of) {
  memory_input state;
  bdelta_input patch = input_of(&state);
  bdelta_info info;
  bdelta_error error;
  bytes bad;
  size_t at;
  memset(&bad, 0, sizeof bad);
  memset(&state, 0, sizeof state);
  memset(&info, 0, sizeof info);
  memset(&error, 0, sizeof error);
  info.struct_size = sizeof info;
  error.struct_size = sizeof error;
  append(&bad, of->patch.data, of->patch.size);
  state.from = &bad;
  state.most = 7;
  for (at = 0; at < bad.size; at += 13) {
    state.pos = 0;
    bad.data[at] ^= 4;
    CHECK(bdelta_exit_class(bdelta_verify_patch(&patch, &info, &error)) == 3);
    CHECK(bdelta_exit_class(error.code) == 3 && info.version == 0);
    bad.data[at] ^= 4;
  }
  state.pos = 0;
  --bad.size;
  CHECK_CODE(BDELTA_kPatchTruncated, bdelta_verify_patch(&patch, NULL, NULL));
  ++bad.size;
  state.pos = 0;
  CHECK_CODE(BDELTA_OK, bdelta_verify_patch(&patch, NULL, NULL));
  state.pos = 0;
  CHECK_CODE(BDELTA_OK, bdelta_verify_patch(&patch, &info, &error));
  CHECK(info.verified == 1 && info.patch_bytes == bad.size);
  CHECK_CODE(BDELTA_kUsage, bdelta_verify_patch(NULL, &info, &error));
  info.struct_size = 3;
  CHECK_CODE(BDELTA_kUsage, bdelta_verify_patch(&patch, &info, &error));
  drop(&bad);
}

static void test_wrong_source(const set *of) {
  bytes other;
  bdelta_reader source;
  memory_input state;
  bdelta_input patch = input_of(&state);
  memory_output made;
  const bdelta_writer target = stream_to(&made);
  bdelta_error error;
  char text[40];
  memset(&other, 0, sizeof other);
  memset(&made, 0, sizeof made);
  memset(&state, 0, sizeof state);
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.message = text;
  error.message_size = sizeof text;
  state.from = &of->patch;
  append(&other, of->source.data, of->source.size);
  other.data[3] ^= 1;
  source = reader_of(&other);
  CHECK_CODE(BDELTA_kWrongSourceDigest, bdelta_apply(&source, &patch, &target, NULL, NULL, &error));
  CHECK(error.code == BDELTA_kWrongSourceDigest);
  CHECK(strlen(text) == sizeof text - 1); /* cut */
  --source.size;
  state.pos = 0;
  CHECK_CODE(BDELTA_kWrongSourceSize, bdelta_apply(&source, &patch, &target, NULL, NULL, &error));
  check_push_refuses(&source, &of->patch, BDELTA_kWrongSourceSize);
  CHECK(made.made.size == 0);
  source = reader_of(&of->source);
  state.pos = 0;
  CHECK_CODE(BDELTA_OK, bdelta_apply(&source, &patch, &target, NULL, NULL, &error));
  CHECK(error.code == BDELTA_OK && text[0] == '\0' && error.offset == BDELTA_NO_OFFSET);
  drop(&other);
  drop(&made.made);
}

/* Nothing of a patch with another digest is parsed: the code is the same whatever is in it. */
static void test_patch_digest(const set *of) {
  char source[750], patch[750], target[750];
  bdelta_apply_options options = apply_defaults();
  uint8_t digest[32];
  bytes bad;
  size_t at;
  memset(&bad, 0, sizeof bad);
  sha256_of(&of->patch, digest);
  options.patch_sha256 = digest;
  sprintf(source, "%s/old", of->folder);
  scratch_path(patch, "bad");
  scratch_path(target, "made");
  remove(target);
  append(&bad, of->patch.data, of->patch.size);
  for (at = 0; at < bad.size; at += at < 64 ? 1 : 97) {
    memory_input state;
    const bdelta_reader reader = reader_of(&of->source);
    bdelta_input input = input_of(&state);
    memset(&state, 0, sizeof state);
    state.from = &bad;
    bad.data[at] ^= 0x10;
    CHECK_CODE(BDELTA_kPatchDigest, bdelta_check(&reader, &input, &options, NULL, NULL));
    if (at == 0) {
      save(patch, bad.data, bad.size);
      CHECK_CODE(BDELTA_kPatchDigest, bdelta_apply_file(source, target, patch, &options, NULL, NULL));
      CHECK(!exists(target));
    }
    bad.data[at] ^= 0x10;
  }
  save(patch, bad.data, bad.size);
  CHECK_CODE(BDELTA_OK, bdelta_apply_file(source, target, patch, &options, NULL, NULL));
  CHECK(exists(target));
  remove(target);
  remove(patch);
  drop(&bad);
}

static void test_callback_errors(const set *of) {
  bdelta_reader source = reader_of(&of->source);
  memory_input state;
  memory_output made;
  bdelta_input patch = input_of(&state);
  bdelta_writer target = stream_to(&made);
  memset(&state, 0, sizeof state);
  memset(&made, 0, sizeof made);
  state.from = &of->patch;
  state.fail = BDELTA_kPermission;
  CHECK_CODE(BDELTA_kPermission, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL));
  state.fail = 4711;
  CHECK_CODE(BDELTA_kReadFailed, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL));
  state.fail = 0;
  made.fail = BDELTA_kNoSpace;
  CHECK_CODE(BDELTA_kNoSpace, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL));
  made.fail = -7;
  state.pos = 0;
  CHECK_CODE(BDELTA_kWriteFailed, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_apply(NULL, &patch, &target, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_apply(&source, NULL, &target, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_apply(&source, &patch, NULL, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_apply_file(NULL, "x", "y", NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kNotFound, bdelta_apply_file("no such file", "x", "no such file either", NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_info_file("x", NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_check_file("x", NULL, NULL, NULL, NULL));
  source.reserved = 1; /* something of a later version */
  CHECK_CODE(BDELTA_kUsage, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL));
  source.reserved = 0;
  patch.reserved = 1;
  CHECK_CODE(BDELTA_kUsage, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL));
  patch.reserved = 0;
  target.reserved = 1;
  CHECK_CODE(BDELTA_kUsage, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL));
  target.reserved = 0;
  target.write_at = place_at(&made).write_at;
  CHECK_CODE(BDELTA_kUsage, bdelta_apply(&source, &patch, &target, NULL, NULL, NULL)); /* both are set */
  drop(&made.made);
}

int main(int argc, char **argv) {
  int i;
  set first, many;
  if (argc < 4) return 2;
  sprintf(scratch, "%.480s", argv[2]);
  test_names();
  for (i = 3; i < argc; ++i) {
    set of = load_set(argv[1], argv[i]);
    const int before = failure_count;
    test_files(&of);
    test_in_place(&of);
    test_callbacks(&of);
    check_push_all_ways(&of.source, &of.target, &of.patch);
    check_push_file(of.folder, scratch, &of.target, &of.patch);
    if (failure_count != before) printf("  in set %s\n", argv[i]);
    drop_set(&of);
  }
  first = load_set(argv[1], "bdt2-level3");
  many = load_set(argv[1], "bdt2-many");
  test_verify(&first);
  test_wrong_source(&first);
  check_apply_options(&many);
  test_patch_digest(&first);
  test_callback_errors(&first);
  check_struct_sizes(&many);
  check_push_misuse(&first.source, &first.patch);
  check_push_damage(&many.source, &many.target, &many.patch, NULL);
  check_push_truncated(&many.source, &many.target, &many.patch, NULL);
  check_push_memory(&many.source, &many.target, &many.patch);
  drop_set(&first);
  drop_set(&many);
  printf("%d failures\n", failure_count);
  return failure_count != 0;
}
