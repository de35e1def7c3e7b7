/* The tree, its requests, events and faults, over the simulator. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sdm/overlay/prefix.h"
#include "sdm/overlay/sim.h"

struct seen {
  unsigned answers, supplements, events, event_answers, runs[4096];
  uint16_t flags;
  uint64_t request;
  size_t classes;
  struct sdm_set *sources, *dead, *timed_out, *unreachable, *event_set, *errors,
      *running; /* running: those who said so; NULL: not looked at */
  char body[64];
  int64_t answered_at;
  struct sdm_sim *sim;
  int mode; /* behaviour of the servers */
  unsigned losses, came_back;
  bool lost_after, many; /* many: late answers of earlier requests come in between */
  void (*on_lost)(void *arg, const struct sdm_set *ids, const char *why);
};

static struct seen *seen_new(void) {
  struct seen *s = calloc(1, sizeof(*s));
  struct sdm_set **sets[] = {&s->sources, &s->dead, &s->timed_out, &s->unreachable, &s->event_set, &s->errors};
  for (size_t i = 0; i < 6; i++)
    *sets[i] = sdm_set_new();
  return s;
}

static void seen_free(struct seen *s) {
  struct sdm_set *sets[] = {s->sources, s->dead, s->timed_out, s->unreachable, s->event_set, s->errors};
  for (size_t i = 0; i < 6; i++)
    sdm_set_free(sets[i]);
  free(s);
}

static void seen_clear(struct seen *s) {
  struct sdm_set *sets[] = {s->sources, s->dead, s->timed_out, s->unreachable, s->event_set, s->errors};
  for (size_t i = 0; i < 6; i++)
    sdm_set_clear(sets[i]);
  s->answers = s->supplements = s->events = 0;
}

static void on_answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  struct seen *s = arg;
  struct sdm_set *from = sdm_answer_sources(a), *missing = sdm_answer_missing(a);
  assert_false(sdm_set_overlaps(from, missing)); /* nobody both answers and is missing */
  if (flags & SDM_FLAG_SUPPLEMENT)
    s->supplements++;
  else {
    s->answers++;
    s->flags = flags;
    s->request = request;
    s->answered_at = sdm_sim_stats(s->sim).now_us;
    s->classes = a->n;
    if (a->n)
      snprintf(s->body, sizeof(s->body), "%.*s", (int)a->classes[0].body.len, (char *)a->classes[0].body.p);
    sdm_set_assign(s->dead, a->dead);
    sdm_set_assign(s->timed_out, a->timed_out);
    sdm_set_assign(s->unreachable, a->unreachable);
    for (size_t i = 0; i < a->n; i++)
      if (a->classes[i].kind == SDM_CLASS_ERROR)
        sdm_set_union(s->errors, a->classes[i].set);
  }
  assert_true(s->many || !sdm_set_overlaps(from, s->sources)); /* no answer twice */
  sdm_set_union(s->sources, from);
  sdm_set_free(from);
  sdm_set_free(missing);
}

static void on_event(void *arg, const struct sdm_answer *a) {
  struct seen *s = arg;
  struct sdm_set *from = sdm_answer_sources(a);
  s->events++;
  for (size_t i = 0; i < a->n && s->running; i++)
    if (a->classes[i].body.p[0] == 'r')
      sdm_set_union(s->running, a->classes[i].set);
    else
      assert_true(sdm_set_is_subset(a->classes[i].set, s->running));
  sdm_set_union(s->event_set, from);
  sdm_set_free(from);
}

enum { MODE_OK, MODE_MODULO, MODE_SLOW_7, MODE_SPREAD, MODE_STATS, MODE_GIANT, MODE_LARGE };

