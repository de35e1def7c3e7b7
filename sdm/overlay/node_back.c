/* Servers that were lost and are not: what they say to the slice that they were handed, and who is told of it. */
#include "sdm/overlay/node_private.h"

static void tell_back(struct sdm_node *n, struct sdm_set *ids) {
  if (node_is_root(n)) {
    sdm_set_intersect(ids, n->gone);
    sdm_set_diff(n->gone, ids);
    if (!sdm_set_is_empty(ids) && n->ops->back)
      n->ops->back(n->arg, ids);
    return;
  }
  struct sdm_bytes set = {0};
  sdm_set_diff(n->gone, ids);
  sdm_node_put_set(&set, ids); /* also those that we did not know to be lost: a former parent may have told it */
  sdm_node_send_up(n, &(struct sdm_frame){.type = SDM_BACK, .dest = set.p, .dest_len = set.len});
  sdm_bytes_fini(&set);
}

void sdm_node_take_back(struct sdm_node *n, const struct sdm_frame *f) {
  struct sdm_set *ids = sdm_set_new();
  if (sdm_set_deserialize(ids, (const char *)f->dest, f->dest_len, NULL) > 0)
    tell_back(n, sdm_set_intersect(ids, n->subtree));
  sdm_set_free(ids);
}

static bool is_route(struct sdm_node *n, uint64_t request) {
  const struct record *r = sdm_record_find(n, request);
  return r && r->is_route;
}

void sdm_node_take_answer(struct sdm_node *n, int slot, uint64_t request, const struct sdm_answer *a) {
  struct child *c = slot >= 0 ? &n->children[slot] : NULL;
  if (!c || !c->adopted || !is_route(n, request))
    return;
  struct sdm_set *ids = sdm_set_new(), *dead = sdm_set_intersect(sdm_set_copy(a->dead), c->ids);
  for (size_t i = 0; i < a->n; i++) /* an error: could not be reached */
    if (a->classes[i].kind == SDM_CLASS_OK)
      sdm_set_union(ids, a->classes[i].set);
  sdm_set_intersect(ids, c->ids);
  c->adopted = c->recalled = false;
  tell_back(n, ids);
  sdm_node_note_dead(n, dead, "its server was lost"); /* while nobody heard of it */
  sdm_set_free(dead);
  sdm_set_free(ids);
}

/* It is led by another one: by right, or by one that has lost it and does not know; then it is free before long. */
void sdm_node_take_refusal(struct sdm_node *n, int slot, const struct sdm_frame *f) {
  struct child *c = &n->children[slot];
  (void)f;
  if (!c->adopted)
    return;
  n->ops->drop(n->arg, c->link);
  c->state = CHILD_DUE;
  c->link = NULL;
  struct sdm_set *ids = sdm_set_copy(c->ids);
  sdm_records_lose(n, ids, true, "it is led by another server");
  sdm_set_free(ids);
}
