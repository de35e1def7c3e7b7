/* Input of the sequential part: rank 0 reads, all get what it has read. */
#include "runtime/parallel/array.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/poison.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/sequential.h"
#include "runtime/parallel/stream.h"
#include "runtime/export.h"
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

DVMRT_EXPORT size_t __dvmp_fread(void *p, size_t size, size_t n, FILE *f);
size_t __dvmp_fread(void *p, size_t size, size_t n, FILE *f) {
  DVMP_PROFILE_IO;
  dvmp_stream_need(f, "fread");
  if (!dvmp_stream_one_of(f))
    return fread(p, size, n, f);
  size_t result = size && n ? dvmp_stream_read(p, size, n, f) : 0;
  if (result != SIZE_MAX)
    return result;
  result = !dvmp_job_first() ? 0 : fread(p, size, n, f);
  dvmp_stream_share(&result, sizeof(result));
  dvmp_stream_spread(p, result * size);
  return result;
}

DVMRT_EXPORT char *__dvmp_fgets(char *s, int n, FILE *f);
char *__dvmp_fgets(char *s, int n, FILE *f) {
  DVMP_PROFILE_IO;
  dvmp_stream_need(f, "fgets");
  if (!dvmp_stream_one_of(f))
    return fgets(s, n, f);
  int64_t length = -1;
  if (dvmp_job_first() && fgets(s, n, f))
    length = (int64_t)strlen(s) + 1;
  dvmp_stream_share(&length, sizeof(length));
  if (length < 0)
    return NULL;
  dvmp_stream_spread(s, (size_t)length);
  return s;
}

DVMRT_EXPORT ssize_t __dvmp_getdelim(char **line, size_t *size, int end, FILE *f);
ssize_t __dvmp_getdelim(char **line, size_t *size, int end, FILE *f) {
  DVMP_PROFILE_IO;
  dvmp_stream_need(f, "getline");
  if (!dvmp_stream_one_of(f))
    return getdelim(line, size, end, f);
  ssize_t n = !dvmp_job_first() ? 0 : getdelim(line, size, end, f);
  dvmp_stream_share(&n, sizeof(n));
  if (n < 0)
    return n;
  if (!dvmp_job_first() && (!*line || *size < (size_t)n + 1)) {
    *line = realloc(*line, (size_t)n + 1);
    *size = (size_t)n + 1;
    if (!*line)
      dvmp_out_of_memory();
  }
  dvmp_job_tell(*line, (size_t)n + 1, dvmp_job.root);
  return n;
}

DVMRT_EXPORT ssize_t __dvmp_getline(char **line, size_t *size, FILE *f);
ssize_t __dvmp_getline(char **line, size_t *size, FILE *f) { return __dvmp_getdelim(line, size, '\n', f); }

/* ---- formats -------------------------------------------------------------------------------------------------------------------- */

/* One conversion that stores: behind it, or NULL at the end. 'n' is the size of its target, 0: a text. */
static const char *next_conversion(const char *f, size_t *n) {
  for (; *f; f++) {
    int longs = 0, shorts = 0;
    char size = 0;
    bool skip = false, allocates = false;
    size_t width = 0;
    if (*f != '%')
      continue;
    f++;
    if (*f == '%')
      continue;
    for (; *f == '*' || (*f >= '0' && *f <= '9') || *f == '\'' || *f == 'm' || *f == '$'; f++) {
      skip |= *f == '*';
      allocates |= *f == 'm';
      width = *f >= '0' && *f <= '9' ? width * 10 + (size_t)(*f - '0') : width;
    }
    for (; strchr("hlLqjzt", *f) && *f; f++) {
      longs += *f == 'l';
      shorts += *f == 'h';
      size = *f == 'L' || *f == 'q' || *f == 'j' || *f == 'z' || *f == 't' ? *f : size;
    }
    char c = *f;
    if (c == '[') { /* the set, in which ']' may come first */
      f += f[1] == '^';
      f += f[1] == ']';
      while (f[1] && f[1] != ']')
        f++;
      f += f[1] == ']';
    }
    if (!c)
      return NULL;
    if (skip)
      continue;
    if (strchr("eEfFgGaA", c))
      *n = size == 'L' ? sizeof(long double) : longs ? sizeof(double) : sizeof(float);
    else if (c == 'p')
      *n = sizeof(void *);
    else if (c == 'c')
      *n = (width ? width : 1) * (longs ? sizeof(wchar_t) : 1);
    else if (c == 's' || c == '[')
      *n = 0;
    else
      *n = longs || size ? 8 : shorts > 1 ? 1 : shorts ? 2 : 4;
    if (allocates || ((c == 's' || c == '[') && longs))
      *n = SIZE_MAX;
    return f + 1;
  }
  return NULL;
}

/* Text is as long as rank 0 has read it. */
static void spread_one(void *p, size_t n) {
  if (n == SIZE_MAX)
    dvmp_fail_all(1, dvmp_construct_place(),
                  "'%%m' and wide strings in 'scanf' are not supported in parallel execution yet: read with 'getline'");
  uint64_t size = n;
  if (!n) {
    size = !dvmp_job_first() ? 0 : strlen(p) + 1;
    dvmp_job_tell(&size, sizeof(size), dvmp_job.root);
  }
  struct dvmp_array *a = dvmp_array_at((uintptr_t)p);
  if (!a || dvmp_array_everywhere(a) || size > 4096) {
    dvmp_stream_spread(p, size);
    return;
  }
  char value[4096];
  if (dvmp_job_first())
    memcpy(value, p, size);
  dvmp_job_tell(value, size, dvmp_job.root);
  if (dvmp_array_mine(a, (uintptr_t)p))
    memcpy(p, value, size);
  dvmp_sequential_assigned(a, (uintptr_t)p, size);
}

DVMRT_EXPORT int __dvmp_vfscanf(FILE *f, const char *format, va_list args);
int __dvmp_vfscanf(FILE *f, const char *format, va_list args) {
  DVMP_PROFILE_IO;
  va_list again;
  dvmp_stream_need(f, "scanf");
  if (!dvmp_stream_one_of(f))
    return vfscanf(f, format, args);
  va_copy(again, args);
  int result = !dvmp_job_first() ? 0 : vfscanf(f, format, args);
  dvmp_stream_share(&result, sizeof(result));
  size_t n;
  for (int i = 0; i < result && (format = next_conversion(format, &n)); i++)
    spread_one(va_arg(again, void *), n);
  va_end(again);
  return result;
}

#define SCANS(NAME, PARAMS, LAST, STREAM)                                                                                                  \
  DVMRT_EXPORT int NAME PARAMS;                                                                                                            \
  int NAME PARAMS {                                                                                                                        \
    va_list args;                                                                                                                          \
    va_start(args, LAST);                                                                                                                  \
    int result = __dvmp_vfscanf(STREAM, format, args);                                                                                     \
    va_end(args);                                                                                                                          \
    return result;                                                                                                                         \
  }
SCANS(__dvmp_fscanf, (FILE * f, const char *format, ...), format, f)
SCANS(__dvmp_scanf, (const char *format, ...), format, stdin)

DVMRT_EXPORT int __dvmp_vscanf(const char *format, va_list args);
int __dvmp_vscanf(const char *format, va_list args) { return __dvmp_vfscanf(stdin, format, args); }
