#include "runtime/parallel/job.h"
#include "runtime/parallel/ask.h"
#include "runtime/parallel/check.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/digest.h"
#include "runtime/parallel/facts.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/levels.h"
#include "runtime/parallel/leaks.h"
#include "runtime/parallel/options.h"
#include "runtime/parallel/output.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/record.h"
#include "runtime/parallel/wait.h"
#include "runtime/report/spell.h"
#include <mpi.h>
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct dvmp_job dvmp_job = {.size = 1, .patience_s = 5, .guard = true, .huge = true};

static MPI_Comm comm = MPI_COMM_NULL;
static MPI_Comm ready_comm = MPI_COMM_NULL; /* of a profile: who is there */
static MPI_Comm control = MPI_COMM_NULL; /* who waits where; and the end, which no other operation may be taken for */
static MPI_Comm *groups;                 /* of tasks */
static int ngroups;
static int tag_max = 32767;
static bool failing;                     /* all know of an error, wherever they are */
enum { PIECE_MAX = 1 << 30 };

/* ---- begin and end -------------------------------------------------------------------------------------------------------------- */

static bool has_launcher(void) {
  static const char *const names[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK", "MPI_LOCALNRANKS", "DVM_MPI_JOB", NULL};
  for (int i = 0; names[i]; i++)
    if (getenv(names[i]))
      return true;
  return false;
}

static void wait_for(MPI_Request *r, int n, int time) {
  int before = dvmp_profile_time(time);
  dvmp_wait_for(r, n);
  dvmp_profile_time(before);
}

/* Ranks that have not come as far are waited for here, where it is told; so is that they have come another way. */
static void meet_at_end(void) {
  uint64_t digests[2] = {dvmp_wait_digest(), ~dvmp_wait_digest()};
  MPI_Request r;
  PMPI_Iallreduce(MPI_IN_PLACE, digests, 2, MPI_UINT64_T, MPI_MAX, control, &r);
  wait_for(&r, 1, DVMP_TIME_WAIT);
  if (digests[0] != ~digests[1] && !failing && !dvmp_job.inside)
    dvmp_wait_parted();
}

static void finish(void) {
  int done;
  if (dvmp_job.over)
    return;
  if (dvmp_job.in_task) { /* the others will not come here */
    dvmp_wait_pop();
    dvmp_job_narrow(NULL);
  }
  dvmp_output_give_up();
  dvmp_wait_ending();
  dvmp_digest_say_all();
  dvmp_record_end();
  dvmp_job.over = true;
  fflush(NULL);
  if (dvmp_job.mpi && !PMPI_Finalized(&done) && !done) {
    int why = dvmp_profile_why(DVMP_WHY_END);
    meet_at_end();
    dvmp_profile_back(why);
    dvmp_profile_end();
    if (ready_comm != MPI_COMM_NULL)
      PMPI_Comm_free(&ready_comm);
    for (int i = 0; i < ngroups; i++)
      if (groups[i] != MPI_COMM_NULL)
        PMPI_Comm_free(&groups[i]);
    dvmp_ask_close();
    PMPI_Comm_free(&control);
    PMPI_Comm_free(&comm);
    dvmp_leaks_end();
    PMPI_Finalize();
  }
  dvmp_profile_end();
}

void dvmp_job_close(void) { finish(); }

static pthread_t main_thread;
bool dvmp_job_beside(void) { return dvmp_job.begun && !pthread_equal(pthread_self(), main_thread); }

static void begin_mpi(void) {
  int given, is_on, *bound, kept = errno;
  sigset_t all, before;
  dvmp_leaks_pause();
  PMPI_Initialized(&is_on);
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, &before); /* signals are for the program's threads, not for those that MPI starts */
  if (!is_on)
    PMPI_Init_thread(NULL, NULL, MPI_THREAD_FUNNELED, &given);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  PMPI_Comm_dup(MPI_COMM_WORLD, &comm);
  PMPI_Comm_dup(MPI_COMM_WORLD, &control);
  dvmp_wait_begin(control);
  PMPI_Comm_rank(comm, &dvmp_job.rank);
  PMPI_Comm_size(comm, &dvmp_job.size);
  PMPI_Comm_get_attr(comm, MPI_TAG_UB, &bound, &is_on);
  tag_max = is_on ? *bound : 32767;
  dvmp_job.mpi = true;
  dvmp_leaks_resume();
  errno = kept;
}

