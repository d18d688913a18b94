/* The C interface of bdelta: making, applying, checking and describing binary patches. C90.
 *
 *   char text[256];
 *   bdelta_error error;
 *   memset(&error, 0, sizeof error);
 *   error.struct_size = sizeof error;
 *   error.message = text;
 *   error.message_size = sizeof text;
 *   if (bdelta_apply_file("app-1", "app-2", "app.patch", NULL, NULL, &error) != BDELTA_OK) {
 *     fprintf(stderr, "%s\n", text);
 *     return bdelta_exit_class(error.code);
 *   }
 *
 * Results. A function that can fail returns BDELTA_OK or one of the stable codes of bdelta/errors.def, whose groups are told
 * apart by bdelta_exit_class. No call throws, prints or ends the process, none installs a signal handler. Signals come of
 * BDELTA_MAP_INPUTS alone, and of what the system raises where a program writes. That is SIGPIPE when the reader of "-" or of a
 * fifo has gone, and SIGXFSZ beyond a limit on file sizes. A program that ignores these two gets error codes instead. Nothing
 * has to be set up first; no call changes what another does. What a C++ callback throws ends the call with BDELTA_kInternal, or
 * BDELTA_kOutOfMemory.
 *
 * Structs. The caller sets `struct_size` to sizeof of the struct as its header has it and all else that it doesn't
 * mean to 0. NULL for options means the same, but for threads: with NULL one works, with 0 as many as the machine has.
 * A program built against an older header, whose struct is smaller, keeps working. One built against a newer header works
 * as long as what this library does not know is 0 (BDELTA_kUsage otherwise). In structs that the library fills, it fills
 * what the caller's size has room for.
 *
 * Pointers. Where "may be NULL" is not said, NULL is BDELTA_kUsage. What the caller passes stays the caller's and has
 * to live until the call returns, unless more is said. Paths are UTF-8 on Windows and the system's bytes elsewhere.
 *
 * Threads. Calls on different objects may run at the same time. A bdelta_push is used by one thread at a time.
 *
 * An updater links the half that applies; the functions under "Making patches" and "Where the bytes of a patch go" are in the
 * full library only.
 */
#ifndef BDELTA_BDELTA_H
#define BDELTA_BDELTA_H

#include <stddef.h>
#include <stdint.h>

/* BDELTA_BUILDING: defined while the library itself is built. BDELTA_SHARED: on Windows, for users of the DLL. */
#ifndef BDELTA_API
#if defined(_WIN32)
#if defined(BDELTA_SHARED) && defined(BDELTA_BUILDING)
#define BDELTA_API __declspec(dllexport)
#elif defined(BDELTA_SHARED)
#define BDELTA_API __declspec(dllimport)
#else
#define BDELTA_API
#endif
#elif defined(__GNUC__)
#define BDELTA_API __attribute__((visibility("default")))
#else
#define BDELTA_API
#endif
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Codes and errors ---- */

/* The codes of bdelta/errors.def, each as BDELTA_ and its name there: BDELTA_kWrongSourceDigest is 401. */
enum bdelta_code {
  BDELTA_OK = 0
#define BDELTA_ERROR(name, number, exit_class, message) , BDELTA_##name = number
#include "bdelta/errors.def"
#undef BDELTA_ERROR
};

#define BDELTA_NO_OFFSET (~(uint64_t)0)

/* What went wrong, filled when a call fails. After success `code` is BDELTA_OK and the text empty. */
typedef struct bdelta_error {
  uint32_t struct_size;
  int32_t code;        /* out: what the call returned */
  uint64_t offset;     /* out: byte of the file concerned, or BDELTA_NO_OFFSET */
  char *message;       /* in: where the text goes, always ended by a NUL; may be NULL */
  size_t message_size; /* in: bytes there; a longer text is cut */
  uint64_t needed_bytes; /* out: what the limit of size or memory has to be at least; 0: unknown, or no limit was passed */
} bdelta_error;

/* The name of a code as in errors.def without the k, e.g. "WrongSourceDigest"; "OK" for BDELTA_OK, "Unknown" for what
 * is no code. Never NULL, never to be freed. */
BDELTA_API const char *bdelta_error_name(int32_t code);

/* The short English sentence of a code. As above. */
BDELTA_API const char *bdelta_error_message(int32_t code);

/* The exit status that a program should return for a code:
 *   0 done, 1 usage, 2 I/O, 3 patch malformed, unsupported or not the expected one, 4 wrong OLD,
 *   5 result failed verification, 6 limit of size or memory, 7 limit of ratio or time, 70 internal, 130 interrupted. */
