/* dvm-proxy: started by mpirun, which 'dvm run' and 'dvm restart' start for a job on several hosts.
     dvm-proxy head CONTROLLER DESCRIPTOR [SETS SIDE]
     dvm-proxy node EAGER STRICT CHECKPOINTABLE HELD COUNTS LIBRARY [restart FLAGS SNAPSHOT | run PROGRAM... |
                    set SIDE,DETERMINANTS,HEARTBEAT,MODE,REFRESH,BEGINS [SNAPSHOT | PROGRAM...]]
   and by itself: part, save, restore. */
#include <errno.h>
#include <linux/futex.h>
#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
#include "base/clock.h"
#include "mpir/commands/job_hosts.h"
#include "mpir/proxy/proxy_fresh.h"
#include "mpir/proxy/proxy_restore.h"

enum {
  RING_BYTES = 256 << 10,
  SET_RING_BYTES = 1 << 20,
  YIELDS = 200,
  SHORT_NS = 50000,
  LONG_NS = 500000,
  LONG_AFTER = 2000,
  REPORT_MS = 20,
  SLACK_NS = 1000,
  DEAR_NS = 100000,
  DEAR_AGAIN_NS = 100000000
};

static _Noreturn void fail(const char *what) {
  fprintf(stderr, "dvm run: error: a proxy %s: %s\n", what, strerror(errno));
  MPI_Abort(MPI_COMM_WORLD, 1);
  _exit(1);
}

/* "2,2,4": ranks of each node, which have consecutive numbers. */
static void place_ranks(struct proxy *p, const char *counts, struct mpl_job *job) {
  uint32_t rank = 0, node = 0;
  for (const char *s = counts; *s; node++) {
    char *end;
    const uint32_t n = (uint32_t)strtoul(s, &end, 10);
    if (node == p->node)
      p->first = rank, p->end = rank + n;
    for (uint32_t i = 0; i < n; i++, rank++)
      if (job)
        mpl_state(job, rank)->node = node;
    s = *end ? end + 1 : end;
  }
  p->nnodes = node;
  if (job)
    job->nnodes = node;
}

static uint32_t count_ranks(const char *counts) {
  uint32_t n = 0;
  for (const char *s = counts; *s;) {
    char *end;
    n += (uint32_t)strtoul(s, &end, 10);
    s = *end ? end + 1 : end;
  }
  return n;
}

static void make_segment(struct proxy *p, char **words) {
  const uint32_t n = count_ranks(words[4]),
                 ring_bytes = p->set ? SET_RING_BYTES : RING_BYTES; /* a main is ahead of its shadow by no more */
  const size_t rings = mpl_segment_size(n, ring_bytes), size = rings + (p->set ? proxy_replicas_size(n) : 0);
  cpu_set_t set;
  const uint32_t processors = sched_getaffinity(0, sizeof(set), &set) ? 1 : (uint32_t)CPU_COUNT(&set);
  p->fd = memfd_create(MPL_SEGMENT_NAME, 0); /* handed down */
  if (p->fd < 0 || ftruncate(p->fd, (off_t)size) ||
      (p->job = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, p->fd, 0)) == MAP_FAILED)
    fail("cannot create the memory of a node");
  *p->job = (struct mpl_job){.magic = MPL_MAGIC,
                             .version = MPL_VERSION,
                             .nranks = n,
                             .eager_limit = (uint32_t)atoi(words[0]),
                             .strict = (uint32_t)atoi(words[1]),
                             .ring_bytes = ring_bytes,
                             .size = size,
                             .start_ns = dvm_clock_ns(),
                             .universe = n,
                             .node = p->node};
  p->checkpointable = atoi(words[2]);
  p->job->held = (uint32_t)atoi(words[3]);
  p->library = words[5];
  place_ranks(p, words[4], p->job);
  p->job->spins = p->end - p->first < processors ? 2000 : 20;
  if (p->set)
    proxy_replicas_fill(p, rings);
}

