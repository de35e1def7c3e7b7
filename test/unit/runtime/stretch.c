/* Stretches against the inline checks, access by access: what is judged at once would have taken no slow path, and leaves the same
 * words.  The words before are anything that earlier iterations may have left. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wmissing-prototypes"
#include "pass/llvm/inline.c"
#pragma GCC diagnostic pop
#include "play.h"
#include "random.h"
#include "runtime/data/mem.h"
#include "runtime/data/shadow.h"
#include <string.h>

enum { ELEMENTS = 1024, ROUNDS = 4000, REFS = 4, TURNS = 40, EARLIER = 20 };
static double data[ELEMENTS] __attribute__((aligned(8192))), field[ELEMENTS]; /* ordinary; distributed, under 'across' */
static double *memory;  /* the one of the two that is meant */
static uint32_t *words; /* of 'memory', in one piece */
static const struct dvmrt_view *view; /* of 'field', or NULL */
static int own;         /* first element of the iterations' own, if there is a view */

struct reference {
  int first, step;       /* elements */
  bool writes, reads;
};

static struct dvmrt_site *nest(void) { return site("K parallel 1\nF t.c\nP 10 9\nN 1 i\nS 1\nQ 11 3\n"); }

#define FIELD "af8 & 8 1 1024\n"
static char clause; /* C: across, H: shadow_renew */
static struct dvmrt_site *nest_on_field(void) {
  return clause == 'C' ? site("K parallel 2\nF t.c\nP 20 9\nN 1 i\nO field " FIELD "X a0:1:0\nS 1\nQ 21 3\nC field " FIELD
                              "W 1000:1000\nU field & w\n")
                       : site("K parallel 3\nF t.c\nP 30 9\nN 1 i\nO field " FIELD "X a0:1:0\nS 1\nQ 31 3\nH field " FIELD
                              "W 1000:1000\nU field & w\n");
}

static uint32_t *words_of_data(void) {
  struct dvmrt_span s, next;
  assert_true(dvmrt_mem_enter());
  dvmrt_shadow_span((uintptr_t)data, 8, true, &s);
  dvmrt_shadow_span((uintptr_t)data + 4096, 8, true, &next);
  dvmrt_mem_leave();
  assert_ptr_equal(next.words, s.words + 512);
  return s.words;
}

/* Of iterations before the present one, or from before the nest. */
static uint32_t random_word(uint32_t style) {
  uint32_t earlier = (__dvmrt_now.write & ~1u) - 2 * random_below(EARLIER);
  switch (style ? style - 1 : random_below(6)) {
  case 0: return DVMRT_W_ASSIGNED;
  case 1: return earlier;
  case 2: return earlier | 1;
  case 3: return __dvmrt_now.write;
  case 4: return random_below(20) ? DVMRT_W_ASSIGNED : DVMRT_W_NEVER;
  default: return random_below(20) ? 1030 : __dvmrt_now.write & ~1u;
  }
}

static void set_words(void) {
  uint32_t style = random_below(8), rare = 1 + random_below(200);
  for (int i = 0; i < ELEMENTS; i++)
    words[i] = random_word(random_below(rare) && style < 7 ? style : 0);
}

/* All have a value but one, at an end of the row or beside it. */
static void set_but_one(int step, int turns) {
  int at = own + (random_below(2) ? 0 : step * (turns - 1)) + (int)random_between(-3, 3);
  for (int i = 0; i < ELEMENTS; i++)
    words[i] = i == at ? DVMRT_W_NEVER : DVMRT_W_ASSIGNED;
}

/* True: no access needed the slow path. */
static bool access_by_access(const struct reference *r, int n, int turns, bool iterations, uint32_t *w) {
  const struct dvmrt_now *now = &__dvmrt_now;
  uint32_t write = now->write, mask = view ? view->mask : now->mask;
  uint32_t first_read = view ? view->first_read : now->first_read, first_write = view ? view->first_write : now->first_write;
  for (int t = 0; t < turns; t++) {
    write += iterations ? 2 : 0;
    for (int i = 0; i < n; i++) {
      uint32_t *wp = &w[r[i].first + t * r[i].step];
      if ((r[i].reads && word_read(wp, write, first_read, mask)) || (r[i].writes && word_write(wp, write, first_write)))
        return false;
    }
  }
  return true;
}

static void choose(struct reference *r, int turns) {
  static const int steps[] = {1, 1, 1, 2, 2, 3, 0, -1, -2};
  int lowest, highest;
  r->writes = random_below(3) == 0;
  r->reads = !r->writes || random_below(2);
  r->step = steps[random_below(sizeof(steps) / sizeof(steps[0]))];
  lowest = r->step < 0 ? -r->step * (turns - 1) : 0;
  highest = r->step > 0 ? r->step * (turns - 1) : 0;
  r->first = (int)random_between(lowest, ELEMENTS - 1 - highest);
}

