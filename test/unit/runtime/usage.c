/* Faults of directives themselves: arguments of distributions, sections of array_copy, tasks, played by hand. */
#include "play.h"
#include <stdio.h>
#include <string.h>

static int a[10] __attribute__((aligned(64))), b[10] __attribute__((aligned(64)));
static void *tasks;
static const char *distribution;
static const void *values;

static void declare(int *array, const char *name, const char *dist, const void *argument) {
  char text[256];
  snprintf(text, sizeof text, "K array\nF t.c\nP 1 9\nA %s ai4 & 4 1 10\nD %s\n", name, dist);
  __dvmrt_direct(site(strdup(text)), ARGS(P(array), P(argument)));
}

static void distribute(void) { declare(a, "a", distribution, values); }

/* NULL: nothing to report. */
static void verdict(const char *dist, const void *argument, const char *text) {
  struct played p;
  distribution = dist;
  values = argument;
  play(distribute, 0, &p);
  if (text) {
    expect_text(&p, text);
    expect_text(&p, "[dvm-usage]");
    assert_int_equal(p.status, 66);
  } else {
    expect_silent(&p);
  }
}

static void test_sizes(void **state) {
  (void)state;
  static const int whole[] = {4, 6}, few[] = {3, 3, 3}, many[] = {4, 7}, negative[] = {11, -1}, more[] = {4, 6, 5};
  static const unsigned char bytes[] = {10};
  verdict("genblock,&,2,i4", whole, NULL);
  verdict("genblock,&,1,u1", bytes, NULL);
  verdict("genblock,&,3,i4", more, NULL); /* right for two processors */
  verdict("genblock,&,0,i4", few, NULL);  /* how many there are is not known */
  verdict("genblock,&,3,i4", few, "the sizes of 'genblock' add up to 9, but the dimension has 10 elements, for dimension 1 of 'a'");
  verdict("genblock,&,2,i4", many, "add up to 11");
  verdict("genblock,&,2,i4", negative, "size number 1 of 'genblock' is negative (-1)");
}

static void test_weights(void **state) {
  (void)state;
  static const double right[] = {1, 0, 0.5}, zero[] = {0, 0}, negative[] = {1, -2};
  static const float single[] = {1.5f};
  verdict("wgtblock,&,3,f8,3", right, NULL);
  verdict("wgtblock,&,1,f4,1", single, NULL);
  verdict("wgtblock,&,3,f8,4", right, "'wgtblock' is given 4 weights, but its array has only 3 elements");
  verdict("wgtblock,&,3,f8,0", right, "is given 0 weights");
  verdict("wgtblock,&,2,f8,2", zero, "are all zero");
  verdict("wgtblock,&,2,f8,2", negative, "weight number 1 of 'wgtblock' is -2");
}

static void test_multiples_and_maps(void **state) {
  (void)state;
  static const int map[10] = {0, 1, 1, 2}, bad[10] = {0, 0, -3};
  verdict("multblock,5", NULL, NULL);
  verdict("multblock,3", NULL, "(3) does not divide the number of elements (10)");
  verdict("multblock,0", NULL, "the argument of 'multblock' is 0");
  verdict("indirect,&,10,i4", map, NULL);
  verdict("indirect,&,9,i4", map, "the map of 'indirect' has 9 elements, but the dimension has 10");
  verdict("indirect,&,10,i4", bad, "element 2 of the map of 'indirect' is negative (-3)");
}

static const char *sections;

static void copy(void) {
  declare(a, "a", "block", NULL);
  declare(b, "b", "block", NULL);
  struct dvmrt_site *w = access_site("w", 3, 3, "T b[i]\nV b\nS 4\nG g\nX o\n");
  for (int64_t i = 0; i < 8; i++)
    touch(&b[i], 4, w, ARGS(i), DVMRT_WRITE);
  char text[256];
  snprintf(text, sizeof text, "K array_copy\nF t.c\nP 4 9\n%s", sections);
  __dvmrt_direct(site(text), ARGS(P(a), P(b)));
  struct dvmrt_site *array = site("K parallel 1\nF t.c\nP 5 9\nN 1 i\nO a ai4 & 4 1 10\nX a0:1:0\nS 1\n");
  struct dvmrt_site *r = access_site("r", 6, 3, "T a[i]\nV a\nS 4\nG g\nC 1\nX a0:1:0\n");
  while (__dvmrt_enter(array, FRAME, ARGS(P(a)))) {
    iteration(ARGS(2), 1);
    touch(&a[2], 4, r, ARGS(2), DVMRT_READ);
    __dvmrt_leave(array, FRAME);
  }
}

