#include "runtime/trace/inside.h"
#include "base/error.h"
#include "driver/trace/format/collect.h"
#include "driver/trace/format/pack.h"
#include "runtime/trace/launcher.h"
#include "runtime/trace/ring.h"
#include "driver/trace/format/writer.h"
#include <dlfcn.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))
enum { POLL_MS = 100, FLUSH_MS = 1000, THREAD_CONTEXT = 0 /* of dvmcr.h */ };

static struct {
  struct dvmt_ring *ring;
  struct dvmt_writer *writer;
  struct dvmt_collector *collector;
  pthread_t thread;
  atomic_bool ending;
  int rc;
  bool verbose;
  const char *path;
  const char *rank;             /* meta lines that tell it, or "" */
  bool paced;                   /* what is there goes to the file soon */
  bool ordered;                 /* the program writes the first word of each record last */
  size_t taken;                 /* words of the chunk that the program is filling */
  int64_t flushed_ms, flush_ms; /* when it was last; how long until it is again */
  atomic_int saving;            /* 1: it is wanted, 2: done */
  pid_t pid;                    /* that meets signals */
} inside = {.rank = ""};

static int64_t now_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
  return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* What comes slowly would wait long for its block to be full.  Of a run that has just begun little is lost if it is killed. */
static void pace(void) {
  int64_t now = now_ms();
  if (!inside.paced || inside.rc || now - inside.flushed_ms < inside.flush_ms)
    return;
  inside.flushed_ms = now;
  inside.flush_ms = inside.flush_ms < FLUSH_MS ? inside.flush_ms + POLL_MS / 4 : FLUSH_MS;
  dvmt_writer_flush(inside.writer);
}

static void take(const uint64_t *words, size_t n) {
  if (!inside.rc)
    inside.rc = dvmt_collector_take_on(inside.collector, words, n, &inside.taken);
}

static void drain(void) {
  const uint64_t *words;
  size_t n;
  while ((words = dvmt_ring_take(inside.ring, &n))) {
    take(words, n);
    inside.taken = 0;
    dvmt_ring_give_back(inside.ring);
  }
}

/* Of the chunk that is being filled.  Between drain() and here the program may have published it, which changes nothing in it. */
static void take_rest(void) {
  size_t n;
  const uint64_t *rest = dvmt_ring_rest(inside.ring, &n);
  take(rest, n);
}

/* The process is about to be ended by a signal: all that there is goes to the file. */
static void save(void) {
  take_rest();
  if (!inside.rc) {
    dvmt_writer_flush(inside.writer);
    dvmt_writer_settle(inside.writer);
  }
  inside.rc = -ESHUTDOWN; /* nothing more is taken */
  atomic_store(&inside.saving, 2);
}

static void *collect(void *arg) {
  int poll_ms = POLL_MS / 16;
  while (!atomic_load(&inside.ending)) {
    dvmt_ring_wait(inside.ring, poll_ms);
    poll_ms = poll_ms < POLL_MS / 2 ? 2 * poll_ms : POLL_MS;
    drain();
    if (inside.ordered)
      take_rest();
    pace();
    if (atomic_load(&inside.saving) == 1)
      save();
  }
  return arg;
}

/* ---- ends by a signal ---------------------------------------------------------------------------------------------------- */

static const int fatal[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTERM, SIGXCPU};
enum { NFATAL = sizeof(fatal) / sizeof(*fatal) };
static struct sigaction before_us[NFATAL];

/* Waits until the recorder's thread has written; then whatever would have happened without us. */
static void on_fatal(int number) {
  int none = 0;
  struct timespec pause = {0, 1000000};
  if (getpid() == inside.pid) {
    atomic_compare_exchange_strong(&inside.saving, &none, 1);
    for (int i = 0; i < 2000 && atomic_load(&inside.saving) != 2; i++) {
      dvmt_ring_wake(inside.ring);
      nanosleep(&pause, NULL);
    }
  }
  for (int i = 0; i < NFATAL; i++)
    if (fatal[i] == number)
      sigaction(number, &before_us[i], NULL);
  raise(number); /* when this handler has returned */
}

static void meet_signals(void) {
  struct sigaction own = {.sa_handler = on_fatal, .sa_flags = SA_ONSTACK};
  inside.pid = getpid();
  sigfillset(&own.sa_mask); /* a launcher that ends the others may be quick */
  for (int i = 0; i < NFATAL; i++) {
    sigaction(fatal[i], NULL, &before_us[i]);
    if (before_us[i].sa_handler != SIG_IGN)
      sigaction(fatal[i], &own, NULL);
  }
}

/* ---- checkpoints --------------------------------------------------------------------------------------------------------- */

typedef int checkpoint_f(int);
static checkpoint_f *checkpoint;

/* In the checkpointer's thread, before all others are stopped and after they have been let go. */
static int around_checkpoint(void *arg) {
  (void)arg;
  dvmt_writer_sync(inside.writer);
  if (checkpoint(0) == 1) /* another life: the file may have grown since */
    dvmt_writer_cut(inside.writer);
  return 0;
}