/* Near the first one, moving alike, as references of one loop mostly do. */
static void choose_like(struct reference *r, const struct reference *like, int turns) {
  struct reference x = *like;
  x.first += (int)random_between(-3, 3);
  x.writes = random_below(4) == 0;
  x.reads = !x.writes || random_below(2);
  int last = x.first + x.step * (turns - 1);
  if (x.first >= 0 && x.first < ELEMENTS && last >= 0 && last < ELEMENTS)
    *r = x;
  else
    choose(r, turns);
}

static struct dvmrt_site *access_of(const struct reference *r) {
  const char *kind = r->writes ? r->reads ? "m" : "w" : "r";
  return view ? access_site(kind, 22, 5,
                            clause == 'C' ? "T field[i]\nV field\nS 8\nG g\nC 2\nD 0\nX a0:1:0\nB 1024\n"
                                          : "T field[i]\nV field\nS 8\nG g\nC 3\nD 0\nX a0:1:0\nB 1024\n")
              : access_site(kind, 12, 5, "T data[i]\nV data\nS 8\nG g\nC 1\nX o\nB 1024\n");
}

static bool one_stretch(struct dvmrt_stretch *s, const struct reference *r, int n, int turns) {
  static uint32_t before[ELEMENTS], after[ELEMENTS];
  uintptr_t first[REFS];
  if (view && random_below(2))
    set_but_one((int)s->step, turns);
  else
    set_words();
  memcpy(before, words, sizeof(before));
  memcpy(after, words, sizeof(after));
  for (int i = 0; i < n; i++)
    first[i] = (uintptr_t)&memory[r[i].first];
  bool fine = access_by_access(r, n, turns, s->iterations, after);
  uint32_t write = __dvmrt_now.write;
  const int64_t index = view ? own : 5;
  __dvmrt_now.iv[0] = index;
  if (!__dvmrt_stretch(s, (uint64_t)turns, first)) {
    assert_memory_equal(words, before, sizeof(before));
    assert_int_equal(__dvmrt_now.write, write);
    return false;
  }
  assert_true(fine);
  assert_memory_equal(words, after, sizeof(after));
  assert_int_equal(__dvmrt_now.write, write + (s->iterations ? 2 * (uint32_t)turns : 0));
  assert_int_equal(__dvmrt_now.iv[0], s->iterations ? index + s->step * (turns - 1) : index);
  return true;
}

static unsigned one_round(void) {
  struct reference r[REFS];
  struct dvmrt_stretch_ref table[REFS];
  int n = (int)random_between(1, REFS), turns = (int)random_between(1, TURNS);
  for (int i = 0; i < n; i++)
    i &&random_below(3) ? choose_like(&r[i], &r[0], turns) : choose(&r[i], turns);
  own = r[0].first;
  const int step = r[0].step, mine = (int)random_below((unsigned)n);
  const struct reference swap = r[mine];
  r[mine] = r[0];
  r[0] = swap;
  for (int i = 0; i < n; i++) {
    if (view && r[i].writes) { /* of its own element alone */
      r[i].first = own;
      r[i].step = step;
    }
    table[i] = (struct dvmrt_stretch_ref){access_of(&r[i]), view ? 0 : DVMRT_SUMMARY_DATA,
                                          (r[i].reads ? DVMRT_READ : 0) | (r[i].writes ? DVMRT_WRITE : 0), 8 * r[i].step};
  }
  struct dvmrt_stretch s = {view ? nest_on_field() : nest(), (uint32_t)n, random_below(2), view ? step : 3, table, NULL};
  unsigned proved = 0;
  for (int again = 0; again < 4; again++) {
    __dvmrt_now.write += 2;
    proved += one_stretch(&s, r, n, turns);
    if (again == 2 && turns > 1)
      turns--; /* another shape */
  }
  return proved;
}

static void rounds(void) {
  unsigned proved = 0;
  __dvmrt_now.write += 2 * EARLIER;
  for (int i = 0; i < ROUNDS; i++)
    proved += one_round();
  printf("# %u of %d stretches judged at once\n", proved, 4 * ROUNDS);
  assert_true(proved > ROUNDS / 4);
}

static void test_ordinary_data(void **state) {
  (void)state;
  random_seed();
  memory = data;
  view = NULL;
  while (__dvmrt_enter(nest(), FRAME, NULL)) {
    words = words_of_data();
    rounds();
    __dvmrt_leave(nest(), FRAME);
  }
}

static void on_field(char with) {
  random_seed();
  memory = field;
  clause = with;
  struct dvmrt_site *n = nest_on_field();
  while (__dvmrt_enter(n, FRAME, ARGS(P(field), P(field), P(field)))) {
    view = __dvmrt_view(n, 0, 3);
    assert_non_null(view->words);
    words = view->words + ((uintptr_t)field >> 3);
    rounds();
    __dvmrt_leave(n, FRAME);
  }
}

static void test_array_under_across(void **state) {
  (void)state;
  __dvmrt_direct(site("K array\nF t.c\nP 1 9\nA field " FIELD "D block\nW 1000:1000\n"), ARGS(P(field)));
  on_field('C');
}

static void test_array_with_edges(void **state) {
  (void)state;
  on_field('H');
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_ordinary_data), cmocka_unit_test(test_array_under_across),
                                     cmocka_unit_test(test_array_with_edges)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
