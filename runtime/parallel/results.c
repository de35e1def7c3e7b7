#include "runtime/parallel/results.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/loaded.h"
#include "runtime/trace/results.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct dvmt_results_head *head;
static const struct dvmt_results_row *rows;
static __typeof__(&dvmt_inside_place) place_in;

/* Each with a text that ends where it is said to. */
static bool are_sites(const char *at, size_t left, uint64_t n) {
  for (; n; n--) {
    struct dvmt_results_site s;
    if (left < sizeof(s))
      return false;
    memcpy(&s, at, sizeof(s));
    if (s.bytes > left - sizeof(s) || (s.bytes | 7) + 1 > left - sizeof(s) || at[sizeof(s) + s.bytes])
      return false;
    at += sizeof(s) + (s.bytes | 7) + 1;
    left -= sizeof(s) + (s.bytes | 7) + 1;
  }
  return true;
}

bool dvmp_results_take(const void *p, size_t n) {
  const struct dvmt_results_head *h = p;
  if (n < sizeof(*h) || h->magic != DVMT_RESULTS_MAGIC || h->nrows > (n - sizeof(*h)) / sizeof(*rows))
    return false;
  const size_t rows_end = sizeof(*h) + h->nrows * sizeof(*rows);
  if (!are_sites((const char *)p + rows_end, n - rows_end, h->nsites))
    return false;
  head = h;
  rows = (const void *)(h + 1);
  return true;
}

/* ---- constructs of libraries that the program loads itself: nobody knows before where they stand ------------------------------------------ */

struct place {
  const struct dvmrt_directive *d;
  uint64_t place;
};
static struct place *places;
static size_t nplaces;

static uint64_t look_up(const struct dvmrt_directive *d) {
  char path[4096];
  uint64_t own = dvmt_results_place(d->pos.file, strlen(d->pos.file), d->pos.line, d->pos.column), there = 0;
  if (place_in && head->nsites && dvmp_loaded_file((uintptr_t)d->site, path, sizeof(path)))
    there = place_in(path, (const void *)(rows + head->nrows), head->nsites, d->pos.file, d->pos.line, d->pos.column);
  return there ? there : own;
}

static uint64_t place_of(const struct dvmrt_directive *d) {
  for (size_t i = nplaces; i--;) /* the latest is the likeliest */
    if (places[i].d == d)
      return places[i].place;
  struct place *more = realloc(places, (nplaces + 1) * sizeof(*more));
  if (!more)
    dvmp_out_of_memory();
  places = more;
  places[nplaces] = (struct place){d, look_up(d)};
  return places[nplaces++].place;
}

/* ---- the file --------------------------------------------------------------------------------------------------------------------- */

void dvmp_results_begin(const char *path, __typeof__(&dvmt_inside_place) place) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st))
    dvmp_fail_all(1, NULL, "cannot read the results of the reference '%s': %s", path, strerror(errno));
  const void *p = st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (p == MAP_FAILED || !dvmp_results_take(p, (size_t)st.st_size))
    dvmp_fail_all(1, NULL, "'%s' holds no results of a reference", path);
  place_in = place;
}

static int order_of(const struct dvmt_results_row *r, const struct dvmt_results_row *wanted) {
  if (r->place != wanted->place)
    return r->place < wanted->place ? -1 : 1;
  if (r->number != wanted->number)
    return r->number < wanted->number ? -1 : 1;
  return (r->execution > wanted->execution) - (r->execution < wanted->execution);
}

static const struct dvmt_results_row *find(const struct dvmt_results_row *wanted) {
  size_t low = 0, high = head->nrows;
  while (low < high) {
    size_t mid = low + (high - low) / 2;
    int order = order_of(&rows[mid], wanted);
    if (!order)
      return &rows[mid];
    if (order < 0)
      low = mid + 1;
    else
      high = mid;
  }
  return NULL;
}

static long double real_at(const char *p, int bytes) {
  float f;
  double d;
  long double l;
  if (bytes == 4)
    return memcpy(&f, p, 4), (long double)f;
  if (bytes == 8)
    return memcpy(&d, p, 8), (long double)d;
  return memcpy(&l, p, sizeof(l)), l;
}

static bool agree(const struct dvmt_results_row *r, const char *a, const char *b, int bytes, float magnitude) {
  static const int digits[3] = {24, 53, 64};
  long double x = real_at(a, bytes), y = real_at(b, bytes), far = fabsl(x - y), most = fabsl(x) > fabsl(y) ? fabsl(x) : fabsl(y);
  int k = bytes == 4 ? 0 : bytes == 8 ? 1 : 2, exponent = 0;
  if (!isfinite(x) || !isfinite(y))
    return false;
  frexpl(most, &exponent);
  return far <= (long double)r->relative * most || far <= (long double)r->ulps * ldexpl(1, exponent - digits[k]) ||
         far <= (long double)r->absolute || far <= (long double)(r->rounding * magnitude);
}

void dvmp_results_apply(const struct dvmt_results_row *r, const struct dvmp_result *v) {
  int parts = v->type == 'c' ? 2 : 1, part = v->bytes / parts;
  if ((v->type != 'f' && v->type != 'c') || (part != 4 && part != 8 && part != 16) || v->bytes > (int)sizeof(r->value))
    return;
  for (int i = 0; i < parts; i++)
    if (!agree(r, (const char *)v->at + i * part, (const char *)r->value + i * part, part, v->magnitude))
      return;
  memcpy(v->at, r->value, (size_t)v->bytes);
}

bool dvmp_results_there(void) { return head != NULL; }

const void *dvmp_results_disagree(const struct dvmrt_directive *construct, uint64_t number, uint64_t execution,
                                  const struct dvmp_result *value) {
  const struct dvmt_results_row *r = NULL;
  char now[sizeof(r->value)], reference[sizeof(r->value)];
  const struct dvmp_result own = {now, value->type, value->bytes, value->magnitude};
  int bytes = value->bytes;
  if (!head || !construct->pos.file || bytes > (int)sizeof(now))
    return NULL;
  const struct dvmt_results_row wanted = {place_of(construct), number, execution, {0}, 0, 0, 0, 0};
  if (!(r = find(&wanted)))
    return NULL;
  memcpy(now, value->at, (size_t)bytes);
  memcpy(reference, r->value, (size_t)bytes);
  dvmp_results_apply(r, &own); /* agrees: becomes it */
  if (own.type == 'f' && bytes == (int)sizeof(long double))
    bytes = 10; /* the others are no value */
  return memcmp(now, reference, (size_t)bytes) ? r->value : NULL;
}

void dvmp_results_put(const struct dvmrt_directive *construct, uint64_t number, uint64_t execution, const struct dvmp_result *value) {
  if (!head || (value->type != 'f' && value->type != 'c') || !construct->pos.file)
    return;
  const struct dvmt_results_row wanted = {place_of(construct), number, execution, {0}, 0, 0, 0, 0};
  const struct dvmt_results_row *r = find(&wanted);
  if (r)
    dvmp_results_apply(r, value);
}
