/* The functions that make patches, and digests from end to end: a C90 program with the full library.
 *
 * usage: capi_create GOLDEN_FOLDER SCRATCH_FOLDER */
#include <stdio.h>
#include <string.h>

#include "push_checks.h"
#include "support.h"

static bdelta_create_options create_defaults(void) {
  bdelta_create_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = BDELTA_NO_SYNC;
  options.threads = 1; /* what the callbacks of these tests stand */
  return options;
}

/* OLD of words; NEW with changes all over it, and more than one group at level 1. */
static void make_pair(bytes *source, bytes *target) {
  uint32_t state = 7;
  size_t i;
  memset(source, 0, sizeof *source);
  memset(target, 0, sizeof *target);
  for (i = 0; i < 3000; ++i) {
    char word[32];
    sprintf(word, "word %lu and ", (unsigned long)(next_random(&state) % 5000));
    append(source, word, strlen(word));
  }
  append(target, "a new beginning ", 16);
  append(target, source->data, source->size);
  for (i = 100; i < target->size; i += 97) target->data[i] ^= 1;
}

static int32_t create_into(const bytes *source, const bytes *target, bytes *patch, const bdelta_create_options *options,
                           bdelta_report *report) {
  const bdelta_reader from = reader_of(source);
  const bdelta_reader to = reader_of(target);
  memory_output made;
  const bdelta_writer writer = stream_to(&made);
  int32_t code;
  memset(&made, 0, sizeof made);
  code = bdelta_create(&from, &to, &writer, options, report, NULL);
  *patch = made.made;
  return code;
}

static void test_callbacks(const bytes *source, const bytes *target) {
  bdelta_create_options options = create_defaults();
  uint32_t level;
  bytes patch;
  for (level = 0; level <= 9; level += 3) {
    options.level = level;
    CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, &options, NULL));
    CHECK(patch.size > 0 && patch.size < target->size);
    check_push_all_ways(source, target, &patch);
    drop(&patch);
  }
  options = create_defaults();
  options.format = BDELTA_FORMAT_BDT1;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, &options, NULL));
  CHECK(patch.data[3] == 1);
  check_push_all_ways(source, target, &patch);
  drop(&patch);
}

static int32_t stop(void *user, uint64_t done, uint64_t total) {
  (void)user;
  (void)done;
  (void)total;
  return 1;
}

/* That the head of a patch asks for. */
static uint64_t declared_memory(const bytes *patch) {
  memory_input state;
  const bdelta_input input = input_of(&state);
  bdelta_info info;
  memset(&state, 0, sizeof state);
  state.from = patch;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  CHECK_CODE(BDELTA_OK, bdelta_info_stream(&input, &info, NULL));
  return info.decoder_memory_bytes;
}

static void test_options(const bytes *source, const bytes *target) {
  bdelta_create_options options = create_defaults();
  bdelta_report report;
  bytes patch;
  char seen[200] = "";
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, NULL, &report));
  CHECK(report.patch_bytes == patch.size && report.verified == 1 && report.has_head_sha256 == 0);
  CHECK(report.covered_bytes + report.literal_bytes == target->size);
  CHECK(report.decoder_memory_bytes == declared_memory(&patch));
  CHECK(report.nominal_apply_ns > 0);
  drop(&patch);
  options.flags |= BDELTA_NO_VERIFY | BDELTA_NO_PREDICT;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, &options, &report));
  CHECK(report.verified == 0);
  drop(&patch);
  options = create_defaults();
  options.level = BDELTA_LEVEL_ULTRA + 1;
  CHECK_CODE(BDELTA_kUsage, create_into(source, target, &patch, &options, NULL));
  options = create_defaults();
  options.format = 2;
  CHECK_CODE(BDELTA_kUsage, create_into(source, target, &patch, &options, NULL));
  options = create_defaults();
  options.max_patch_ratio = 0.0001;
  CHECK_CODE(BDELTA_kPatchTooLarge, create_into(source, target, &patch, &options, NULL));
  drop(&patch);
  options = create_defaults();
  options.progress = stop;
  CHECK_CODE(BDELTA_kCancelled, create_into(source, target, &patch, &options, NULL));
  drop(&patch);
  options.phase_progress = note_phase;
  options.progress_user = seen;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, &options, NULL));
  CHECK(strncmp(seen, "read ", 5) == 0 && strstr(seen, "parse ") != NULL && strstr(seen, "verify ") != NULL);
  drop(&patch);
  options = create_defaults();
  options.memory_bytes = 1000;
  CHECK_CODE(BDELTA_kMemoryLimit, create_into(source, target, &patch, &options, NULL));
  options = create_defaults();
  options.format = BDELTA_FORMAT_BDT1;
  options.flags |= BDELTA_DIGESTS;
  CHECK_CODE(BDELTA_kFormatCannotHold, create_into(source, target, &patch, &options, NULL));
  options = create_defaults();
  options.max_apply_seconds = -1;
  CHECK_CODE(BDELTA_kUsage, create_into(source, target, &patch, &options, NULL));
  options.max_apply_seconds = 0;
  options.time_limit_seconds = -1;
  CHECK_CODE(BDELTA_kUsage, create_into(source, target, &patch, &options, NULL));
  drop(&patch);
}

