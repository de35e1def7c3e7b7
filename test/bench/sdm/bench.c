/* sdm-bench processes N [SHAPE]     a tree of N debug servers with the stub back end, as processes over TCP
 * sdm-bench simulated N [SHAPE]...  the same overlay code over the simulator, for trees that no machine here holds
 * Prints one figure a line; docs/sdm-scale.md says what each means.  Needs SDM_SERVER, or sdm-server beside it. */
#define _GNU_SOURCE /* memmem */
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sdm/session/launch.h"
#include "sdm/sdm.h"
#include "test/bench/sdm/simulated.h"

struct bench {
  struct sdm_ctx *c;
  struct sdm_launch launch;
  struct sdm_set *all, *answered, *missing, *stopped;
  uint64_t request;
  bool done;
  unsigned events, lost;
  int64_t lost_at;
};

static void on_answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct bench *b = arg;
  if (request != b->request || flags & SDM_FLAG_SUPPLEMENT)
    return;
  sdm_set_free(b->answered);
  sdm_set_free(b->missing);
  b->answered = sdm_answer_sources(a);
  b->missing = sdm_answer_missing(a);
  b->done = true;
}

static void on_event(void *arg, const struct sdm_answer *a) {
  struct bench *b = arg;
  bool stop = false;
  for (size_t i = 0; i < a->n; i++)
    if (memmem(a->classes[i].body.p, a->classes[i].body.len, "stopped", 7)) {
      sdm_set_union(b->stopped, a->classes[i].set);
      stop = true;
    }
  b->events += stop;
}

static void on_lost(void *arg, const struct sdm_set *ids, const char *why) {
  struct bench *b = arg;
  (void)ids, (void)why;
  b->lost++;
  b->lost_at = sdm_now_us();
}

static const struct sdm_handlers handlers = { .answer = on_answer, .event = on_event, .lost = on_lost };

/* Microseconds until the answer is there. */
static int64_t ask(struct bench *b, const struct sdm_set *to, const char *command, uint32_t timeout_ms) {
  int64_t start = sdm_now_us();
  b->done = false;
  b->request = sdm_request(b->c, to, SDM_REDUCE_SAME, timeout_ms, command, strlen(command));
  while (!b->done && sdm_now_us() - start < 60000000)
    sdm_progress(b->c, 1000);
  return sdm_now_us() - start;
}

static int by_value(const void *a, const void *b) {
  int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
  return (x > y) - (x < y);
}

static void latency(struct bench *b, const char *what, const struct sdm_set *to, unsigned rounds) {
  int64_t *t = sdm_alloc(rounds * sizeof(*t));
  for (unsigned i = 0; i < rounds; i++)
    t[i] = ask(b, to, "{\"cmd\":\"ping\"}", 10000);
  qsort(t, rounds, sizeof(*t), by_value);
  printf("%-44s min %8.2f  p50 %8.2f  p99 %8.2f ms\n", what, (double)t[0] / 1e3, (double)t[rounds / 2] / 1e3,
         (double)t[rounds * 99 / 100] / 1e3);
  free(t);
}

static double cpu_seconds(const struct bench *b) {
  double sum = 0;
  for (uint32_t i = 0; i < b->launch.n; i++) {
    char path[64], line[1024];
    unsigned long user, kernel;
    snprintf(path, sizeof(path), "/proc/%d/stat", (int)b->launch.pids[i]);
    FILE *f = fopen(path, "r");
    char *end = f && fgets(line, sizeof(line), f) ? strrchr(line, ')') : NULL;
    if (end && sscanf(end + 1, " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %lu %lu", &user, &kernel) == 2)
      sum += (double)(user + kernel) / (double)sysconf(_SC_CLK_TCK);
    if (f)
      fclose(f);
  }
  return sum;
}

static double proportional_mb(const struct bench *b) {
  double sum = 0;
  for (uint32_t i = 0; i < b->launch.n; i++) {
    char path[64], line[256];
    unsigned long kb;
    snprintf(path, sizeof(path), "/proc/%d/smaps_rollup", (int)b->launch.pids[i]);
    FILE *f = fopen(path, "r");
    while (f && fgets(line, sizeof(line), f))
      if (sscanf(line, "Pss: %lu kB", &kb) == 1)
        sum += (double)kb / 1024;
    if (f)
      fclose(f);
  }
  return sum;
}

static void idle(struct bench *b, unsigned seconds) {
  double before = cpu_seconds(b);
  int64_t until = sdm_now_us() + (int64_t)seconds * 1000000;
  while (sdm_now_us() < until)
    sdm_progress(b->c, 1000);
  printf("%-44s %.2f %% of a core\n", "idle, all servers together", (cpu_seconds(b) - before) * 100 / seconds);
}

static void storm(struct bench *b) {
  int64_t start = sdm_now_us();
  sdm_set_clear(b->stopped);
  b->events = 0;
  ask(b, b->all, "{\"cmd\":\"launch\"}", 20000);
  while (!sdm_set_equal(b->stopped, b->all) && sdm_now_us() - start < 30000000)
    sdm_progress(b->c, 100);
  printf("%-44s %u messages, %.1f ms\n", "a stop of all at the front end", b->events, (double)(sdm_now_us() - start) / 1e3);
}

/* The child with the largest subtree, that is not a leaf. */
static sdm_id a_router(uint32_t n) {
  sdm_id best = 0;
  for (sdm_id id = 1; 2 * id < n; id = 2 * id + 1) /* binomial under a master: subtrees begin at 2^k - 1 */
    best = id;
  return best;
}

