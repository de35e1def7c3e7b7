/* Streams are opened and closed: rank 0 has the file, the others one that leads nowhere; what lies in memory each has. */
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/stream.h"
#include "runtime/export.h"
#include <errno.h>
#include <stdlib.h>

/* ---- which there are -------------------------------------------------------------------------------------------------------- */

/* What a task has opened: the first of its ranks has the file, which of all others rank 0 has. */
static struct opened {
  struct opened *next;
  const void *f;                /* a stream, or a number (key) */
  int root;
} *opened;
static struct in_memory {
  struct in_memory *next;
  FILE *f;
} *in_memory;
static bool moved[3];           /* standard streams that lead elsewhere (freopen) */

static const void *key(int fd) { return (const void *)((uintptr_t)fd + 1); }

static int root_of(const void *f) {
  const struct opened *o = opened;
  while (o && o->f != f)
    o = o->next;
  return o ? o->root : 0;
}

static void note(const void *f) {
  struct opened *o = opened;
  while (o && o->f != f)
    o = o->next;
  if (!o && !dvmp_job.root)
    return;
  if (!o) {
    o = calloc(1, sizeof(*o));
    if (!o)
      dvmp_out_of_memory();
    o->next = opened;
    o->f = f;
    opened = o;
  }
  o->root = dvmp_job.root;
}

static FILE *note_opened(FILE *f) {
  if (f)
    note(f);
  return f;
}

void dvmp_stream_opened(int fd) { note(key(fd)); }

static void need(const void *f, const char *what) {
  if (dvmp_job.group && !dvmp_job.everywhere && root_of(f) != dvmp_job.root)
    dvmp_fail_here(
        1, dvmp_construct_place(),
        "'%s' in a task, on a file that a rank has opened that does not execute the task, is not supported in parallel execution "
        "yet: open it in the task, or let all ranks execute each task (DVM_OPTIONS=tasks=all)",
        what);
}

void dvmp_stream_need(FILE *f, const char *what) {
  if (!dvmp_stream_in_memory(f))
    need(f, what);
}

void dvmp_stream_need_number(int fd, const char *what) {
  need(key(fd), what);
  dvmp_stream_need_outside(what);
}

void dvmp_stream_need_outside(const char *what) {
  if (dvmp_job.inside && !dvmp_job.everywhere && dvmp_job.rank)
    dvmp_fail_here(1, dvmp_construct_place(),
                   "'%s' in a parallel loop, on a file that rank 0 has opened, is not supported in parallel execution yet: "
                   "print to standard output, or write after the loop",
                   what);
}

bool dvmp_stream_in_memory(const FILE *f) {
  const struct in_memory *m = in_memory;
  while (m && m->f != f)
    m = m->next;
  return m != NULL;
}

static int standard(const FILE *f) { return f == stdin ? 0 : f == stdout ? 1 : f == stderr ? 2 : -1; }

bool dvmp_stream_is_each(const FILE *f) {
  int n = standard(f);
  return (n > 0 && !moved[n]) || dvmp_stream_in_memory(f);
}

/* ---- opening ---------------------------------------------------------------------------------------------------------------------- */

static FILE *share_stream(FILE *f) {
  bool open = f != NULL;
  dvmp_stream_share(&open, sizeof(open));
  if (dvmp_job_first() || !open)
    return note_opened(f);
  int kept = errno;
  f = fopen("/dev/null", "r+");
  errno = kept;
  return note_opened(f);
}

DVMRT_EXPORT FILE *__dvmp_fopen(const char *name, const char *mode);
FILE *__dvmp_fopen(const char *name, const char *mode) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one())
    return fopen(name, mode);
  return share_stream(!dvmp_job_first() ? NULL : fopen(name, mode));
}

DVMRT_EXPORT FILE *__dvmp_tmpfile(void);
FILE *__dvmp_tmpfile(void) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one())
    return tmpfile();
  return share_stream(!dvmp_job_first() ? NULL : tmpfile());
}

DVMRT_EXPORT FILE *__dvmp_popen(const char *command, const char *mode);
FILE *__dvmp_popen(const char *command, const char *mode) {
  DVMP_PROFILE_IO;
  if (!dvmp_stream_one())
    return popen(command, mode);
  return share_stream(!dvmp_job_first() ? NULL : popen(command, mode));
}

DVMRT_EXPORT FILE *__dvmp_freopen(const char *name, const char *mode, FILE *f);
FILE *__dvmp_freopen(const char *name, const char *mode, FILE *f) {
  DVMP_PROFILE_IO;
  int n = standard(f);
  if (n >= 0)
    moved[n] = true;
  if (!dvmp_stream_one())
    return freopen(name, mode, f);
  bool is_open = dvmp_job_first() && freopen(name, mode, f);
  dvmp_stream_share(&is_open, sizeof(is_open));
  if (dvmp_job_first() || !is_open) {
    if (!dvmp_job_first())
      fclose(f);
    return is_open ? note_opened(f) : NULL;
  }
  int kept = errno;
  f = freopen("/dev/null", "r+", f);
  errno = kept;
  return note_opened(f);
}

/* Each rank has its own, with the same text. */
static FILE *note_memory(FILE *f) {
  struct in_memory *m = f ? calloc(1, sizeof(*m)) : NULL;
  if (!m)
    return f;
  m->f = f;
  m->next = in_memory;
  in_memory = m;
  return f;
}

DVMRT_EXPORT FILE *__dvmp_open_memstream(char **p, size_t *n);
FILE *__dvmp_open_memstream(char **p, size_t *n) { return note_memory(open_memstream(p, n)); }

DVMRT_EXPORT FILE *__dvmp_fmemopen(void *p, size_t n, const char *mode);
FILE *__dvmp_fmemopen(void *p, size_t n, const char *mode) { return note_memory(fmemopen(p, n, mode)); }

/* ---- closing ---------------------------------------------------------------------------------------------------------------------- */

static void forget_memory(const FILE *f) {
  for (struct in_memory **at = &in_memory, *m; (m = *at); at = &m->next)
    if (m->f == f) {
      *at = m->next;
      free(m);
      return;
    }
}

DVMRT_EXPORT int __dvmp_fclose(FILE *f);
int __dvmp_fclose(FILE *f) {
  DVMP_PROFILE_IO;
  bool one = dvmp_stream_one_of(f);
  forget_memory(f);
  int result = fclose(f);
  if (one)
    dvmp_stream_share(&result, sizeof(result));
  return result;
}

DVMRT_EXPORT int __dvmp_pclose(FILE *f);
int __dvmp_pclose(FILE *f) {
  DVMP_PROFILE_IO;
  bool one = dvmp_stream_one();
  int result = one && !dvmp_job_first() ? fclose(f) : pclose(f);
  if (one)
    dvmp_stream_share(&result, sizeof(result));
  return result;
}