static void on_command(void *arg, struct sdm_sim *sim, sdm_id id, uint64_t request, const void *p, size_t len) {
  struct seen *s = arg;
  (void)len;
  char text[32] = "ok";
  if (id < 4096)
    s->runs[id]++;
  if (s->mode == MODE_MODULO)
    snprintf(text, sizeof(text), "%u", id % 3);
  if (s->mode == MODE_GIANT || s->mode == MODE_LARGE) {
    size_t size = s->mode == MODE_GIANT ? 3u << 20 : 700000;
    char *body = calloc(1, size);
    memset(body, 'a' + (s->mode == MODE_LARGE ? (int)id % 50 : 0), size);
    body[0] = (char)id;
    sdm_node_reply(sdm_sim_node(sim, id), request, SDM_CLASS_OK, body, size, NULL, 0);
    free(body);
  } else if (s->mode == MODE_STATS) {
    struct sdm_bytes b = {0};
    sdm_stats_encode(&(struct sdm_stats){1, id, 0, id, id, id, id}, &b);
    sdm_node_reply(sdm_sim_node(sim, id), request, SDM_CLASS_OK, b.p, b.len, NULL, 0);
    sdm_bytes_fini(&b);
  } else if ((s->mode == MODE_SLOW_7 && id == 7 && *(const char *)p == 'x') || s->mode == MODE_SPREAD)
    sdm_sim_reply(sim, id, request, text, strlen(text), s->mode == MODE_SPREAD ? 1000 + id % 97 * 13 : 900000);
  else
    sdm_node_reply(sdm_sim_node(sim, id), request, SDM_CLASS_OK, text, strlen(text), NULL, 0);
}

static void on_back(void *arg, const struct sdm_set *ids) {
  struct seen *s = arg;
  s->came_back += sdm_set_size(ids);
}

static struct sdm_sim *tree(struct seen *s, uint32_t n, const char *shape, uint64_t seed, uint32_t ping_ms) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_sim_options o = sdm_sim_defaults(n);
  assert_int_equal(sdm_shape_parse(&o.shape, shape, &err), 0);
  o.hosts = (n + 15) / 16;
  o.seed = seed;
  o.node.ping_ms = ping_ms;
  o.node.keep_answers = 64;
  o.command = on_command;
  o.answer = on_answer;
  o.event = on_event;
  o.lost = s->on_lost;
  o.back = on_back;
  o.arg = s;
  s->sim = sdm_sim_new(&o);
  sdm_sim_route(s->sim, 10000);
  sdm_sim_run(s->sim, 5000000);
  assert_int_equal(s->answers, 1);
  assert_int_equal(s->flags, 0);
  assert_string_equal(s->body, "ready");
  assert_int_equal(sdm_set_size(s->sources), n);
  seen_clear(s);
  return s->sim;
}

static struct sdm_set *all_of(uint32_t n) { return sdm_set_add_all(sdm_set_new(), n - 1); }

static void ask(struct seen *s, const struct sdm_set *dest, uint8_t reducer, uint32_t ms) {
  sdm_node_request(sdm_sim_root(s->sim), dest, reducer, ms, "x", 1);
}

static const char *const shapes[] = {"binomial", "kary:2", "kary:32", "flat", "hosts:4"};

static void every_shape_reaches_everybody_once(void **state) {
  (void)state;
  static const uint32_t sizes[] = {1, 2, 3, 17, 64, 100, 1000};
  for (size_t k = 0; k < 5; k++)
    for (size_t i = 0; i < 7; i++) {
      struct seen *s = seen_new();
      struct sdm_sim *sim = tree(s, sizes[i], shapes[k], i, 0);
      struct sdm_set *dest = all_of(sizes[i]);
      s->mode = MODE_MODULO;
      uint64_t before = sdm_sim_stats(sim).frames;
      ask(s, dest, SDM_REDUCE_SAME, 1000);
      sdm_sim_run(sim, 100000);
      assert_int_equal(s->answers, 1);
      assert_int_equal(s->classes, sizes[i] < 3 ? sizes[i] : 3);
      assert_true(sdm_set_equal(s->sources, dest));
      assert_int_equal(sdm_sim_stats(sim).frames - before, 2 * sizes[i]); /* one frame down and one up a link */
      for (uint32_t id = 0; id < sizes[i]; id++)
        assert_int_equal(s->runs[id], 1);
      sdm_set_free(dest);
      sdm_sim_free(sim);
      seen_free(s);
    }
}

