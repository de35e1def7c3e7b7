#include "runtime/rules/verdict.h"

void (*dvmrt_verdict_listener)(const struct dvmrt_record *r);

void dvmrt_verdict_give(const struct dvmrt_record *r) {
  if (dvmrt_verdict_listener)
    dvmrt_verdict_listener(r);
}
