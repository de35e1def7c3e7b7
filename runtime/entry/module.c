/* Entry points of abi.h: modules come and go. */
#include "runtime/entry/inside.h"
#include "runtime/rules/object.h"
#include "runtime/rules/declared.h"
#include "runtime/rules/region_reach.h"
#include "runtime/rules/repeat.h"

void DVMRT_MODULE(struct dvmrt_site *first, struct dvmrt_site *last) {
  dvmrt_process_init();
  dvmrt_object_module(first);
  if (!dvmrt_mem_enter())
    return;
  dvmrt_site_module(first, last);
  leave();
}

/* What lies at these addresses next has nothing to do with what lay there. */
void __dvmrt_module_gone(struct dvmrt_site *first, struct dvmrt_site *last) {
  struct dvmrt_extent x;
  if (!dvmrt_mem_enter())
    return;
  dvmrt_repeat_end();
  dvmrt_array_sites_gone(first, last);
  dvmrt_declared_gone(first, last);
  dvmrt_region_reach_gone(first, last);
  dvmrt_site_module_gone(first, last);
  if (dvmrt_object_module_gone(first, &x)) {
    dvmrt_array_forget(x.start, x.size);
    dvmrt_shadow_fill(x.start, x.size, DVMRT_W_ASSIGNED);
  }
  leave();
}