static void shape_by_size(void **state) {
  (void)state;
  static const struct {
    uint32_t n, hosts;
    enum sdm_shape_kind kind;
  } rows[] = {{1, 1, SDM_FLAT}, {32, 2, SDM_FLAT}, {33, 1, SDM_KARY}, {512, 1, SDM_KARY}, {64, 8, SDM_HOSTS}};
  for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
    struct sdm_table t = {0};
    for (uint32_t k = 0; k < rows[i].n; k++) {
      char host[16];
      snprintf(host, sizeof(host), "n%u", k % rows[i].hosts);
      sdm_table_add(&t, k, host, 1);
    }
    t.shape = sdm_shape_choose(&t);
    assert_int_equal(t.shape.kind, rows[i].kind);
    assert_true(sdm_tree_height(&t, 0, t.n, false) <= 2 + (rows[i].kind == SDM_HOSTS));
    sdm_table_fini(&t);
  }
}

static void only_the_named_get_it(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim *sim = tree(s, 200, "binomial", 1, 0);
  struct dvm_error err;
  struct sdm_set *dest = sdm_set_new();
  sdm_set_parse(dest, "3,50-60/5,199,777", &err);
  ask(s, dest, SDM_REDUCE_SAME, 1000);
  sdm_sim_run(sim, 100000);
  assert_int_equal(s->answers, 1);
  assert_true(s->flags & SDM_FLAG_PARTIAL);
  assert_true(sdm_set_contains(s->unreachable, 777) && sdm_set_size(s->unreachable) == 1);
  sdm_set_remove_element(dest, 777);
  assert_true(sdm_set_equal(s->sources, dest));
  for (sdm_id id = 0; id < 200; id++)
    assert_int_equal(s->runs[id], sdm_set_contains(dest, id));
  sdm_set_free(dest);
  sdm_sim_free(sim);
  seen_free(s);
}

static void same_seed_same_run(void **state) {
  (void)state;
  uint64_t trace[3];
  for (int i = 0; i < 3; i++) {
    struct seen *s = seen_new();
    struct sdm_sim *sim = tree(s, 500, "binomial", i < 2 ? 5 : 6, 0);
    struct sdm_set *dest = all_of(500);
    sdm_sim_kill(sim, 17, 20);
    ask(s, dest, SDM_REDUCE_SAME, 1000);
    sdm_sim_run(sim, 3000000);
    trace[i] = sdm_sim_stats(sim).trace;
    sdm_set_free(dest);
    sdm_sim_free(sim);
    seen_free(s);
  }
  assert_true(trace[0] == trace[1]);
  assert_true(trace[0] != trace[2]);
}

static void slow_server_times_out_then_supplements(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim *sim = tree(s, 64, "binomial", 1, 0);
  struct sdm_set *dest = all_of(64);
  s->mode = MODE_SLOW_7;
  int64_t start = sdm_sim_stats(sim).now_us;
  ask(s, dest, SDM_REDUCE_SAME, 200);
  uint64_t second = sdm_node_request(sdm_sim_root(sim), dest, SDM_REDUCE_SAME, 200, "y", 1);
  sdm_sim_run(sim, 50000); /* the second is not held up by the first */
  assert_int_equal(s->answers, 1);
  assert_true(s->request == second && !s->flags);
  seen_clear(s);
  sdm_sim_run(sim, 300000);
  assert_int_equal(s->answers, 1);
  assert_true(s->flags & SDM_FLAG_PARTIAL);
  assert_true(s->answered_at - start <= 200000);
  assert_int_equal(sdm_set_size(s->sources), 63);
  assert_true(sdm_set_contains(s->timed_out, 7));
  sdm_sim_run(sim, 2000000);
  assert_int_equal(s->supplements, 1);
  assert_true(sdm_set_equal(s->sources, dest));
  sdm_set_free(dest);
  sdm_sim_free(sim);
  seen_free(s);
}

