/* The interface of the PTP design ("designs/new sdm"), row by row: start-up, messages, sets, routing, aggregation and I/O handlers, with a
 * front end, a master and five servers as processes. */
#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <cmocka.h>

#include "sdm/iof.h"
#include "sdm/message.h"
#include "sdm/route.h"
#include "sdm/sdm.h"

#define SERVERS 5
#define SECRET "5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a"
#define LIMIT_US 60000000

static char folder[64];
static pid_t children[16];
static unsigned nchildren;

/* A server: answers with its id modulo 2, "up" makes it speak unasked, "who" tells what its routing layer knows. */
struct server {
  struct sdm_ctx *c;
  struct sdm_message *asked;
  unsigned received;
  bool quit;
};

static void answer(struct server *s, const char *text, int status) {
  struct sdm_message *m = sdm_message_new(text, strlen(text));
  struct sdm_aggregate *a = sdm_message_get_aggregate(m);
  sdm_aggregate_copy(a, sdm_message_get_aggregate(s->asked));
  sdm_aggregate_set_value(a, SDM_AGGREGATE_STATUS, status);
  if (sdm_aggregate(s->c, m, SDM_AGGREGATE_UPSTREAM))
    _exit(4);
  sdm_message_free(m);
}

static void on_payload(void *arg, const void *p, size_t len) {
  struct server *s = arg;
  char text[64];
  snprintf(text, sizeof(text), "%u", sdm_get_my_id(s->c) % 2);
  if (len == 2 && !memcmp(p, "up", 2)) {
    struct sdm_message *up = sdm_message_new("news", 4);
    if (sdm_message_send(s->c, up))
      _exit(5);
    sdm_message_free(up);
  } else if (len == 3 && !memcmp(p, "who", 3)) {
    struct sdm_set *all = sdm_set_add_all(sdm_set_new(), SERVERS - 1), *below = sdm_route_reachable(s->c, all);
    snprintf(text, sizeof(text), "id %u parent %x below %u of %u", sdm_route_get_id(s->c), sdm_route_get_parent(s->c), sdm_set_size(below),
             sdm_route_get_size(s->c));
    sdm_set_free(all);
    sdm_set_free(below);
  } else if (len == 4 && !memcmp(p, "hang", 4) && sdm_get_my_id(s->c) == 3)
    return;
  answer(s, text, len == 4 && !memcmp(p, "fail", 4) ? SDM_STATUS_ERROR : SDM_STATUS_OK);
}

static void on_message(void *arg, struct sdm_message *m) {
  struct server *s = arg;
  s->asked = m;
  s->received++;
  if (sdm_message_send(s->c, m)) /* the overlay has handed it on: allowed, and of no effect */
    _exit(6);
  if (!sdm_message_payload_deliver(s->c, m))
    _exit(7);
}

/* The secret is in the environment once; it is gone when it has been taken. */
static struct sdm_ctx *init_words(int argc, char *const *argv, struct dvm_error *err) {
  setenv("SDM_SECRET", SECRET, 1);
  struct sdm_ctx *c = sdm_init(argc, argv, err);
  if (c && getenv("SDM_SECRET"))
    _exit(8);
  return c;
}

static void serve(const char *way) {
  struct dvm_error err = DVM_ERROR_INIT;
  char *argv[] = {(char *)"server",
                  (char *)"--server",
                  (char *)way,
                  (char *)"--port=100",
                  (char *)"--orphan=200",
                  (char *)"--start-timeout=20000",
                  (char *)"--unknown-to-the-library",
                  NULL};
  struct server s = {.c = init_words(7, argv, &err)};
  if (!s.c) {
    fprintf(stderr, "server: %s\n", err.text);
    _exit(2);
  }
  sdm_message_set_recv_callback(s.c, on_message, &s);
  sdm_message_set_payload_callback(s.c, on_payload, &s);
  for (;;) { /* ended by the test */
    sdm_progress(s.c, -1);
    if (getppid() == 1)
      break;
  }
  sdm_finalize(s.c);
  _exit(0);
}

static pid_t child(void) {
  pid_t pid = fork();
  if (pid)
    children[nchildren++] = pid;
  return pid;
}

static void start_servers(const char *way) {
  char rank[32];
  for (unsigned i = 0; i < SERVERS; i++) {
    snprintf(rank, sizeof(rank), "%u", i);
    setenv("PMI_RANK", rank, 1);
    if (!child())
      serve(way);
  }
  unsetenv("PMI_RANK");
}

