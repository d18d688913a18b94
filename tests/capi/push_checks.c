#include "push_checks.h"

#include <stdio.h>
#include <string.h>
#include <sys/types.h>

#ifdef BDELTA_HAVE_NETTLE
#include <nettle/sha2.h>
#else
#include <sha2.h>
#endif

#define RANDOM_PIECES 0x80000000u

void sha256_of(const bytes *of, uint8_t digest[32]) {
#ifdef BDELTA_HAVE_NETTLE
  struct sha256_ctx context;
  sha256_init(&context);
  sha256_update(&context, of->size, of->data);
  sha256_digest(&context, 32, digest);
#else
  SHA2_CTX context;
  SHA256Init(&context);
  SHA256Update(&context, of->data, of->size);
  SHA256Final(digest, &context);
#endif
}

static int32_t feed_pieces(bdelta_push *push, const bytes *patch, size_t piece) {
  uint32_t state = (uint32_t)piece;
  size_t done = 0;
  while (done < patch->size) {
    size_t size = piece == 0 ? patch->size : piece >= RANDOM_PIECES ? next_random(&state) % 50 : piece;
    int32_t code;
    if (size > patch->size - done) size = patch->size - done;
    code = bdelta_push_feed(push, patch->data + done, size, NULL);
    if (code != BDELTA_OK) return code;
    done += size;
  }
  return BDELTA_OK;
}

int32_t push_in_pieces(const bdelta_reader *source, const bdelta_writer *target, const bytes *patch, size_t piece,
                       const bdelta_apply_options *options) {
  bdelta_push *push = NULL;
  int32_t code = bdelta_push_open(source, target, options, &push, NULL);
  CHECK((code == BDELTA_OK) == (push != NULL));
  if (code == BDELTA_OK) code = feed_pieces(push, patch, piece);
  if (code == BDELTA_OK) code = bdelta_push_finish(push, NULL, NULL);
  bdelta_push_close(push);
  return code;
}

void check_push_all_ways(const bytes *source, const bytes *target, const bytes *patch) {
  static const size_t pieces[] = {1, 7, RANDOM_PIECES + 1, RANDOM_PIECES + 2, 0};
  const bdelta_reader reader = reader_of(source);
  bdelta_apply_options options = apply_defaults();
  size_t i;
  int way;
  for (i = 0; i < sizeof pieces / sizeof pieces[0]; ++i) {
    for (way = 0; way < 4; ++way) {
      memory_output made;
      const bdelta_writer writer = way % 2 ? place_at(&made) : stream_to(&made);
      options.threads = way < 2 ? 1 : 3;
      memset(&made, 0, sizeof made);
      if (way == 3) continue; /* several threads would write at places at the same time: this memory has no lock */
      CHECK_CODE(BDELTA_OK, push_in_pieces(&reader, &writer, patch, pieces[i], &options));
      CHECK(same(&made.made, target));
      drop(&made.made);
    }
  }
}

void check_push_file(const char *folder, const char *scratch, const bytes *target, const bytes *patch) {
  char source_path[750], target_path[750];
  bdelta_apply_options options = apply_defaults();
  bdelta_report report;
  bdelta_push *push = NULL;
  bytes made;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  sprintf(source_path, "%.700s/old", folder);
  sprintf(target_path, "%.480s/pushed", scratch);
  remove(target_path);
  CHECK_CODE(BDELTA_OK, bdelta_push_open_file(source_path, target_path, &options, &push, NULL));
  CHECK_CODE(BDELTA_OK, feed_pieces(push, patch, 11));
  CHECK(!exists(target_path));
  CHECK_CODE(BDELTA_OK, bdelta_push_finish(push, &report, NULL));
  CHECK(exists(target_path));
  CHECK(report.target_bytes == target->size && report.patch_bytes == patch->size);
  bdelta_push_close(push);
  made = load(scratch, "pushed");
  CHECK(same(&made, target));
  drop(&made);
  /* Abandoned: what was there stays. */
  CHECK_CODE(BDELTA_kOutputExists, bdelta_push_open_file(source_path, target_path, &options, &push, NULL));
  options.flags |= BDELTA_OVERWRITE;
  save(target_path, (const unsigned char *)"precious", 8);
  CHECK_CODE(BDELTA_OK, bdelta_push_open_file(source_path, target_path, &options, &push, NULL));
  CHECK_CODE(BDELTA_OK, feed_pieces(push, patch, 0));
  bdelta_push_close(push);
  made = load(scratch, "pushed");
  CHECK(made.size == 8 && memcmp(made.data, "precious", 8) == 0);
  drop(&made);
  remove(target_path);
}