static void lost_router_is_bridged(void **state) {
  (void)state;
  /* Killed at every moment of a request: each server runs the command at most once, all but the dead answer. */
  for (size_t k = 0; k < 5; k++)
    for (int64_t at = 0; at < 3000; at += 97) {
      struct seen *s = seen_new();
      struct sdm_sim *sim = tree(s, 100, shapes[k], (uint64_t)at, 0);
      struct sdm_set *dest = all_of(100);
      sdm_id victim = (sdm_id)(at / 97 * 7 % 100);
      s->mode = MODE_SPREAD;
      sdm_sim_kill(sim, victim, at);
      ask(s, dest, SDM_REDUCE_SAME, 10000);
      sdm_sim_run(sim, 9000000);
      assert_int_equal(s->answers, 1);
      sdm_set_remove_element(dest, victim);
      struct sdm_set *alive = sdm_set_remove_element(sdm_set_copy(s->sources), victim);
      assert_true(sdm_set_equal(alive, dest));
      assert_true(sdm_set_contains(s->dead, victim) || sdm_set_contains(s->sources, victim));
      for (sdm_id id = 0; id < 100; id++)
        assert_int_equal(s->runs[id], id == victim ? s->runs[id] > 0 : 1);
      seen_clear(s);
      ask(s, dest, SDM_REDUCE_SAME, 1000); /* and the tree works */
      sdm_sim_run(sim, 2000000);
      assert_int_equal(s->answers, 1);
      assert_int_equal(s->flags, 0);
      sdm_set_free(alive);
      sdm_set_free(dest);
      sdm_sim_free(sim);
      seen_free(s);
    }
}

static void random_faults_never_hang(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 40; seed++) {
    struct seen *s = seen_new();
    struct sdm_sim *sim = tree(s, 128, shapes[seed % 5], seed, 100);
    struct sdm_set *dest = all_of(128), *named;
    uint64_t r = seed;
    for (unsigned i = 0; i < 12; i++) {
      r = r * 6364136223846793005ull + 1;
      sdm_id id = (sdm_id)(r >> 40) % 128;
      if (r >> 60 & 1)
        sdm_sim_kill(sim, id, (int64_t)(r >> 20 & 0x7ff));
      else
        sdm_sim_stop(sim, id, (int64_t)(r >> 20 & 0x7ff), (int64_t)(r >> 10 & 0x3ffff));
    }
    s->mode = MODE_SPREAD;
    ask(s, dest, SDM_REDUCE_SAME, 2000);
    sdm_sim_run(sim, 2000001);
    if (s->answers != 1)
      print_message("seed %lu\n", (unsigned long)seed);
    assert_int_equal(s->answers, 1);
    named = sdm_set_union(sdm_set_union(sdm_set_copy(s->sources), s->dead), s->timed_out);
    sdm_set_union(named, s->unreachable);
    assert_true(sdm_set_equal(named, dest)); /* everybody is accounted for */
    for (sdm_id id = 0; id < 128; id++)
      assert_true(s->runs[id] <= 1);
    sdm_set_free(named);
    sdm_set_free(dest);
    sdm_sim_free(sim);
    seen_free(s);
  }
}

/* One that led others is silent for longer than heart-beats allow: those come back by another way, then it does itself, and leaves
 * them where they are. */
static void silent_router_comes_back(void **state) {
  (void)state;
  for (size_t k = 0; k < 5; k++)
    for (sdm_id victim = 0; victim < 100; victim += 4) {
      struct seen *s = seen_new();
      struct sdm_sim *sim = tree(s, 100, shapes[k], victim, 100);
      struct sdm_set *all = all_of(100);
      sdm_sim_stop(sim, victim, 10, 2000000);
      sdm_sim_run(sim, 1000000);
      ask(s, all, SDM_REDUCE_SAME, 1000);
      sdm_sim_run(sim, 500000);
      assert_true(s->answers == 1 && sdm_set_size(s->dead) == 1 && sdm_set_contains(s->dead, victim));
      assert_int_equal(sdm_set_size(s->sources), 99);
      sdm_sim_run(sim, 1000000);
      assert_int_equal(s->came_back, 1);
      assert_true(sdm_set_is_empty(sdm_node_gone(sdm_sim_root(sim))));
      assert_int_equal(sdm_set_size(sdm_node_subtree(sdm_sim_node(sim, victim))), 1);
      memset(s->runs, 0, sizeof(s->runs));
      for (int i = 0; i < 3; i++) {
        seen_clear(s);
        ask(s, all, SDM_REDUCE_SAME, 1000);
        sdm_sim_run(sim, 2000000);
        assert_true(s->answers == 1 && !s->flags && sdm_set_equal(s->sources, all));
      }
      for (sdm_id id = 0; id < 100; id++)
        assert_int_equal(s->runs[id], 3);
      sdm_set_free(all);
      sdm_sim_free(sim);
      seen_free(s);
    }
}

