/* Findings: one for each kind, construct, variable and place; the first occurrence is told, all are counted. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* All loops and constructs that are open, outermost first: "step=3, i=5, j=7". */
const char *dvmt_cmp_iteration_text(const struct dvmt_compare *c, char *buf, size_t size) {
  size_t at = 0;
  buf[0] = 0;
  for (int d = 0; d < c->depth && at + 1 < size; d++) {
    const struct open *o = &c->open[d];
    char own[256];
    if (!o->has_iteration)
      continue;
    dvmt_iteration_text(o->text, o->words, o->nwords, own, sizeof(own));
    at += (size_t)snprintf(buf + at, size - at, "%s%s%s", at ? ", " : "", *own >= '0' && *own <= '9' ? "#" : "", own);
  }
  return buf;
}

/* Number of the run's record that is compared, from 1. */
static uint64_t record_now(const struct dvmt_compare *c) {
  return c->now ? c->totals.records - (uint32_t)((uint32_t)c->totals.records - c->now->record) : c->totals.records;
}

struct dvmt_finding *dvmt_cmp_finding(struct dvmt_compare *c, enum dvmt_finding_id id, const char *variable, const char *text) {
  const char *construct = c->depth ? c->open[c->depth - 1].text : NULL;
  unsigned line = text ? dvmt_site_where(text).line : 0;
  if (c->options.silent[id])
    return NULL;
  for (size_t i = 0; i < c->nfindings; i++) {
    struct dvmt_finding *f = c->findings[i];
    if (f->id == id && f->construct == construct && !strcmp(f->variable, variable) &&
        (f->text ? dvmt_site_where(f->text).line : 0) == line) {
      f->count++;
      return f;
    }
  }
  struct dvmt_finding **rows = realloc(c->findings, (c->nfindings + 1) * sizeof(*rows)), *f = calloc(1, sizeof(*f));
  char at[256];
  if (rows)
    c->findings = rows;
  if (!rows || !f) {
    free(f);
    c->rc = -ENOMEM;
    return NULL;
  }
  *f = (struct dvmt_finding){.id = id,
                             .count = 1,
                             .site = text ? strdup(text) : NULL,
                             .construct = construct,
                             .variable = strdup(variable),
                             .iteration = strdup(dvmt_cmp_iteration_text(c, at, sizeof(at))),
                             .record = record_now(c),
                             .execution = c->depth ? c->open[c->depth - 1].execution : 0,
                             .calls = dvmt_cmp_calls_text(c, text)};
  f->text = f->site;
  c->findings[c->nfindings++] = f;
  return f;
}

void dvmt_cmp_tell(struct dvmt_compare *c, struct dvmt_finding *f, const char *element, const char *message) {
  f->element = strdup(element);
  f->message = strdup(message);
  if (c->options.note)
    f->note = c->options.note(c->options.arg, f);
  if (c->options.found)
    c->options.found(c->options.arg, f);
}

void dvmt_cmp_structure(struct dvmt_compare *c, const char *variable, const char *element, const char *text, const char *message) {
  struct dvmt_finding *f = c->over ? NULL : dvmt_cmp_finding(c, DVMT_FOUND_STRUCTURE, variable, text);
  if (f && f->count == 1)
    dvmt_cmp_tell(c, f, element, message);
}

const char *dvmt_cmp_describe(struct dvmt_compare *c, const struct item *it, bool of_reference, char *buf, size_t size) {
  static const char *const verbs[] = {"", "read of", "write of", "", "start of", "end of", "result of", "directive", "digest of"};
  const char *text = of_reference ? dvmt_cmp_a_text(c, it) : dvmt_cmp_b_text(c, it);
  char what[300];
  struct dvmt_where w = dvmt_site_where(text);
  if (it->kind <= DVMT_WRITE) {
    dvmt_element_text(of_reference ? dvmt_reader_object(c->reference, it->object) : &c->b_objects[it->object], it->offset, text, what,
                      sizeof(what));
    snprintf(buf, size, "%s '%s'", verbs[it->kind], what);
  } else if (it->kind == DVMT_ITER) {
    dvmt_iteration_text(text, it->words, it->nwords, what, sizeof(what));
    snprintf(buf, size, "iteration (%s)", what);
  } else {
    struct dvmt_span kind = dvmt_site_kind(text);
    snprintf(buf, size, "%s the %.*s at %.*s:%u", verbs[it->kind], (int)kind.n, kind.s, (int)w.file.n, w.file.s ? w.file.s : "", w.line);
  }
  return buf;
}

void dvmt_cmp_finding_free(struct dvmt_finding *f) {
  free(f->site);
  free(f->iteration);
  free(f->calls);
  free(f->element);
  free(f->variable);
  free(f->message);
  free(f->reference_value);
  free(f->value);
  free(f->note);
  free(f->greatest_element);
  free(f->greatest_iteration);
  free(f);
}
