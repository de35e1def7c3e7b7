#define _GNU_SOURCE
#include "driver/list.h"
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dvm_list_fini(struct dvm_list *list) {
  for (size_t i = 0; i < list->n; i++)
    free(list->v[i]);
  free(list->v);
  *list = (struct dvm_list)DVM_LIST_INIT;
}

/* Takes 's' over, also when it fails. */
static void list_take(struct dvm_list *list, char *s) {
  if (s && list->n + 1 >= list->cap) {
    size_t cap = list->cap ? list->cap * 2 : 16;
    char **v = realloc(list->v, cap * sizeof *v);
    if (v) {
      list->v = v;
      list->cap = cap;
    }
  }
  if (!s || list->n + 1 >= list->cap) {
    free(s);
    list->failed = true;
    return;
  }
  list->v[list->n++] = s;
  list->v[list->n] = NULL;
}

void dvm_list_add(struct dvm_list *list, const char *s) { list_take(list, strdup(s)); }

void dvm_list_printf(struct dvm_list *list, const char *fmt, ...) {
  char *s;
  va_list ap;
  va_start(ap, fmt);
  if (vasprintf(&s, fmt, ap) < 0)
    s = NULL;
  va_end(ap);
  list_take(list, s);
}