BDELTA_API int32_t bdelta_exit_class(int32_t code);

/* The version of the library, e.g. "0.1.0". Never to be freed. */
BDELTA_API const char *bdelta_version(void);

/* ---- What the library calls ---- */

/* All callbacks get `user` of their struct first. Those that read or write return BDELTA_OK or a code, which the call
 * then fails with; any other value is taken for BDELTA_kReadFailed or BDELTA_kWriteFailed. They must not throw or jump
 * out. */

/* Something of fixed size that can be read at any place: OLD, and NEW when a patch is made. */
typedef struct bdelta_reader {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t size; /* in bytes */
  /* Fills all of out[0 .. size). Called from several threads at once unless the options give one. */
  int32_t (*read_at)(void *user, uint64_t pos, void *out, size_t size);
  void *user;
} bdelta_reader;

/* A stream to read forward: a patch. */
typedef struct bdelta_input {
  uint32_t struct_size;
  uint32_t reserved;
  /* Puts up to `size` bytes into `out` and their number, 0 at the end alone, into *count. */
  int32_t (*read)(void *user, void *out, size_t size, size_t *count);
  void *user;
} bdelta_input;

/* Where bytes go. Exactly one of the two functions is set. */
typedef struct bdelta_writer {
  uint32_t struct_size;
  uint32_t reserved;
  /* A stream: takes the next `size` bytes. What was decoded of NEW comes only after its check, what is copied of OLD as
   * it is; the whole is proven at the end (BDELTA_kTargetDigest). One thread at a time. */
  int32_t (*write)(void *user, const void *bytes, size_t size);
  /* A place: takes bytes at `pos`, in any order and without overlap; from several threads at once unless the options
   * give one. NEW only, not a patch. After an error what is there must not be used. */
  int32_t (*write_at)(void *user, uint64_t pos, const void *bytes, size_t size);
  void *user;
} bdelta_writer;

/* Gets the share of the work done in bytes of NEW, and their total: never falling, all at the end. It is called every few
 * milliseconds at most and from one thread at a time. The share is one of time, so when applying it is more than what of NEW is
 * there. `total` is 0 until the head of a patch, or an input that comes as a stream, was read. Anything but 0 ends the call
 * with BDELTA_kCancelled, within 0.1 s but for waits of the system. */
typedef int32_t (*bdelta_progress)(void *user, uint64_t done, uint64_t total);

/* The same with what is being done: one of the names of phases that docs/json.md lists, e.g. "hash". Never to be freed. */
typedef int32_t (*bdelta_phase_progress)(void *user, uint64_t done, uint64_t total, const char *phase);

/* Memory of the caller's. `allocate` gives `size` bytes aligned as by malloc, or NULL; `release` gets what it gave.
 *
 * It covers the bdelta_push object's own record and the bytes of the patch that wait in it for the rest of their part,
 * which is what grows with the patch. It does not cover decoders, windows, caches of OLD and small objects: these
 * come from the process's heap and are bounded by memory_bytes and the buffers that apply documents. Called from the
 * thread that uses the object. */
typedef struct bdelta_allocator {
  uint32_t struct_size;
  uint32_t reserved;
  void *(*allocate)(void *user, size_t size);
  void (*release)(void *user, void *block);
  void *user;
} bdelta_allocator;

/* ---- Applying ---- */

#define BDELTA_LEVEL_ULTRA 10        /* for `level`, the last one: smaller patches than 9, slower to apply */
#define BDELTA_ALL_CORES 0u          /* for `threads`: as many as the machine has */

/* For `flags`. */
#define BDELTA_OVERWRITE 1u  /* replace an existing output; without it that is BDELTA_kOutputExists */
#define BDELTA_NO_SYNC 2u    /* don't wait until the output is on the disk */
#define BDELTA_MAP_INPUTS 4u /* map OLD (and NEW when a patch is made): faster, but an I/O error there is a signal */
#define BDELTA_OUTSIDE_LINKS 8u /* over directories: make symbolic links that lead out of NEW */
#define BDELTA_KEEP_OTHERS 16u  /* over directories: pass over what the list of OLD, in the patch or the state, has not */
#define BDELTA_KEEP_STATE 32u   /* over directories: keep the state of NEW's files, in its .bdelta or in state_file */
#define BDELTA_TRUST_TIMES 64u  /* over directories: do not read files of OLD that are as the state has them */

