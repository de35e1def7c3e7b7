#include "runtime/parallel/stream.h"
#include "runtime/parallel/abi.h"
#include "runtime/parallel/array.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/output.h"
#include "runtime/parallel/sequential.h"
#include "runtime/parallel/texts.h"
#include "runtime/export.h"
#include <errno.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <wchar.h>

bool dvmp_stream_one(void) { return dvmp_job_together() && !dvmp_job.everywhere && !dvmp_job_beside(); }
bool dvmp_stream_one_of(FILE *f) { return dvmp_stream_one() && !dvmp_stream_in_memory(f); }

void dvmp_stream_share(void *result, size_t n) {
  char both[64 + sizeof(int)];
  memcpy(both, &errno, sizeof(int));
  memcpy(both + sizeof(int), result, n);
  dvmp_job_tell(both, n + sizeof(int), dvmp_job.root);
  memcpy(&errno, both, sizeof(int));
  memcpy(result, both + sizeof(int), n);
}

/* ---- data of arrays ------------------------------------------------------------------------------------------------------------- */

enum { CHUNK = 1 << 20 };

static bool is_divided(const void *p, size_t n, struct dvmp_array **a) {
  *a = n ? dvmp_array_at((uintptr_t)p) : NULL;
  return *a && !dvmp_array_everywhere(*a);
}

struct clip {
  uintptr_t from;               /* address of the chunk's first byte */
  char *chunk;
  bool out;                     /* from the array into the chunk */
};

static void clip_run(void *arg, uintptr_t low, uintptr_t high) {
  const struct clip *c = arg;
  if (c->out)
    memcpy(c->chunk + (low - c->from), (void *)low, high - low);
  else
    memcpy((void *)low, c->chunk + (low - c->from), high - low);
}

static void clip(const struct dvmp_array *a, uintptr_t from, size_t n, char *chunk, bool out) {
  struct clip c = {from, chunk, out};
  dvmp_sequential_own(a, from, n, clip_run, &c);
}

