/* Requests of the DAP adapter beyond the protocol: sets of ranks, merged answers. */
#include <stdlib.h>
#include <string.h>

#include "sdm/dap/dap_private.h"
#include "sdm/overlay/prefix.h"

json_t *sdm_dap_do_focus(struct dap *d, const json_t *args) {
  struct dvm_error err = DVM_ERROR_INIT;
  const char *text = sdm_dap_text(args, "set");
  struct sdm_set *set = d->open && text ? sdm_select(&d->s, &d->names, text, &err) : NULL;
  if (!set)
    return sdm_dap_fail(d, "%s", err.code ? err.text : "'set' is missing");
  free(d->focus);
  d->focus = sdm_strdup(text);
  char *ranks = sdm_set_text(set);
  json_t *body = json_pack("{s:s, s:i}", "ranks", ranks, "count", (int)sdm_set_size(set));
  free(ranks);
  sdm_set_free(set);
  return body;
}

/* {"expression"}: its values over the focus, each with its ranks. */
json_t *sdm_dap_do_compare(struct dap *d, const json_t *args) {
  const char *expression = sdm_dap_text(args, "expression");
  struct sdm_set *to = sdm_dap_focus_set(d);
  json_t *list = json_array();
  struct sdm_answer *a = sdm_dap_ask(d, to,
                                     json_pack("{s:s, s:s, s:i}", "cmd", "evaluate", "expression", expression ? expression : "", "frame",
                                               -2), /* the user's code, wherever in MPI a rank stands */
                                     SDM_REDUCE_SAME);
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    char *ranks = sdm_set_text(a->classes[i].set);
    json_t *one = json_pack("{s:s}", "ranks", ranks);
    if (body)
      json_object_set(one, "value", json_object_get(body, "value"));
    else
      json_object_set_new(one, "error", json_stringn((const char *)a->classes[i].body.p, a->classes[i].body.len));
    json_array_append_new(list, one);
    json_decref(body);
    free(ranks);
  }
  sdm_answer_free(a);
  sdm_set_free(to);
  return json_pack("{s:o}", "values", list);
}

static json_t *place_json(const struct sdm_set *set, const char *state, const json_t *event) {
  char *ranks = sdm_set_text(set);
  json_t *j = json_pack("{s:s, s:i, s:s}", "ranks", ranks, "count", (int)sdm_set_size(set), "state", state);
  static const char *const texts[] = {"func", "file", "path", "signal", "diagnostic"};
  for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
    if (sdm_dap_text(event, texts[i]))
      json_object_set(j, i < 3 ? texts[i] : "why", json_object_get(event, texts[i]));
  if (json_object_get(event, "line"))
    json_object_set(j, "line", json_object_get(event, "line"));
  free(ranks);
  return j;
}

/* Who is where, those at one place together. */
json_t *sdm_dap_do_places(struct dap *d, const json_t *args) {
  json_t *list = json_array();
  (void)args;
  for (size_t i = 0; i < d->s.nplaces; i++)
    json_array_append_new(list, place_json(d->s.places[i].set, sdm_dap_text(d->s.places[i].event, "event"), d->s.places[i].event));
  if (!sdm_set_is_empty(d->s.running))
    json_array_append_new(list, place_json(d->s.running, "running", NULL));
  if (!sdm_set_is_empty(d->s.dead))
    json_array_append_new(list, place_json(d->s.dead, "dead", NULL));
  return json_pack("{s:o}", "places", list);
}

static json_t *tree_json(const struct sdm_prefix *p) {
  json_t *list = json_array();
  char *ranks = sdm_set_text(p->set);
  for (size_t i = 0; i < p->n; i++)
    json_array_append_new(list, tree_json(p->children[i]));
  json_t *j = json_pack("{s:s, s:s, s:o}", "name", p->name, "ranks", ranks, "children", list);
  free(ranks);
  return j;
}

json_t *sdm_dap_do_merge(struct dap *d, const json_t *args) {
  struct sdm_set *to = sdm_dap_focus_set(d);
  (void)args;
  sdm_set_intersect(to, d->s.stopped);
  struct sdm_answer *a = sdm_dap_ask(d, to, json_pack("{s:s, s:s}", "cmd", "stack", "reduce", "tree"), SDM_REDUCE_TREE);
  struct sdm_prefix *p =
      a->n && a->classes[0].kind == SDM_CLASS_OK ? sdm_prefix_decode(a->classes[0].body.p, a->classes[0].body.len) : NULL;
  json_t *body = p ? json_pack("{s:o}", "tree", tree_json(p)) : sdm_dap_fail(d, "no rank is stopped");
  sdm_prefix_free(p);
  sdm_answer_free(a);
  sdm_set_free(to);
  return body;
}