void check_push_refuses(const bdelta_reader *source, const bytes *patch, int32_t expected) {
  memory_output made;
  const bdelta_writer writer = stream_to(&made);
  memset(&made, 0, sizeof made);
  CHECK_CODE(expected, push_in_pieces(source, &writer, patch, 3, NULL));
  CHECK(made.made.size == 0);
}

static int32_t stop_later(void *user, uint64_t done, uint64_t total) {
  (void)total;
  ++*(int *)user;
  return done > 0;
}

void check_push_misuse(const bytes *source, const bytes *patch) {
  const bdelta_reader reader = reader_of(source);
  memory_output made;
  const bdelta_writer writer = stream_to(&made);
  bdelta_apply_options options = apply_defaults();
  bdelta_push *push = NULL;
  bdelta_error error;
  char text[300];
  uint8_t digest[32];
  int called = 0;
  memset(&made, 0, sizeof made);
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.message = text;
  error.message_size = sizeof text;
  bdelta_push_close(NULL);
  CHECK_CODE(BDELTA_kUsage, bdelta_push_open(&reader, &writer, NULL, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_push_open(NULL, &writer, NULL, &push, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_push_open(&reader, NULL, NULL, &push, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_push_feed(NULL, "x", 1, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_push_finish(NULL, NULL, NULL));
  memset(digest, 0, sizeof digest);
  options.patch_sha256 = digest;
  CHECK_CODE(BDELTA_kUsage, bdelta_push_open(&reader, &writer, &options, &push, NULL));
  options = apply_defaults();
  options.head_sha256 = digest;
  CHECK_CODE(BDELTA_kPatchDigest, push_in_pieces(&reader, &writer, patch, 1, &options));
  options = apply_defaults();
  options.memory_bytes = 100;
  CHECK_CODE(BDELTA_kMemoryLimit, push_in_pieces(&reader, &writer, patch, 1, &options));
  options = apply_defaults();
  options.progress = stop_later;
  options.progress_user = &called;
  CHECK_CODE(BDELTA_kCancelled, push_in_pieces(&reader, &writer, patch, 1, &options));
  CHECK(called >= 2);
  drop(&made.made);

  /* An error stays; so does having finished. */
  CHECK_CODE(BDELTA_OK, bdelta_push_open(&reader, &writer, NULL, &push, NULL));
  CHECK_CODE(BDELTA_kNotAPatch, bdelta_push_feed(push, "<!DOCTYPE html>", 15, &error));
  CHECK(error.code == BDELTA_kNotAPatch && error.offset == 0 && strlen(text) > 20);
  CHECK_CODE(BDELTA_kNotAPatch, bdelta_push_feed(push, patch->data, patch->size, NULL));
  CHECK_CODE(BDELTA_kNotAPatch, bdelta_push_finish(push, NULL, NULL));
  bdelta_push_close(push);
  CHECK(made.made.size == 0);
  CHECK_CODE(BDELTA_OK, bdelta_push_open(&reader, &writer, NULL, &push, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_push_feed(push, NULL, 0, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_push_feed(push, NULL, 1, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_push_feed(push, patch->data, patch->size, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_push_finish(push, NULL, NULL));
  CHECK_CODE(BDELTA_kUsage, bdelta_push_finish(push, NULL, NULL));
  bdelta_push_close(push);
  CHECK_CODE(BDELTA_OK, bdelta_push_open(&reader, &writer, NULL, &push, NULL));
  CHECK_CODE(BDELTA_OK, bdelta_push_feed(push, patch->data, patch->size, NULL));
  CHECK_CODE(BDELTA_kPatchTrailingBytes, bdelta_push_feed(push, "", 1, &error));
  CHECK(error.offset == patch->size);
  bdelta_push_close(push);
  drop(&made.made);
}

static void check_prefix(const bytes *made, const bytes *target, size_t at) {
  if (made->size <= target->size && (made->size == 0 || memcmp(made->data, target->data, made->size) == 0)) return;
  ++failure_count;
  printf("byte %lu: %lu bytes were written that are not the begin of NEW\n", (unsigned long)at,
         (unsigned long)made->size);
}

void check_push_damage(const bytes *source, const bytes *target, const bytes *patch, const uint8_t *head_sha256) {
  const bdelta_reader reader = reader_of(source);
  bdelta_apply_options options = apply_defaults();
  bytes bad;
  size_t at;
  long digests = 0;
  memset(&bad, 0, sizeof bad);
  append(&bad, patch->data, patch->size);
  options.head_sha256 = head_sha256;
  options.memory_bytes = 64u << 20;
  for (at = 0; at < bad.size; ++at) {
    static const unsigned char masks[] = {0xff, 0x01, 0x80};
    size_t i;
    for (i = 0; i < sizeof masks; ++i) {
      memory_output made;
      const bdelta_writer writer = stream_to(&made);
      int32_t code;
      memset(&made, 0, sizeof made);
      bad.data[at] ^= masks[i];
      code = push_in_pieces(&reader, &writer, &bad, i == 0 ? 0 : 13, &options);
      bad.data[at] ^= masks[i];
      if (code == BDELTA_OK ? !same(&made.made, target) || head_sha256 != NULL : code == BDELTA_kInternal) {
        ++failure_count;
        printf("byte %lu changed gives %s\n", (unsigned long)at, bdelta_error_name(code));
      }
      check_prefix(&made.made, target, at);
      digests += code == BDELTA_kPatchDigest;
      drop(&made.made);
    }
  }
  /* With a trusted head nearly all is told by digests; the rest are sizes that became larger than the patch. */
  if (head_sha256) CHECK(digests > (long)(3 * bad.size * 9 / 10));
  drop(&bad);
}

void check_push_truncated(const bytes *source, const bytes *target, const bytes *patch, const uint8_t *head_sha256) {
  const bdelta_reader reader = reader_of(source);
  bdelta_apply_options options = apply_defaults();
  bytes cut = *patch;
  options.head_sha256 = head_sha256;
  for (cut.size = 0; cut.size < patch->size; ++cut.size) {
    memory_output made;
    const bdelta_writer writer = stream_to(&made);
    memset(&made, 0, sizeof made);
    CHECK_CODE(BDELTA_kPatchTruncated, push_in_pieces(&reader, &writer, &cut, cut.size % 2 ? 5 : 0, &options));
    check_prefix(&made.made, target, cut.size);
    drop(&made.made);
  }
}

void check_push_memory(const bytes *source, const bytes *target, const bytes *patch) {
  const bdelta_reader reader = reader_of(source);
  bdelta_apply_options options = apply_defaults();
  counting state;
  const bdelta_allocator allocator = allocator_of(&state);
  bdelta_allocator later = allocator; /* with something that this version does not know */
  memory_output unused;
  const bdelta_writer nowhere = stream_to(&unused);
  long fail_at;
  int32_t code = BDELTA_kOutOfMemory;
  later.reserved = 1;
  options.allocator = &allocator;
  for (fail_at = 1; code != BDELTA_OK && fail_at < 1000; ++fail_at) {
    memory_output made;
    const bdelta_writer writer = stream_to(&made);
    memset(&made, 0, sizeof made);
    memset(&state, 0, sizeof state);
    state.fail_at = fail_at;
    code = push_in_pieces(&reader, &writer, patch, 3, &options);
    if (code == BDELTA_OK) {
      CHECK(same(&made.made, target));
    } else {
      CHECK_CODE(BDELTA_kOutOfMemory, code);
      check_prefix(&made.made, target, 0);
    }
    CHECK(state.taken == state.given_back);
    CHECK(state.taken >= fail_at - 1);
    drop(&made.made);
  }
  options.allocator = &later;
  CHECK_CODE(BDELTA_kUsage, push_in_pieces(&reader, &nowhere, patch, 3, &options));
  CHECK(fail_at > 3); /* the object, and more than one block for what waits */
  CHECK_CODE(BDELTA_OK, code);
}