static void meet_checkpointer(void) {
  typedef int add_f(int (*)(void *), void *, int);
  add_f *add;
  *(void **)&add = dlsym(RTLD_DEFAULT, "dvmcr_callback_add");
  *(void **)&checkpoint = dlsym(RTLD_DEFAULT, "dvmcr_checkpoint");
  if (add && checkpoint)
    add(around_checkpoint, NULL, THREAD_CONTEXT);
}

/* ---- beginning and end --------------------------------------------------------------------------------------------------- */

static struct dvmt_ring *make_ring(void) {
  struct dvmt_ring *ring = mmap(NULL, sizeof(*ring), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (ring == MAP_FAILED)
    return NULL;
  ring->magic = DVMT_RING_MAGIC;
  ring->collector = ring->program = (uint32_t)getpid();
  return ring;
}

/* Its threads run none of the program's signal handlers. */
static int start_threads(enum dvmt_codec codec, struct dvm_error *err) {
  const char *common = getenv("DVM_RECORD_META");
  char *meta = NULL;
  sigset_t all, before;
  int rc = 0;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  if (asprintf(&meta, "%s%s", inside.rank, common ? common : "") < 0)
    meta = NULL;
  inside.writer = meta ? dvmt_writer_create_in_place(inside.path, meta, codec, err) : NULL;
  if (!meta)
    dvm_error_set(err, -ENOMEM, "out of memory");
  free(meta);
  inside.collector = inside.writer ? dvmt_collector_create(dvmt_writer_sink(inside.writer)) : NULL;
  if (!inside.writer)
    rc = err->code;
  else if (!inside.collector || pthread_create(&inside.thread, NULL, collect, NULL))
    rc = dvm_error_set(err, -ENOMEM, "cannot start a thread");
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  return rc;
}

EXPORT struct dvmt_ring *dvmt_inside_start(const char *path, const char *codec, bool verbose) {
  struct dvm_error err = DVM_ERROR_INIT;
  unsigned i = 0;
  while (i < DVMT_NCODECS && strcmp(codec, dvmt_codec_name(i)) != 0)
    i++;
  inside.verbose = verbose;
  inside.path = path;
  inside.ring = make_ring();
  if (!inside.ring || i == DVMT_NCODECS)
    dvm_error_set(&err, -ENOMEM, "cannot create the record buffer");
  else
    start_threads((enum dvmt_codec)i, &err);
  if (!err.code) {
    meet_checkpointer();
    return inside.ring;
  }
  fprintf(stderr, "dvm: error: %s\n", err.text);
  return NULL;
}

EXPORT struct dvmt_ring *dvmt_inside_start_rank(const struct dvmt_inside_rank *r) {
  char codec[16] = "", pid[16], *path = NULL, *lines = NULL;
  int verbose = 0;
  if (sscanf(r->how, "%15[a-z].%d", codec, &verbose) != 2 || asprintf(&path, "%s.%d", r->file, r->rank) < 0 ||
      asprintf(&lines, "rank %d\nranks %d\nkind %s\n%s%s%s", r->rank, r->size, r->kind, r->level ? "level " : "", r->level ? r->level : "",
               r->level ? "\n" : "") < 0) {
    fprintf(stderr, "dvm: error: DVM_OPTIONS: 'trace_job' is set by 'dvm record' and 'dvm compare' alone\n");
    return NULL;
  }
  snprintf(pid, sizeof(pid), "%d", getpid());
  setenv(DVMT_RECORDED_BY, pid, 1);
  inside.rank = lines;
  inside.paced = true;
  inside.ordered = !strcmp(r->kind, "parallel");
  struct dvmt_ring *ring = dvmt_inside_start(path, codec, verbose);
  if (ring)
    meet_signals();
  return ring;
}

EXPORT int dvmt_inside_finish(void) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_totals t;
  atomic_store(&inside.ending, true);
  dvmt_ring_wake(inside.ring);
  pthread_join(inside.thread, NULL);
  drain();
  if (inside.rc == -ESHUTDOWN) /* it has lived on, behind what was saved */
    inside.rc = dvmt_writer_close(inside.writer, false, NULL, &err);
  if (atomic_load(&inside.saving) == 2)
    return inside.rc;
  take_rest();
  if (!inside.rc)
    inside.rc = dvmt_collector_unrecorded(inside.collector, inside.ring);
  dvmt_collector_destroy(inside.collector);
  int rc = dvmt_writer_close(inside.writer, !inside.rc, &t, &err);
  if (!rc && inside.rc)
    rc = dvm_error_set(&err, inside.rc, "recording stopped: %s", strerror(-inside.rc));
  if (rc)
    fprintf(stderr, "dvm: error: %s\n", err.text);
  else if (inside.verbose)
    fprintf(stderr, "dvm: %llu records (%llu values) in '%s': %llu bytes, %.2f per record\n", (unsigned long long)t.records,
            (unsigned long long)t.values, inside.path, (unsigned long long)t.file_bytes,
            t.records ? (double)t.file_bytes / (double)t.records : 0);
  return rc;
}
