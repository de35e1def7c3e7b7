#include "runtime/parallel/way.h"
#include <stdlib.h>
#include <string.h>

const char *dvmp_way_places(const char *text) {
  for (const char *at = text; at; at = strchr(at, '\n')) {
    at += *at == '\n';
    if (at[0] == DVMRT_DIRECTIVE_PLACES && at[1] == ' ')
      return at + 2;
  }
  return "";
}

/* By the loop's condition, where only the run knows the step. */
static bool goes_down(const char *text, int loop) {
  for (const char *at = dvmp_way_places(text); *(at += strcspn(at, " \n")) == ' ';)
    if (strtol(++at, NULL, 10) == loop)
      return true;
  return false;
}

int dvmp_way(const struct dvmp_construct *c, int loop) {
  const int64_t step = dvmrt_num_value(c->d->step[loop], c->args);
  if (!step && c->d->fortran) /* its loops have no condition: they have told, where it matters */
    return c->values[loop].up && c->values[loop].down ? 0 : c->values[loop].down ? -1 : 1;
  return step < 0 || (!step && goes_down(c->site->text, loop)) ? -1 : 1;
}
