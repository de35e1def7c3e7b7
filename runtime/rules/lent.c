#include "runtime/rules/lent.h"
#include "runtime/data/shadow.h"

enum { LENT_MAX = 64 }; /* arguments of calls within calls; what is beyond is judged as other elements are */
static struct lent {
  uintptr_t first, end;
} lent[LENT_MAX];
static unsigned nlent;

void dvmrt_lent_begin(uintptr_t p, uint64_t size, struct dvmrt_site *site) {
  struct dvmrt_event ev = {.access = dvmrt_site_access(site), .nest = dvmrt_construct_nest(), .at = p, .flags = DVMRT_READ};
  ev.array = (struct dvmrt_array *)dvmrt_shadow_region_in(p, 1);
  if (!ev.array || nlent == LENT_MAX)
    return;
  dvmrt_array_indices(ev.array, p, ev.ix);
  if (dvmrt_check_buffered(&ev))
    lent[nlent++] = (struct lent){p, p + size};
}

void dvmrt_lent_end(uintptr_t p) {
  for (unsigned i = nlent; i-- > 0;)
    if (lent[i].first == p) {
      lent[i] = lent[--nlent];
      return;
    }
}

bool dvmrt_lent_has(uintptr_t p) {
  for (unsigned i = 0; i < nlent; i++)
    if (p >= lent[i].first && p < lent[i].end)
      return true;
  return false;
}