static int setup(void **state) {
  (void)state;
  strcpy(folder, "/tmp/sdm-seed.XXXXXX");
  return mkdtemp(folder) ? 0 : -1;
}

static int teardown(void **state) {
  char command[128];
  (void)state;
  for (unsigned i = 0; i < nchildren; i++) {
    kill(children[i], SIGKILL);
    waitpid(children[i], NULL, 0);
  }
  nchildren = 0;
  snprintf(command, sizeof(command), "rm -rf %s", folder);
  return system(command);
}

/* What comes back to the one who asks. */
struct seen {
  unsigned complete, sent, events;
  struct sdm_set *by_status[8], *zero, *one, *event;
  char last[64];
  uint64_t hash;
};

static void on_complete(void *arg, struct sdm_message *m, unsigned flags) {
  struct seen *s = arg;
  const void *p;
  size_t n = sdm_message_get_payload(m, &p);
  uint64_t status = sdm_aggregate_get_value(sdm_message_get_aggregate(m), SDM_AGGREGATE_STATUS);
  assert_true(flags & SDM_AGGREGATE_UPSTREAM);
  sdm_set_union(s->by_status[status], sdm_message_get_source(m));
  if (n == 1 && *(const char *)p == '0')
    sdm_set_union(s->zero, sdm_message_get_source(m));
  if (n == 1 && *(const char *)p == '1')
    sdm_set_union(s->one, sdm_message_get_source(m));
  snprintf(s->last, sizeof(s->last), "%.*s", (int)n, n ? (const char *)p : "");
  s->hash = sdm_aggregate_get_value(sdm_message_get_aggregate(m), SDM_AGGREGATE_HASH);
  s->complete++;
}

static void on_event(void *arg, struct sdm_message *m) {
  struct seen *s = arg;
  sdm_set_union(s->event, sdm_message_get_source(m));
  s->events++;
}

static void on_sent(void *arg, struct sdm_message *m) {
  ((struct seen *)arg)->sent++;
  sdm_message_free(m);
}

static void clear(struct seen *s) {
  for (int i = 0; i < 8; i++)
    sdm_set_clear(s->by_status[i]);
  sdm_set_clear(s->zero);
  sdm_set_clear(s->one);
  sdm_set_clear(s->event);
  s->complete = s->sent = s->events = 0;
}

static void ask(struct sdm_ctx *c, struct seen *s, const char *text, sdm_id lo, sdm_id hi, unsigned timeout_ms) {
  struct sdm_message *m = sdm_message_new(text, strlen(text));
  uint32_t want = hi - lo + 1, named = 0;
  clear(s);
  sdm_set_add_range(sdm_message_get_destination(m), lo, hi);
  assert_int_equal(sdm_aggregate_set_value(sdm_message_get_aggregate(m), SDM_AGGREGATE_TIMEOUT, timeout_ms), 0);
  assert_int_equal(sdm_aggregate(c, m, SDM_AGGREGATE_DOWNSTREAM), 0);
  sdm_message_set_send_callback(m, on_sent, s);
  assert_int_equal(sdm_message_send(c, m), 0);
  for (int64_t until = sdm_now_us() + LIMIT_US; named < want && sdm_now_us() < until;) {
    sdm_progress(c, 100);
    named = 0;
    for (int i = 0; i < 8; i++)
      named += sdm_set_size(s->by_status[i]);
  }
  assert_int_equal(named, want);
  for (int64_t until = sdm_now_us() + LIMIT_US; !s->sent && sdm_now_us() < until;)
    sdm_progress(c, 10);
  assert_int_equal(s->sent, 1);
}