typedef struct bdelta_apply_options {
  uint32_t struct_size;
  uint32_t threads;            /* that work, the caller's included, up to 1024; 0 = as many as the machine has. Unless
                                  it is 1, callbacks may be called from several at a time. NULL for options: 1 */
  uint64_t memory_bytes;       /* that a patch may make the decoder use besides bdelta_apply_buffer_bytes, in push mode and
                                  with head_sha256 together with the bytes that wait; 0 = 256 MiB. More is
                                  BDELTA_kMemoryLimit before it is taken.
                                  With prediction OLD is held besides, if it is not mapped, and may be as large */
  uint64_t target_bytes;       /* the largest NEW; BDELTA_kOutputLimit beyond; 0 = any */
  uint64_t window_bytes;       /* the largest part of NEW held as one; BDELTA_kMemoryLimit beyond; 0 = the format's
                                  8 MiB */
  const uint8_t *patch_sha256; /* 32 bytes: what the SHA-256 of the whole patch has to be, else BDELTA_kPatchDigest.
                                  Taken before a byte is parsed. NULL = any. Not in push mode (BDELTA_kUsage) */
  const uint8_t *head_sha256;  /* 32 bytes: what the SHA-256 of the patch's head has to be (see bdelta_report), else
                                  BDELTA_kPatchDigest. Proven before anything else, and then each part by the head's
                                  list before it is decoded; parts wait for that within memory_bytes. NULL = any */
  bdelta_progress progress;    /* NULL = none */
  void *progress_user;         /* in push mode it has to live until bdelta_push_close, as does that of the allocator */
  const bdelta_allocator *allocator; /* push mode only. Copied. NULL = the heap */
  uint32_t flags;
  uint32_t reserved;
  uint64_t io_buffer_bytes;    /* of each file that is open, up to 64 MiB; 0 = 64 KiB */
  const char *temp_dir;        /* where temporary files live; NULL = beside the output, but for a patch from a stream
                                  that waits for its digest: in the system's directory for them */
  double time_limit_seconds;   /* give up with BDELTA_kTimeLimit after this, in push mode counted from opening on;
                                  0 = none. Noticed as a callback's answer is */
  uint32_t target_mode;        /* over files: the permission bits of NEW, up to 0777 in octal; 0 = those of the file that
                                  it replaces, or of OLD less what umask takes, never set-id bits. Not on Windows */
  uint32_t reserved_2;
  bdelta_phase_progress phase_progress; /* called in the place of `progress`, with progress_user; NULL = none */
  const char *state_file;      /* over directories: where the state is, outside of them; NULL = in .bdelta of the directory */
} bdelta_apply_options;

/* What a call did. */
typedef struct bdelta_report {
  uint32_t struct_size;
  uint32_t threads;         /* that took part */
  uint64_t source_bytes;    /* of OLD */
  uint64_t target_bytes;    /* of NEW */
  uint64_t patch_bytes;
  uint64_t cover_count;     /* stretches copied from OLD */
  uint64_t covered_bytes;   /* of NEW that come from OLD */
  uint64_t literal_bytes;   /* of NEW that the patch carries */
  uint64_t residual_bytes;  /* copied bytes that the patch corrects */
  uint64_t window_count;
  uint32_t up_to_date;      /* 1: NEW was already there, nothing was written */
  uint32_t verified;        /* 1: the result was compared or its digest checked */
  uint32_t has_head_sha256; /* 1: a patch was made with BDELTA_DIGESTS; head_sha256 is that of its head */
  uint8_t head_sha256[32];
  uint32_t reserved;
  uint64_t decoder_memory_bytes; /* of a patch that was made: that applying it takes besides its buffers */
  /* Those digests that are known; the others are 0 in each byte. Of a patch that was made: XXH3-128 of OLD and NEW, the rest
   * by BDELTA_DIGEST_PATCH and BDELTA_SHA256_INPUTS. Of one that was applied: what was proven. */
  uint8_t source_xxh3_128[16]; /* canonical, as xxhsum -H2 prints it */
  uint8_t target_xxh3_128[16];
  uint8_t patch_xxh3_128[16];
  uint8_t source_sha256[32];
  uint8_t target_sha256[32];
  uint8_t patch_sha256[32];
  uint64_t written_bytes;   /* in place: to the file itself; with BDELTA_DRY_RUN those that would be */
  uint64_t journal_bytes;   /* in place: of the journal, which is gone afterwards */
  uint64_t nominal_apply_ns; /* of a patch that was made: what applying takes of one thread, by a table and no clock */
} bdelta_report;

