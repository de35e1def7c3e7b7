#include "runtime/trace/object.h"
#include <link.h>

struct search {
  const void *p;
  struct dvmt_object found;
};

static int look_into(struct dl_phdr_info *info, size_t size, void *arg) {
  struct search *s = arg;
  struct dvmt_object o = {UINT64_MAX, 0};
  (void)size;
  for (int i = 0; i < info->dlpi_phnum; i++) {
    const ElfW(Phdr) *ph = &info->dlpi_phdr[i];
    uint64_t low = info->dlpi_addr + ph->p_vaddr, high = low + ph->p_memsz;
    if (ph->p_type != PT_LOAD)
      continue;
    o.low = low < o.low ? low : o.low;
    o.high = high > o.high ? high : o.high;
  }
  if (!dvmt_object_has(&o, s->p))
    return 0;
  s->found = o;
  return 1;
}

bool dvmt_object_of(struct dvmt_object *o, const void *p) {
  struct search s = {.p = p};
  bool found = dl_iterate_phdr(look_into, &s) != 0;
  *o = s.found;
  return found;
}