static void take(struct proxy *p, int from, const struct proxy_head *head, const char *data) {
  (void)from;
  if (head->kind == PROXY_DATA) {
    if (proxy_is_gone(p, head->from, true))
      proxy_cross_data(p, head, data);
    else
      proxy_rings_data(p, head, data);
  } else if (head->kind == PROXY_TAKEN) {
    proxy_rings_taken(p, head);
  } else if (head->kind == PROXY_FLAGS) {
    struct proxy_flags f;
    memcpy(&f, data, sizeof(f));
    atomic_store(&p->job->asked, f.asked);
    atomic_store(&p->job->held, f.held);
    if (f.aborted) {
      atomic_store(&p->job->abort_code, f.abort_code);
      atomic_store(&p->job->aborted, 1);
    }
    if (p->set)
      proxy_replicas_lead(p, &f);
    p->over = f.ending == MPL_OVER;
    if (f.ending) {
      proxy_ranks_signal(p, p->over ? SIGKILL : (int)f.ending);
      proxy_ranks_signal(p, SIGCONT);
    }
  } else if (head->kind == PROXY_QUESTION) {
    proxy_ranks_question(p, head, data);
  } else if (head->kind == PROXY_FRESH) {
    proxy_fresh_take(p, head, data);
  } else if (p->set && !proxy_cross_take(p, head, data)) {
    proxy_replicas_take(p, head, data);
  }
}

static volatile sig_atomic_t child_ended;
static struct proxy *woken;

static void ring(struct proxy *p) {
  atomic_fetch_add(&p->job->proxy_bell, 1);
  syscall(SYS_futex, &p->job->proxy_bell, FUTEX_WAKE, 1, NULL, NULL, 0);
}

static void on_child(int signal_number) {
  const int before = errno;
  (void)signal_number;
  child_ended = 1;
  if (woken)
    ring(woken);
  errno = before;
}

/* Where others compute on all processors, who gives way gets one back after all of their turns, who has slept at once: then we sleep. */
static bool may_yield(uint32_t turn) {
  static int64_t dear_until;
  const int64_t before = dvm_clock_ns();
  if (turn >= YIELDS || before < dear_until)
    return false;
  sched_yield();
  const int64_t after = dvm_clock_ns();
  if (after - before > DEAR_NS)
    dear_until = after + DEAR_AGAIN_NS;
  return true;
}

/* Open MPI has no wait that does not look again and again: so we give way, and then sleep a little, or until a rank rings or ends. */
static void idle(struct proxy *p, uint32_t turn) {
  if (may_yield(turn))
    return;
  const uint32_t bell = atomic_load(&p->job->proxy_bell);
  if (child_ended)
    return;
  const struct timespec limit = {0, turn < LONG_AFTER ? SHORT_NS : LONG_NS};
  atomic_store(&p->job->proxy_sleeping, 1);
  atomic_thread_fence(memory_order_seq_cst);
  if (!proxy_rings_progress(p, true))
    syscall(SYS_futex, &p->job->proxy_bell, FUTEX_WAIT, bell, &limit, NULL, 0);
  atomic_store(&p->job->proxy_sleeping, 0);
}

static void run_node(struct proxy *p) {
  int64_t reported = 0;
  woken = p;
  sigaction(SIGCHLD, &(struct sigaction){.sa_handler = on_child, .sa_flags = SA_RESTART | SA_NOCLDSTOP}, NULL);
  proxy_rings_open(p); /* before anybody writes */
  if (p->set) {
    proxy_cross_open(p);
    proxy_fresh_open(p);
  }
  if (proxy_ranks_start(p))
    fail("cannot start the ranks of a node");
  for (uint32_t turn = 0; !p->over; turn++) {
    bool moved = proxy_wire_progress(p, take);
    moved |= proxy_rings_progress(p, turn > 0);
    if (p->set) {
      moved |= proxy_replicas_progress(p, turn > 0);
      moved |= proxy_cross_progress(p, turn > 0);
      moved |= proxy_fresh_progress(p);
    }
    if (child_ended || (turn % 16 == 0 && dvm_clock_ns() - reported > REPORT_MS * 1000000)) {
      child_ended = 0;
      reported = dvm_clock_ns();
      proxy_ranks_reap(p);
      moved |= proxy_ranks_answers(p);
      proxy_ranks_report(p);
      if (p->set)
        proxy_replicas_beat(p);
    }
    if (moved)
      turn = 0;
    else
      idle(p, turn);
  }
}

