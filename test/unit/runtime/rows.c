/* Iteration vectors from ids against a list of all iterations. */
#include "runtime/data/rows.h"
#include "play.h"
#include "random.h"
#include "runtime/data/mem.h"
#include <string.h>

enum { MOST = 4000, ROUNDS = 400 };
static int64_t seen[MOST][DVMRT_NDIMS_MAX];
static uint32_t nseen;
static uint32_t first_id;

static struct loop {
  int64_t from, step;
  int count;
  int slope;  /* the count depends on the outer index: triangular and red-black loops */
} loops[3];

static void check_some(const struct dvmrt_rows *r, int rank) {
  for (int k = 0; k < 3 && nseen; k++) {
    uint32_t i = random_below(nseen);
    int64_t iv[DVMRT_NDIMS_MAX];
    assert_true(dvmrt_rows_find(r, first_id + i, first_id + nseen - 1, seen[nseen - 1], iv));
    if (memcmp(iv, seen[i], (size_t)rank * sizeof(*iv)))
      fail_msg("iteration %u of %u: got %lld.., want %lld..", i, nseen, (long long)iv[0], (long long)seen[i][0]);
  }
}

static void run(struct dvmrt_rows *r, int rank, int depth, int64_t *iv, int outer) {
  struct loop *l = &loops[depth];
  int count = l->count + (l->slope ? (outer * l->slope) % 4 : 0);
  if (depth == rank - 1 && rank > 1)
    dvmrt_rows_next(r, first_id + nseen, nseen ? seen[nseen - 1] : iv);
  for (int k = 0; k < count && nseen < MOST; k++) {
    iv[depth] = l->from + k * l->step + (l->slope && depth == rank - 1 ? outer % 2 : 0);
    if (depth < rank - 1) {
      run(r, rank, depth + 1, iv, k);
      continue;
    }
    memcpy(seen[nseen++], iv, (size_t)rank * sizeof(*iv));
    if (!random_below(8))
      check_some(r, rank);
  }
}

static void test_model(void **state) {
  (void)state;
  struct dvmrt_rows r = {0};
  random_seed();
  assert_true(dvmrt_mem_enter());
  for (int round = 0; round < ROUNDS; round++) {
    int rank = (int)random_between(1, 3);
    for (int d = 0; d < rank; d++)
      loops[d] = (struct loop){random_between(-5, 5), random_below(2) ? 1 : random_between(-3, 3), (int)random_below(9),
                               d && !random_below(3) ? (int)random_between(1, 3) : 0};
    if (!loops[rank - 1].step)
      loops[rank - 1].step = -2;
    int64_t iv[DVMRT_NDIMS_MAX] = {0};
    nseen = 0;
    first_id = 1000 + random_below(100000);
    dvmrt_rows_begin(&r, rank, first_id, loops[rank - 1].step);
    run(&r, rank, 0, iv, 0);
    check_some(&r, rank);
  }
  dvmrt_mem_leave();
}

static void test_unknown_step(void **state) {
  (void)state;
  struct dvmrt_rows r = {0};
  int64_t iv[DVMRT_NDIMS_MAX];
  assert_true(dvmrt_mem_enter());
  dvmrt_rows_begin(&r, 1, 600, 0);
  assert_true(dvmrt_rows_find(&r, 605, 605, (int64_t[]){42}, iv));
  assert_int_equal(iv[0], 42);
  assert_false(dvmrt_rows_find(&r, 604, 605, (int64_t[]){42}, iv));
  dvmrt_mem_leave();
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(test_model), cmocka_unit_test(test_unknown_step)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