static void show_help(void) {
  for (unsigned i = 0; i < 64 && dvmp_job.rank == 0; i++)
    if (dvmp_options_line(i))
      printf("%s\n", dvmp_options_line(i));
  finish();
  _exit(0);
}

static void read_options(void) {
  const char *text = getenv("DVM_OPTIONS");
  struct dvm_error err = DVM_ERROR_INIT;
  long all = 1;
  if ((text && dvmp_options_parse(text, &err)) || dvmp_levels_begin(&err))
    dvmp_fail_all(DVMP_STATUS_USAGE, NULL, "%s", err.text);
  if (dvmp_options_help)
    show_help();
  for (int i = 0; i < dvmp_job.ngrid; i++)
    all *= all > INT_MAX ? 1 : dvmp_job.grid[i];
  if (dvmp_job.ngrid && all != dvmp_job.size)
    dvmp_fail_all(DVMP_STATUS_USAGE, NULL, "DVM_OPTIONS: the grid of 'grid=' has %ld processors, but the program runs on %d %s", all,
                  dvmp_job.size, dvmp_job.size == 1 ? "rank" : "ranks");
}

void dvmp_job_begin(void) {
  if (dvmp_job.begun)
    return;
  dvmp_job.begun = true;
  main_thread = pthread_self();
  if (has_launcher())
    begin_mpi();
  atexit(finish);
  dvmp_facts_begin();
  read_options();
  dvmp_check_begin();
  dvmp_record_begin();
  if (dvmp_options_profile && dvmp_job.mpi)
    PMPI_Comm_dup(comm, &ready_comm);
  dvmp_profile_begin(dvmp_options_profile);
}

/* ---- messages to people --------------------------------------------------------------------------------------------------------- */

static bool is_fortran(const char *file) {
  const char *dot = file ? strrchr(file, '.') : NULL;
  return dot && (dot[1] == 'f' || dot[1] == 'F') && strlen(dot) < 5;
}

/* Line by line, as the program has written it; an id in brackets is no subscript. */
static size_t spell(char *text, size_t room) {
  struct dvmrt_text line;
  char *copy = strdup(text), *next = copy;
  size_t n = 0;
  for (char *s; copy && n < room && (s = strsep(&next, "\n"));) {
    char *id = strstr(s, " [dvm-");
    bool fits = strlen(s) < DVMRT_TEXT_MAX / 2;
    line.n = 0;
    dvmrt_text_add(&line, "%.*s", id ? (int)(id - s) : (int)strlen(s), s);
    if (fits)
      dvmrt_spell_fortran(&line);
    n += (size_t)snprintf(text + n, room - n, "%s%s%s", n ? "\n" : "", fits ? line.s : s, fits && id ? id : "");
  }
  free(copy);
  return n < room ? n : room - 1;
}

static void say(const struct dvmrt_pos *at, bool aloud, const char *format, va_list args) {
  char text[2048];
  int n = at && at->file && at->line ? snprintf(text, sizeof(text), "%s:%u:%u: error: ", at->file, at->line, at->column)
                                     : snprintf(text, sizeof(text), "dvm: error: ");
  int begin = n;
  n += vsnprintf(text + n, sizeof(text) - (size_t)n - 2, format, args);
  if (at && is_fortran(at->file))
    n = begin + (int)spell(text + begin, sizeof(text) - (size_t)begin - 2);
  n = n < (int)sizeof(text) - 2 ? n : (int)sizeof(text) - 2;
  text[n++] = '\n';
  dvmp_output_give_up();
  fflush(NULL);
  if (aloud && write(2, text, (size_t)n) < 0)
    return;
  text[n] = 0;
  dvmp_facts_tell(at, text + begin);
}

void dvmp_fail_all(int status, const struct dvmrt_pos *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(at, dvmp_job_first(), format, args);
  va_end(args);
  if (dvmp_job.group) { /* the other ranks know nothing of it: the one that tells it ends them */
    dvmp_record_end();
    if (!dvmp_job_first())
      sleep((unsigned)dvmp_job.patience_s + 1);
    PMPI_Abort(comm, status);
  }
  failing = true;
  dvmp_job.digest = false;
  dvmp_profiling = false;
  finish();
  _exit(status);
}

void dvmp_fail_here(int status, const struct dvmrt_pos *at, const char *format, ...) {
  va_list args;
  va_start(args, format);
  say(at, true, format, args);
  va_end(args);
  dvmp_record_end();
  if (dvmp_job.size > 1)
    PMPI_Abort(comm, status);
  _exit(status);
}

