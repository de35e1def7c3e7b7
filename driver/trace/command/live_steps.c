#include "driver/trace/command/live_private.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int add_text(char ***texts, size_t *n, const char *text) {
  char **rows = realloc(*texts, (*n + 1) * sizeof(*rows)), *own = strdup(text);
  if (rows)
    *texts = rows;
  if (!rows || !own) {
    free(own);
    return -ENOMEM;
  }
  rows[(*n)++] = own;
  return 0;
}

static int take_site(struct dvmt_sink *sink, const struct dvmt_site_def *def) {
  struct live_steps *s = (struct live_steps *)sink;
  uint64_t *rows = realloc(s->executions, (s->ntexts + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  s->executions = rows;
  rows[s->ntexts] = 0;
  return add_text(&s->texts, &s->ntexts, def->text);
}

static int take_object(struct dvmt_sink *sink, const struct dvmt_object_def *def) {
  struct live_steps *s = (struct live_steps *)sink;
  bool *arrays = realloc(s->arrays, (s->nnames + 1) * sizeof(*arrays));
  if (!arrays)
    return -ENOMEM;
  s->arrays = arrays;
  arrays[s->nnames] = def->flags & DVMT_OBJECT_ARRAY;
  return add_text(&s->names, &s->nnames, def->name);
}

static void forget(struct live_step *s) {
  free(s->sums);
  free(s->results);
}

/* Room for one more; the oldest that have been taken go. */
static int begin(struct live_steps *s, uint32_t site) {
  if (s->taken > 2 * LIVE_LEAD) {
    for (size_t i = 0; i < LIVE_LEAD; i++)
      forget(&s->row[i]);
    memmove(s->row, s->row + LIVE_LEAD, (s->nrow - LIVE_LEAD) * sizeof(*s->row));
    s->nrow -= LIVE_LEAD;
    s->taken -= LIVE_LEAD;
  }
  if (s->nrow == s->room) {
    size_t room = s->room ? 2 * s->room : 256;
    struct live_step *rows = realloc(s->row, room * sizeof(*rows));
    if (!rows)
      return -ENOMEM;
    s->row = rows;
    s->room = room;
  }
  s->row[s->nrow++] = (struct live_step){.text = s->texts[site], .execution = ++s->executions[site]};
  s->open = true;
  return 0;
}

static int add_sum(struct live_steps *s, struct live_step *to, const struct dvmt_record *r) {
  struct live_sum *rows = realloc(to->sums, (to->nsums + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  to->sums = rows;
  rows[to->nsums++] = (struct live_sum){s->names[r->object], r->words[0], r->words[1], s->arrays[r->object]};
  return 0;
}

static int add_result(struct live_step *to, const struct dvmt_record *r) {
  struct dvmt_join_result *rows = realloc(to->results, (to->nresults + 1) * sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  to->results = rows;
  memcpy(rows[to->nresults++].words, r->words, sizeof(rows->words));
  return 0;
}

static int take_record(struct dvmt_sink *sink, const struct dvmt_record *r) {
  struct live_steps *s = (struct live_steps *)sink;
  struct live_step *last = s->open ? &s->row[s->nrow - 1] : NULL;
  if (r->site >= s->ntexts)
    return -EBADMSG;
  if (r->kind == DVMT_ENTER && !last)
    return begin(s, r->site);
  if (last && r->kind == DVMT_RESULT && r->nwords == 6)
    return add_result(last, r);
  if (last && r->kind == DVMT_DIGEST && r->nwords >= 2 && r->object < s->nnames)
    return add_sum(s, last, r);
  if (last && r->kind == DVMT_LEAVE)
    s->open = false;
  return 0;
}

void live_steps_init(struct live_steps *s) {
  *s = (struct live_steps){.sink = {.site = take_site, .object = take_object, .record = take_record}};
}

void live_steps_fini(struct live_steps *s) {
  for (size_t i = 0; i < s->ntexts; i++)
    free(s->texts[i]);
  for (size_t i = 0; i < s->nnames; i++)
    free(s->names[i]);
  for (size_t i = 0; i < s->nrow; i++)
    forget(&s->row[i]);
  free(s->texts);
  free(s->names);
  free(s->arrays);
  free(s->executions);
  free(s->row);
}

size_t live_steps_ahead(const struct live_steps *s) { return s->nrow - s->taken - s->open; }
const struct live_step *live_steps_first(const struct live_steps *s) { return live_steps_ahead(s) ? &s->row[s->taken] : NULL; }
void live_steps_take(struct live_steps *s) { s->taken++; }