static char *make_chunk(size_t n) {
  char *p = calloc(1, n ? n : 1);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

void dvmp_stream_spread(void *p, size_t n) {
  struct dvmp_array *a;
  if (!is_divided(p, n, &a)) {
    dvmp_job_tell(p, n, dvmp_job.root);
    return;
  }
  char *chunk = make_chunk(n < CHUNK ? n : CHUNK);
  for (size_t at = 0; at < n; at += CHUNK) {
    size_t piece = n - at < CHUNK ? n - at : CHUNK;
    if (dvmp_job_first())
      memcpy(chunk, (char *)p + at, piece);
    dvmp_job_tell(chunk, piece, dvmp_job.root);
    if (!dvmp_job_first())
      clip(a, (uintptr_t)p + at, piece, chunk, false);
  }
  free(chunk);
  dvmp_sequential_assigned(a, (uintptr_t)p, n);
}

size_t dvmp_stream_read(void *p, size_t size, size_t n, FILE *f) {
  struct dvmp_array *a;
  size_t bytes = size * n, done = 0, got = CHUNK;
  if (!is_divided(p, bytes, &a))
    return SIZE_MAX;
  char *chunk = make_chunk(CHUNK);
  while (done < bytes && got == CHUNK) {
    size_t k = bytes - done < CHUNK ? bytes - done : CHUNK;
    got = !dvmp_job_first() ? 0 : fread(chunk, 1, k, f);
    dvmp_stream_share(&got, sizeof(got));
    if (!got)
      break;
    dvmp_job_tell(chunk, got, dvmp_job.root);
    clip(a, (uintptr_t)p + done, got, chunk, false);
    done += got;
  }
  free(chunk);
  dvmp_sequential_assigned(a, (uintptr_t)p, done);
  return done / size;
}

/* Each element is sent by the first rank that has it; the bits of the others are zero. */
void *dvmp_stream_collect(const void *p, size_t n) {
  struct dvmp_array *a;
  if (!is_divided(p, n, &a))
    return NULL;
  char *copy = make_chunk(n);
  bool first = true;
  struct dvmp_arena m = {NULL};
  for (int q = 0; q < dvmp_job.rank && first; q++) {
    struct dvmp_set theirs = dvmp_array_own(&m, a, q), both = dvmp_set_meet(&m, &theirs, &a->own);
    first = dvmp_set_empty(&both);
  }
  dvmp_arena_free(&m);
  if (first)
    clip(a, (uintptr_t)p, n, copy, true);
  dvmp_job_combine(copy, (int64_t)n, 'o', 'u', 1, NULL);
  return copy;
}

/* ---- positions and input ---------------------------------------------------------------------------------------------------- */

/* Where it is told which rank's file it is, in a loop: the file of rank 0 alone leads somewhere. */
static void need_file(FILE *f, const char *what) {
  if (dvmp_stream_is_each(f))
    return;
  dvmp_stream_need(f, what);
  dvmp_stream_need_outside(what);
}

#define SHARED_INT(NAME, PARAMS, ARGS, F)                                                                                                  \
  DVMRT_EXPORT int __dvmp_##NAME PARAMS;                                                                                                   \
  int __dvmp_##NAME PARAMS {                                                                                                               \
    DVMP_PROFILE_IO;                                                                                                                       \
    need_file(F, #NAME);                                                                                                                   \
    if (!dvmp_stream_one_of(F))                                                                                                            \
      return NAME ARGS;                                                                                                                    \
    int result = !dvmp_job_first() ? 0 : NAME ARGS;                                                                                        \
    dvmp_stream_share(&result, sizeof(result));                                                                                            \
    return result;                                                                                                                         \
  }

SHARED_INT(feof, (FILE * f), (f), f)
SHARED_INT(ferror, (FILE * f), (f), f)
SHARED_INT(fseek, (FILE * f, long at, int from), (f, at, from), f)
SHARED_INT(fgetc, (FILE * f), (f), f)
SHARED_INT(getc, (FILE * f), (f), f)
SHARED_INT(ungetc, (int c, FILE *f), (c, f), f)
SHARED_INT(remove, (const char *name), (name), stdout)
SHARED_INT(rename, (const char *from, const char *to), (from, to), stdout)
SHARED_INT(unlink, (const char *name), (name), stdout)
SHARED_INT(system, (const char *command), (command), stdout)

SHARED_INT(fsetpos, (FILE * f, const fpos_t *at), (f, at), f)

DVMRT_EXPORT int __dvmp_fgetpos(FILE *f, fpos_t *at);
int __dvmp_fgetpos(FILE *f, fpos_t *at) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one_of(f))
    return fgetpos(f, at);
  int result = !dvmp_job_first() ? 0 : fgetpos(f, at);
  dvmp_stream_share(&result, sizeof(result));
  dvmp_job_tell(at, sizeof(*at), dvmp_job.root);
  return result;
}

DVMRT_EXPORT int __dvmp_getchar(void);
int __dvmp_getchar(void) { return __dvmp_getc(stdin); }

DVMRT_EXPORT long __dvmp_ftell(FILE *f);
long __dvmp_ftell(FILE *f) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one_of(f))
    return ftell(f);
  long result = !dvmp_job_first() ? 0 : ftell(f);
  dvmp_stream_share(&result, sizeof(result));
  return result;
}

DVMRT_EXPORT void __dvmp_rewind(FILE *f);
void __dvmp_rewind(FILE *f) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one_of(f) || dvmp_job_first())
    rewind(f);
}

/* ---- output --------------------------------------------------------------------------------------------------------------------- */

/* 'used': the program looks at the result. */
static int printed(FILE *f, int used, int result) {
  if (used && dvmp_stream_one_of(f))
    dvmp_stream_share(&result, sizeof(result));
  return result;
}

/* Of what other threads of the program print rank 0 prints its own. */
static bool skips(FILE *f) {
  if (dvmp_job_beside())
    return dvmp_job.rank && !dvmp_job.everywhere && !dvmp_stream_in_memory(f);
  return dvmp_job.edges || (dvmp_stream_one_of(f) && !dvmp_job_first());
}

DVMRT_EXPORT int __dvmp_vfprintf(int used, FILE *f, const char *format, va_list args);
int __dvmp_vfprintf(int used, FILE *f, const char *format, va_list args) {
  DVMP_PROFILE_IO;
  struct dvmp_texts texts;
  need_file(f, "fprintf");
  dvmp_texts_collect(&texts, format, args);
  int result = printed(f, used, skips(f) ? 0 : vfprintf(dvmp_output_to(f), format, args));
  dvmp_texts_free(&texts);
  return result;
}

