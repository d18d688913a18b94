/* What the C programs of the tests share: checks, files in memory, and an allocator that counts. */
#ifndef BDELTA_TESTS_CAPI_SUPPORT_H
#define BDELTA_TESTS_CAPI_SUPPORT_H

#include "bdelta/bdelta.h"

extern int failure_count;

void check_at(const char *file, int line, int holds, const char *text);
void check_code_at(const char *file, int line, int32_t expected, int32_t found, const char *text);
#define CHECK(condition) check_at(__FILE__, __LINE__, (condition) != 0, #condition)
#define CHECK_CODE(expected, call) check_code_at(__FILE__, __LINE__, (expected), (call), #call)

typedef struct bytes {
  unsigned char *data;
  size_t size;
  size_t capacity;
} bytes;

bytes load(const char *folder, const char *name); /* a missing file ends the program */
void save(const char *path, const unsigned char *data, size_t size);
int exists(const char *path);
void append(bytes *to, const void *data, size_t size);
void put(bytes *to, uint64_t pos, const void *data, size_t size);
int same(const bytes *a, const bytes *b);
void drop(bytes *of);

/* Deterministic numbers; the state is the caller's. */
uint32_t next_random(uint32_t *state);

/* Files in memory, for callbacks. */
typedef struct memory_input {
  const bytes *from;
  size_t pos;
  size_t most; /* bytes given at a time; 0 = all that is asked for */
  int32_t fail; /* returned by every call if not 0 */
} memory_input;

typedef struct memory_output {
  bytes made;
  int32_t fail;      /* returned once `fail_after` bytes have come, if not 0 */
  size_t fail_after;
} memory_output;

bdelta_reader reader_of(const bytes *from);
/* A callback whose `user` is a text of 200 bytes: adds the names of phases, each once. */
int32_t note_phase(void *user, uint64_t done, uint64_t total, const char *phase);

bdelta_input input_of(memory_input *state);
bdelta_writer stream_to(memory_output *state);
bdelta_writer place_at(memory_output *state);

/* Counts what is taken and given back; fails the call number `fail_at`, counted from 1, if that is not 0. */
typedef struct counting {
  long taken;
  long given_back;
  long fail_at;
} counting;

bdelta_allocator allocator_of(counting *state);

bdelta_apply_options apply_defaults(void);

#endif