static void converse(struct sdm_ctx *c) {
  struct seen s = {0};
  char text[256];
  for (int i = 0; i < 8; i++)
    s.by_status[i] = sdm_set_new();
  s.zero = sdm_set_new();
  s.one = sdm_set_new();
  s.event = sdm_set_new();
  sdm_aggregate_set_completion_callback(c, on_complete, &s);
  sdm_message_set_recv_callback(c, on_event, &s);

  ask(c, &s, "x", 0, SERVERS - 1, 20000); /* equal answers come as one message with all their sources */
  assert_int_equal(s.complete, 2);
  assert_int_equal(sdm_set_size(s.zero), 3);
  assert_int_equal(sdm_set_size(s.one), 2);
  assert_int_equal(sdm_set_size(s.by_status[SDM_STATUS_OK]), SERVERS);
  assert_true(s.hash != 0);

  ask(c, &s, "x", 1, 1, 20000); /* delivered only where it is addressed */
  assert_int_equal(s.complete, 1);
  assert_true(sdm_set_contains(s.one, 1) && sdm_set_size(s.one) == 1);

  ask(c, &s, "fail", 2, 4, 20000);
  assert_int_equal(sdm_set_size(s.by_status[SDM_STATUS_ERROR]), 3);

  ask(c, &s, "who", 4, 4, 20000);
  snprintf(text, sizeof(text), "id 4 parent ");
  assert_int_equal(strncmp(s.last, text, strlen(text)), 0);

  ask(c, &s, "hang", 0, SERVERS - 1, 500); /* the timeout is in the aggregation element */
  assert_int_equal(sdm_set_size(s.by_status[SDM_STATUS_TIMED_OUT]), 1);
  assert_true(sdm_set_contains(s.by_status[SDM_STATUS_TIMED_OUT], 3));

  ask(c, &s, "x", 3, 9, 20000);
  assert_int_equal(sdm_set_size(s.by_status[SDM_STATUS_UNREACHABLE]), 5);

  ask(c, &s, "up", 0, SERVERS - 1, 20000);
  for (int64_t until = sdm_now_us() + LIMIT_US; sdm_set_size(s.event) < SERVERS && sdm_now_us() < until;)
    sdm_progress(c, 100);
  assert_int_equal(sdm_set_size(s.event), SERVERS);

  for (int i = 0; i < 8; i++)
    sdm_set_free(s.by_status[i]);
  sdm_set_free(s.zero);
  sdm_set_free(s.one);
  sdm_set_free(s.event);
}

static struct sdm_ctx *init(const char *role, const char *more) {
  struct dvm_error err = DVM_ERROR_INIT;
  char host[96];
  snprintf(host, sizeof(host), "--host=%s", folder);
  char *argv[] = {(char *)"test", (char *)role, host, (char *)(more ? more : "--"), (char *)"--start-timeout=20000", NULL};
  struct sdm_ctx *c = init_words(5, argv, &err);
  if (!c)
    print_message("%s\n", err.text);
  assert_non_null(c);
  return c;
}

/* The default there: servers take ports from a base on, the front end has the routing table and gives it to
 * the master, who dials the front end first. */
static void front_end_master_servers(void **state) {
  (void)state;
  struct dvm_error err = DVM_ERROR_INIT;
  char way[96], address[160];
  struct sdm_ctx *front = init("--frontend", NULL);
  snprintf(way, sizeof(way), "--host=%s", folder);
  snprintf(address, sizeof(address), "--frontend=%s:%u", folder, sdm_ctx_port(front));
  start_servers(way);
  pid_t master = child();
  if (!master) {
    struct sdm_ctx *m = init("--master", address);
    if (sdm_route_get_parent(m) != SDM_ID_NONE || sdm_connect(m, SDM_SET_FRONTEND, &err)) {
      fprintf(stderr, "master: %s\n", err.text);
      _exit(3);
    }
    if (sdm_route_get_parent(m) != SDM_FRONTEND || sdm_get_my_id(m) != SDM_MASTER)
      _exit(4);
    while (sdm_route_get_parent(m) == SDM_FRONTEND)
      sdm_progress(m, 100);
    sdm_finalize(m);
    _exit(0);
  }
  struct sdm_table t = {.shape = {SDM_BINOMIAL, 0}, .base_port = 100, .port_tries = 50};
  for (sdm_id i = 0; i < SERVERS; i++)
    sdm_table_add(&t, i, folder, 0);
  assert_int_equal(sdm_route_set_table(front, &t), 0);
  sdm_table_fini(&t);
  assert_int_equal(sdm_route_get_size(front), SERVERS);
  int rc = -ENOTCONN;
  for (int64_t until = sdm_now_us() + LIMIT_US; rc == -ENOTCONN && sdm_now_us() < until;) {
    rc = sdm_connect(front, NULL, &err); /* the master may not have come yet */
    if (rc == -ENOTCONN)
      sdm_progress(front, 100);
  }
  if (rc)
    print_message("%s\n", err.text);
  assert_int_equal(rc, 0);
  assert_int_equal(sdm_set_size(sdm_all(front)), SERVERS);
  converse(front);
  sdm_finalize(front);
  int status = -1;
  waitpid(master, &status, 0); /* the master ends with the front end */
  assert_int_equal(status, 0);
}