void dvmp_out_of_memory(void) { dvmp_fail_here(DVMP_STATUS_USAGE, NULL, "no memory left for the tables of the run-time library"); }

/* ---- operations of all ---------------------------------------------------------------------------------------------------------- */

static MPI_Comm together(void) { return dvmp_job.group ? groups[*(const int *)dvmp_job.group->talk] : comm; }

static void mark(uint64_t what) {
  if (dvmp_job.size > 1)
    dvmp_wait_mark(dvmp_construct_place(), what);
}

/* All ranks take part, in the same operation: ranks that have parted would take the message of one for that of another. */
static void agree(uint64_t what) {
  mark(what);
  uint64_t digests[2] = {dvmp_wait_digest(), ~dvmp_wait_digest()};
  MPI_Request r;
  if (dvmp_job.size == 1)
    return;
  PMPI_Iallreduce(MPI_IN_PLACE, digests, 2, MPI_UINT64_T, MPI_MAX, together(), &r);
  wait_for(&r, 1, DVMP_TIME_WAIT);
  if (digests[0] != ~digests[1])
    dvmp_wait_parted();
}

void dvmp_job_tell(void *p, size_t n, int from) {
  agree(1);
  for (size_t at = 0; dvmp_job.size > 1 && at < n; at += PIECE_MAX) {
    MPI_Request r;
    size_t piece = n - at < PIECE_MAX ? n - at : PIECE_MAX;
    PMPI_Ibcast((char *)p + at, (int)piece, MPI_BYTE, dvmp_group_place(dvmp_job.group, from), together(), &r);
    if (dvmp_job.rank == from)
      dvmp_profile_sent(piece);
    wait_for(&r, 1, DVMP_TIME_TRANSFER);
  }
}

void dvmp_job_barrier(void) { agree(3); }

static MPI_Datatype type_of(char type, int bytes) {
  switch (type) {
  case 'f': return bytes == 4 ? MPI_FLOAT : bytes == 8 ? MPI_DOUBLE : MPI_LONG_DOUBLE;
  case 'c': return bytes == 8 ? MPI_C_FLOAT_COMPLEX : bytes == 16 ? MPI_C_DOUBLE_COMPLEX : MPI_C_LONG_DOUBLE_COMPLEX;
  case 'u': return bytes == 1 ? MPI_UINT8_T : bytes == 2 ? MPI_UINT16_T : bytes == 4 ? MPI_UINT32_T : MPI_UINT64_T;
  default: return bytes == 1 ? MPI_INT8_T : bytes == 2 ? MPI_INT16_T : bytes == 4 ? MPI_INT32_T : MPI_INT64_T;
  }
}

static MPI_Op op_of(char op) {
  switch (op) {
  case 's': return MPI_SUM;
  case 'p': return MPI_PROD;
  case 'M': return MPI_MAX;
  case 'm': return MPI_MIN;
  case 'a': return MPI_BAND;
  case 'o': return MPI_BOR;
  default: return MPI_BXOR;
  }
}

void dvmp_job_combine(void *p, int64_t count, char op, char type, int bytes, void **handle) {
  uint64_t what = (uint64_t)op << 8 | (uint64_t)type;
  MPI_Request *r = malloc(sizeof(*r));
  if (!r)
    dvmp_out_of_memory();
  if (handle)
    mark(what); /* those that start it need not meet */
  else
    agree(what);
  if (handle)
    *handle = NULL;
  if (dvmp_job.size > 1 && count > 0) {
    PMPI_Iallreduce(MPI_IN_PLACE, p, (int)count, type_of(type, bytes), op_of(op), together(), r);
    dvmp_profile_sent((uint64_t)count * (uint64_t)bytes);
    if (handle) {
      *handle = r;
      return;
    }
    wait_for(r, 1, DVMP_TIME_TRANSFER);
  }
  free(r);
}

void dvmp_job_wait(void **handle) {
  if (*handle)
    wait_for(*handle, 1, DVMP_TIME_WAIT);
  free(*handle);
  *handle = NULL;
}

void dvmp_job_gather(const void *mine, size_t n, void *all) {
  MPI_Request r;
  if (dvmp_job.size == 1) {
    memcpy(all, mine, n);
    return;
  }
  dvmp_job_barrier();
  const struct dvmp_group *g = dvmp_job.group;
  char *found = g ? malloc((size_t)g->n * n) : all;
  if (!found)
    dvmp_out_of_memory();
  PMPI_Iallgather(mine, (int)n, MPI_BYTE, found, (int)n, MPI_BYTE, together(), &r);
  dvmp_profile_sent(n);
  wait_for(&r, 1, DVMP_TIME_TRANSFER);
  for (int i = 0; g && i < g->n; i++)
    memcpy((char *)all + (size_t)g->rank[i] * n, found + (size_t)i * n, n);
  if (g)
    free(found);
}

