#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int failure_count = 0;

void check_at(const char *file, int line, int holds, const char *text) {
  if (holds) return;
  ++failure_count;
  printf("%s:%d: does not hold: %s\n", file, line, text);
}

void check_code_at(const char *file, int line, int32_t expected, int32_t found, const char *text) {
  if (expected == found) return;
  ++failure_count;
  printf("%s:%d: expected %s, found %s: %s\n", file, line, bdelta_error_name(expected), bdelta_error_name(found), text);
}

void append(bytes *to, const void *data, size_t size) {
  if (size == 0) return;
  if (to->size + size > to->capacity) {
    to->capacity = 2 * (to->size + size);
    to->data = (unsigned char *)realloc(to->data, to->capacity);
    if (!to->data) exit(2);
  }
  memcpy(to->data + to->size, data, size);
  to->size += size;
}

void put(bytes *to, uint64_t pos, const void *data, size_t size) {
  static const unsigned char zero = 0;
  while (to->size < pos + size) append(to, &zero, 1);
  memcpy(to->data + pos, data, size);
}

bytes load(const char *folder, const char *name) {
  char path[1024];
  char piece[4096];
  size_t count;
  FILE *file;
  bytes all;
  memset(&all, 0, sizeof all);
  sprintf(path, "%.500s/%.500s", folder, name);
  file = fopen(path, "rb");
  if (!file) {
    printf("%s is missing\n", path);
    exit(2);
  }
  while ((count = fread(piece, 1, sizeof piece, file)) > 0) append(&all, piece, count);
  fclose(file);
  return all;
}

void save(const char *path, const unsigned char *data, size_t size) {
  FILE *file = fopen(path, "wb");
  if (!file || fwrite(data, 1, size, file) != size) exit(2);
  fclose(file);
}

int exists(const char *path) {
  FILE *file = fopen(path, "rb");
  if (file) fclose(file);
  return file != NULL;
}

int same(const bytes *a, const bytes *b) {
  return a->size == b->size && (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}

void drop(bytes *of) {
  free(of->data);
  memset(of, 0, sizeof *of);
}

uint32_t next_random(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

static int32_t read_memory(void *user, uint64_t pos, void *out, size_t size) {
  const bytes *from = (const bytes *)user;
  if (pos > from->size || size > from->size - pos) return BDELTA_kInputTruncated;
  memcpy(out, from->data + pos, size);
  return BDELTA_OK;
}

bdelta_reader reader_of(const bytes *from) {
  bdelta_reader reader;
  memset(&reader, 0, sizeof reader);
  reader.struct_size = sizeof reader;
  reader.size = from->size;
  reader.read_at = read_memory;
  reader.user = (void *)from;
  return reader;
}

static int32_t read_input(void *user, void *out, size_t size, size_t *count) {
  memory_input *state = (memory_input *)user;
  const size_t left = state->from->size - state->pos;
  if (state->fail) return state->fail;
  if (state->most && size > state->most) size = state->most;
  if (size > left) size = left;
  if (size > 0) memcpy(out, state->from->data + state->pos, size);
  state->pos += size;
  *count = size;
  return BDELTA_OK;
}

bdelta_input input_of(memory_input *state) {
  bdelta_input input;
  memset(&input, 0, sizeof input);
  input.struct_size = sizeof input;
  input.read = read_input;
  input.user = state;
  return input;
}

static int32_t write_stream(void *user, const void *data, size_t size) {
  memory_output *state = (memory_output *)user;
  if (state->fail && state->made.size + size > state->fail_after) return state->fail;
  append(&state->made, data, size);
  return BDELTA_OK;
}

static int32_t write_place(void *user, uint64_t pos, const void *data, size_t size) {
  memory_output *state = (memory_output *)user;
  if (state->fail && pos + size > state->fail_after) return state->fail;
  put(&state->made, pos, data, size);
  return BDELTA_OK;
}

bdelta_writer stream_to(memory_output *state) {
  bdelta_writer writer;
  memset(&writer, 0, sizeof writer);
  writer.struct_size = sizeof writer;
  writer.write = write_stream;
  writer.user = state;
  return writer;
}

bdelta_writer place_at(memory_output *state) {
  bdelta_writer writer = stream_to(state);
  writer.write = NULL;
  writer.write_at = write_place;
  return writer;
}

static void *take(void *user, size_t size) {
  counting *state = (counting *)user;
  void *block;
  if (state->fail_at && state->taken + 1 == state->fail_at) return NULL;
  block = malloc(size);
  if (block) ++state->taken;
  return block;
}

static void give_back(void *user, void *block) {
  counting *state = (counting *)user;
  ++state->given_back;
  free(block);
}

bdelta_allocator allocator_of(counting *state) {
  bdelta_allocator allocator;
  memset(&allocator, 0, sizeof allocator);
  allocator.struct_size = sizeof allocator;
  allocator.allocate = take;
  allocator.release = give_back;
  allocator.user = state;
  return allocator;
}

bdelta_apply_options apply_defaults(void) {
  bdelta_apply_options options;
  memset(&options, 0, sizeof options);
  options.struct_size = sizeof options;
  options.flags = BDELTA_NO_SYNC;
  options.threads = 1; /* what the callbacks of these tests stand */
  return options;
}

int32_t note_phase(void *user, uint64_t done, uint64_t total, const char *phase) {
  char *const seen = (char *)user;
  CHECK(done <= total && phase[0] != '\0');
  if (strstr(seen, phase) == NULL) sprintf(seen + strlen(seen), "%s ", phase);
  return 0;
}
