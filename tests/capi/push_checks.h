/* What push mode promises, for any patch. head_sha256 is expected of the patch unless it is NULL. */
#ifndef BDELTA_TESTS_CAPI_PUSH_CHECKS_H
#define BDELTA_TESTS_CAPI_PUSH_CHECKS_H

#include "support.h"

void sha256_of(const bytes *of, uint8_t digest[32]);

/* Pieces of `piece` bytes; 0 = all at once; from 0x80000000 on, of random sizes by that seed. */
int32_t push_in_pieces(const bdelta_reader *source, const bdelta_writer *target, const bytes *patch, size_t piece,
                       const bdelta_apply_options *options);

void check_push_all_ways(const bytes *source, const bytes *target, const bytes *patch);
void check_push_file(const char *folder, const char *scratch, const bytes *target, const bytes *patch);
void check_push_refuses(const bdelta_reader *source, const bytes *patch, int32_t expected);
void check_push_misuse(const bytes *source, const bytes *patch);

/* Each byte changed, and each shorter length: an error, and what was written until then is the begin of NEW. For
 * patches whose windows all have a checksum. */
void check_push_damage(const bytes *source, const bytes *target, const bytes *patch, const uint8_t *head_sha256);
void check_push_truncated(const bytes *source, const bytes *target, const bytes *patch, const uint8_t *head_sha256);

/* With an allocator that counts, and with one that fails. */
void check_push_memory(const bytes *source, const bytes *target, const bytes *patch);

#endif