static void test_files(const char *scratch, const bytes *source, const bytes *target) {
  char from[600], to[600], patch[600], made[600];
  bdelta_create_options options = create_defaults();
  bdelta_apply_options apply = apply_defaults();
  uint64_t memory = 0;
  bytes found;
  sprintf(from, "%.500s/c-old", scratch);
  sprintf(to, "%.500s/c-new", scratch);
  sprintf(patch, "%.500s/c-patch", scratch);
  sprintf(made, "%.500s/c-made", scratch);
  save(from, source->data, source->size);
  save(to, target->data, target->size);
  remove(patch);
  remove(made);
  CHECK_CODE(BDELTA_OK, bdelta_create_file(from, to, patch, &options, NULL, NULL));
  CHECK_CODE(BDELTA_kOutputExists, bdelta_create_file(from, to, patch, &options, NULL, NULL));
  CHECK_CODE(BDELTA_kSamePath, bdelta_create_file(from, to, from, &options, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_create_file(from, to, NULL, &options, NULL, NULL));
  apply.flags |= BDELTA_MAP_INPUTS;
  CHECK_CODE(BDELTA_OK, bdelta_apply_file(from, made, patch, &apply, NULL, NULL));
  found = load(scratch, "c-made");
  CHECK(same(&found, target));
  drop(&found);
  CHECK_CODE(BDELTA_OK, bdelta_estimate_memory(1000000, 1000000, &options, &memory, NULL));
  CHECK(memory > 0);
  options.memory_bytes = 64u << 20;
  CHECK_CODE(BDELTA_OK, bdelta_estimate_memory(1000000, 1000000, &options, &memory, NULL));
  CHECK(memory <= options.memory_bytes);
  CHECK_CODE(BDELTA_kUsage, bdelta_estimate_memory(1, 1, &options, NULL, NULL));
  remove(from);
  remove(to);
  remove(patch);
  remove(made);
}

/* Only `head` of the patch is trusted. */
static void test_digests(const bytes *source, const bytes *target) {
  bdelta_create_options options = create_defaults();
  bdelta_apply_options apply = apply_defaults();
  bdelta_report report;
  bdelta_info info;
  const bdelta_reader reader = reader_of(source);
  memory_output made;
  const bdelta_writer writer = stream_to(&made);
  memory_input state;
  const bdelta_input input = input_of(&state);
  bytes patch, plain;
  uint8_t other[32];
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  memset(&state, 0, sizeof state);
  memset(&made, 0, sizeof made);
  options.level = 1;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &plain, &options, NULL));
  options.flags |= BDELTA_DIGESTS;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, &options, &report));
  CHECK(report.has_head_sha256 == 1 && report.verified == 1);
  CHECK(patch.size >= plain.size + 2 + 2 * 32);
  state.from = &patch;
  CHECK_CODE(BDELTA_OK, bdelta_info_stream(&input, &info, NULL));
  CHECK(info.has_head_sha256 == 1 && memcmp(info.head_sha256, report.head_sha256, 32) == 0);

  apply.head_sha256 = report.head_sha256;
  CHECK_CODE(BDELTA_OK, push_in_pieces(&reader, &writer, &patch, 9, &apply));
  CHECK(same(&made.made, target));
  drop(&made.made);
  state.pos = 0;
  CHECK_CODE(BDELTA_OK, bdelta_apply(&reader, &input, &writer, &apply, NULL, NULL));
  CHECK(same(&made.made, target));
  drop(&made.made);
  memcpy(other, report.head_sha256, 32);
  other[31] ^= 1;
  apply.head_sha256 = other;
  CHECK_CODE(BDELTA_kPatchDigest, push_in_pieces(&reader, &writer, &patch, 9, &apply));
  state.pos = 0;
  CHECK_CODE(BDELTA_kPatchDigest, bdelta_apply(&reader, &input, &writer, &apply, NULL, NULL));
  apply.head_sha256 = report.head_sha256;
  CHECK_CODE(BDELTA_kPatchDigest, push_in_pieces(&reader, &writer, &plain, 9, &apply));
  CHECK(made.made.size == 0);
  check_push_all_ways(source, target, &patch);
  drop(&plain);
  drop(&patch);
}

