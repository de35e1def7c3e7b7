#include "runtime/data/rows.h"
#include "runtime/data/mem.h"
#include <string.h>

enum { RUNS_MAX = 1 << 20 };

struct dvmrt_rows_run {
  uint32_t first, length, nrows; /* ids first .. first + length * nrows - 1 */
  int64_t last[DVMRT_NDIMS_MAX]; /* index variables of the last iteration of the first row .. */
  int64_t delta[DVMRT_NDIMS_MAX];/* .. and how they advance from row to row */
};

void dvmrt_rows_begin(struct dvmrt_rows *r, int rank, uint32_t first, int64_t step) {
  r->nruns = 0;
  r->rank = rank;
  r->open = first;
  r->step = step;
  r->lost = r->any = false;
}

static bool run_takes(struct dvmrt_rows_run *run, int rank, uint32_t length, const int64_t *iv) {
  if (run->length != length)
    return false;
  for (int d = 0; d < rank; d++) {
    int64_t want = run->last[d] + run->delta[d] * run->nrows;
    if (run->nrows == 1)
      run->delta[d] = iv[d] - run->last[d];
    else if (iv[d] != want)
      return false;
  }
  run->nrows++;
  return true;
}

static void widen(struct dvmrt_rows *r, int d, int64_t value) {
  r->low[d] = !r->any || value < r->low[d] ? value : r->low[d];
  r->high[d] = !r->any || value > r->high[d] ? value : r->high[d];
}

static void note_ends(struct dvmrt_rows *r, uint32_t length, const int64_t *iv) {
  for (int d = 0; d < r->rank; d++)
    widen(r, d, iv[d]);
  r->any = true;
  if (r->rank)
    widen(r, r->rank - 1, iv[r->rank - 1] - (int64_t)(length - 1) * r->step);
}

static void close_row(struct dvmrt_rows *r, uint32_t length, const int64_t *iv) {
  note_ends(r, length, iv);
  if (r->nruns && run_takes(&r->runs[r->nruns - 1], r->rank, length, iv))
    return;
  if (r->nruns == RUNS_MAX) {
    r->nruns = 0;
    r->lost = true;
  }
  r->runs = dvmrt_mem_grow(r->runs, &r->cap, r->nruns + 1, sizeof(*r->runs));
  struct dvmrt_rows_run *run = &r->runs[r->nruns++];
  *run = (struct dvmrt_rows_run){.first = r->open, .length = length, .nrows = 1};
  memcpy(run->last, iv, (size_t)r->rank * sizeof(*iv));
}

void dvmrt_rows_next(struct dvmrt_rows *r, uint32_t next, const int64_t *iv) {
  if (next != r->open)
    close_row(r, next - r->open, iv);
  r->open = next;
}

/* 'back' iterations before the one with index variables 'iv', in the same row. */
static bool back_in_row(const struct dvmrt_rows *r, uint32_t back, int64_t *iv) {
  if (back && !r->step)
    return false;
  iv[r->rank - 1] -= (int64_t)back * r->step;
  return true;
}

static const struct dvmrt_rows_run *run_of(const struct dvmrt_rows *r, uint32_t id) {
  uint32_t low = 0, high = r->nruns;
  while (high - low > 1) {
    uint32_t mid = low + (high - low) / 2;
    if (r->runs[mid].first <= id)
      low = mid;
    else
      high = mid;
  }
  return r->nruns && r->runs[low].first <= id ? &r->runs[low] : NULL;
}

bool dvmrt_rows_find(const struct dvmrt_rows *r, uint32_t id, uint32_t now_id, const int64_t *now_iv, int64_t *iv) {
  if (id > now_id || r->rank < 1)
    return false;
  if (id >= r->open) {
    memcpy(iv, now_iv, (size_t)r->rank * sizeof(*iv));
    return back_in_row(r, now_id - id, iv);
  }
  const struct dvmrt_rows_run *run = run_of(r, id);
  if (!run)
    return false;
  uint32_t row = (id - run->first) / run->length;
  if (row >= run->nrows)
    return false;
  for (int d = 0; d < r->rank; d++)
    iv[d] = run->last[d] + run->delta[d] * row;
  return back_in_row(r, run->length - 1 - (id - run->first) % run->length, iv);
}
