#include "driver/trace/command/job_known.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Executions in a row. */
struct span {
  uint64_t first, last;
};
struct row {
  char *text, *array;           /* owned, as the spans */
  struct span *span;
  size_t n;
};
struct dvmt_known {
  struct row *row;
  size_t n;
};

static struct row *find(const struct dvmt_known *k, const char *text, const char *array) {
  for (size_t i = 0; i < k->n; i++)
    if (!strcmp(k->row[i].array, array) && !strcmp(k->row[i].text, text))
      return &k->row[i];
  return NULL;
}

bool dvmt_known_has(const struct dvmt_known *k, const char *text, uint64_t execution, const char *array) {
  const struct row *r = find(k, text, array);
  size_t low = 0, high = r ? r->n : 0;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (r->span[mid].last < execution)
      low = mid + 1;
    else
      high = mid;
  }
  return r && low < r->n && r->span[low].first <= execution;
}

static bool add(struct dvmt_known *k, const char *text, uint64_t execution, const char *array) {
  struct row *r = find(k, text, array);
  if (!r) {
    struct row *rows = realloc(k->row, (k->n + 1) * sizeof(*rows));
    if (!rows)
      return false;
    k->row = rows;
    r = &rows[k->n++];
    *r = (struct row){.text = strdup(text), .array = strdup(array)};
    if (!r->text || !r->array)
      return false;
  }
  if (r->n && r->span[r->n - 1].last + 1 >= execution) {
    r->span[r->n - 1].last = execution;
    return true;
  }
  struct span *spans = realloc(r->span, (r->n + 1) * sizeof(*spans));
  if (!spans)
    return false;
  r->span = spans;
  spans[r->n++] = (struct span){execution, execution};
  return true;
}

struct dvmt_known *dvmt_known_read(const struct dvmt_reader *of, struct dvm_error *err) {
  struct dvmt_known *k = calloc(1, sizeof(*k));
  struct dvmt_reader *r = k ? dvmt_reader_again(of, err) : NULL;
  struct dvmt_record rec;
  uint64_t *executions = NULL;
  size_t room = 0;
  int more = r ? 1 : -1;
  bool ok = r != NULL;
  while (ok && (more = dvmt_reader_next(r, &rec, err)) > 0) {
    if (rec.kind == DVMT_ENTER && rec.site >= room) {
      size_t want = rec.site + 64;
      uint64_t *p = realloc(executions, want * sizeof(*p));
      ok = p != NULL;
      if (!ok)
        break;
      memset(p + room, 0, (want - room) * sizeof(*p));
      executions = p;
      room = want;
    }
    if (rec.kind == DVMT_ENTER)
      executions[rec.site]++;
    else if (rec.kind == DVMT_DIGEST)
      ok = rec.site < room && add(k, dvmt_reader_site(r, rec.site)->text, executions[rec.site], dvmt_reader_object(r, rec.object)->name);
  }
  free(executions);
  dvmt_reader_close(r);
  if (ok && more >= 0)
    return k;
  if (!err->code)
    dvm_error_set(err, -ENOMEM, "out of memory");
  dvmt_known_destroy(k);
  return NULL;
}

void dvmt_known_destroy(struct dvmt_known *k) {
  for (size_t i = 0; k && i < k->n; i++) {
    free(k->row[i].text);
    free(k->row[i].array);
    free(k->row[i].span);
  }
  if (k)
    free(k->row);
  free(k);
}