/* XXH3-128 of the inputs always, the rest where it is asked for; 0 stands for what is not known. */
static void test_report_digests(const bytes *source, const bytes *target) {
  static const uint8_t unknown[32];
  bdelta_create_options options = create_defaults();
  bdelta_apply_options apply = apply_defaults();
  const bdelta_reader reader = reader_of(source);
  memory_input state;
  const bdelta_input input = input_of(&state);
  bdelta_report report;
  bdelta_info info;
  uint8_t digest[32];
  bytes patch;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  memset(&state, 0, sizeof state);
  options.level = 1;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, &options, &report));
  state.from = &patch;
  CHECK_CODE(BDELTA_OK, bdelta_info_stream(&input, &info, NULL));
  CHECK(memcmp(report.source_xxh3_128, info.source_xxh3_128, 16) == 0);
  CHECK(memcmp(report.target_xxh3_128, info.target_xxh3_128, 16) == 0);
  CHECK(memcmp(report.patch_xxh3_128, unknown, 16) == 0 && memcmp(report.patch_sha256, unknown, 32) == 0);
  CHECK(memcmp(report.source_sha256, unknown, 32) == 0 && memcmp(report.target_sha256, unknown, 32) == 0);
  drop(&patch);
  options.flags |= BDELTA_DIGEST_PATCH | BDELTA_SHA256_INPUTS;
  CHECK_CODE(BDELTA_OK, create_into(source, target, &patch, &options, &report));
  CHECK(memcmp(report.patch_xxh3_128, unknown, 16) != 0);
  sha256_of(&patch, digest);
  CHECK(memcmp(report.patch_sha256, digest, 32) == 0);
  sha256_of(source, digest);
  CHECK(memcmp(report.source_sha256, digest, 32) == 0);
  sha256_of(target, digest);
  CHECK(memcmp(report.target_sha256, digest, 32) == 0);

  memset(&state, 0, sizeof state);
  state.from = &patch;
  sha256_of(&patch, digest);
  apply.patch_sha256 = digest;
  CHECK_CODE(BDELTA_OK, bdelta_check(&reader, &input, &apply, &report, NULL));
  CHECK(memcmp(report.source_xxh3_128, info.source_xxh3_128, 16) == 0);
  CHECK(memcmp(report.target_xxh3_128, info.target_xxh3_128, 16) == 0);
  CHECK(memcmp(report.patch_sha256, digest, 32) == 0 && memcmp(report.source_sha256, unknown, 32) == 0);
  drop(&patch);
}

/* Every byte of a small patch, under a head that is trusted and under none. */
static void test_damaged_digests(void) {
  bdelta_create_options options = create_defaults();
  bdelta_report report;
  bytes source, target, patch;
  size_t i;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  memset(&source, 0, sizeof source);
  memset(&target, 0, sizeof target);
  for (i = 0; i < 300; ++i) append(&source, i % 3 ? "the quick " : "brown fox ", 10);
  append(&target, source.data, source.size);
  for (i = 0; i < target.size; i += 31) target.data[i] ^= 2;
  options.flags |= BDELTA_DIGESTS;
  CHECK_CODE(BDELTA_OK, create_into(&source, &target, &patch, &options, &report));
  check_push_damage(&source, &target, &patch, report.head_sha256);
  check_push_truncated(&source, &target, &patch, report.head_sha256);
  check_push_memory(&source, &target, &patch);
  drop(&source);
  drop(&target);
  drop(&patch);
}