/* Many are silent at times that overlap, some for good: in the end all others are there, each led by one. */
static void silent_ones_come_back(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= 60; seed++) {
    struct seen *s = seen_new();
    struct sdm_sim *sim = tree(s, 64, shapes[seed % 5], seed, 100);
    struct sdm_set *all = all_of(64), *alive = sdm_set_copy(all);
    uint64_t r = seed;
    s->many = true;
    for (unsigned i = 0; i < 16; i++) {
      r = r * 6364136223846793005ull + 1;
      sdm_id id = (sdm_id)(r >> 40) % 64;
      if (i < 3) {
        sdm_sim_kill(sim, id, (int64_t)(r >> 20 & 0x3fffff));
        sdm_set_remove_element(alive, id);
      } else
        sdm_sim_stop(sim, id, (int64_t)(r >> 20 & 0x3fffff), (int64_t)(r >> 10 & 0x3fffff));
    }
    for (int i = 0; i < 10; i++) {
      ask(s, all, SDM_REDUCE_SAME, 300);
      sdm_sim_run(sim, 1000000);
      seen_clear(s);
    }
    sdm_sim_run(sim, 40000000);
    s->many = false;
    memset(s->runs, 0, sizeof(s->runs));
    seen_clear(s);
    ask(s, alive, SDM_REDUCE_SAME, 1000);
    sdm_sim_run(sim, 2000000);
    if (s->answers != 1 || s->flags || !sdm_set_equal(s->sources, alive))
      print_message("seed %lu\n", (unsigned long)seed);
    assert_true(s->answers == 1 && !s->flags && sdm_set_equal(s->sources, alive));
    for (sdm_id id = 0; id < 64; id++)
      assert_int_equal(s->runs[id], sdm_set_contains(alive, id));
    sdm_set_diff(all, alive);
    assert_true(sdm_set_equal(sdm_node_gone(sdm_sim_root(sim)), all));
    sdm_set_free(all);
    sdm_set_free(alive);
    sdm_sim_free(sim);
    seen_free(s);
  }
}

/* What a server says while nobody leads it is said when it is back. */
static void words_of_a_silent_one_are_kept(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim *sim = tree(s, 16, "binomial", 1, 100);
  sdm_sim_stop(sim, 6, 10, 2000000);
  sdm_sim_event(sim, 6, "stopped", 7, 1500000);
  sdm_sim_run(sim, 4000000);
  assert_int_equal(s->came_back, 1);
  assert_true(sdm_set_contains(s->event_set, 6));
  sdm_sim_free(sim);
  seen_free(s);
}

static void start_names_who_is_not_there(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim_options o = sdm_sim_defaults(64);
  o.command = on_command;
  o.answer = on_answer;
  o.arg = s;
  s->sim = sdm_sim_new(&o);
  sdm_sim_kill(s->sim, 0, 0);
  sdm_sim_kill(s->sim, 32, 0);
  sdm_sim_run(s->sim, 10);
  sdm_sim_route(s->sim, 3000);
  sdm_sim_run(s->sim, 4000000);
  assert_int_equal(s->answers, 1);
  assert_int_equal(sdm_set_size(s->sources), 64);
  assert_int_equal(sdm_set_size(s->errors), 2);
  assert_true(sdm_set_contains(s->errors, 0) && sdm_set_contains(s->errors, 32));
  sdm_sim_free(s->sim);
  seen_free(s);
}

static void storm_of_stops_is_few_messages(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim *sim = tree(s, 512, "binomial", 3, 0);
  uint64_t before = sdm_sim_stats(sim).root_frames;
  for (sdm_id id = 0; id < 512; id++)
    sdm_sim_event(sim, id, "stopped", 7, id % 64 * 25);
  sdm_sim_run(sim, 100000);
  assert_int_equal(sdm_set_size(s->event_set), 512);
  assert_true(s->events <= 10);
  assert_true(sdm_sim_stats(sim).root_frames - before <= 40);
  sdm_sim_free(sim);
  seen_free(s);
}

/* Each rank says two things shortly after each other, at times spread over 80 ms: few messages all the same, and no
 * rank's second word before its first. */
