/* A growing list of owned strings, terminated by NULL so that it can be given to exec.  After a failed allocation it
 * stays as it was and remembers the failure: append freely, look once at the end. */
#ifndef DVM_DRIVER_LIST_H
#define DVM_DRIVER_LIST_H
#include <stdbool.h>
#include <stddef.h>

struct dvm_list {
  char **v;      /* owned; NULL while the list is empty */
  size_t n, cap;
  bool failed;   /* an allocation failed: something is missing */
};

#define DVM_LIST_INIT {NULL, 0, 0, false}

void dvm_list_fini(struct dvm_list *list);
void dvm_list_add(struct dvm_list *list, const char *s);
void dvm_list_printf(struct dvm_list *list, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#endif
