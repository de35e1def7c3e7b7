/* What of an execution that is compared by elements no value tells: iterations, elements that only one side writes; and the report. */
#include "driver/trace/command/replay.h"
#include "driver/trace/command/replay_values.h"
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/compare/name.h"
#include <stdlib.h>
#include <string.h>

void dvmt_replay_begin(struct dvmt_replay *p, struct dvmt_images *images, const struct dvmt_limits *limits) {
  p->images = images;
  p->limited = limits != NULL;
  p->now.n = 0;
  p->now.executors = 0;
  p->told_iteration = false;
}

bool dvmt_replay_look(struct dvmt_replay *p, const struct dvmt_record *r) {
  struct dvmt_replay_iteration *next = &p->next;
  next->n = r->nwords < DVMT_NDIMS_MAX ? r->nwords : DVMT_NDIMS_MAX;
  memcpy(next->index, r->words, next->n * sizeof(*next->index));
  next->executors = dvmt_images_executors(p->images, (const int64_t *)next->index, next->n, next->executor);
  return next->executors;
}

/* Iterations that nobody executes, or more than one rank. */
void dvmt_replay_iteration(struct dvmt_replay *p, struct dvmt_compare *c, const char *construct) {
  char at[300], message[500];
  const struct dvmt_replay_iteration *now = &p->now;
  p->now = p->next;
  if (now->executors == 1 || p->told_iteration)
    return;
  p->told_iteration = true;
  dvmt_iteration_text(construct, now->index, now->n, at, sizeof(at));
  if (!now->executors)
    snprintf(message, sizeof(message), "iteration (%s) is executed by no rank", at);
  else
    snprintf(message, sizeof(message), "iteration (%s) is executed by rank %d and again by rank %d", at, now->executor[0],
             now->executor[1]);
  dvmt_cmp_structure(c, now->executors ? "repeated iteration" : "lost iteration", "", construct, message);
}

/* One that the reference does not have. */
static void check_stray(struct dvmt_replay *p, struct dvmt_compare *c, const char *construct) {
  char at[300], message[500];
  int32_t rank;
  const int64_t *index = dvmt_images_stray(p->images, &rank);
  if (!index || p->told_iteration || !p->now.n)
    return;
  dvmt_iteration_text(construct, (const uint64_t *)index, p->now.n, at, sizeof(at));
  snprintf(message, sizeof(message), "iteration (%s) is executed by rank %d and is not in the reference", at, rank);
  dvmt_cmp_structure(c, "repeated iteration", "", construct, message);
}

/* ---- what the reference does not write ---------------------------------------------------------------------------------------------- */

static void element_name(const struct dvmt_image *image, uint64_t element, char *buf, size_t size) {
  dvmt_element_text(&image->def, (int64_t)(element * image->def.element_bytes), NULL, buf, size);
}

static void check_image(struct dvmt_compare *c, const char *construct, const struct dvmt_image *image, const unsigned char *written,
                        bool limited) {
  uint64_t size = image->def.element_bytes;
  char name[300], message[700];
  if (image->unlike >= 0) {
    element_name(image, (uint64_t)image->unlike, name, sizeof(name));
    snprintf(message, sizeof(message), "rank %d and rank %d both have '%s', and are left with different values of it",
             image->unlike_rank[0], image->unlike_rank[1], name);
    dvmt_cmp_structure(c, image->def.name, name, construct, message);
  }
  for (uint64_t i = 0; i < image->bytes && !limited; i++)
    if (image->before[i] != image->after[i] && !(written && written[i])) {
      element_name(image, i / size, name, sizeof(name));
      snprintf(message, sizeof(message), "'%s', which rank %d has, is changed here, and the reference does not write it", name,
               image->owner[i / size]);
      dvmt_cmp_structure(c, image->def.name, name, construct, message);
      return;
    }
}