/* Makes NEW at `target` from OLD at `source` and `patch`. NEW may be OLD; it comes into being whole or not at all. If
 * it exists and is what the patch makes, nothing is written. "-" is standard input for the patch and standard output
 * for NEW. options, report and error may be NULL. Errors: all but those of making patches. */
BDELTA_API int32_t bdelta_apply_file(const char *source, const char *target, const char *patch,
                                     const bdelta_apply_options *options, bdelta_report *report, bdelta_error *error);

/* Decodes and verifies everything and writes nothing. Parameters and errors are those of bdelta_apply_file. */
BDELTA_API int32_t bdelta_check_file(const char *source, const char *patch, const bdelta_apply_options *options,
                                     bdelta_report *report, bdelta_error *error);

/* The same from one directory to another, with a patch of bdelta_create_tree. NEW may be OLD: then only files that
 * change are written, and after a crash bdelta_resume_tree or the next call completes that or takes it back. Else it must not
 * exist (BDELTA_kOutputExists), unless it is what the patch makes, and comes into being whole or not at all. Nothing outside of
 * it is made or changed.
 * Unchanged files are cloned where the file system can. target_mode must be 0. Where OLD does not fit, the check names what
 * differs if the patch has BDELTA_TREE_SOURCE_LIST. bdelta/tree.hpp tells more. */
BDELTA_API int32_t bdelta_apply_tree(const char *source, const char *target, const char *patch,
                                     const bdelta_apply_options *options, bdelta_report *report, bdelta_error *error);
BDELTA_API int32_t bdelta_check_tree(const char *source, const char *patch, const bdelta_apply_options *options,
                                     bdelta_report *report, bdelta_error *error);

/* What an update of a directory in its place has left behind. */
#define BDELTA_TREE_WHOLE 0       /* nothing */
#define BDELTA_TREE_STAGING 1     /* files of an update that never began, or is complete: the directory is OLD or NEW */
#define BDELTA_TREE_UNFINISHED 2  /* it is between OLD and NEW, and can be brought to NEW */
#define BDELTA_TREE_TAKING_BACK 3 /* it is between OLD and NEW, and can be brought back to OLD */

/* Looks at the directory's journal and changes nothing. *state is written on success alone. error may be NULL. Errors:
 * BDELTA_kNotADirectory, BDELTA_kNotFound, BDELTA_kPermission, and BDELTA_kWrongJournal for a journal that is damaged. */
BDELTA_API int32_t bdelta_tree_state(const char *directory, uint32_t *state, bdelta_error *error);

/* Finishes such an update, or takes it back. `resumed`, which may be NULL, says what was done. Of the options, which may be
 * NULL, BDELTA_NO_SYNC, progress and the time limit count. Progress counts entries that move; where it ends the work, the next
 * call goes on with it. Errors: BDELTA_kInUse, BDELTA_kWrongJournal, BDELTA_kInputChanged where something is in the way,
 * BDELTA_kCancelled, BDELTA_kTimeLimit, and those of files. */
#define BDELTA_RESUMED_NOTHING 0    /* there was nothing to do */
#define BDELTA_RESUMED_DISCARDED 1  /* what an update had left over was removed; the directory was OLD or NEW */
#define BDELTA_RESUMED_FINISHED 2   /* it is NEW now */
#define BDELTA_RESUMED_TAKEN_BACK 3 /* it is OLD again */
BDELTA_API int32_t bdelta_resume_tree(const char *directory, const bdelta_apply_options *options, uint32_t *resumed,
                                      bdelta_error *error);

/* For `flags` of bdelta_in_place_options. */
#define BDELTA_DRY_RUN 1u /* all is read and proven, and nothing is written: the report says what would be */

typedef struct bdelta_in_place_options {
  uint32_t struct_size;
  uint32_t flags;
  const char *journal;    /* where the journal goes; NULL = beside the file. Of a device it has to be named, on a disk */
  uint64_t scratch_bytes; /* the largest journal; BDELTA_kScratchLimit beyond, before the file is written; 0 = any */
} bdelta_in_place_options;

/* Makes NEW of `file` or of a block device, which is OLD, by writing the blocks that differ. They stand in a journal first, so
 * that after a crash the file is OLD or can be completed; the next call does so first, whatever its patch is. A call that can't
 * complete it is BDELTA_kUnfinished, as is using the file as OLD meanwhile. bdelta/in_place.hpp tells more. All options, report
 * and error may be NULL. */
