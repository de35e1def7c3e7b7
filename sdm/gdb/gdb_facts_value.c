/* Elements of arrays that are distributed over the ranks of a parallel run: who has one ("dvm owner"), and, where an element is evaluated
 * that is another rank's, that it is instead of what lies here in its place. */
#include "sdm/gdb/gdb_private.h"

static void send_question(struct sdm_backend *b, struct sdm_call *c, gdb_reply_f fn, const char *form, json_t *kept) {
  struct dvm_text t = DVM_TEXT_INIT, e = DVM_TEXT_INIT;
  sdm_gdb_put_where(b, &t, c);
  dvm_text_printf(&e, "%s(%s)", form, sdm_call_text(c, "expression", ""));
  dvm_text_add(&t, " ");
  sdm_mi_quote(&t, dvm_text_str(&e));
  struct gdb_pending *p = sdm_gdb_send(b, c, fn, "-data-evaluate-expression%s", dvm_text_str(&t));
  p->kept = json_incref(kept);
  p->errors_too = json_is_true(json_object_get(kept, "evaluate"));
  dvm_text_fini(&t);
  dvm_text_fini(&e);
}

/* ---- the owner ---- */

static bool number_of(const struct sdm_mi_record *r, json_t *kept, const char *key) {
  const char *value = sdm_gdb_field(r->results, "value");
  if (!strcmp(r->name, "error") || !value)
    return false;
  json_object_set_new(kept, key, json_integer((json_int_t)strtoull(value, NULL, 0)));
  return true;
}

static void got_address(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  if (number_of(r, p->kept, "address"))
    sdm_gdb_facts_read(b, p->call, p->kept);
  else
    sdm_call_fail(p->call, "expected: dvm owner ELEMENT");
}

void sdm_gdb_facts_owner(struct sdm_backend *b, struct sdm_call *c) {
  json_t *kept = json_object();
  send_question(b, c, got_address, "(unsigned long)&", kept);
  json_decref(kept);
}

/* ---- values ---- */

/* "dvm elsewhere": no value is wanted, only whether another rank has it. */
static bool is_asked(const struct sdm_call *c) { return !strcmp(sdm_call_text(c, "what", ""), "elsewhere"); }

static void go_plain(struct sdm_backend *b, struct sdm_call *c) {
  if (is_asked(c))
    sdm_call_done(c, json_object(), NULL);
  else
    sdm_gdb_evaluate_plain(b, c);
}

void sdm_gdb_facts_elsewhere(struct sdm_backend *b, struct sdm_call *c) {
  if (!sdm_gdb_facts_evaluate(b, c))
    go_plain(b, c);
}

/* It has no effects if it is evaluated twice, and may be an element. */
static bool is_plain(const char *e) {
  return (strchr(e, '[') || *e == '*') && !strpbrk(e, "(=$@\"';{") && !strstr(e, "++") && !strstr(e, "--");
}

static void got_sized(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  if (number_of(r, p->kept, "size"))
    sdm_gdb_facts_read(b, p->call, p->kept);
  else
    go_plain(b, p->call);
}

static void got_located(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  if (number_of(r, p->kept, "address"))
    send_question(b, p->call, got_sized, "sizeof", p->kept);
  else
    go_plain(b, p->call);
}

bool sdm_gdb_facts_evaluate(struct sdm_backend *b, struct sdm_call *c) {
  if (b->not_parallel || sdm_call_text(c, "value", NULL) || !is_plain(sdm_call_text(c, "expression", "")))
    return false;
  if (!sdm_gdb_ready(b, c))
    return true; /* it has failed */
  json_t *kept = json_pack("{s:b}", "evaluate", 1);
  send_question(b, c, got_located, "(unsigned long)&", kept);
  json_decref(kept);
  return true;
}

static void got_edge(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  const char *value = sdm_gdb_field(r->results, "value"), *owners = json_string_value(json_object_get(p->kept, "owners"));
  const char *state = json_string_value(json_object_get(p->kept, "state"));
  struct dvm_text t = DVM_TEXT_INIT;
  (void)b;
  dvm_text_printf(&t, "%s (%s; rank %s has it)", value ? value : "", state ? state : "edge", owners);
  sdm_call_done(p->call, json_pack("{s:s}", "value", dvm_text_str(&t)), NULL);
  dvm_text_fini(&t);
}

void sdm_gdb_facts_value(struct sdm_backend *b, struct sdm_call *c, const json_t *element, const json_t *kept) {
  const char *here = json_string_value(json_object_get(element, "here")), *name = json_string_value(json_object_get(element, "element"));
  const char *owners = json_string_value(json_object_get(element, "owners"));
  bool whole = json_integer_value(json_object_get(kept, "size")) <= json_integer_value(json_object_get(element, "bytes"));
  bool reduced = sdm_call_text(c, "reduce", NULL), formatted = sdm_call_text(c, "format", NULL);
  if (here && owners && *owners && whole && !strcmp(here, "no") && is_asked(c))
    sdm_call_done(c, json_pack("{s:s, s:s}", "owners", owners, "element", name), NULL);
  else if (here && owners && *owners && whole && !strcmp(here, "no"))
    sdm_call_fail(c, "rank %s has '%s': 'p%d print %s'", owners, name, atoi(owners), name);
  else if (here && whole && !reduced && !formatted && !is_asked(c) && !strcmp(here, "edge")) {
    json_t *of = json_deep_copy(element);
    json_object_del(of, "evaluate");
    send_question(b, c, got_edge, "", of);
    json_decref(of);
  } else
    go_plain(b, c);
}
