#include "driver/trace/command/html_parts.h"
#include <stdlib.h>
#include <string.h>

struct part {
  char *variable, *own;         /* owned */
  size_t rank;
};
struct dvmt_parts {
  struct part *row;             /* owned; by array as they are met, ranks in their order */
  size_t n;
};

struct dvmt_parts *dvmt_parts_create(void) { return calloc(1, sizeof(struct dvmt_parts)); }

void dvmt_parts_destroy(struct dvmt_parts *p) {
  for (size_t i = 0; p && i < p->n; i++) {
    free(p->row[i].variable);
    free(p->row[i].own);
  }
  if (p)
    free(p->row);
  free(p);
}

static struct part *part_of(struct dvmt_parts *p, const char *variable, size_t rank) {
  for (size_t i = 0; i < p->n; i++)
    if (p->row[i].rank == rank && !strcmp(p->row[i].variable, variable))
      return &p->row[i];
  struct part *rows = realloc(p->row, (p->n + 1) * sizeof(*rows));
  char *name = strdup(variable);
  if (rows)
    p->row = rows;
  if (!rows || !name) {
    free(name);
    return NULL;
  }
  rows[p->n] = (struct part){name, NULL, rank};
  return &rows[p->n++];
}

void dvmt_parts_note(struct dvmt_parts *p, const char *variable, size_t rank, const char *own, size_t n) {
  struct part *part = part_of(p, variable, rank);
  if (!part || (part->own && strlen(part->own) == n && !memcmp(part->own, own, n)))
    return;
  free(part->own);
  part->own = strndup(own, n);
}

/* "[0..3,8..11,..]": what comes behind the dots at its end is not told. */
static bool has(const char **at, int64_t index) {
  const char *p = *at + 1;
  bool found = false;
  while (*p && *p != ']') {
    char *end;
    int64_t low = strtoll(p, &end, 10), high = low;
    if (end == p)
      break;
    if (!strncmp(end, "..", 2))
      high = strtoll(end + 2, &end, 10);
    found |= low <= index && index <= high;
    p = end + (*end == ',');
  }
  p += strcspn(p, "]");
  *at = p + (*p == ']');
  return found;
}

int32_t dvmt_parts_owner(const struct dvmt_parts *p, const char *variable, const int64_t *index, int ndims) {
  for (size_t i = 0; i < p->n; i++) {
    const char *at = p->row[i].own ? strchr(p->row[i].own, '[') : NULL;
    bool all = at && p->row[i].own[0] == '\'' && !strcmp(p->row[i].variable, variable);
    for (int d = 0; d < ndims && all; d++)
      all = *at == '[' && has(&at, index[d]);
    if (all)
      return (int32_t)p->row[i].rank;
  }
  return -1;
}