static void two_words_of_each_rank(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 5; seed++) {
    struct seen *s = seen_new();
    struct sdm_sim *sim = tree(s, 512, shapes[seed], seed, 0);
    s->running = sdm_set_new();
    for (sdm_id id = 0; id < 512; id++) {
      int64_t at = (int64_t)((id * 2654435761u + seed * 77) % 80000);
      sdm_sim_event(sim, id, "running", 7, at);
      sdm_sim_event(sim, id, "stopped", 7, at + 50 + id % 3000);
    }
    sdm_sim_run(sim, 600000);
    assert_int_equal(sdm_set_size(s->running), 512);
    assert_int_equal(sdm_set_size(s->event_set), 512);
    assert_true(s->events <= 20);
    sdm_set_free(s->running);
    sdm_sim_free(sim);
    seen_free(s);
  }
}

static void on_lost(void *arg, const struct sdm_set *ids, const char *why) {
  struct seen *s = arg;
  (void)why;
  s->losses++;
  s->lost_after = sdm_set_is_subset(ids, s->event_set);
}

/* A rank speaks and dies while its word waits for company: the word comes first. */
static void last_words_come_before_the_loss(void **state) {
  (void)state;
  struct seen *s = seen_new();
  s->on_lost = on_lost;
  struct sdm_sim *sim = tree(s, 16, "flat", 3, 100);
  for (sdm_id id = 0; id < 8; id++) /* a burst, so that the next ones are held for long */
    sdm_sim_event(sim, id, "stopped", 7, id * 6000);
  sdm_sim_event(sim, 9, "stopped", 7, 50000);
  sdm_sim_kill(sim, 9, 51000);
  sdm_sim_run(sim, 1000000);
  assert_int_equal(s->losses, 1);
  assert_true(s->lost_after);
  sdm_sim_free(sim);
  seen_free(s);
}

static void statistics_reduce_on_the_way(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim *sim = tree(s, 300, "kary:4", 3, 0);
  struct sdm_set *dest = all_of(300);
  s->mode = MODE_STATS;
  ask(s, dest, SDM_REDUCE_STATS, 1000);
  sdm_sim_run(sim, 100000);
  assert_int_equal(s->classes, 1);
  assert_true(sdm_set_equal(s->sources, dest));
  sdm_set_free(dest);
  sdm_sim_free(sim);
  seen_free(s);
}

static void ten_thousand_nodes(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim *sim = tree(s, 10000, "binomial", 1, 0);
  struct sdm_set *dest = all_of(10000);
  ask(s, dest, SDM_REDUCE_SAME, 5000);
  sdm_sim_run(sim, 2000000);
  assert_int_equal(s->answers, 1);
  assert_int_equal(s->classes, 1);
  assert_int_equal(sdm_set_size(s->sources), 10000);
  seen_clear(s);
  for (sdm_id id = 16; id < 10000; id += 611)
    sdm_sim_kill(sim, id, 10);
  ask(s, dest, SDM_REDUCE_SAME, 5000);
  sdm_sim_run(sim, 6000000);
  assert_int_equal(s->answers, 1);
  assert_true(sdm_set_size(s->sources) >= 10000 - 17);
  assert_int_equal(sdm_set_size(s->timed_out), 0);
  sdm_set_free(dest);
  sdm_sim_free(sim);
  seen_free(s);
}