BDELTA_API int32_t bdelta_apply_in_place(const char *file, const char *patch, const bdelta_apply_options *options,
                                         const bdelta_in_place_options *in_place, bdelta_report *report,
                                         bdelta_error *error);

/* Completes what an interrupted call left behind; report->up_to_date is 1 if that is nothing. The journal has to be named as it
 * was. All options, report and error may be NULL. */
BDELTA_API int32_t bdelta_resume_in_place(const char *file, const bdelta_apply_options *options,
                                          const bdelta_in_place_options *in_place, bdelta_report *report,
                                          bdelta_error *error);

/* The same over callbacks: `target` may have either function. The callbacks and what `user`
 * points to have to live until the call returns. options, report and error may be NULL. bdelta_check writes nothing. */
BDELTA_API int32_t bdelta_apply(const bdelta_reader *source, const bdelta_input *patch, const bdelta_writer *target,
                                const bdelta_apply_options *options, bdelta_report *report, bdelta_error *error);
BDELTA_API int32_t bdelta_check(const bdelta_reader *source, const bdelta_input *patch,
                                const bdelta_apply_options *options, bdelta_report *report, bdelta_error *error);

/* ---- What a patch says about itself ---- */

typedef struct bdelta_info {
  uint32_t struct_size;
  uint32_t version;              /* of the format */
  char format[8];                /* "bdt2" or "bdt1" */
  uint32_t draft;                /* of the format; 0 = frozen */
  uint32_t has_digests;          /* 1: the two digests are there */
  uint64_t source_bytes;         /* of OLD */
  uint64_t target_bytes;         /* of NEW; 0 where only the end of the patch tells */
  uint8_t source_xxh3_128[16];   /* canonical, as xxhsum -H2 prints it */
  uint8_t target_xxh3_128[16];
  uint64_t required_features;    /* bits, as the header of the patch has them */
  uint64_t optional_features;    /* likewise */
  uint64_t window_bytes;         /* largest part of NEW that is held as one */
  uint64_t group_bytes;          /* largest part of the patch that push mode holds; 0 = all of it */
  uint64_t decoder_memory_bytes; /* that applying takes besides its buffers */
  uint32_t has_head_sha256;      /* 1: the patch has a list of digests; head_sha256 is that of its head */
  uint8_t head_sha256[32];
  uint32_t predicted;            /* 1: addresses in programs are predicted: applying needs those of OLD as a whole */
  uint32_t unpacked;             /* 1: what archives hold is compared: applying holds OLD unpacked */
  /* From bdelta_verify_patch alone, else 0: */
  uint32_t verified;             /* 1: the patch holds checksums, and all of them fit; 0 for version 1, which has none */
  uint64_t patch_bytes;          /* of all of the patch */
  /* Of a patch of directories; counts are 0 from bdelta_verify_patch: */
  uint32_t of_tree;              /* 1: OLD and NEW are directories */
  uint32_t reserved_2;
  uint64_t entry_count;          /* that NEW has: files, directories and links */
  uint64_t kept_files;           /* with bytes, that OLD has as they are */
  uint64_t changed_files;        /* that OLD has with other bytes */
  uint64_t added_files;          /* that OLD has not */
  uint64_t removed_files;        /* that OLD has and NEW has not */
  uint64_t made_bytes;           /* that applying makes; all others are copied as they are */
} bdelta_info;

/* Bytes of buffers that applying the patch takes at most with so many threads (as in the options), besides its decoder's
 * memory. With info->unpacked, 16 MiB of them are for each of several threads. In all applying takes
 * info->decoder_memory_bytes and these of private memory, and the size of OLD's programs if info->predicted and OLD is not
 * mapped. Stacks of threads and what waits in push mode are not counted. 0 for NULL, or a
 * struct without window_bytes. */
BDELTA_API uint64_t bdelta_apply_buffer_bytes(const bdelta_info *info, uint32_t threads);

/* Reads the head of a patch and at most 64 bytes beyond it; of version 1 its whole list of copies. `info` is written on
 * success alone. error may be NULL. */
BDELTA_API int32_t bdelta_info_file(const char *patch, bdelta_info *info, bdelta_error *error);
BDELTA_API int32_t bdelta_info_stream(const bdelta_input *patch, bdelta_info *info, bdelta_error *error);

