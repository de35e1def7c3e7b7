#include "runtime/parallel/results.h"
#include "runtime/parallel/fail.h"
#include "runtime/trace/results.h"
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct dvmt_results_head *head;
static const struct dvmt_results_row *rows;

bool dvmp_results_take(const void *p, size_t n) {
  const struct dvmt_results_head *h = p;
  if (n < sizeof(*h) || h->magic != DVMT_RESULTS_MAGIC || h->nrows > (n - sizeof(*h)) / sizeof(*rows))
    return false;
  head = h;
  rows = (const void *)(h + 1);
  return true;
}

void dvmp_results_begin(const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st))
    dvmp_fail_all(1, NULL, "cannot read the results of the reference '%s': %s", path, strerror(errno));
  const void *p = st.st_size > 0 ? mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0) : MAP_FAILED;
  close(fd);
  if (p == MAP_FAILED || !dvmp_results_take(p, (size_t)st.st_size))
    dvmp_fail_all(1, NULL, "'%s' holds no results of a reference", path);
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

static bool agree(const struct dvmt_results_row *r, const char *a, const char *b, int bytes) {
  static const int digits[3] = {24, 53, 64};
  long double x = real_at(a, bytes), y = real_at(b, bytes), far = fabsl(x - y), most = fabsl(x) > fabsl(y) ? fabsl(x) : fabsl(y);
  int k = bytes == 4 ? 0 : bytes == 8 ? 1 : 2, exponent = 0;
  if (!isfinite(x) || !isfinite(y))
    return false;
  frexpl(most, &exponent);
  return far <= (long double)r->relative * most || far <= (long double)r->ulps * ldexpl(1, exponent - digits[k]) ||
         far <= (long double)r->absolute;
}

void dvmp_results_apply(const struct dvmt_results_row *r, void *at, char type, int bytes) {
  int parts = type == 'c' ? 2 : 1, part = bytes / parts;
  if ((type != 'f' && type != 'c') || (part != 4 && part != 8 && part != 16) || bytes > (int)sizeof(r->value))
    return;
  for (int i = 0; i < parts; i++)
    if (!agree(r, (const char *)at + i * part, (const char *)r->value + i * part, part))
      return;
  memcpy(at, r->value, (size_t)bytes);
}

bool dvmp_results_there(void) { return head != NULL; }

const void *dvmp_results_disagree(const struct dvmrt_pos *construct, unsigned number, uint64_t execution, const void *at, char type,
                                  int bytes) {
  const struct dvmt_results_row *r = NULL;
  char now[sizeof(r->value)], reference[sizeof(r->value)];
  if (!head || !construct->file || bytes > (int)sizeof(now))
    return NULL;
  const struct dvmt_results_row wanted = {
      dvmt_results_place(construct->file, strlen(construct->file), construct->line, construct->column), number, execution, {0}, 0, 0, 0};
  if (!(r = find(&wanted)))
    return NULL;
  memcpy(now, at, (size_t)bytes);
  memcpy(reference, r->value, (size_t)bytes);
  dvmp_results_apply(r, now, type, bytes); /* agrees: becomes it */
  if (type == 'f' && bytes == (int)sizeof(long double))
    bytes = 10; /* the others are no value */
  return memcmp(now, reference, (size_t)bytes) ? r->value : NULL;
}

void dvmp_results_put(const struct dvmrt_pos *construct, unsigned number, uint64_t execution, void *at, char type, int bytes) {
  if (!head || (type != 'f' && type != 'c') || !construct->file)
    return;
  struct dvmt_results_row wanted = {
      dvmt_results_place(construct->file, strlen(construct->file), construct->line, construct->column), number, execution, {0}, 0, 0, 0};
  const struct dvmt_results_row *r = find(&wanted);
  if (r)
    dvmp_results_apply(r, at, type, bytes);
}
