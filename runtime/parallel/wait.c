#include "runtime/parallel/wait.h"
#include "runtime/parallel/ask.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/facts.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/output.h"
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A rank that has waited for 'patience' seconds tells rank 0, and tells it when the wait is over.  When all wait, and none has told
 * otherwise for as long again, no message is under way that could end it. */
enum { WHERE_TAG = 1, RING = 192, FILES = 8, FILE_MAX = 88 };
struct place {
  uint32_t digest;              /* of all places so far, this one included: its low half */
  uint32_t line, file;          /* which of the files; FILES: none of them */
};
/* Small enough to be sent at once, whether rank 0 listens or has gone on to the end. */
struct where {
  uint32_t waits, ends, parted; /* parted: it knows that another rank came through other places */
  uint64_t number, task;        /* of the last place; the task it is in */
  uint32_t line;                /* of the last directive */
  char file[FILE_MAX + 4];
  char files[FILES][FILE_MAX + 4];
  struct place ring[RING];      /* [number % RING] */
};
_Static_assert(sizeof(struct where) < 3600, "is sent eagerly");

struct passed {
  uint64_t number, digest;
  uint64_t task;                /* which one is being executed, 0: none */
  struct {
    uint64_t digest;
    const struct dvmrt_pos *at;
  } ring[RING];
};
static struct passed here, *outside; /* outside: of the task */
static int kept_errno;               /* of the program: what we do leaves it alone */
static struct where *known; /* [size], of rank 0 */
static double changed_s;
static bool ending;
static MPI_Comm control = MPI_COMM_NULL;

void dvmp_wait_begin(MPI_Comm c) { control = c; }
void dvmp_wait_ending(void) { ending = true; }

/* ---- places --------------------------------------------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, uint64_t v) {
  h = (h ^ v) * 0x9e3779b97f4a7c15u;
  return h ^ h >> 29;
}

static uint64_t hash_place(const struct dvmrt_pos *at) {
  uint64_t h = (uint64_t)at->line << 32 | at->column;
  for (const char *s = at->file ? at->file : ""; *s; s++)
    h = mix(h, (unsigned char)*s);
  return h;
}

void dvmp_wait_mark(const struct dvmrt_pos *at, uint64_t what) {
  kept_errno = errno;
  here.digest = mix(mix(here.digest, at ? hash_place(at) : 0), what);
  here.number++;
  here.ring[here.number % RING].digest = here.digest;
  here.ring[here.number % RING].at = at;
}

uint64_t dvmp_wait_digest(void) { return here.digest; }

void dvmp_wait_push(uint64_t what) {
  outside = malloc(sizeof(*outside));
  if (!outside)
    dvmp_out_of_memory();
  *outside = here;
  here.digest = here.task = mix(here.digest, what) | 1;
}

void dvmp_wait_pop(void) {
  here = *outside;
  free(outside);
  outside = NULL;
}

/* ---- news for rank 0 ------------------------------------------------------------------------------------------------------------- */

/* MPI's clock: where ranks have replicas both see the same, and it stands still while a job is saved. */
static double now_s(void) { return PMPI_Wtime(); }

static void take_news(int rank, const struct where *w) {
  if (!known)
    known = calloc((size_t)dvmp_job.size, sizeof(*known));
  if (!known)
    dvmp_out_of_memory();
  known[rank] = *w;
  changed_s = now_s();
}

static void copy_name(char *to, const char *file) {
  size_t n = file ? strlen(file) : 0;
  snprintf(to, FILE_MAX, "%s", !file ? "" : n < FILE_MAX ? file : file + n - (FILE_MAX - 1));
}

static uint32_t file_number(struct where *w, const char *file) {
  char name[FILE_MAX + 4] = "";
  uint32_t i = 0;
  copy_name(name, file);
  while (i < FILES && w->files[i][0] && strcmp(w->files[i], name))
    i++;
  if (i < FILES)
    memcpy(w->files[i], name, sizeof(name));
  return i;
}

static void tell_where(bool waits, bool parted) {
  struct where *w = calloc(1, sizeof(*w));
  const struct dvmrt_pos *at = dvmp_construct_place();
  if (!w)
    dvmp_out_of_memory();
  *w = (struct where){.waits = waits, .ends = ending, .parted = parted, .number = here.number, .task = here.task};
  if (at && at->file && !ending) {
    w->line = at->line;
    copy_name(w->file, at->file);
  }
  for (int i = 0; i < RING; i++) {
    const struct dvmrt_pos *place = here.ring[i].at;
    w->ring[i].digest = (uint32_t)here.ring[i].digest;
    w->ring[i].line = place ? place->line : 0;
    w->ring[i].file = place && place->file ? file_number(w, place->file) : FILES;
  }
  if (dvmp_job.rank)
    PMPI_Send(w, sizeof(*w), MPI_BYTE, 0, WHERE_TAG, control);
  else
    take_news(0, w);
  free(w);
}

/* ---- the end of ranks that have parted ------------------------------------------------------------------------------------------- */

static bool has(const struct where *w, uint64_t number) { return number && number <= w->number && number + RING > w->number; }