static void copied(const char *text, const char *say) {
  struct played p;
  sections = text;
  play(copy, 0, &p);
  if (say)
    expect_text(&p, say);
  else
    expect_silent(&p);
}

static void test_copy(void **state) {
  (void)state;
  copied("A a ai4 & 4 1 10\nX r1:4\nA b ai4 & 4 1 10\nX r0:3\n", NULL);
  copied("A a ai4 & 4 1 10\nX r2:*\nA b ai4 & 4 1 10\nX r0:7\n", NULL);
  copied("A a ai4 & 4 1 10\nA b ai4 & 4 1 10\n",
         "t.c:4:9: error: 'b[8]' is copied before any value was assigned to it [dvm-uninitialized]");
  copied("A a ai4 & 4 1 10\nX r0:3\nA b ai4 & 4 1 10\nX r0:4\n", "the sections of 'a' and 'b' have different shapes [dvm-usage]");
  copied("A a ai4 & 4 1 10\nX r7:10\nA b ai4 & 4 1 10\nX r0:3\n", "the section [7:10] of dimension 1 of 'a' is not in 0..9 [dvm-usage]");
  copied("A a ai4 & 4 1 10\nX c3\nA b ai4 & 4 1 10\nX c0\n", "'a[2]' is read before any value was assigned to it");
}

static int64_t second_task;
static uint32_t second_flags;

static void task(int64_t number, uint32_t flags, struct dvmrt_site *s) {
  char text[128];
  snprintf(text, sizeof text, "K on %d\nF t.c\nP %d 9\nO T &\nX c#\n", (int)number + 10, (int)number + 10);
  struct dvmrt_site *on = site(strdup(text));
  while (__dvmrt_enter(on, FRAME, ARGS(P(&tasks), number))) {
    __dvmrt_now.write += 2;
    touch(&a[4], 4, s, ARGS(4), flags);
    __dvmrt_leave(on, FRAME);
  }
}

static void region(void) {
  declare(a, "a", "block", NULL);
  __dvmrt_direct(site("K task\nF t.c\nP 2 9\nT T & 1 3\n"), ARGS(P(&tasks)));
  struct dvmrt_site *w = access_site("w", 21, 3, "T a[4]\nV a\nS 4\nG g\nX c4\n");
  struct dvmrt_site *second = access_site(second_flags == DVMRT_READ ? "r" : "w", 22, 3, "T a[4]\nV a\nS 4\nD -\nG g\nX c4\nZ io\n");
  struct dvmrt_site *k = site("K task_region 9\nF t.c\nP 9 9\nT T &\n");
  while (__dvmrt_enter(k, FRAME, ARGS(P(&tasks)))) {
    task(0, DVMRT_WRITE, w);
    task(second_task, second_flags, second);
    __dvmrt_leave(k, FRAME);
  }
}

static void tasks_say(int64_t number, uint32_t flags, const char *say) {
  struct played p;
  second_task = number;
  second_flags = flags;
  play(region, 0, &p);
  if (say)
    expect_text(&p, say);
  else
    expect_silent(&p);
}

static void test_tasks(void **state) {
  (void)state;
  tasks_say(0, DVMRT_READ, NULL);
  tasks_say(0, DVMRT_WRITE, NULL);
  tasks_say(1, DVMRT_READ, "t.c:22:3: error: 'a[4]' is read in task 1, but task 0 has written it: flow dependence [dvm-task-dependence]");
  tasks_say(1, DVMRT_READ, "t.c:21:3: note: written here by task 0");
  tasks_say(2, DVMRT_WRITE, "is written in task 2, but task 0 has written it: output dependence");
  tasks_say(3, DVMRT_WRITE, "the task array 'T' has no task 3: they are 0..2 [dvm-usage]");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_sizes), cmocka_unit_test(test_weights), cmocka_unit_test(test_multiples_and_maps),
      cmocka_unit_test(test_copy),  cmocka_unit_test(test_tasks),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