/* Merging, away from the tree. */
static void answers_compare_bodies(void **state) {
  (void)state;
  struct sdm_answer *a = sdm_answer_new(SDM_REDUCE_SAME);
  struct sdm_set *one = sdm_set_new();
  for (sdm_id id = 0; id < 200; id++) {
    char body[16];
    int n = snprintf(body, sizeof(body), "v%u", id % 100);
    sdm_answer_add(a, SDM_CLASS_OK, sdm_set_add_element(sdm_set_clear(one), id), body, (size_t)n, NULL, 0, id);
  }
  assert_int_equal(a->n, SDM_CLASSES_MAX);
  assert_int_equal(sdm_set_size(a->other), 2 * (100 - SDM_CLASSES_MAX));
  sdm_answer_add(a, SDM_CLASS_ERROR, sdm_set_add_element(sdm_set_clear(one), 300), "v1", 2, NULL, 0, 300);
  assert_true(sdm_set_contains(a->other, 300)); /* an error never joins an answer with the same bytes */
  struct sdm_bytes b = {0}, again = {0};
  sdm_answer_encode(a, &b);
  struct sdm_answer *back = sdm_answer_decode(b.p, b.len, 300);
  assert_non_null(back);
  sdm_answer_encode(back, &again);
  assert_true(again.len == b.len && !memcmp(again.p, b.p, b.len));
  assert_null(sdm_answer_decode(b.p, b.len, 299));
  assert_null(sdm_answer_decode(b.p, b.len - 1, 300));
  sdm_bytes_fini(&b);
  sdm_bytes_fini(&again);
  sdm_answer_free(back);
  sdm_answer_free(a);
  sdm_set_free(one);
}

/* Answers that no frame could carry: each alone is refused, many large ones are folded; the links live on. */
static void giant_answers(void **state) {
  (void)state;
  struct seen *s = seen_new();
  struct sdm_sim *sim = tree(s, 60, "binomial", 1, 0);
  struct sdm_set *dest = all_of(60);
  for (int mode = MODE_GIANT; mode <= MODE_LARGE; mode++) {
    s->mode = mode;
    seen_clear(s);
    ask(s, dest, SDM_REDUCE_SAME, 5000);
    sdm_sim_run(sim, 5000000);
    assert_int_equal(s->answers, 1);
    assert_true(sdm_set_equal(s->sources, dest));
    if (mode == MODE_GIANT)
      assert_true(sdm_set_equal(s->errors, dest));
    else
      assert_true(s->classes > 5 && s->classes < 60); /* half of them below one child: more than a frame holds */
  }
  s->mode = MODE_OK;
  seen_clear(s);
  ask(s, dest, SDM_REDUCE_SAME, 1000);
  sdm_sim_run(sim, 1000000);
  assert_int_equal(s->flags, 0);
  sdm_set_free(dest);
  sdm_sim_free(sim);
  seen_free(s);
}

static void prefix_trees_merge(void **state) {
  (void)state;
  static const char *const work[] = {"main", "solve", "MPI_Recv"}, *const io[] = {"main", "write_out"};
  struct sdm_answer *a = sdm_answer_new(SDM_REDUCE_TREE);
  for (sdm_id id = 0; id < 9; id++) {
    struct sdm_prefix *p = sdm_prefix_new();
    struct sdm_bytes b = {0};
    struct sdm_set *one = sdm_set_add_element(sdm_set_new(), id);
    sdm_prefix_add(p, id == 4 ? io : work, id == 4 ? 2 : 3, id);
    sdm_prefix_encode(p, &b);
    sdm_answer_add(a, SDM_CLASS_OK, one, b.p, b.len, NULL, 0, id);
    sdm_set_free(one);
    sdm_bytes_fini(&b);
    sdm_prefix_free(p);
  }
  assert_int_equal(a->n, 1);
  struct sdm_prefix *p = sdm_prefix_decode(a->classes[0].body.p, a->classes[0].body.len);
  assert_non_null(p);
  assert_int_equal(sdm_set_size(p->children[0]->set), 9);
  assert_int_equal(p->children[0]->n, 2);
  assert_string_equal(p->children[0]->children[1]->name, "write_out");
  assert_int_equal(sdm_set_last(p->children[0]->children[1]->set), 4);
  sdm_prefix_free(p);
  sdm_answer_free(a);
}