/* The first place that not all who execute this task (0: no task) came through with the same digest; 0: none that they remember. */
static uint64_t difference_in(uint64_t task) {
  uint64_t first = 0, last = 0;
  int one = 0;
  while (known[one].task != task)
    one++;
  for (int q = one; q < dvmp_job.size; q++) {
    if (known[q].task != task)
      continue;
    uint64_t oldest = known[q].number >= RING ? known[q].number - RING + 1 : 1;
    first = oldest > first ? oldest : first;
    last = known[q].number > last ? known[q].number : last;
  }
  for (uint64_t i = first; i <= last; i++)
    for (int q = one + 1; q < dvmp_job.size; q++)
      if (known[q].task == task && (has(&known[q], i) != has(&known[one], i) ||
                                    (has(&known[q], i) && known[q].ring[i % RING].digest != known[one].ring[i % RING].digest)))
        return i;
  return 0;
}

/* Ranks that have parted may be in one task, which others do not execute. */
static uint64_t first_difference(uint64_t *task) {
  for (int q = 0; q < dvmp_job.size; q++) {
    *task = known[q].task;
    uint64_t found = difference_in(*task);
    if (found)
      return found;
  }
  return 0;
}

/* What is said of a rank. */
static void word_rank(char *text, size_t room, int q, uint64_t difference, uint64_t task, char *at, size_t at_room) {
  const struct where *w = &known[q];
  const struct place *p = difference && w->task == task && has(w, difference) ? &w->ring[difference % RING] : NULL;
  at[0] = 0;
  if (p && p->line) {
    snprintf(at, at_room, "%s:%u: ", p->file < FILES ? w->files[p->file] : "?", p->line);
    snprintf(text, room, "at or after this directive");
  } else if (w->ends) {
    snprintf(text, room, "at the end of the program");
  } else {
    if (w->line)
      snprintf(at, at_room, "%s:%u: ", w->file, w->line);
    snprintf(text, room, "at or after this directive");
  }
}

static void end_parted(void) {
  uint64_t task, difference = first_difference(&task);
  char text[128], at[160], other[128], other_at[160];
  static const char parted[] = "the ranks have diverged: each is waiting for others, and none can continue [dvm-divergence]";
  fprintf(stderr, "dvm: error: %s\n", parted);
  for (int q = 0; q < dvmp_job.size; q++) {
    bool told = false;
    word_rank(text, sizeof(text), q, difference, task, at, sizeof(at));
    for (int before = 0; before < q && !told; before++) {
      word_rank(other, sizeof(other), before, difference, task, other_at, sizeof(other_at));
      told = !strcmp(text, other) && !strcmp(at, other_at);
    }
    if (told)
      continue;
    fprintf(stderr, "%snote: rank ", at);
    for (int from = q, to, n = 0; from < dvmp_job.size; from = to + 1) {
      to = from - 1;
      for (bool same = true; same && to + 1 < dvmp_job.size;) {
        word_rank(other, sizeof(other), to + 1, difference, task, other_at, sizeof(other_at));
        same = !strcmp(text, other) && !strcmp(at, other_at);
        to += same;
      }
      if (to >= from)
        fprintf(stderr, to > from ? "%s%d-%d" : "%s%d", n++ ? "," : "", from, to);
      else
        to = from;
    }
    fprintf(stderr, ": %s\n", text);
  }
  dvmp_output_give_up();
  fflush(NULL);
  dvmp_facts_tell(dvmp_construct_place(), parted);
  PMPI_Abort(MPI_COMM_WORLD, DVMP_STATUS_WRONG);
}

/* Of rank 0, which waits. */
static void hear(void) {
  static struct where w;
  int there = 1;
  bool all = known != NULL, parted = all;
  for (;;) {
    MPI_Status status;
    PMPI_Iprobe(MPI_ANY_SOURCE, WHERE_TAG, control, &there, &status);
    if (!there)
      break;
    PMPI_Recv(&w, sizeof(w), MPI_BYTE, status.MPI_SOURCE, WHERE_TAG, control, &status);
    take_news(status.MPI_SOURCE, &w);
  }
  for (int q = 0; q < dvmp_job.size && all; q++) {
    all = known[q].waits;
    parted &= known[q].parted;
  }
  if (all && (parted || now_s() - changed_s > dvmp_job.patience_s))
    end_parted();
}

void dvmp_wait_parted(void) {
  tell_where(true, true);
  for (;;) {
    if (!dvmp_job.rank)
      hear();
    int there;
    PMPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, control, &there, MPI_STATUS_IGNORE); /* keeps messages going */
    sched_yield();
  }
}

/* With more ranks than processors the one that is waited for must get one. */
void dvmp_wait_for(MPI_Request *r, int n) {
  int done = 0;
  bool told = false;
  double from = 0, before = 0;
  for (unsigned turn = 0; !done; turn++) {
    PMPI_Testall(n, r, &done, MPI_STATUSES_IGNORE);
    if (!done)
      dvmp_ask_serve();
    if (done || turn % 64 != 63)
      continue;
    double t = now_s();
    if (from == 0)
      from = before = t;
    if (t - before > 1 || t < before) { /* it was stopped, by a debugger or for a checkpoint: that is no waiting */
      from += t - before;
      changed_s += t - before;
    }
    before = t;
    if (t - from > 50e-6)
      sched_yield();
    if (t - from > dvmp_job.patience_s && !told) {
      told = true;
      tell_where(true, false);
    }
    if (told && !dvmp_job.rank)
      hear();
  }
  if (told)
    tell_where(false, false);
  errno = kept_errno;
}
