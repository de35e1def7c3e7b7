#include "runtime/rules/verdict.h"
#include "runtime/rules/rule.h"

void (*dvmrt_verdict_listener)(const struct dvmrt_record *r);

void dvmrt_verdict_give(const struct dvmrt_record *r) {
  if (!dvmrt_verdict_listener)
    return;
  if (r->event && r->event->nest)
    dvmrt_rule_present(r->event->nest);
  dvmrt_verdict_listener(r);
}