/* The master is the tool; servers register with it. */
static void master_with_servers_that_register(void **state) {
  (void)state;
  struct dvm_error err = DVM_ERROR_INIT;
  char way[160];
  struct sdm_ctx *c = init("--master", "--shape=kary:2");
  snprintf(way, sizeof(way), "--rendezvous=%s:%u", folder, sdm_ctx_port(c));
  start_servers(way);
  assert_int_equal(sdm_route_set_size(c, SERVERS), 0);
  assert_int_equal(sdm_connect(c, NULL, &err), 0);
  assert_int_equal(sdm_route_set_size(c, 9), -EISCONN);
  assert_int_equal(sdm_route_get_size(c), SERVERS);
  struct sdm_set *all = sdm_set_add_all(sdm_set_new(), SERVERS - 1), *hops = sdm_route_get_route(c, all);
  assert_int_equal(sdm_set_size(hops), 2);
  struct sdm_set *far = sdm_set_add_element(sdm_set_copy(all), 77), *reach = sdm_route_rechable(c, far);
  assert_true(sdm_set_equal(reach, all));
  struct sdm_set *one = sdm_set_add_element(sdm_set_new(), 4), *hop = sdm_route_get_route(c, one);
  assert_int_equal(sdm_set_size(hop), 1);
  converse(c);
  struct sdm_set *sets[] = {all, hops, far, reach, one, hop};
  for (size_t i = 0; i < 6; i++)
    sdm_set_free(sets[i]);
  sdm_finalize(c);
}

static void a_front_end_that_is_not_there(void **state) {
  (void)state;
  struct dvm_error err = DVM_ERROR_INIT;
  struct sdm_options o = {.role = SDM_ROLE_MASTER, .host = folder, .front_tries = 3};
  char address[160];
  snprintf(address, sizeof(address), "%s:77", folder);
  o.frontend = address;
  sdm_secret_random(&o.secret);
  struct sdm_ctx *c = sdm_open(&o, &err);
  assert_non_null(c);
  assert_true(sdm_connect(c, SDM_SET_FRONTEND, &err) < 0);
  assert_non_null(strstr(err.text, "in 3 attempts"));
  sdm_finalize(c);
}

static void bad_words(void **state) {
  (void)state;
  static const char *const bad[][2] = {{"--server=x", ""},
                                       {"--server=1", "--port=70000"},
                                       {"--host=x", ""},
                                       {"--master", "--secret-file=/does/not/exist"},
                                       {"--master", "--shape=star"}};
  struct dvm_error err = DVM_ERROR_INIT;
  for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
    char *argv[] = {(char *)"test", (char *)bad[i][0], (char *)bad[i][1], NULL};
    err.text[0] = 0;
    assert_null(init_words(3, argv, &err));
    assert_true(err.text[0]);
  }
}

static void ids_before_a_session(void **state) {
  (void)state;
  struct dvm_error err = DVM_ERROR_INIT;
  char host[96];
  snprintf(host, sizeof(host), "--host=%s", folder);
  char *argv[] = {(char *)"test", (char *)"--server=3", host, NULL};
  struct sdm_ctx *c = init_words(3, argv, &err);
  assert_non_null(c);
  assert_int_equal(sdm_route_get_id(c), 3);
  assert_int_equal(sdm_route_set_id(c, 8), 0);
  assert_int_equal(sdm_get_my_id(c), 8);
  assert_int_equal(sdm_route_get_parent(c), SDM_ID_NONE);
  assert_int_equal(sdm_route_set_size(c, 3), -EINVAL);
  struct sdm_message *m = sdm_message_new("x", 1);
  assert_int_equal(sdm_message_send(c, m), -ENOTCONN);
  assert_int_equal(sdm_aggregate(c, m, SDM_AGGREGATE_UPSTREAM), -EINVAL); /* answers no request */
  sdm_set_add_element(sdm_message_get_destination(m), 1);
  assert_int_equal(sdm_message_send(c, m), -EINVAL);
  sdm_message_free(m);
  sdm_message_free(NULL);
  sdm_finalize(c);
}