static uint64_t count_findings(const struct dvmt_compare *c) {
  uint64_t n = 0;
  for (size_t i = 0; i < dvmt_compare_nfindings(c); i++)
    n += !dvmt_compare_finding(c, i)->warning;
  return n;
}

/* Nothing that is executed here differs, and the sum does. */
static void check_before(const struct dvmt_replay *p, struct dvmt_compare *c, const char *construct) {
  const struct dvmt_compare_totals *t = dvmt_compare_totals(c);
  if (count_findings(c) || t->within)
    return;
  for (size_t i = 0; dvmt_images_at(p->images, i); i++) {
    char message[500];
    snprintf(message, sizeof(message),
             "what is written here agrees: an element of '%s' that is not differs already where the construct begins, from the sequential "
             "part before it",
             dvmt_images_at(p->images, i)->def.name);
    dvmt_cmp_structure(c, dvmt_images_at(p->images, i)->def.name, "", construct, message);
  }
}

void dvmt_replay_end(struct dvmt_replay *p, struct dvmt_compare *c, const char *construct, const struct replay_values *values) {
  if (!p->limited)
    check_stray(p, c, construct);
  p->now.n = 0; /* what follows is of no iteration */
  for (size_t i = 0; dvmt_images_at(p->images, i); i++) {
    const struct dvmt_image *image = dvmt_images_at(p->images, i);
    check_image(c, construct, image, replay_values_written(values, image), p->limited);
  }
  if (p->alone)
    check_before(p, c, construct);
}

/* ---- the report ----------------------------------------------------------------------------------------------------------------------- */

/* Its first subscripts alone: what lies inside of an element has the same owner. */
static int owner_of(const struct dvmt_replay *p, const char *element, char *name, size_t size) {
  struct dvmt_span array;
  struct dvmt_subscripts index;
  size_t n = strcspn(element, "[(");
  if (element[n] == '(')
    n += strcspn(element + n, ")") + (strchr(element + n, ')') != NULL);
  while (element[n] == '[')
    n += strcspn(element + n, "]") + (strchr(element + n, ']') != NULL);
  snprintf(name, size, "%.*s", (int)n, element);
  const bool parsed = dvmt_element_parse(name, &array, &index);
  char array_name[256];
  if (!parsed || !index.n || array.n >= sizeof(array_name))
    return DVMT_NOBODY;
  snprintf(array_name, sizeof(array_name), "%.*s", (int)array.n, array.s);
  const struct dvmt_image *image = dvmt_images_of(p->images, array_name);
  int64_t offset = image ? dvmt_element_offset(&image->def, &index) : -1;
  return offset < 0 || (uint64_t)offset >= image->bytes ? DVMT_NOBODY : image->owner[offset / image->def.element_bytes];
}

char *dvmt_replay_note(void *arg, const struct dvmt_finding *f) {
  const struct dvmt_replay *p = arg;
  char name[300], text[600];
  int owner = p->images && (p->now.n || p->of_job) && f->element ? owner_of(p, f->element, name, sizeof(name)) : DVMT_NOBODY;
  if (owner == DVMT_NOBODY)
    return NULL;
  if (p->now.executors == 1 && p->now.executor[0] == owner)
    snprintf(text, sizeof(text), "rank %d has '%s' and executes the iteration", owner, name);
  else if (p->now.executors == 1)
    snprintf(text, sizeof(text), "rank %d has '%s', but rank %d executes the iteration: what it writes there is lost", owner, name,
             p->now.executor[0]);
  else
    snprintf(text, sizeof(text), "rank %d has '%s'", owner, name);
  return strdup(text);
}

void dvmt_replay_found(void *arg, const struct dvmt_finding *f) {
  const struct dvmt_replay *p = arg;
  struct dvmt_finding own = *f;
  if (p->images) { /* of the replay */
    own.record = 0;
    own.calls = NULL;
  }
  dvmt_report_found(p->report, &own);
}