/* Reads the whole patch, without OLD, and proves that it is undamaged. That is its checksums, which records there are and in
 * which order, that they add up to NEW, its list of digests if there is one, and its end. Nothing is decoded, and about 1 MiB
 * is held. Whether an OLD fits is not known then, nor who made the patch. Version 1 has no checksums: its copies and literals
 * have to fit the sizes in it; up to 12 bytes are held for each copy, and 4 MiB of literals. `info`, which may be NULL, is
 * written on success alone. error may be NULL. Errors: those of opening and reading, and 3xx. */
BDELTA_API int32_t bdelta_verify_patch_file(const char *patch, bdelta_info *info, bdelta_error *error);
BDELTA_API int32_t bdelta_verify_patch(const bdelta_input *patch, bdelta_info *info, bdelta_error *error);

/* ---- Applying a patch that comes in pieces ---- */

/*   bdelta_push *push = NULL;
 *   int32_t code = bdelta_push_open_file("app-1", "app-2", &options, &push, &error);
 *   while (code == BDELTA_OK && (size = next_piece(piece)) > 0) code = bdelta_push_feed(push, piece, size, &error);
 *   if (code == BDELTA_OK) code = bdelta_push_finish(push, NULL, &error);
 *   bdelta_push_close(push);
 *
 * OLD is proven once the head of the patch is there, before a byte of NEW is written. A part of the patch is decoded as soon as
 * it is whole. A patch of BDT version 1 has no parts: it is collected, up to memory_bytes, and applied in finish. */
typedef struct bdelta_push bdelta_push;

/* `source` and `target` are copied; what their `user` points to has to live until bdelta_push_close. The new object goes to
 * *push, or NULL after an error; it is the caller's, to be given to bdelta_push_close. The options and error may be NULL. */
BDELTA_API int32_t bdelta_push_open(const bdelta_reader *source, const bdelta_writer *target,
                                    const bdelta_apply_options *options, bdelta_push **push, bdelta_error *error);

/* Over files: NEW comes into being in bdelta_push_finish, whole, or not at all. The paths are copied. */
BDELTA_API int32_t bdelta_push_open_file(const char *source, const char *target, const bdelta_apply_options *options,
                                         bdelta_push **push, bdelta_error *error);

/* Over directories, as bdelta_apply_tree: what comes is staged, and bdelta_push_finish moves all to its place. NEW may be OLD; else
 * it must not exist. bdelta/push.hpp tells more. */
BDELTA_API int32_t bdelta_push_open_tree(const char *source, const char *target, const bdelta_apply_options *options,
                                         bdelta_push **push, bdelta_error *error);

/* Takes the next bytes, any number. All windows that they complete are written when it returns. `bytes` may be NULL if
 * `size` is 0. After an error of the patch, of OLD or of NEW each further call gives the same one. error may be NULL. */
BDELTA_API int32_t bdelta_push_feed(bdelta_push *push, const void *bytes, size_t size, bdelta_error *error);

/* The patch is whole: proves NEW, or BDELTA_kPatchTruncated. Once. report and error may be NULL. */
BDELTA_API int32_t bdelta_push_finish(bdelta_push *push, bdelta_report *report, bdelta_error *error);

/* Frees the object; without a finish that succeeded the work is abandoned. NULL does nothing. */
BDELTA_API void bdelta_push_close(bdelta_push *push);

/* ---- Making patches: in the full library only ---- */

/* For `flags` of bdelta_create_options, beside those above. */
#define BDELTA_NO_PREDICT 16u /* don't predict addresses in programs, nor move numbers of types in modules */
#define BDELTA_NO_VERIFY 32u  /* don't apply the patch in memory before it is published */
#define BDELTA_DIGESTS 64u    /* add the list of digests that head_sha256 of applying stands on */
#define BDELTA_DIGEST_PATCH 128u  /* the report tells both digests of the patch */
#define BDELTA_SHA256_INPUTS 256u /* the report tells SHA-256 of OLD and NEW, too */

#define BDELTA_NO_UNPACK 512u /* take archives as they are; without this and the next flag they are unpacked where it pays */
#define BDELTA_UNPACK_ALL 1024u /* unpack all that can be made again, also where that takes much */

#define BDELTA_FORMAT_BDT2 0u /* the native format */
#define BDELTA_FORMAT_BDT1 1u /* for the original bpatch; below 2 GiB, without checksums */

