#include "test/bench/sdm/simulated.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sdm/loop.h"
#include "sdm/overlay/sim.h"

struct result {
  struct sdm_sim *sim;
  unsigned answers, events;
  uint32_t sources, missing;
  int64_t at;
  struct sdm_set *said;
};

static void on_answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct result *r = arg;
  (void)request;
  if (flags & SDM_FLAG_SUPPLEMENT)
    return;
  struct sdm_set *from = sdm_answer_sources(a), *missing = sdm_answer_missing(a);
  r->answers++;
  r->sources = sdm_set_size(from);
  r->missing = sdm_set_size(missing);
  r->at = sdm_sim_stats(r->sim).now_us;
  sdm_set_free(from);
  sdm_set_free(missing);
}

static void on_event(void *arg, const struct sdm_answer *a) {
  struct result *r = arg;
  struct sdm_set *from = sdm_answer_sources(a);
  sdm_set_union(r->said, from);
  r->events++;
  r->at = sdm_sim_stats(r->sim).now_us;
  sdm_set_free(from);
}

static void until_answered(struct result *r) {
  for (int i = 0; i < 600 && !r->answers; i++)
    sdm_sim_run(r->sim, 100000);
}

static void figure(const char *what, const struct sdm_sim_stats *before, const struct result *r) {
  struct sdm_sim_stats now = sdm_sim_stats(r->sim);
  printf("  %-26s %9.2f ms  %9llu frames  %7llu at the root  %11llu bytes  %7u answered, %u missing\n", what,
         (double)(r->at - before->now_us) / 1e3, (unsigned long long)(now.frames - before->frames),
         (unsigned long long)(now.root_frames - before->root_frames), (unsigned long long)(now.bytes - before->bytes),
         r->sources, r->missing);
}

static void ask(struct result *r, const struct sdm_set *dest, const char *what) {
  struct sdm_sim_stats before = sdm_sim_stats(r->sim);
  r->answers = 0;
  sdm_node_request(sdm_sim_root(r->sim), dest, SDM_REDUCE_SAME, 20000, "x", 1);
  until_answered(r);
  figure(what, &before, r);
}

int simulated(uint32_t n, const char *shape) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_sim_options o = sdm_sim_defaults(n);
  struct result r = { .said = sdm_set_new() };
  int64_t start = sdm_now_us();
  if (sdm_shape_parse(&o.shape, shape, &err)) {
    fprintf(stderr, "sdm-bench: %s\n", err.text);
    return 1;
  }
  o.hosts = (n + 63) / 64;
  o.answer = on_answer;
  o.event = on_event;
  o.arg = &r;
  o.node.ping_ms = 0;
  r.sim = sdm_sim_new(&o);
  printf("%u simulated servers, %s\n", n, shape);
  struct sdm_sim_stats before = sdm_sim_stats(r.sim);
  sdm_sim_route(r.sim, 60000);
  until_answered(&r);
  figure("wire-up", &before, &r);
  bool good = r.sources == n;
  struct sdm_set *all = sdm_set_add_range(sdm_set_new(), 0, n - 1), *one = sdm_set_add_element(sdm_set_new(), n - 1);
  ask(&r, all, "a command to all");
  good &= r.sources == n;
  ask(&r, one, "a command to one");
  good &= r.sources == 1;
  before = sdm_sim_stats(r.sim);
  for (sdm_id id = 0; id < n; id++)
    sdm_sim_event(r.sim, id, "stopped", 7, id % 64 * 10);
  for (int i = 0; i < 600 && sdm_set_size(r.said) < n; i++)
    sdm_sim_run(r.sim, 10000);
  r.sources = sdm_set_size(r.said);
  r.missing = 0;
  figure("a stop of all", &before, &r);
  printf("  %-26s %u messages to the front end\n", "", r.events);
  good &= r.sources == n;
  for (sdm_id id = 11; id < n; id += n / 10 + 1) /* ten die while the request runs */
    sdm_sim_kill(r.sim, id, 50);
  ask(&r, all, "ten die meanwhile");
  good &= r.sources + r.missing == n && r.missing <= 10;
  printf("  simulated in %.1f s\n", (double)(sdm_now_us() - start) / 1e6);
  sdm_set_free(all);
  sdm_set_free(one);
  sdm_set_free(r.said);
  sdm_sim_free(r.sim);
  return good ? 0 : 1;
}
