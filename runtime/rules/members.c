#include "runtime/rules/members.h"

struct walk {
  uintptr_t p, end;
  bool (*f)(void *arg, const struct dvmrt_unit *u);
  void *arg;
};

static bool unit(const struct walk *w, uintptr_t p, uintptr_t end, const struct dvmrt_member *m, uint64_t index, uint64_t of) {
  struct dvmrt_unit u = {p < w->p ? w->p : p, end > w->end ? w->end : end, m, index, of};
  return u.p >= u.end || w->f(w->arg, &u);
}

static bool row(const struct walk *w, uintptr_t at, const struct dvmrt_member *m, uint64_t of) {
  uint64_t first = w->p > at && m->stride ? (w->p - at) / m->stride : 0;
  for (uint64_t i = first; i < m->count && at + i * m->stride < w->end; i++)
    if (!unit(w, at + i * m->stride, at + i * m->stride + m->bytes, m, i, of))
      return false;
  return true;
}

static bool one_struct(const struct walk *w, const struct dvmrt_access *x, uintptr_t at, uint64_t of) {
  if (!x->members->first)
    return unit(w, at, at + x->bytes, NULL, 0, of);
  for (const struct dvmrt_member *m = x->members->first; m; m = m->next)
    if (!row(w, at + m->offset, m, of))
      return false;
  return true;
}

bool dvmrt_members_each(const struct dvmrt_access *x, uintptr_t start, uintptr_t p, uintptr_t end,
                        bool (*f)(void *arg, const struct dvmrt_unit *u), void *arg) {
  const struct walk w = {p, end, f, arg};
  const struct dvmrt_members *m = x->members;
  uintptr_t first = start - m->begin;
  for (uint64_t k = (p - first) / x->bytes; first + k * x->bytes < end; k++) {
    if (m->times && k >= m->times)
      return unit(&w, first + k * x->bytes, end, NULL, 0, k);
    if (!one_struct(&w, x, first + k * x->bytes, k))
      return false;
  }
  return true;
}
