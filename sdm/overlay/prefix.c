#include "sdm/overlay/prefix.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct sdm_prefix *node_new(const char *name, size_t len) {
  struct sdm_prefix *p = sdm_alloc(sizeof(*p));
  p->name = sdm_alloc(len + 1);
  memcpy(p->name, name, len);
  p->set = sdm_set_new();
  return p;
}

struct sdm_prefix *sdm_prefix_new(void) { return node_new("", 0); }

void sdm_prefix_free(struct sdm_prefix *p) {
  if (!p)
    return;
  for (size_t i = 0; i < p->n; i++)
    sdm_prefix_free(p->children[i]);
  free(p->children);
  sdm_set_free(p->set);
  free(p->name);
  free(p);
}

static void insert_at(struct sdm_prefix *p, size_t at, struct sdm_prefix *child) {
  p->children = sdm_realloc(p->children, (p->n + 1) * sizeof(*p->children));
  memmove(&p->children[at + 1], &p->children[at], (p->n - at) * sizeof(*p->children));
  p->children[at] = child;
  p->n++;
}

static struct sdm_prefix *child_of(struct sdm_prefix *p, const char *name) {
  size_t at = 0;
  int order = 1;
  while (at < p->n && (order = strcmp(p->children[at]->name, name)) < 0)
    at++;
  if (at == p->n || order)
    insert_at(p, at, node_new(name, strlen(name)));
  return p->children[at];
}

void sdm_prefix_add(struct sdm_prefix *root, const char *const *frames, size_t n, sdm_id id) {
  sdm_set_add_element(root->set, id);
  for (size_t i = 0; i < n && i < SDM_PREFIX_DEPTH; i++) {
    root = child_of(root, frames[i]);
    sdm_set_add_element(root->set, id);
  }
}

void sdm_prefix_renumber(struct sdm_prefix *p, uint32_t factor, uint32_t offset) {
  struct sdm_set *set = sdm_set_new();
  struct sdm_set_iter it = sdm_set_iter(p->set);
  sdm_id id;
  while (sdm_set_iter_id(&it, &id))
    sdm_set_add_element(set, id * factor + offset);
  sdm_set_free(p->set);
  p->set = set;
  for (size_t i = 0; i < p->n; i++)
    sdm_prefix_renumber(p->children[i], factor, offset);
}

void sdm_prefix_encode(const struct sdm_prefix *p, struct sdm_bytes *out) {
  sdm_bytes_block(out, p->name, strlen(p->name));
  size_t start = out->len;
  char *at = (char *)sdm_bytes_grow(out, sdm_set_serialized_length(p->set));
  out->len = start + sdm_set_serialize(p->set, at, NULL);
  sdm_bytes_varint(out, p->n);
  for (size_t i = 0; i < p->n; i++)
    sdm_prefix_encode(p->children[i], out);
}

static struct sdm_prefix *decode(struct sdm_cursor *c, unsigned depth) {
  size_t len;
  const uint8_t *name = sdm_cursor_block(c, &len);
  if (!name || memchr(name, 0, len) || depth > SDM_PREFIX_DEPTH)
    return NULL;
  struct sdm_prefix *p = node_new((const char *)name, len);
  const char *end = NULL;
  bool good = sdm_set_deserialize(p->set, (const char *)c->p, sdm_cursor_left(c), &end) > 0;
  if (good)
    c->p = (const uint8_t *)end;
  uint64_t n = good ? sdm_cursor_varint(c) : 0;
  good = good && !c->bad && n <= sdm_cursor_left(c);
  while (good && n--) {
    struct sdm_prefix *child = decode(c, depth + 1);
    good = child && (!p->n || strcmp(p->children[p->n - 1]->name, child->name) < 0);
    if (good)
      insert_at(p, p->n, child);
    else
      sdm_prefix_free(child);
  }
  if (good)
    return p;
  sdm_prefix_free(p);
  return NULL;
}

struct sdm_prefix *sdm_prefix_decode(const void *p, size_t len) {
  struct sdm_cursor c = sdm_cursor_of(p, len);
  struct sdm_prefix *root = decode(&c, 0);
  if (root && !sdm_cursor_left(&c))
    return root;
  sdm_prefix_free(root);
  return NULL;
}

static void merge(struct sdm_prefix *into, const struct sdm_prefix *from) {
  sdm_set_union(into->set, from->set);
  for (size_t i = 0; i < from->n; i++)
    merge(child_of(into, from->children[i]->name), from->children[i]);
}

int sdm_prefix_merge(struct sdm_bytes *into, const void *body, size_t len) {
  struct sdm_prefix *a = sdm_prefix_decode(into->p, into->len), *b = sdm_prefix_decode(body, len);
  int rc = a && b ? 0 : -EBADMSG;
  if (!rc) {
    merge(a, b);
    into->len = 0;
    sdm_prefix_encode(a, into);
  }
  sdm_prefix_free(a);
  sdm_prefix_free(b);
  return rc;
}
