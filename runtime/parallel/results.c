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

void dvmp_results_begin(const char *path) {
  struct stat st;
  int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0 || fstat(fd, &st))
    dvmp_fail_all(1, NULL, "cannot read the results of the reference '%s': %s", path, strerror(errno));
  const struct dvmt_results_head *h =
      (size_t)st.st_size < sizeof(*h) ? MAP_FAILED : mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
  close(fd);
  if (h == MAP_FAILED || h->magic != DVMT_RESULTS_MAGIC || h->nrows > ((size_t)st.st_size - sizeof(*h)) / sizeof(*rows))
    dvmp_fail_all(1, NULL, "'%s' holds no results of a reference", path);
  head = h;
  rows = (const void *)(h + 1);
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

static bool agree(const char *a, const char *b, int bytes) {
  static const int digits[3] = {24, 53, 64};
  long double x = real_at(a, bytes), y = real_at(b, bytes), far = fabsl(x - y), most = fabsl(x) > fabsl(y) ? fabsl(x) : fabsl(y);
  int k = bytes == 4 ? 0 : bytes == 8 ? 1 : 2, exponent = 0;
  if (!isfinite(x) || !isfinite(y))
    return false;
  frexpl(most, &exponent);
  return far <= (long double)head->relative[k] * most || far <= (long double)head->ulps * ldexpl(1, exponent - digits[k]);
}

void dvmp_results_put(const struct dvmrt_pos *construct, unsigned number, uint64_t execution, void *at, char type, int bytes) {
  if (!head || (type != 'f' && type != 'c') || !construct->file)
    return;
  struct dvmt_results_row wanted = {
      dvmt_results_place(construct->file, strlen(construct->file), construct->line, construct->column), number, execution, {0}};
  const struct dvmt_results_row *r = find(&wanted);
  int parts = type == 'c' ? 2 : 1, part = bytes / parts;
  if (!r)
    return;
  for (int i = 0; i < parts; i++)
    if (!agree((const char *)at + i * part, (const char *)r->value + i * part, part))
      return;
  memcpy(at, r->value, (size_t)bytes);
}
