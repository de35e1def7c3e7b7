#include "driver/trace/job/join.h"
#include "driver/trace/compare/name.h"
#include "driver/trace/job/elements.h"
#include "driver/trace/job/join_rank.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct join {
  const struct dvmt_job *job;
  const struct dvmt_join_options *o;
  struct dvmt_join_totals *totals;
  struct dvmt_shape *shape;
  struct dvmt_join_rank *rank;  /* owned, [nranks] */
  struct dvmt_join_late late;
  struct dvmt_images *images;   /* of the step; owned; NULL: nobody asks for them */
  int64_t last;                 /* the construct that all ranks have executed last, or -1 */
  uint64_t *executions;         /* by construct; owned */
  size_t nexecutions;
};

static void tell(const struct join *j, int64_t construct, const char *variable, const char *message) {
  if (j->o->differ)
    j->o->differ(j->o->arg, construct < 0 ? NULL : dvmt_shape_text(j->shape, construct), variable, message);
}

static const char *place_of(const struct join *j, int64_t construct, char *buf, size_t size) {
  char place[400];
  struct dvmt_where w = dvmt_site_where(dvmt_shape_text(j->shape, construct));
  snprintf(place, sizeof(place), "%.*s:%u", (int)w.file.n, w.file.s ? w.file.s : "", w.line);
  snprintf(buf, size, "the 'parallel' at %s", place);
  return buf;
}

/* ---- one execution of a construct, by all ranks ------------------------------------------------------------------------------------ */

/* Ranks with the same elements of the array have the same values; sums of different elements add up. */
static int join_array(struct join *j, size_t k, int64_t construct) {
  const struct dvmt_join_part *first = &j->rank[0].step.parts[k];
  uint64_t elements = 0, digest = 0;
  char message[1200];
  for (size_t r = 0; r < j->job->nranks; r++) {
    const struct dvmt_join_part *p = &j->rank[r].step.parts[k];
    size_t same = 0;
    if (j->o->part && p->own && !p->shared && !p->executed)
      j->o->part(j->o->arg, r, first->name, p->own);
    while (same < r && j->rank[same].step.parts[k].part != p->part)
      same++;
    if (same == r) {
      elements += p->elements;
      digest += p->digest;
    } else if (j->rank[same].step.parts[k].digest != p->digest) {
      size_t n = strcspn(p->own ? p->own : "", "\n");
      if (p->executed)
        snprintf(message, sizeof(message), "rank %zu and rank %zu execute different iterations, and each should execute all of them", same,
                 r);
      else if (p->shared)
        snprintf(message, sizeof(message),
                 "'%s' is assigned here, no clause names it, and rank %zu and rank %zu are left with different values of it", first->name,
                 same, r);
      else
        snprintf(message, sizeof(message), "rank %zu and rank %zu both have %.*s, and have different values there", same, r, (int)n,
                 p->own ? p->own : "");
      tell(j, construct, first->name, message);
      if (p->shared || p->executed)
        break;
    }
  }
  j->totals->sums++;
  return dvmt_shape_digest(j->shape, construct, first->object, elements, digest);
}

static bool same_arrays(const struct dvmt_join_step *a, const struct dvmt_join_step *b) {
  bool same = a->nparts == b->nparts;
  for (size_t i = 0; same && i < a->nparts; i++)
    same = a->parts[i].object == b->parts[i].object;
  return same;
}

static int by_name(const void *a, const void *b) {
  const struct dvmt_join_part *x = a, *y = b;
  int order = strcmp(x->name, y->name);
  return order ? order : (x->object > y->object) - (x->object < y->object);
}

static int by_number(const void *a, const void *b) {
  const struct dvmt_join_result *x = a, *y = b;
  uint64_t a_place = x->words[0] << 32 | x->words[0] >> 32, b_place = y->words[0] << 32 | y->words[0] >> 32; /* then by element */
  return (a_place > b_place) - (a_place < b_place);
}