/* A patch with prediction: the global record and groups of covers have digests too. */
static void test_predicted(const char *golden) {
  bdelta_create_options options = create_defaults();
  bdelta_apply_options apply = apply_defaults();
  bdelta_report report;
  memory_output made;
  const bdelta_writer writer = stream_to(&made);
  bdelta_reader reader;
  char folder[700];
  bytes source, target, patch;
  size_t at;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  sprintf(folder, "%.500s/bdt2-predicted", golden);
  source = load(folder, "old");
  target = load(folder, "new");
  reader = reader_of(&source);
  options.level = 6;
  options.flags |= BDELTA_DIGESTS;
  CHECK_CODE(BDELTA_OK, create_into(&source, &target, &patch, &options, &report));
  check_push_all_ways(&source, &target, &patch);
  apply.head_sha256 = report.head_sha256;
  for (at = 0; at < patch.size; at += 41) {
    int32_t code;
    memset(&made, 0, sizeof made);
    patch.data[at] ^= 4;
    code = push_in_pieces(&reader, &writer, &patch, 100, &apply);
    CHECK(code != BDELTA_OK && code != BDELTA_kInternal);
    patch.data[at] ^= 4;
    CHECK(made.made.size == 0 || memcmp(made.made.data, target.data, made.made.size) == 0);
    drop(&made.made);
  }
  drop(&source);
  drop(&target);
  drop(&patch);
}