/* "0,7,2000,1,1,0" */
static void read_set(struct proxy *p, const char *text) {
  unsigned side = 0;
  if (sscanf(text, "%u,%u,%u,%u,%u,%u", &side, &p->determinants, &p->heartbeat_ms, &p->mode, &p->refresh, &p->begins) == 6)
    p->set = side + 1;
}

static int read_memory(struct proxy *p, const char *snapshot) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct mpir_job_manifest *m = mpir_job_manifest_read(snapshot, &err);
  int rc = m ? mpir_segment_merge(p->job, m, snapshot, &err) : err.code;
  p->snapshot = snapshot;
  mpir_job_manifest_free(m);
  if (rc)
    fprintf(stderr, "dvm restart: error: %s\n", err.text);
  return rc;
}

static int start_in_set(struct proxy *p, char **words) {
  read_set(p, words[7]);
  make_segment(p, words);
  int rc = proxy_replicas_open(p);
  if (p->begins == SETS_BEGIN_PROGRAM)
    p->argv = words + 8;
  if (rc || p->begins != SETS_BEGIN_SNAPSHOT)
    return rc;
  rc = read_memory(p, words[8]);
  proxy_replicas_resume(p);
  return rc;
}

static int start_node(struct proxy *p, char **words) {
  if (!strcmp(words[6], "set"))
    return start_in_set(p, words);
  make_segment(p, words);
  if (strcmp(words[6], "restart") != 0) {
    p->argv = words + 7;
    return 0;
  }
  p->debug = words[7][0] == 'd';
  p->restore_files = words[7][1] == 'f';
  p->truncate = words[7][2] == 't';
  return read_memory(p, words[8]);
}

/* Who waits sleeps, which is sooner over where others compute.  Ranks have the environment that we were given. */
static void begin_mpi(void) {
  static const char name[] = "OMPI_MCA_mpi_yield_when_idle";
  const char *value = getenv(name);
  char *before = value ? strdup(value) : NULL;
  setenv(name, "0", 1);
  MPI_Init(NULL, NULL);
  if (before)
    setenv(name, before, 1);
  else
    unsetenv(name);
  free(before);
}

int main(int argc, char **argv) {
  struct proxy p = {0};
  int rank;
  if (argc == 4 && !strcmp(argv[1], "part"))
    return mpir_job_part(atoi(argv[2]), atoi(argv[3]));
  if (argc == 6 && !strcmp(argv[1], "save"))
    return mpir_job_part_save(atoi(argv[2]), atoi(argv[3]), (uint32_t)atoi(argv[4]), argv[5]);
  if (argc == 9 && !strcmp(argv[1], "restore"))
    return proxy_restore_main(argv + 2);
  if (argc < 4 || (strcmp(argv[1], "head") != 0 && (argc < 10 || strcmp(argv[1], "node") != 0))) {
    fputs("dvm-proxy is started by 'dvm run --hosts'\n", stderr);
    return 2;
  }
  signal(SIGPIPE, SIG_IGN);
  p.slack_ns = (unsigned long)prctl(PR_GET_TIMERSLACK);
  prctl(PR_SET_TIMERSLACK, SLACK_NS); /* else each short sleep lasts twice as long */
  begin_mpi();
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  proxy_wire_open();
  proxy_wire_meet();
  proxy_names_drop();
  if (argv[1][0] == 'h') {
    proxy_head_run(atoi(argv[2]), atoi(argv[3]), argc > 5 ? atoi(argv[4]) : -1, argc > 5 ? (unsigned)atoi(argv[5]) : 0);
  } else {
    p.node = (uint32_t)rank - 1;
    if (start_node(&p, argv + 2))
      MPI_Abort(MPI_COMM_WORLD, 1);
    run_node(&p);
  }
  proxy_wire_close();
  proxy_names_give_back();
  MPI_Finalize();
  return 0;
}