static void kill_one(struct bench *b, sdm_id victim, const char *what) {
  ask(b, b->all, "{\"cmd\":\"ping\"}", 10000);
  b->lost = 0;
  int64_t start = sdm_now_us();
  kill(b->launch.pids[victim], SIGKILL);
  int64_t took = ask(b, b->all, "{\"cmd\":\"ping\"}", 20000);
  uint32_t named = sdm_set_contains(b->missing, victim), gone = sdm_set_size(b->missing);
  while (!b->lost && sdm_now_us() - start < 20000000)
    sdm_progress(b->c, 10);
  int64_t seen = b->lost_at;
  bool back = false;
  while (!back && sdm_now_us() - start < 20000000) {
    ask(b, b->all, "{\"cmd\":\"ping\"}", 5000);
    back = sdm_set_size(b->missing) == sdm_set_size(sdm_gone(b->c));
  }
  printf("%-44s answer in %.1f ms, %u missing%s; the others back %.1f ms after detection\n", what, (double)took / 1e3, gone,
         named ? ", the right one" : "", (double)(sdm_now_us() - seen) / 1e3);
}

static void stop_one(struct bench *b, sdm_id victim) {
  kill(b->launch.pids[victim], SIGSTOP);
  int64_t took = ask(b, b->all, "{\"cmd\":\"ping\"}", 1000);
  printf("%-44s answer in %.1f ms for a limit of 1000, %u missing\n", "one server stopped (SIGSTOP)", (double)took / 1e3,
         sdm_set_size(b->missing));
  kill(b->launch.pids[victim], SIGCONT);
}

static int start(struct bench *b, uint32_t n, const char *shape) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_options o = { .role = SDM_ROLE_MASTER, .handlers = &handlers, .arg = b };
  struct sdm_table t = { 0 };
  char rendezvous[300], hex[2 * SDM_SECRET_BYTES + 1];
  int64_t at = sdm_now_us();
  sdm_secret_random(&o.secret);
  b->c = sdm_open(&o, &err);
  if (!b->c || sdm_shape_parse(&t.shape, shape, &err))
    goto failed;
  snprintf(rendezvous, sizeof(rendezvous), "%s:%u", sdm_ctx_host(b->c), sdm_ctx_port(b->c));
  sdm_secret_print(&o.secret, hex);
  if (sdm_launch_local(&b->launch, n, &(struct sdm_launch_options){ .rendezvous = rendezvous, .secret = hex, .backend = "stub" },
                       &err) ||
      sdm_gather(b->c, n, 120000, &t, sdm_launch_alive, &b->launch, &err))
    goto failed;
  printf("%-44s %.2f s\n", "processes started and registered", (double)(sdm_now_us() - at) / 1e6);
  at = sdm_now_us();
  if (sdm_connect_tree(b->c, &t, 60000, NULL, &err))
    goto failed;
  printf("%-44s %.3f s\n", "wire-up with authentication", (double)(sdm_now_us() - at) / 1e6);
  sdm_table_fini(&t);
  return 0;
failed:
  fprintf(stderr, "sdm-bench: %s\n", err.text);
  return 1;
}

static int processes(uint32_t n, const char *shape) {
  struct bench b = { .stopped = sdm_set_new(), .all = sdm_set_add_range(sdm_set_new(), 0, n - 1) };
  struct sdm_set *one = sdm_set_add_element(sdm_set_new(), n - 1);
  signal(SIGPIPE, SIG_IGN);
  printf("%u servers, %s\n", n, shape);
  int rc = start(&b, n, shape);
  if (!rc) {
    latency(&b, "a command to one server", one, 200);
    double cpu = cpu_seconds(&b);
    latency(&b, "a command to all servers", b.all, 100);
    printf("%-44s %.1f ms\n", "processor time of all servers for that", (cpu_seconds(&b) - cpu) * 1e3 / 100);
    idle(&b, n > 100 ? 10 : 1);
    printf("%-44s %.0f MB\n", "memory of the servers (PSS)", proportional_mb(&b));
    storm(&b);
    stop_one(&b, n - 1);
    ask(&b, b.all, "{\"cmd\":\"ping\"}", 10000);
    kill_one(&b, n - 1, "a leaf killed");
    kill_one(&b, a_router(n), "a router killed");
    rc = sdm_set_size(sdm_gone(b.c)) != 2;
  }
  sdm_finalize(b.c);
  if (b.launch.pids)
    sdm_launch_fini(&b.launch, 10000);
  struct sdm_set *sets[] = { b.all, b.answered, b.missing, b.stopped, one };
  for (size_t i = 0; i < 5; i++)
    sdm_set_free(sets[i]);
  return rc;
}

int main(int argc, char **argv) {
  unsigned long n = argc > 2 ? strtoul(argv[2], NULL, 10) : 0;
  bool sim = argc > 1 && !strcmp(argv[1], "simulated");
  if (!n || n > 2000000 || (!sim && strcmp(argv[1], "processes"))) {
    fprintf(stderr, "usage: sdm-bench processes N [SHAPE]\n       sdm-bench simulated N [SHAPE]...\n");
    return 2;
  }
  if (sdm_link_init())
    return 1;
  if (!sim)
    return processes((uint32_t)n, argc > 3 ? argv[3] : "binomial");
  int rc = 0;
  if (argc == 3)
    rc = simulated((uint32_t)n, "binomial");
  for (int i = 3; i < argc; i++)
    rc |= simulated((uint32_t)n, argv[i]);
  return rc;
}