typedef struct bdelta_create_options {
  uint32_t struct_size;
  uint32_t threads;          /* as above. The patch does not depend on it */
  uint32_t level;            /* 1 fast to 9 small, BDELTA_LEVEL_ULTRA; 0 = 3 */
  uint32_t format;
  uint64_t memory_bytes;     /* private memory to stay within, from 64 MiB on; 0 = as much as the level likes */
  double max_patch_ratio;    /* give up with BDELTA_kPatchTooLarge beyond this share of NEW, e.g. 0.6; 0 = any */
  double time_limit_seconds; /* give up with BDELTA_kTimeLimit after this; 0 = none */
  bdelta_progress progress;  /* NULL = none */
  void *progress_user;
  uint32_t flags;
  uint32_t reserved;
  uint64_t io_buffer_bytes;  /* as above */
  const char *temp_dir;      /* also where a patch over 16 MiB waits, and an input that comes as a stream; NULL = beside
                                the output, and the system's */
  bdelta_phase_progress phase_progress; /* called in the place of `progress`, with progress_user; NULL = none */
  double max_apply_seconds;  /* give up unpacking, prediction and models for a patch that takes less time to apply, by
                                nominal_apply_ns of the report; 0 = any. If that is not enough it is the fastest patch */
} bdelta_create_options;

/* Writes to `patch` what leads from OLD at `source` to NEW at `target`. The patch comes into being whole or not at all. "-" is
 * standard output for it, and standard input for OLD or NEW. An input that is no regular file is first read to its end, into a
 * nameless file in temp_dir. The options, report and error may be NULL. Errors: those of reading and writing, and of limits, as
 * bdelta/create.hpp says. */
BDELTA_API int32_t bdelta_create_file(const char *source, const char *target, const char *patch,
                                      const bdelta_create_options *options, bdelta_report *report, bdelta_error *error);

/* For `flags` of bdelta_tree_options. */
#define BDELTA_TREE_TIMES 1u       /* hold when each file of NEW was changed */
#define BDELTA_TREE_SOURCE_LIST 2u /* hold what OLD has, so that bdelta_check_tree names what differs */

typedef struct bdelta_tree_options {
  uint32_t struct_size;
  uint32_t flags;
  const char *const *exclude; /* patterns of names to pass over in OLD and NEW, as bdelta/tree.hpp tells; may be NULL */
  size_t exclude_count;
} bdelta_tree_options;

/* As bdelta_create_file, from one directory to another. tree_options may be NULL, too. Patterns are only read. */
BDELTA_API int32_t bdelta_create_tree(const char *source, const char *target, const char *patch,
                                      const bdelta_create_options *options, const bdelta_tree_options *tree_options,
                                      bdelta_report *report, bdelta_error *error);

/* The same over callbacks; `patch` is a stream (`write`). OLD and NEW are read into memory as far as memory_bytes
 * allows. */
BDELTA_API int32_t bdelta_create(const bdelta_reader *source, const bdelta_reader *target, const bdelta_writer *patch,
                                 const bdelta_create_options *options, bdelta_report *report, bdelta_error *error);

/* What create takes at most, in bytes of private memory, for files of these sizes: a bound with memory_bytes, else an estimate.
 * The result is written on success alone. The options and error may be NULL. */
BDELTA_API int32_t bdelta_estimate_memory(uint64_t source_bytes, uint64_t target_bytes,
                                          const bdelta_create_options *options, uint64_t *memory_bytes,
                                          bdelta_error *error);

/* ---- Where the bytes of a patch go: in the full library only ---- */

/*   bdelta_members *members = NULL;
 *   bdelta_members_summary summary;
 *   memset(&summary, 0, sizeof summary);
 *   summary.struct_size = sizeof summary;
 *   code = bdelta_members_open("app-1.zip", "app.patch", NULL, &members, &error);
 *   if (code == BDELTA_OK) code = bdelta_members_sum_up(members, &summary, &error);
 *   for (i = 0; i < summary.member_count; ++i) { ... bdelta_members_member(members, i, &member, &error) ... }
 *   bdelta_members_close(members);
 *
 * bdelta/members.hpp tells what shares are. Texts belong to the object, live until bdelta_members_close and end with a NUL; paths
 * and names may hold any bytes, so their sizes stand beside them. The object never changes, so any number of threads may look at
 * it. An index that there is not is BDELTA_kUsage. */
typedef struct bdelta_members bdelta_members;

#define BDELTA_NO_MEMBER (~(size_t)0)