DVMRT_EXPORT int __dvmp_vprintf(int used, const char *format, va_list args) __attribute__((format(printf, 2, 0)));
int __dvmp_vprintf(int used, const char *format, va_list args) { return __dvmp_vfprintf(used, stdout, format, args); }

DVMRT_EXPORT int __dvmp_printf(int used, const char *format, ...) __attribute__((format(printf, 2, 3)));
int __dvmp_printf(int used, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int result = __dvmp_vfprintf(used, stdout, format, args);
  va_end(args);
  return result;
}

DVMRT_EXPORT int __dvmp_fprintf(int used, FILE *f, const char *format, ...) __attribute__((format(printf, 3, 4)));
int __dvmp_fprintf(int used, FILE *f, const char *format, ...) {
  va_list args;
  va_start(args, format);
  int result = __dvmp_vfprintf(used, f, format, args);
  va_end(args);
  return result;
}

static int put_text(int used, const char *s, FILE *f, bool line) {
  DVMP_PROFILE_IO;
  struct dvmp_array *a;
  need_file(f, "fputs");
  char *copy = dvmp_stream_one() && is_divided(s, 1, &a) ? dvmp_stream_collect(s, a->end - (uintptr_t)s) : NULL;
  int result = skips(f) ? 0 : fputs(copy ? copy : s, dvmp_output_to(f));
  if (line && !skips(f) && result >= 0) {
    size_t n = strlen(copy ? copy : s) + 1;
    result = fputc('\n', dvmp_output_to(f)) == EOF ? EOF : n < INT_MAX ? (int)n : INT_MAX;
  }
  free(copy);
  return printed(f, used, result);
}

DVMRT_EXPORT int __dvmp_fputs(int used, const char *s, FILE *f);
int __dvmp_fputs(int used, const char *s, FILE *f) { return put_text(used, s, f, false); }

DVMRT_EXPORT int __dvmp_puts(int used, const char *s);
int __dvmp_puts(int used, const char *s) { return put_text(used, s, stdout, true); }

DVMRT_EXPORT int __dvmp_fputc(int used, int c, FILE *f);
int __dvmp_fputc(int used, int c, FILE *f) {
  DVMP_PROFILE_IO;
  need_file(f, "putc");
  return printed(f, used, skips(f) ? c : fputc(c, dvmp_output_to(f)));
}

DVMRT_EXPORT int __dvmp_putchar(int used, int c);
int __dvmp_putchar(int used, int c) { return __dvmp_fputc(used, c, stdout); }

DVMRT_EXPORT int __dvmp_fflush(int used, FILE *f);
int __dvmp_fflush(int used, FILE *f) {
  DVMP_PROFILE_IO;
  return printed(f, used, fflush(f));
}

DVMRT_EXPORT void __dvmp_perror(const char *s);
void __dvmp_perror(const char *s) {
  DVMP_PROFILE_IO;
  if (!skips(stderr))
    perror(s);
}

DVMRT_EXPORT size_t __dvmp_fwrite(int used, const void *p, size_t size, size_t n, FILE *f);
size_t __dvmp_fwrite(int used, const void *p, size_t size, size_t n, FILE *f) {
  DVMP_PROFILE_IO;
  need_file(f, "fwrite");
  if (dvmp_job.edges)
    return n;
  if (!dvmp_stream_one())
    return skips(f) ? n : fwrite(p, size, n, dvmp_output_to(f));
  /* In pieces, of large elements too, so that rank 0 never holds all of it. */
  size_t bytes = size * n, done = 0;
  bool mine = !skips(f), failed = false; /* where it fails no later piece is written, but all are collected */
  for (size_t at = 0; at < bytes; at += CHUNK) {
    const char *from = (const char *)p + at;
    size_t k = bytes - at < CHUNK ? bytes - at : CHUNK;
    char *copy = dvmp_stream_collect(from, k);
    size_t written = failed ? 0 : !mine ? k : fwrite(copy ? copy : from, 1, k, dvmp_output_to(f));
    done += written;
    failed |= written < k;
    free(copy);
  }
  done = size ? done / size : 0;
  if (used && dvmp_stream_one_of(f))
    dvmp_stream_share(&done, sizeof(done));
  return done;
}