static int join_results(struct join *j, int64_t construct) {
  struct dvmt_join_step *s = &j->rank[0].step;
  char message[200];
  int rc;
  for (size_t i = 0; i < s->nresults; i++) {
    for (size_t r = 1; r < j->job->nranks; r++) {
      const struct dvmt_join_step *t = &j->rank[r].step;
      struct dvmt_type type;
      if (i < t->nresults && !memcmp(t->results[i].words, s->results[i].words, sizeof(s->results[i].words)))
        continue;
      struct dvmt_span name = dvmt_result_name(dvmt_shape_text(j->shape, construct), s->results[i].words[0], &type);
      char variable[128];
      snprintf(variable, sizeof(variable), "%.*s", (int)name.n, name.s ? name.s : "");
      snprintf(message, sizeof(message), "rank 0 and rank %zu have different results of the reduction '%s'", r, variable);
      tell(j, construct, variable, message);
      break;
    }
  }
  rc = dvmt_join_late_take(&j->late, construct, s);
  if (s->nresults)
    qsort(s->results, s->nresults, sizeof(*s->results), by_number);
  for (size_t i = 0; i < s->nresults && !rc; i++)
    rc = dvmt_shape_result(j->shape, construct, s->results[i].words);
  return rc;
}

/* 'told': the number that the rank tells, or 0. */
static int count(struct join *j, int64_t construct, uint32_t told) {
  if ((size_t)construct >= j->nexecutions) {
    size_t n = (size_t)construct + 64;
    uint64_t *rows = realloc(j->executions, n * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    memset(rows + j->nexecutions, 0, (n - j->nexecutions) * sizeof(*rows));
    j->executions = rows;
    j->nexecutions = n;
  }
  j->executions[construct] = told ? told : j->executions[construct] + 1;
  j->last = construct;
  return 0;
}

static bool check_arrays(struct join *j, int64_t construct) {
  bool same = true;
  char message[200];
  for (size_t r = 0; r < j->job->nranks; r++) {
    struct dvmt_join_step *s = &j->rank[r].step;
    if (s->nparts)
      qsort(s->parts, s->nparts, sizeof(*s->parts), by_name);
    if (same && !(same = same_arrays(&j->rank[0].step, s))) {
      snprintf(message, sizeof(message), "rank 0 and rank %zu know different arrays here", r);
      tell(j, construct, "", message);
    }
  }
  return same;
}

/* 1: values have gone out. */
static int join_elements(struct join *j, int64_t construct, struct dvm_error *err) {
  bool told = true;
  for (size_t r = 0; r < j->job->nranks; r++)
    told &= j->rank[r].step.images != NULL;
  dvmt_images_settle(j->images);
  return j->o->elements(j->o->arg, j->shape, construct, (uint32_t)j->executions[construct], told ? j->images : NULL, err);
}

static int join_sums(struct join *j, int64_t construct, bool elements) {
  int rc = 0;
  for (size_t k = 0; k < j->rank[0].step.nparts && !rc; k++)
    if (!elements || j->rank[0].step.parts[k].shared || j->rank[0].step.parts[k].executed)
      rc = join_array(j, k, construct);
  return rc;
}

static int join_step(struct join *j, struct dvm_error *err) {
  int64_t construct = j->rank[0].step.construct;
  int elements = 0, rc = count(j, construct, j->rank[0].step.number);
  if (!rc)
    rc = dvmt_shape_enter(j->shape, construct, DVMT_LEVEL_CHECKSUM, (uint32_t)j->executions[construct]);
  bool same = !rc && check_arrays(j, construct);
  if (!rc && j->images && (elements = join_elements(j, construct, err)) < 0)
    rc = elements;
  if (!rc)
    rc = join_results(j, construct);
  if (same && !rc)
    rc = join_sums(j, construct, elements > 0);
  j->totals->constructs++;
  return rc ? rc : dvmt_shape_leave(j->shape, construct);
}

/* ---- all ------------------------------------------------------------------------------------------------------------------------ */

static void tell_last(const struct join *j, char *buf, size_t size) {
  char place[500];
  if (j->last < 0)
    snprintf(buf, size, "; before, all ranks have executed no construct");
  else
    snprintf(buf, size, "; the last that all have executed is execution %llu of %s", (unsigned long long)j->executions[j->last],
             place_of(j, j->last, place, sizeof(place)));
}

/* Some are at their end and others are not, or they execute different constructs: nothing behind it can be compared. */
static void tell_parting(struct join *j, size_t r) {
  char message[1600], last[600], a[500], b[500];
  int64_t one = j->rank[0].step.construct, other = j->rank[r].step.construct;
  tell_last(j, last, sizeof(last));
  if (one < 0 || other < 0)
    snprintf(message, sizeof(message), "rank %zu %s where rank %zu executes %s%s", one < 0 ? 0 : r,
             j->rank[one < 0 ? 0 : r].cut ? "was cut" : "ends", one < 0 ? r : 0, place_of(j, one < 0 ? other : one, a, sizeof(a)), last);
  else
    snprintf(message, sizeof(message), "rank 0 executes %s where rank %zu executes %s%s", place_of(j, one, a, sizeof(a)), r,
             place_of(j, other, b, sizeof(b)), last);
  tell(j, one < 0 ? other : one, "", message);
  snprintf(j->totals->parting, sizeof(j->totals->parting), "%.*s", (int)strcspn(message, ";"), message);
  j->totals->torn = true;
}

/* 1: there is a construct; 0: the end. */
static int advance(struct join *j, struct dvm_error *err) {
  size_t n = j->job->nranks;
  if (j->images)
    dvmt_images_clear(j->images);
  for (size_t r = 0; r < n; r++) {
    int rc = j->o->next ? j->o->next(j->o->arg, r, &j->rank[r].step, err) : dvmt_join_next(&j->rank[r], err);
    if (rc)
      return rc;
  }
  for (size_t r = 1; r < n; r++)
    if (j->rank[r].step.construct != j->rank[0].step.construct) {
      tell_parting(j, r);
      return 0;
    }
  return j->rank[0].step.construct >= 0;
}

/* Its end alone may be missing, behind all blocks of records. */
static int look_at_ends(struct join *j, struct dvm_error *err) {
  struct dvmt_summary s;
  int rc = 0;
  for (size_t r = 0; r < j->job->nranks && !rc; r++)
    if (!(rc = dvmt_reader_summary(j->job->rank[r], &s, err)))
      j->rank[r].cut = !s.whole;
  return rc;
}

int dvmt_join(const struct dvmt_job *job, const struct dvmt_join_options *options, struct dvmt_join_totals *totals, struct dvm_error *err) {
  struct join j = {.job = job, .o = options, .totals = totals, .last = -1};
  *totals = (struct dvmt_join_totals){0};
  j.shape = options->shape ? options->shape : dvmt_shape_create(options->out);
  j.rank = calloc(job->nranks, sizeof(*j.rank));
  if (options->elements)
    j.images = dvmt_images_create(job->nranks);
  int rc = j.shape && j.rank && (j.images || !options->elements) ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
  for (size_t r = 0; r < job->nranks && !rc; r++)
    j.rank[r] =
        (struct dvmt_join_rank){.reader = options->next ? NULL : job->rank[r], .shape = j.shape, .images = j.images, .rank = (int32_t)r};
  if (!rc && !options->next)
    rc = look_at_ends(&j, err);
  if (!rc && !options->next)
    rc = dvmt_join_late_read(&j.late, j.shape, job->rank[0], err);
  while (!rc && (rc = advance(&j, err)) > 0)
    if ((rc = join_step(&j, err)) && !err->code)
      dvm_error_set(err, rc, "comparison stopped: %s", strerror(-rc));
  if (!rc && j.last >= 0) {
    char place[500];
    snprintf(totals->last, sizeof(totals->last), "execution %llu of %s", (unsigned long long)j.executions[j.last],
             place_of(&j, j.last, place, sizeof(place)));
  }
  for (size_t r = 0; j.rank && r < job->nranks; r++) {
    totals->records += j.rank[r].records;
    totals->torn |= j.rank[r].cut;
    dvmt_join_rank_fini(&j.rank[r]);
  }
  if (!options->shape)
    dvmt_shape_destroy(j.shape);
  dvmt_images_destroy(j.images);
  free(j.rank);
  free(j.late.row);
  free(j.executions);
  return rc;
}
