#include "runtime/direct.h"
#include "runtime/array.h"
#include <string.h>

typedef void direct_f(struct dvmrt_directive *d, const int64_t *args);

static const struct {
  const char *kind;
  direct_f *run;
} kinds[] = {
    {"array", dvmrt_array_declare},
    {"bind", dvmrt_array_declare},
    {"template", dvmrt_array_declare},
    {"redistribute", dvmrt_array_redistribute},
    {"realign", dvmrt_array_redistribute},
};

void dvmrt_direct_run(struct dvmrt_directive *d, const int64_t *args) {
  for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
    if (!strcmp(kinds[i].kind, d->kind))
      kinds[i].run(d, args);
}
