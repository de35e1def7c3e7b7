/* A transport of the user's own under the tree, by public headers alone: links are pairs of queues in one process.  With a reducer
 * of the user: of all names the first in the alphabet. */
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "sdm/node.h"

enum { SERVERS = 9, ENDS = 64, FIRST_NAME = SDM_REDUCERS, MESSAGES = 256 };

struct place { /* where a node lives */
  struct sdm_node *node;
  unsigned number;
};
struct end {
  struct place *at;
  struct end *peer;
  int slot;
};
struct message {
  struct end *to;
  struct sdm_bytes bytes;
};

static struct place places[SERVERS + 1]; /* the root is the last */
static struct end ends[ENDS];
static unsigned nends;
static struct message queue[MESSAGES];
static unsigned head, tail;
static int64_t clock_us;

static struct answered {
  uint64_t request;
  size_t classes, sources;
  char body[32];
} last;

static int64_t now(void *arg) { return (void)arg, clock_us; }
static void send_frame(void *arg, void *link, const struct sdm_frame *f) {
  (void)arg;
  struct message *m = &queue[tail++ % MESSAGES];
  *m = (struct message){.to = ((struct end *)link)->peer};
  sdm_frame_encode(f, true, &m->bytes);
}
static void dial(void *arg, int slot, const struct sdm_table *t, const struct sdm_entry *e, int64_t until) {
  (void)t, (void)until;
  struct end *mine = &ends[nends++], *theirs = &ends[nends++];
  *mine = (struct end){arg, theirs, slot};
  *theirs = (struct end){&places[e->id], mine, SDM_SLOT_NONE};
  sdm_node_dialled(mine->at->node, slot, mine, NULL);
}
static void bind_link(void *arg, void *link, int slot) { (void)arg, ((struct end *)link)->slot = slot; }
static void drop(void *arg, void *link) { (void)arg, (void)link; }
static void wake(void *arg, int64_t at) { (void)arg, (void)at; }
static void command(void *arg, uint64_t request, uint32_t ms_left, const void *p, size_t len) {
  (void)ms_left;
  struct place *here = arg;
  char name[32];
  int n = snprintf(name, sizeof(name), "%.*s%u", (int)len, (const char *)p, 9 - here->number);
  sdm_node_reply(here->node, request, SDM_CLASS_OK, name, (size_t)n, NULL, 0);
}
static void input(void *arg, const struct sdm_iolist *l) { (void)arg, (void)l; }
static void credit(void *arg, uint64_t bytes) { (void)arg, (void)bytes; }
static void orphan(void *arg, bool alone) { (void)arg, (void)alone; }
static void bye(void *arg) { (void)arg; }
static void answer(void *arg, uint64_t request, uint16_t flags, const struct sdm_answer *a) {
  (void)arg, (void)flags;
  struct sdm_set *from = sdm_answer_sources(a);
  last = (struct answered){.request = request, .classes = a->n, .sources = (size_t)sdm_set_size(from)};
  if (a->n)
    memcpy(last.body, a->classes[0].body.p, a->classes[0].body.len < 31 ? a->classes[0].body.len : 31);
  sdm_set_free(from);
}
static void event(void *arg, const struct sdm_answer *a) { (void)arg, (void)a; }
static void output(void *arg, const struct sdm_iolist *l) { (void)arg, (void)l; }
static void lost(void *arg, const struct sdm_set *ids, const char *why) {
  (void)arg, (void)ids;
  fail_msg("lost: %s", why);
}

static const struct sdm_node_ops transport = {.now = now,
                                              .send = send_frame,
                                              .dial = dial,
                                              .bind = bind_link,
                                              .drop = drop,
                                              .wake = wake,
                                              .command = command,
                                              .input = input,
                                              .credit = credit,
                                              .orphan = orphan,
                                              .bye = bye,
                                              .answer = answer,
                                              .event = event,
                                              .output = output,
                                              .lost = lost};