/* `made` is what `source` is, and is updated in its place while the patch comes. */
static void check_push_tree(const char *source, const char *made, const char *patch, const bdelta_apply_options *options) {
  unsigned char piece[100];
  bdelta_report report;
  bdelta_push *push = NULL;
  size_t size;
  FILE *const file = fopen(patch, "rb");
  CHECK(file != NULL);
  if (!file) return;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  CHECK_CODE(BDELTA_kOutputExists, bdelta_push_open_tree(source, made, options, &push, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_push_open_tree(source, NULL, options, &push, NULL));
  CHECK(push == NULL);
  CHECK_CODE(BDELTA_OK, bdelta_push_open_tree(made, made, options, &push, NULL));
  while ((size = fread(piece, 1, sizeof piece, file)) > 0) CHECK_CODE(BDELTA_OK, bdelta_push_feed(push, piece, size, NULL));
  CHECK_CODE(BDELTA_kInUse, bdelta_apply_tree(made, made, patch, options, NULL, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_push_finish(push, &report, NULL));
  CHECK(report.verified == 1 && report.up_to_date == 0);
  bdelta_push_close(push);
  fclose(file);
}

/* `made` is what `target` is: a patch leads back to `source`, in its place. */
static void check_update(const char *source, const char *target, const char *made, const char *patch,
                         const bdelta_create_options *options, const bdelta_apply_options *given) {
  bdelta_apply_options apply = *given;
  bdelta_report report;
  uint32_t what = 9;
  char state[600];
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  sprintf(state, "%.500s.state", made);
  apply.flags |= BDELTA_KEEP_STATE | BDELTA_TRUST_TIMES;
  apply.state_file = state;
  CHECK_CODE(BDELTA_OK, bdelta_create_tree(target, source, patch, options, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_apply_tree(made, made, patch, &apply, &report, NULL));
  CHECK(report.verified == 1 && report.up_to_date == 0);
  apply.flags |= BDELTA_KEEP_OTHERS;
  CHECK_CODE(BDELTA_OK, bdelta_apply_tree(made, made, patch, &apply, &report, NULL));
  CHECK(report.up_to_date == 1);
  CHECK_CODE(BDELTA_OK, bdelta_tree_state(made, &what, NULL));
  CHECK(what == BDELTA_TREE_WHOLE);
  CHECK_CODE(BDELTA_OK, bdelta_resume_tree(made, NULL, &what, NULL));
  CHECK(what == BDELTA_RESUMED_NOTHING);
  CHECK_CODE(BDELTA_OK, bdelta_resume_tree(made, &apply, NULL, NULL));
  CHECK_CODE(BDELTA_kNotFound, bdelta_resume_tree("/nowhere at all", NULL, &what, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_tree_state(made, NULL, NULL));
  apply.flags |= 1u << 30;
  CHECK_CODE(BDELTA_kUsage, bdelta_apply_tree(made, made, patch, &apply, &report, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_create_tree(source, target, patch, options, NULL, NULL, NULL));
  check_push_tree(source, made, patch, given);
  CHECK_CODE(BDELTA_OK, bdelta_apply_tree(made, made, patch, given, &report, NULL));
  CHECK(report.up_to_date == 1);
}

/* From one golden set as a directory to another one. A directory that was made before is what the patch makes. */
static void test_trees(const char *golden, const char *scratch) {
  static const char *const excluded[] = {"*.unknown"};
  char source[600], target[600], patch[600], made[600];
  bdelta_create_options options = create_defaults();
  bdelta_tree_options of_trees;
  bdelta_apply_options apply;
  bdelta_report report;
  bdelta_info info;
  memset(&of_trees, 0, sizeof of_trees);
  of_trees.struct_size = sizeof of_trees;
  of_trees.flags = BDELTA_TREE_TIMES | BDELTA_TREE_SOURCE_LIST;
  of_trees.exclude = excluded;
  of_trees.exclude_count = 1;
  memset(&apply, 0, sizeof apply);
  apply.struct_size = sizeof apply;
  apply.threads = 1;
  apply.flags = BDELTA_NO_SYNC;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  memset(&info, 0, sizeof info);
  info.struct_size = sizeof info;
  sprintf(target, "%.500s/bdt2-predicted", golden);
  sprintf(source, "%.500s/bdt2-level1", golden);
  sprintf(patch, "%.500s/trees.patch", scratch);
  sprintf(made, "%.500s/made-tree", scratch);
  options.flags |= BDELTA_OVERWRITE;
  CHECK_CODE(BDELTA_OK, bdelta_create_tree(source, target, patch, &options, &of_trees, &report, NULL));
  CHECK(report.verified == 1);
  CHECK_CODE(BDELTA_OK, bdelta_info_file(patch, &info, NULL));
  CHECK(info.of_tree == 1 && info.entry_count == 3 && info.removed_files == 0);
  CHECK_CODE(BDELTA_OK, bdelta_check_tree(source, patch, &apply, NULL, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_apply_tree(source, made, patch, &apply, &report, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_apply_tree(source, made, patch, &apply, &report, NULL));
  CHECK(report.up_to_date == 1);
  CHECK_CODE(BDELTA_OK, bdelta_apply_tree(source, target, patch, &apply, &report, NULL));
  CHECK(report.up_to_date == 1);
  CHECK_CODE(BDELTA_kWrongSourceSize, bdelta_check_tree(scratch, patch, &apply, NULL, NULL));
  check_update(source, target, made, patch, &options, &apply);
  apply.target_mode = 0600;
  CHECK_CODE(BDELTA_kUsage, bdelta_check_tree(source, patch, &apply, NULL, NULL));
  of_trees.flags = 4;
  CHECK_CODE(BDELTA_kUsage, bdelta_create_tree(source, target, patch, &options, &of_trees, &report, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_create_tree(source, target, patch, &options, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kSamePath, bdelta_create_tree(source, source, patch, &options, NULL, NULL, NULL));
}

/* Shares of a patch, which is of directories and has a list of OLD. */
static void check_members(const char *source, const char *patch, int has_source) {
  bdelta_members *members = NULL;
  bdelta_members_summary summary;
  bdelta_member member;
  bdelta_share share;
  bdelta_entry entry;
  uint64_t bytes = 0, of_members = 0;
  size_t i, j, size = 0;
  memset(&summary, 0, sizeof summary);
  summary.struct_size = sizeof summary;
  memset(&member, 0, sizeof member);
  member.struct_size = sizeof member;
  memset(&share, 0, sizeof share);
  share.struct_size = sizeof share;
  memset(&entry, 0, sizeof entry);
  entry.struct_size = sizeof entry;
  CHECK_CODE(BDELTA_OK, bdelta_members_open(has_source ? source : NULL, patch, NULL, &members, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_members_sum_up(members, &summary, NULL));
  CHECK(summary.kind_count > 2 && (summary.member_count > 0) == has_source && summary.has_entries == 1);
  for (i = 0; i < summary.kind_count; ++i) {
    CHECK_CODE(BDELTA_OK, bdelta_members_kind(members, BDELTA_NO_MEMBER, i, &share, NULL));
    CHECK(share.patch_bytes > 0 && strlen(share.name) == share.name_size);
    bytes += share.patch_bytes;
  }
  CHECK(bytes == summary.patch_bytes);
  for (i = 0; i < summary.member_count; ++i) {
    CHECK_CODE(BDELTA_OK, bdelta_members_member(members, i, &member, NULL));
    CHECK(i == 0 ? member.parent == BDELTA_NO_MEMBER && member.path_size == 0 : member.parent < i);
    CHECK(strlen(member.path) == member.path_size && strlen(member.source_path) == member.source_path_size);
    for (j = 0, bytes = 0; j < member.kind_count; ++j) {
      CHECK_CODE(BDELTA_OK, bdelta_members_kind(members, i, j, &share, NULL));
      bytes += share.patch_bytes;
    }
    CHECK(bytes == member.patch_bytes);
    for (j = 0, bytes = 0; j < member.section_count; ++j) {
      CHECK_CODE(BDELTA_OK, bdelta_members_section(members, i, j, &share, NULL));
      CHECK(share.patch_bytes > 0 && share.target_bytes > 0);
      bytes += share.patch_bytes;
    }
    CHECK(bytes <= member.patch_bytes);
    CHECK_CODE(BDELTA_kUsage, bdelta_members_section(members, i, member.section_count, &share, NULL));
    CHECK_CODE(BDELTA_kUsage, bdelta_members_kind(members, i, member.kind_count, &share, NULL));
    of_members += member.patch_bytes;
  }
  CHECK(of_members <= summary.patch_bytes);
  for (i = 0, bytes = 0; i < summary.entry_count; ++i) {
    CHECK_CODE(BDELTA_OK, bdelta_members_entry(members, i, &entry, NULL));
    CHECK(entry.change <= BDELTA_REMOVED && entry.path_size == strlen(entry.path) && entry.path_size > 0);
    bytes += entry.patch_bytes;
  }
  CHECK(summary.entry_count == 3 && bytes < summary.patch_bytes);
  for (i = 0; i < summary.removed_count; ++i) CHECK(strlen(bdelta_members_removed(members, i, &size)) == size);
  CHECK(bdelta_members_removed(members, summary.removed_count, NULL) == NULL);
  CHECK_CODE(BDELTA_kUsage, bdelta_members_entry(members, summary.entry_count, &entry, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_members_member(members, summary.member_count, &member, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_members_kind(members, summary.member_count, 0, &share, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_members_sum_up(members, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_members_sum_up(NULL, &summary, NULL));
  member.struct_size = 3;
  CHECK_CODE(BDELTA_kUsage, bdelta_members_member(members, 0, &member, NULL));
  summary.struct_size = 16; /* of an older header */
  summary.kind_count = 77;
  CHECK_CODE(BDELTA_OK, bdelta_members_sum_up(members, &summary, NULL));
  CHECK(summary.kind_count == 77);
  bdelta_members_close(members);
  bdelta_members_close(NULL);
}

static void test_members(const char *golden, const char *scratch) {
  char source[600], target[600], patch[600];
  bdelta_create_options options = create_defaults();
  bdelta_tree_options of_trees;
  bdelta_members *members = NULL;
  memset(&of_trees, 0, sizeof of_trees);
  of_trees.struct_size = sizeof of_trees;
  of_trees.flags = BDELTA_TREE_SOURCE_LIST;
  sprintf(source, "%.500s/bdt2-level1", golden);
  sprintf(target, "%.500s/bdt2-predicted", golden);
  sprintf(patch, "%.500s/members.patch", scratch);
  options.flags |= BDELTA_OVERWRITE | BDELTA_NO_UNPACK;
  CHECK_CODE(BDELTA_OK, bdelta_create_tree(source, target, patch, &options, &of_trees, NULL, NULL));
  check_members(source, patch, 1);
  check_members(source, patch, 0);
  CHECK_CODE(BDELTA_kNotFound, bdelta_members_open("/nowhere at all", patch, NULL, &members, NULL));
  CHECK(members == NULL);
  CHECK_CODE(BDELTA_kNotFound, bdelta_members_open(NULL, "/nowhere at all", NULL, &members, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_members_open(source, NULL, NULL, &members, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_members_open(source, patch, NULL, NULL, NULL));
}

int main(int argc, char **argv) {
  bytes source, target;
  if (argc != 3) return 2;
  make_pair(&source, &target);
  test_callbacks(&source, &target);
  test_options(&source, &target);
  test_files(argv[2], &source, &target);
  test_digests(&source, &target);
  test_report_digests(&source, &target);
  test_damaged_digests();
  test_predicted(argv[1]);
  test_trees(argv[1], argv[2]);
  test_members(argv[1], argv[2]);
  drop(&source);
  drop(&target);
  printf("%d failures\n", failure_count);
  return failure_count != 0;
}
