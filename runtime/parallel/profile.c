#include "runtime/parallel/profile.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { DEPTH_MAX = 128, BUCKETS = 1024, INTERVALS_MAX = 500 };

bool dvmp_profiling;

static struct dvmp_profile profile;
static struct dvmp_entry *first, **last = &first, *bucket[BUCKETS][4]; /* the latest of each bucket */
/* What is charged now, and what will be when the innermost directive is left. */
static struct charged {
  struct dvmp_entry *entry;
  int time, why;
} now, outer[DEPTH_MAX];
static int depth, interval, nopen;
static struct {
  int outer; /* interval that it is in */
  bool has_number;
  int64_t number;
} opened[DEPTH_MAX];
static uint64_t since_ns;
static pid_t profiled;

static uint64_t now_ns(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

static void *get(size_t n) {
  void *p = calloc(1, n);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

/* ---- the entry that is charged --------------------------------------------------------------------------------------------------- */

static struct dvmp_entry *entry_of(const struct dvmrt_directive *d, bool behind) {
  size_t h = ((uintptr_t)d >> 4 ^ (uintptr_t)d >> 14 ^ (uintptr_t)interval * 31) % BUCKETS;
  struct dvmp_entry **near = bucket[h], *e = NULL;
  for (int i = 0; i < 4; i++)
    if (near[i] && near[i]->d == d && near[i]->behind == behind && near[i]->interval == interval)
      return near[i];
  for (e = first; e && (e->d != d || e->behind != behind || e->interval != interval);)
    e = e->next;
  if (!e) {
    e = get(sizeof(*e));
    *e = (struct dvmp_entry){.d = d, .behind = behind, .interval = interval};
    *last = e;
    last = &e->next;
  }
  memmove(near + 1, near, 3 * sizeof(*near));
  return near[0] = e;
}

static uint64_t *place_of(const struct charged *c) {
  if (c->time < DVMP_TIME_OWN)
    return &c->entry->time_ns[c->time];
  struct dvmp_exchanged *x = &c->entry->why[c->why];
  return c->time == DVMP_TIME_WAIT ? &x->wait_ns : &x->transfer_ns;
}

/* All until now goes to what was charged.  A clock that was set back, as by a restart, counts for nothing. */
static void settle(void) {
  uint64_t t = now_ns();
  if (t > since_ns)
    *place_of(&now) += t - since_ns;
  since_ns = t;
}

int dvmp_profile_charge(int time) {
  int before = now.time;
  if (time != before)
    settle();
  now.time = time;
  return before;
}

int dvmp_profile_operate(int why) {
  int before = now.why;
  now.why = why;
  now.entry->why[why].count++;
  return before;
}

void dvmp_profile_back(int why) {
  if (dvmp_profiling)
    now.why = why;
}

void dvmp_profile_open(const struct dvmrt_directive *d) {
  settle();
  if (now.entry->behind)
    now.entry->until = d;
  if (depth < DEPTH_MAX)
    outer[depth] = now;
  depth++;
  now = (struct charged){entry_of(d, false), DVMP_TIME_SYSTEM, DVMP_WHY_OTHER};
  now.entry->executions++;
}

void dvmp_profile_close(void) {
  const struct dvmrt_directive *d = now.entry->d;
  settle();
  if (!depth || --depth >= DEPTH_MAX)
    return;
  now = outer[depth];
  if (!depth) {
    now.entry = entry_of(d, true);
    now.entry->executions++;
  }
}

void dvmp_profile_add_sent(uint64_t bytes) {
  now.entry->why[now.why].messages++;
  now.entry->why[now.why].bytes += bytes;
}

void dvmp_profile_iterations(uint64_t n) {
  if (dvmp_profiling)
    now.entry->iterations += n;
}

void dvmp_profile_pipeline(uint64_t ranks, uint64_t stages) {
  if (!dvmp_profiling)
    return;
  now.entry->line = ranks;
  now.entry->stages = stages;
}

void dvmp_profile_late(int rank, uint64_t ns) {
  if (!now.entry->late_ns)
    now.entry->late_ns = get((size_t)dvmp_job.size * sizeof(*now.entry->late_ns));
  now.entry->late_ns[rank] += ns;
}

struct dvmp_profile_io dvmp_profile_io_begin(void) {
  if (!dvmp_profiling || now.why == DVMP_WHY_IO)
    return (struct dvmp_profile_io){-1, 0};
  struct dvmp_profile_io before = {now.time, now.why};
  dvmp_profile_charge(DVMP_TIME_IO);
  dvmp_profile_operate(DVMP_WHY_IO);
  return before;
}

void dvmp_profile_io_end(struct dvmp_profile_io *before) {
  if (!dvmp_profiling || before->time < 0)
    return;
  dvmp_profile_charge(before->time);
  now.why = before->why;
}

/* ---- intervals ------------------------------------------------------------------------------------------------------------------- */

static int interval_of(const struct dvmrt_directive *d, bool has_number, int64_t number) {
  if (profile.nintervals >= INTERVALS_MAX) { /* a number for each turn of a long loop: those that come now are one */
    has_number = false;
    number = 0;
  }
  for (int i = 1; i < profile.nintervals; i++) {
    const struct dvmp_interval *v = &profile.intervals[i];
    if (v->d == d && v->parent == interval && v->has_number == has_number && v->number == number)
      return i;
  }
  profile.intervals = realloc(profile.intervals, ((size_t)profile.nintervals + 1) * sizeof(*profile.intervals));
  if (!profile.intervals)
    dvmp_out_of_memory();
  profile.intervals[profile.nintervals] = (struct dvmp_interval){.parent = interval, .d = d, .has_number = has_number, .number = number};
  return profile.nintervals++;
}

/* What is behind a directive at its end is in the interval that is open then. */
static void go_to(int to) {
  interval = to;
  for (int i = 0; i < depth && i < DEPTH_MAX; i++)
    outer[i].entry = entry_of(outer[i].entry->d, outer[i].entry->behind);
}

static void close_interval(void) {
  if (nopen)
    go_to(opened[--nopen].outer);
}

/* With those that are open inside of it. */
static void leave_interval(int64_t number) {
  int at = nopen - 1;
  while (at >= 0 && !(opened[at].has_number && opened[at].number == number))
    at--;
  while (at >= 0 && nopen > at)
    close_interval();
}

bool dvmp_profile_interval(const struct dvmrt_directive *d, const int64_t *args) {
  const struct dvmrt_item *numbers = dvmrt_directive_find(d->items, DVMRT_DIRECTIVE_INTERVAL);
  int n = numbers ? numbers->naxes : 0;
  if (!strcmp(d->kind, "interval")) {
    if (dvmp_profiling && nopen < DEPTH_MAX) {
      opened[nopen].outer = interval;
      opened[nopen].has_number = n > 0;
      opened[nopen].number = n ? dvmrt_num_value(numbers->axis[0].add, args) : 0;
      go_to(interval_of(d, n > 0, opened[nopen++].number));
      profile.intervals[interval].executions++;
    }
    return true;
  }
  if (!strcmp(d->kind, "endinterval")) {
    close_interval();
    return true;
  }
  if (strcmp(d->kind, "exitinterval"))
    return false;
  for (int i = 0; i < n; i++)
    leave_interval(dvmrt_num_value(numbers->axis[i].add, args));
  return true;
}

/* ---- arrays ---------------------------------------------------------------------------------------------------------------------- */

static int64_t shortest(struct dvmp_list l) {
  int64_t least = 0;
  for (int i = 0; i < l.n; i++) {
    int64_t n = l.at[i].high - l.at[i].low + 1;
    least = !least || n < least ? n : least;
  }
  return least;
}

void dvmp_profile_note_array(const struct dvmp_array *a) {
  struct dvmp_profiled_array *x = profile.arrays;
  if (a->is_template || dvmp_array_everywhere(a))
    return;
  while (x && (strcmp(x->name, a->name) || x->declared.line != a->declared.line || x->declared.file != a->declared.file))
    x = x->next;
  if (!x) {
    x = get(sizeof(*x));
    x->next = profile.arrays;
    profile.arrays = x;
  }
  x->name = a->name;
  x->declared = a->declared;
  x->element_bytes = a->element_bytes;
  x->ndims = a->ndims;
  for (int d = 0; d < a->ndims; d++) {
    x->extent[d] = a->extent[d];
    x->own[d] = dvmp_list_count(a->own.dim[d]);
    x->span[d] = shortest(a->own.dim[d]);
  }
}

/* ---- begin and end --------------------------------------------------------------------------------------------------------------- */

static int prepare_folder(const char *folder) {
  struct stat st;
  if (mkdir(folder, 0777) && errno != EEXIST)
    return errno;
  if (stat(folder, &st))
    return errno;
  return !S_ISDIR(st.st_mode) ? ENOTDIR : access(folder, W_OK | X_OK) ? errno : 0;
}

void dvmp_profile_begin(const char *folder) {
  int64_t worst;
  struct timespec t;
  if (!folder)
    return;
  worst = prepare_folder(folder);
  dvmp_job_combine(&worst, 1, 'M', 'i', 8, NULL);
  if (worst)
    dvmp_fail_all(DVMP_STATUS_USAGE, NULL, "DVM_OPTIONS: 'profile=%s': cannot write into this folder: %s", folder, strerror((int)worst));
  clock_gettime(CLOCK_REALTIME, &t);
  profile.folder = folder;
  profile.stamp = (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
  dvmp_job_tell(&profile.stamp, sizeof(profile.stamp), 0);
  profile.intervals = get(sizeof(*profile.intervals));
  profile.intervals[0].executions = 1;
  profile.nintervals = 1;
  profile.first = &first;
  now = (struct charged){entry_of(NULL, true), DVMP_TIME_ALL, DVMP_WHY_OTHER};
  now.entry->executions = 1;
  profile.begin_ns = since_ns = now_ns();
  profiled = getpid();
  dvmp_profiling = true;
}

void dvmp_profile_end(void) {
  if (!dvmp_profiling)
    return;
  settle();
  dvmp_profiling = false;
  profile.end_ns = since_ns;
  int rc = profiled == getpid() ? dvmp_profile_write(&profile) : 0;
  if (rc)
    fprintf(stderr, "dvm: error: cannot write the profile of rank %d into '%s': %s\n", dvmp_job.rank, profile.folder, strerror(-rc));
}