static void deliver_all(void) {
  while (head != tail) {
    struct message m = queue[head++ % MESSAGES];
    struct sdm_frame f;
    clock_us++;
    assert_int_equal(sdm_frame_decode(m.bytes.p, m.bytes.len, &f), 0);
    sdm_node_recv(m.to->at->node, m.to, m.to->slot, &f);
    sdm_bytes_fini(&m.bytes);
  }
}

static int first_name(struct sdm_bytes *into, const void *body, size_t len) {
  size_t n = into->len < len ? into->len : len;
  int order = memcmp(into->p, body, n);
  if (order > 0 || (!order && len < into->len)) {
    into->len = 0;
    sdm_bytes_add(into, body, len);
  }
  return 0;
}

static int another(struct sdm_bytes *into, const void *body, size_t len) { return (void)into, (void)body, (void)len, -EBADMSG; }

static void requests_go_through_it(void **state) {
  (void)state;
  const struct sdm_node_options options = {.keep_answers = 4};
  struct sdm_table table = {.shape = {.kind = SDM_BINOMIAL}};
  for (unsigned i = 0; i <= SERVERS; i++) {
    places[i].number = i;
    places[i].node = sdm_node_new(&transport, &places[i], i < SERVERS ? i : SDM_MASTER, &options);
    if (i < SERVERS)
      sdm_table_add(&table, i, "here", 1);
  }
  struct sdm_node *root = places[SERVERS].node;
  uint64_t routed = sdm_node_route(root, &table, 0);
  deliver_all();
  assert_int_equal(last.request, routed);
  assert_int_equal(last.sources, SERVERS);

  struct sdm_set *all = sdm_set_new();
  sdm_table_ids(&table, 0, table.n, all);
  uint64_t asked = sdm_node_request(root, all, FIRST_NAME, 0, "rank", 4);
  deliver_all();
  assert_int_equal(last.request, asked);
  assert_int_equal(last.classes, 1);
  assert_int_equal(last.sources, SERVERS);
  assert_string_equal(last.body, "rank1");

  asked = sdm_node_request(root, all, FIRST_NAME + 1, 0, "rank", 4); /* that nobody knows */
  deliver_all();
  assert_int_equal(last.request, asked);
  assert_int_equal(last.classes, SERVERS);

  sdm_set_free(all);
  sdm_table_fini(&table);
  for (unsigned i = 0; i <= SERVERS; i++)
    sdm_node_free(places[i].node);
}

static void reducers_have_one_meaning(void **state) {
  (void)state;
  assert_int_equal(sdm_reducer_set(SDM_REDUCE_SAME, first_name), -EINVAL);
  assert_int_equal(sdm_reducer_set(SDM_REDUCERS_MAX, first_name), -EINVAL);
  assert_int_equal(sdm_reducer_set(FIRST_NAME, NULL), -EINVAL);
  assert_int_equal(sdm_reducer_set(FIRST_NAME, first_name), 0);
  assert_int_equal(sdm_reducer_set(FIRST_NAME, first_name), 0);
  assert_int_equal(sdm_reducer_set(FIRST_NAME, another), -EEXIST);
}

static unsigned asked_for_memory;
static jmp_buf out;
static void give_up(size_t bytes, void *arg) {
  assert_true(bytes > 0 && arg == &asked_for_memory);
  asked_for_memory++;
  longjmp(out, 1);
}

static void the_host_lives_without_memory(void **state) {
  (void)state;
  sdm_set_no_memory(give_up, &asked_for_memory);
  if (!setjmp(out))
    fail_msg("there was so much memory: %p", sdm_alloc(SIZE_MAX / 2));
  assert_int_equal(asked_for_memory, 1);
  sdm_set_no_memory(NULL, NULL);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(reducers_have_one_meaning), cmocka_unit_test(requests_go_through_it),
                                     cmocka_unit_test(the_host_lives_without_memory)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