static void output_keeps_the_order_of_a_rank(void **state) {
  (void)state;
  struct sdm_iolist l = {0};
  struct sdm_set *r0 = sdm_set_add_element(sdm_set_new(), 0), *r1 = sdm_set_add_element(sdm_set_new(), 1);
  sdm_iolist_add(&l, SDM_STDOUT, false, r0, "a\n", 2);
  sdm_iolist_add(&l, SDM_STDOUT, false, r0, "b\n", 2);
  sdm_iolist_add(&l, SDM_STDOUT, false, r1, "a\n", 2); /* joins the first */
  sdm_iolist_add(&l, SDM_STDOUT, false, r0, "a\n", 2); /* must not */
  sdm_iolist_add(&l, SDM_STDERR, true, r1, "", 0);
  assert_int_equal(l.n, 4);
  assert_int_equal(sdm_set_size(l.pieces[0].set), 2);
  assert_int_equal(sdm_set_size(l.pieces[2].set), 1);
  struct sdm_bytes b = {0};
  struct sdm_iolist back;
  sdm_iolist_encode(&l, &b);
  assert_int_equal(sdm_iolist_decode(&back, b.p, b.len, 1), 0);
  assert_int_equal(back.n, 4);
  assert_true(back.pieces[3].eof && back.pieces[3].stream == SDM_STDERR);
  sdm_iolist_fini(&back);
  assert_true(sdm_iolist_decode(&back, b.p, b.len, 0) < 0);
  sdm_bytes_fini(&b);
  sdm_iolist_fini(&l);
  sdm_set_free(r0);
  sdm_set_free(r1);
}

static void headers_stay_small(void **state) {
  (void)state;
  struct sdm_bytes set = {0}, out = {0};
  char buf[256];
  for (int one = 0; one < 2; one++) {
    struct sdm_set *s = one ? sdm_set_add_element(sdm_set_new(), 999999) : all_of(1000000);
    set.len = out.len = 0;
    sdm_bytes_add(&set, buf, sdm_set_serialize(s, buf, NULL));
    sdm_frame_encode(
        &(struct sdm_frame){.type = SDM_CMD, .request = 1, .dest = set.p, .dest_len = set.len, .aggregate = set.p, .aggregate_len = 1},
        false, &out);
    assert_true(out.len <= 64);
    sdm_set_free(s);
  }
  sdm_bytes_fini(&set);
  sdm_bytes_fini(&out);
}

static void damaged_frames_are_refused(void **state) {
  (void)state;
  struct sdm_bytes out = {0};
  struct sdm_frame f;
  sdm_frame_encode(&(struct sdm_frame){.type = SDM_CMD, .request = 77, .payload = (const uint8_t *)"hello", .payload_len = 5}, true, &out);
  assert_int_equal(sdm_frame_size(out.p, out.len, 512), (long)out.len);
  assert_int_equal(sdm_frame_decode(out.p, out.len, &f), 0);
  assert_true(f.request == 77 && f.payload_len == 5 && !memcmp(f.payload, "hello", 5));
  for (size_t i = 0; i < out.len * 8; i++) { /* every single bit counts */
    out.p[i / 8] ^= (uint8_t)(1 << i % 8);
    if (i / 8 < 20 || i / 8 >= 24)
      assert_true(sdm_frame_decode(out.p, out.len, &f) < 0);
    out.p[i / 8] ^= (uint8_t)(1 << i % 8);
  }
  assert_true(sdm_frame_size(out.p, out.len, 3) < 0);
  assert_true(sdm_frame_decode(out.p, 0, &f) < 0); /* a record without a frame */
  sdm_bytes_fini(&out);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(headers_stay_small),
      cmocka_unit_test(damaged_frames_are_refused),
      cmocka_unit_test(answers_compare_bodies),
      cmocka_unit_test(prefix_trees_merge),
      cmocka_unit_test(giant_answers),
      cmocka_unit_test(output_keeps_the_order_of_a_rank),
      cmocka_unit_test(every_shape_reaches_everybody_once),
      cmocka_unit_test(shape_by_size),
      cmocka_unit_test(only_the_named_get_it),
      cmocka_unit_test(same_seed_same_run),
      cmocka_unit_test(slow_server_times_out_then_supplements),
      cmocka_unit_test(lost_router_is_bridged),
      cmocka_unit_test(random_faults_never_hang),
      cmocka_unit_test(start_names_who_is_not_there),
      cmocka_unit_test(silent_router_comes_back),
      cmocka_unit_test(silent_ones_come_back),
      cmocka_unit_test(words_of_a_silent_one_are_kept),
      cmocka_unit_test(storm_of_stops_is_few_messages),
      cmocka_unit_test(two_words_of_each_rank),
      cmocka_unit_test(last_words_come_before_the_loss),
      cmocka_unit_test(statistics_reduce_on_the_way),
      cmocka_unit_test(ten_thousand_nodes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
