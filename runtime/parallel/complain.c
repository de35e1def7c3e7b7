/* Functions of the library that write to stderr themselves: where all ranks call them rank 0 does, and what else they do all do. */
#include "runtime/parallel/job.h"
#include "runtime/parallel/stream.h"
#include "runtime/export.h"
#undef NDEBUG /* __assert_fail is declared */
#include <assert.h>
#include <err.h>
#include <errno.h>
#include <error.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static bool is_silent(void) { return dvmp_stream_one_of(stderr) && !dvmp_job_first(); }

/* ---- options --------------------------------------------------------------------------------------------------------------------- */

#define QUIET(NAME, PARAMS, ARGS)                                                                                                          \
  DVMRT_EXPORT int __dvmp_##NAME PARAMS;                                                                                                   \
  int __dvmp_##NAME PARAMS {                                                                                                               \
    const int told = opterr;                                                                                                               \
    if (is_silent())                                                                                                                       \
      opterr = 0;                                                                                                                          \
    const int result = NAME ARGS;                                                                                                          \
    opterr = told;                                                                                                                         \
    return result;                                                                                                                         \
  }
typedef const struct option options_f;
QUIET(getopt, (int n, char *const *args, const char *known), (n, args, known))
QUIET(getopt_long, (int n, char *const *args, const char *known, options_f *l, int *which), (n, args, known, l, which))
QUIET(getopt_long_only, (int n, char *const *args, const char *known, options_f *l, int *which), (n, args, known, l, which))

/* ---- messages -------------------------------------------------------------------------------------------------------------------- */

#define WARNS(NAME)                                                                                                                        \
  DVMRT_EXPORT void __dvmp_##NAME(const char *format, ...);                                                                                \
  void __dvmp_##NAME(const char *format, ...) {                                                                                            \
    va_list args;                                                                                                                          \
    va_start(args, format);                                                                                                                \
    if (!is_silent())                                                                                                                      \
      v##NAME(format, args);                                                                                                               \
    va_end(args);                                                                                                                          \
  }
WARNS(warn)
WARNS(warnx)

#define ENDS(NAME, WARNS)                                                                                                                  \
  DVMRT_EXPORT void __dvmp_##NAME(int status, const char *format, ...) __attribute__((noreturn));                                          \
  void __dvmp_##NAME(int status, const char *format, ...) {                                                                                \
    va_list args;                                                                                                                          \
    va_start(args, format);                                                                                                                \
    if (!is_silent())                                                                                                                      \
      WARNS(format, args);                                                                                                                 \
    va_end(args);                                                                                                                          \
    exit(status);                                                                                                                          \
  }
ENDS(err, vwarn)
ENDS(errx, vwarnx)

DVMRT_EXPORT void __dvmp_error(int status, int number, const char *format, ...);
void __dvmp_error(int status, int number, const char *format, ...) {
  char text[4096];
  va_list args;
  va_start(args, format);
  vsnprintf(text, sizeof(text), format, args);
  va_end(args);
  if (!is_silent())
    error(status, number, "%s", text);
  else if (status)
    exit(status);
  else
    error_message_count++;
}

/* Rank 0 complains, and ends all; where it does not, this rank alone has found something. */
DVMRT_EXPORT void __dvmp_assert_fail(const char *what, const char *file, unsigned line, const char *function) __attribute__((noreturn));
void __dvmp_assert_fail(const char *what, const char *file, unsigned line, const char *function) {
  if (is_silent())
    sleep(5);
  __assert_fail(what, file, line, function);
}
