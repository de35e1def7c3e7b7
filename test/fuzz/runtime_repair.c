/* Edits of whatever a source file holds: they lie in it, do not overlap, and bring all of their text.  The first bytes choose the repair, the rest is the file. */
#include "runtime/report/diag.h"
#include "runtime/report/repair.h"
#include "runtime/report/source.h"
#include <stdlib.h>
#include <string.h>

static const char *text;
static size_t length;

bool dvmrt_source_map(const char *file, const char **map, size_t *size) {
  (void)file;
  char *copy = malloc(length ? length : 1); /* of its own, so that reading beyond its end is seen */
  if (!copy || !length) {
    free(copy);
    return false;
  }
  memcpy(copy, text, length);
  *map = copy;
  *size = length;
  return true;
}
void dvmrt_source_unmap(const char *map, size_t size) {
  (void)size;
  free((void *)(uintptr_t)map);
}
void dvmrt_clause_inside(const struct dvmrt_clause *c, struct dvmrt_text *t) { dvmrt_text_add(t, "%s[1:1]", c->array); }
void dvmrt_clause_text(const struct dvmrt_clause *c, struct dvmrt_text *t) { dvmrt_text_add(t, "%s(%s[1:1])", c->name, c->array); }

/* The two lowest bits of the length say which form the file has. */
bool dvmrt_site_is_fortran(const char *file) {
  (void)file;
  return length & 1;
}
bool dvmrt_site_is_fixed(const char *file) {
  (void)file;
  return length & 2;
}

static size_t offset(struct dvmrt_pos pos) {
  size_t at = 0;
  for (uint32_t line = 1; line < pos.line; line++) {
    const char *next = memchr(text + at, '\n', length - at);
    if (!next)
      abort();
    at = (size_t)(next - text) + 1;
  }
  return at + pos.column - 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static const char *const words[] = {"shadow_renew", "reduction", "private", "remote_access", "parallel", "new_value", "later", "on"};
  static struct dvmrt_edits edits;
  if (size < 3)
    return 0;
  text = (const char *)data + 3;
  length = size - 3;
  struct dvmrt_repair r = {.kind = data[0] % (DVMRT_REPAIR_STATEMENT_FOUND + 1), .at = {"x.c", data[1] % 16u, 1}};
  r.word = words[data[2] % 8];
  r.name = data[2] & 8 ? "A" : "s";
  dvmrt_text_add(&r.text, "%s", data[2] & 16 ? "#pragma dvm a\n#pragma dvm b" : data[2] & 32 ? "" : "A[1:1]");
  if (data[2] & 64) /* up to the end of the buffer, and no further */
    for (int i = 0; i < DVMRT_TEXT_MAX / 8 - 2; i++)
      dvmrt_text_add(&r.text, ", b%03d(i)", i);
  struct dvmrt_clause clause = {.name = "across", .array = "A"};
  dvmrt_repair_edits(&r, 1, &clause, &edits);
  for (int i = 0; i < edits.n; i++) {
    size_t from = offset(edits.edit[i].at), to = offset(edits.edit[i].to);
    if (from > to || to > length || to - from != edits.edit[i].length ||
        strlen(edits.edit[i].text) >= DVMRT_TEXT_MAX - 1)
      abort();
  }
  return 0;
}