void dvmp_job_fold(void *to, const void *with, int64_t count, char op, char type, int bytes) {
  PMPI_Reduce_local(with, to, (int)count, type_of(type, bytes), op_of(op));
}

/* ---- groups of ranks ------------------------------------------------------------------------------------------------------------- */

void dvmp_job_prepare(struct dvmp_group *g) {
  MPI_Group all, some;
  int *number;
  if (!g || g->talk)
    return;
  g->talk = number = malloc(sizeof(*number));
  groups = realloc(groups, (size_t)(ngroups + 1) * sizeof(*groups));
  if (!number || !groups)
    dvmp_out_of_memory();
  *number = ngroups;
  dvmp_job_barrier();
  PMPI_Comm_group(comm, &all);
  PMPI_Group_incl(all, g->n, g->rank, &some);
  PMPI_Comm_create(comm, some, &groups[ngroups++]);
  PMPI_Group_free(&some);
  PMPI_Group_free(&all);
}

void dvmp_job_narrow(const struct dvmp_group *g) {
  dvmp_job.group = g;
  dvmp_job.root = g ? g->rank[0] : 0;
}

/* ---- messages of two ------------------------------------------------------------------------------------------------------------- */

static struct {
  MPI_Request *at;
  int n, room;
} under_way;

/* Of a profile: from whom a message without content is expected, which says that its sender is there. */
static struct {
  MPI_Request request;
  int from;
} *expected;
static int nexpected, expected_room;

static MPI_Request *next_request(void) {
  if (under_way.n == under_way.room) {
    under_way.room = under_way.room ? 2 * under_way.room : 64;
    under_way.at = realloc(under_way.at, (size_t)under_way.room * sizeof(*under_way.at));
    if (!under_way.at)
      dvmp_out_of_memory();
  }
  return &under_way.at[under_way.n++];
}

void dvmp_job_receive(void *p, size_t n, int from, int tag) {
  for (size_t at = 0; at < n; at += PIECE_MAX)
    PMPI_Irecv((char *)p + at, (int)(n - at < PIECE_MAX ? n - at : PIECE_MAX), MPI_BYTE, from, tag, comm, next_request());
}

void dvmp_job_send(const void *p, size_t n, int to, int tag) {
  for (size_t at = 0; at < n; at += PIECE_MAX) {
    size_t piece = n - at < PIECE_MAX ? n - at : PIECE_MAX;
    PMPI_Isend((const char *)p + at, (int)piece, MPI_BYTE, to, tag, comm, next_request());
    dvmp_profile_sent(piece);
  }
}

void dvmp_job_finish(void) {
  if (under_way.n)
    wait_for(under_way.at, under_way.n, DVMP_TIME_TRANSFER);
  under_way.n = 0;
}

void dvmp_job_tell_ready(int to, int tag) { PMPI_Isend(NULL, 0, MPI_BYTE, to, tag, ready_comm, next_request()); }

void dvmp_job_expect(int from, int tag) {
  if (nexpected == expected_room) {
    expected_room = expected_room ? 2 * expected_room : 64;
    expected = realloc(expected, (size_t)expected_room * sizeof(*expected));
    if (!expected)
      dvmp_out_of_memory();
  }
  expected[nexpected].from = from;
  PMPI_Irecv(NULL, 0, MPI_BYTE, from, tag, ready_comm, &expected[nexpected++].request);
}

void dvmp_job_wait_ready(void) {
  for (int i = 0; i < nexpected; i++) {
    struct timespec a, b;
    clock_gettime(CLOCK_MONOTONIC, &a);
    wait_for(&expected[i].request, 1, DVMP_TIME_WAIT);
    clock_gettime(CLOCK_MONOTONIC, &b);
    int64_t ns = (b.tv_sec - a.tv_sec) * 1000000000 + b.tv_nsec - a.tv_nsec;
    dvmp_profile_late(expected[i].from, ns > 0 ? (uint64_t)ns : 0);
  }
  nexpected = 0;
}

/* Ranks that have parted have other tags: their messages do not fit. */
int dvmp_job_tag(void) {
  mark(2);
  return (int)(dvmp_wait_digest() % (uint64_t)tag_max);
}