static void aggregation_elements(void **state) {
  (void)state;
  struct sdm_aggregate *a = sdm_aggregate_new(), *b = sdm_aggregate_new();
  assert_int_equal(sdm_aggregate_get_value(a, SDM_AGGREGATE_TIMEOUT), 10000);
  sdm_aggregate_set_value(a, SDM_AGGREGATE_TIMEOUT, 300u);
  sdm_aggregate_set_value(a, SDM_AGGREGATE_REDUCER, (int)SDM_REDUCE_TREE);
  sdm_aggregate_set_value(a, SDM_AGGREGATE_REQUEST, (uint64_t)1 << 40);
  sdm_aggregate_set_value(a, SDM_AGGREGATE_HASH, (uint64_t)0x123456789abcdef0);
  sdm_aggregate_set_value(a, SDM_AGGREGATE_STATUS, (int)SDM_STATUS_OTHER);
  assert_int_equal(sdm_aggregate_set_value(a, 99), -EINVAL);
  char buf[64], *end;
  const char *rest;
  size_t n = sdm_aggregate_serialize(a, buf, &end);
  assert_ptr_equal(end, buf + n);
  assert_true(n <= sdm_aggregate_serialized_length(a));
  assert_int_equal(sdm_aggregate_deserialize(b, buf, sizeof(buf), &rest), (long)n);
  assert_ptr_equal(rest, buf + n);
  for (int type = SDM_AGGREGATE_TIMEOUT; type <= SDM_AGGREGATE_STATUS; type++)
    assert_true(sdm_aggregate_get_value(a, type) == sdm_aggregate_get_value(b, type));
  for (size_t cut = 0; cut < n; cut++)
    assert_int_equal(sdm_aggregate_deserialize(b, buf, cut, NULL), -EBADMSG);
  buf[1] = 77; /* no such reducer */
  assert_int_equal(sdm_aggregate_deserialize(b, buf, n, NULL), -EBADMSG);
  sdm_aggregate_free(a);
  sdm_aggregate_free(b);
}

static int moved;
static int upper(int in, int out) {
  char buf[64];
  ssize_t n = read(in, buf, sizeof(buf));
  for (ssize_t i = 0; i < n; i++)
    buf[i] = (char)(buf[i] >= 'a' && buf[i] <= 'z' ? buf[i] - 32 : buf[i]);
  moved += (int)n;
  return n > 0 ? (int)write(out, buf, (size_t)n) : (int)n;
}

static void io_handlers(void **state) {
  (void)state;
  struct sdm_ctx *c = init("--master", NULL);
  int (*const set[])(struct sdm_ctx *, int, int, sdm_iof_handler_f) = {sdm_iof_set_stdin_handler, sdm_iof_set_stdout_handler,
                                                                       sdm_iof_set_stderr_handler};
  for (int i = 0; i < 3; i++)
    for (int own = 0; own < 2; own++) {
      int in[2], out[2];
      char buf[16] = "";
      assert_int_equal(pipe(in) + pipe(out), 0);
      assert_int_equal(set[i](c, in[0], out[1], own ? upper : NULL), 0);
      assert_int_equal(write(in[1], "abc\0d", 5), 5);
      for (int64_t until = sdm_now_us() + 2000000, done = 0; !done && sdm_now_us() < until;) {
        sdm_progress(c, 100);
        done = 1;
      }
      assert_int_equal(read(out[0], buf, sizeof(buf)), 5);
      assert_memory_equal(buf, own ? "ABC\0D" : "abc\0d", 5);
      close(in[1]);
      sdm_progress(c, 100); /* its end: not called again */
      assert_int_equal(set[i](c, -1, -1, NULL), 0);
      close(in[0]);
      close(out[0]);
      close(out[1]);
    }
  assert_int_equal(moved, 15);
  sdm_finalize(c);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
  const struct CMUnitTest tests[] = {
      TEST(front_end_master_servers),
      TEST(master_with_servers_that_register),
      TEST(a_front_end_that_is_not_there),
      TEST(bad_words),
      TEST(ids_before_a_session),
      TEST(aggregation_elements),
      TEST(io_handlers),
  };
  signal(SIGPIPE, SIG_IGN);
  return sdm_link_init() ? 1 : cmocka_run_group_tests(tests, NULL, NULL);
}