typedef struct bdelta_members_summary {
  uint32_t struct_size;
  uint32_t has_entries; /* 1: what becomes of the entries of a directory is known */
  uint64_t patch_bytes; /* of the patch; its kinds add up to it */
  size_t kind_count;
  size_t member_count;  /* 0 without OLD */
  size_t removed_count;
  size_t entry_count;
} bdelta_members_summary;

/* A file of a directory, an entry of an archive, or NEW itself, without what its own members have. */
typedef struct bdelta_member {
  uint32_t struct_size;
  uint32_t source_has_path; /* 1: OLD has a member of this path */
  const char *path;         /* with those of its parents in front; empty for NEW itself */
  size_t path_size;
  size_t parent;            /* its index, or BDELTA_NO_MEMBER */
  const char *format;       /* "file", "directory", "tar", "zip", "gzip", "elf", "pe", "mach-o" */
  const char *packed_as;    /* what it is packed with and stayed so; else empty */
  uint64_t target_bytes;    /* of NEW, unpacked */
  uint64_t patch_bytes;     /* its kinds add up to it */
  uint64_t copied_bytes;    /* of target_bytes: from OLD */
  uint64_t changed_bytes;   /* of copied_bytes: corrected */
  const char *source_path;  /* the member of OLD that most is copied from; empty where there is none */
  size_t source_path_size;
  size_t kind_count;
  size_t section_count;     /* those with bytes in the patch */
} bdelta_member;

/* What a patch or a member has of a kind, or of a section. */
typedef struct bdelta_share {
  uint32_t struct_size;
  uint32_t reserved;
  const char *name;
  size_t name_size;
  uint64_t patch_bytes;
  uint64_t target_bytes;  /* of sections; else 0, as the next */
  uint64_t changed_bytes;
} bdelta_share;

/* For `change` of bdelta_entry. */
#define BDELTA_CHANGED 0u
#define BDELTA_ADDED 1u
#define BDELTA_MOVED 2u /* a file that goes from source_path and comes to path as it is */
#define BDELTA_REMOVED 3u

/* A file, a directory or a link of a directory that the patch changes. */
typedef struct bdelta_entry {
  uint32_t struct_size;
  uint32_t change;
  const char *path;        /* in NEW, and of one that is removed in OLD */
  size_t path_size;
  const char *source_path; /* of one that moved; else empty */
  size_t source_path_size;
  uint64_t target_bytes;   /* of the file; else 0 */
  uint64_t patch_bytes;    /* that it takes, with what is in it */
  uint32_t has_patch_bytes; /* 0: OLD alone tells */
  uint32_t reserved;
} bdelta_entry;

/* Looks into a patch. With OLD at `source`, a file or a directory, it is applied in memory as bdelta_check_file does. With NULL
 * for `source` it is of the patch alone, without members. The object goes to *members, or NULL after an error. The options and
 * error may be NULL. Errors: as bdelta_check_file and bdelta_check_tree. */
BDELTA_API int32_t bdelta_members_open(const char *source, const char *patch, const bdelta_apply_options *options,
                                       bdelta_members **members, bdelta_error *error);

BDELTA_API int32_t bdelta_members_sum_up(const bdelta_members *members, bdelta_members_summary *summary, bdelta_error *error);

/* Members stand in the order of NEW, parents in front of what they hold. */
BDELTA_API int32_t bdelta_members_member(const bdelta_members *members, size_t index, bdelta_member *member,
                                         bdelta_error *error);

/* Kinds of what the bytes of a member hold, largest first; BDELTA_NO_MEMBER for `member`: of the whole patch. */
BDELTA_API int32_t bdelta_members_kind(const bdelta_members *members, size_t member, size_t index, bdelta_share *share,
                                       bdelta_error *error);

/* Likewise the sections of a member. */
BDELTA_API int32_t bdelta_members_section(const bdelta_members *members, size_t member, size_t index, bdelta_share *share,
                                          bdelta_error *error);

/* What the patch does to the entries of a directory, in the order of paths. */
BDELTA_API int32_t bdelta_members_entry(const bdelta_members *members, size_t index, bdelta_entry *entry, bdelta_error *error);

/* A path of OLD's members that NEW has not and copies nothing of; NULL beyond the last. Its size goes to *size, which may be
 * NULL. */
BDELTA_API const char *bdelta_members_removed(const bdelta_members *members, size_t index, size_t *size);

/* Frees the object and all texts of it. NULL does nothing. */
BDELTA_API void bdelta_members_close(bdelta_members *members);

#ifdef __cplusplus
}
#endif

#endif
