/* What gdb's commands cannot say, its Python can: parts of values, machine code, message queues.  The functions (sdm/gdb/python) are given
 * to a gdb when the first of them is needed; each answers with one line of JSON after a mark. */
#include <ctype.h>

#include "sdm/gdb/gdb_private.h"

#define ANSWER "@dvm "
#define FAILURE "@dvm! "

static void load(struct sdm_backend *b) {
  struct dvm_text t = DVM_TEXT_INIT;
  for (const char *const *piece = sdm_gdb_python_hex; *piece; piece++)
    dvm_text_add(&t, *piece);
  sdm_gdb_send(b, NULL, NULL, "-interpreter-exec console \"python exec(bytes.fromhex('%s').decode(), globals())\"", dvm_text_str(&t));
  dvm_text_fini(&t);
  b->python = true;
}

json_t *sdm_gdb_python_answer(const struct gdb_pending *p, struct dvm_text *why) {
  const char *text = p->text.len ? dvm_text_str((struct dvm_text *)&p->text) : "", *mark;
  if ((mark = strstr(text, "\n" ANSWER)))
    return json_loads(mark + sizeof(ANSWER), JSON_DISABLE_EOF_CHECK, NULL);
  mark = strstr(text, "\n" FAILURE);
  json_t *said = mark ? json_loads(mark + sizeof(FAILURE), JSON_DISABLE_EOF_CHECK | JSON_DECODE_ANY, NULL) : NULL;
  dvm_text_add(why, json_string_value(said) ? json_string_value(said) : "gdb gave no answer; it must be built with Python");
  json_decref(said);
  return NULL;
}

static void got_answer(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  struct dvm_text why = DVM_TEXT_INIT;
  json_t *answer = sdm_gdb_python_answer(p, &why);
  (void)b, (void)r;
  if (answer)
    sdm_call_done(p->call, answer, NULL);
  else
    sdm_call_fail(p->call, "%s", dvm_text_str(&why));
  dvm_text_fini(&why);
}

void sdm_gdb_python_ignore(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) { (void)b, (void)p, (void)r; }

static void put_hex(struct dvm_text *t, const char *s) {
  for (; *s; s++)
    dvm_text_printf(t, "%02x", (unsigned char)*s);
}

/* The name becomes part of a line of Python. */
static bool is_word(const char *s) {
  if (!*s)
    return false;
  for (; *s; s++)
    if (!islower((unsigned char)*s) && *s != '_')
      return false;
  return true;
}

struct gdb_pending *sdm_gdb_python(struct sdm_backend *b, struct sdm_call *c, const json_t *of, const char *name, gdb_reply_f fn) {
  struct dvm_text where = DVM_TEXT_INIT, hex = DVM_TEXT_INIT;
  char *args = of ? json_dumps(of, JSON_COMPACT) : sdm_strdup("{}");
  if (!b->python)
    load(b);
  if (c)
    sdm_gdb_put_where(b, &where, c);
  put_hex(&hex, args);
  struct gdb_pending *p = sdm_gdb_send(b, c, fn ? fn : got_answer, "-interpreter-exec%s console \"python dvm_run('%s', '%s')\"",
                                       dvm_text_str(&where), name, dvm_text_str(&hex));
  dvm_text_fini(&where);
  dvm_text_fini(&hex);
  free(args);
  return p;
}

void sdm_gdb_inspect(struct sdm_backend *b, struct sdm_call *c) {
  const char *what = sdm_call_text(c, "what", "");
  if (!is_word(what))
    sdm_call_fail(c, "'what' is missing");
  else if (sdm_gdb_start(b, c))
    sdm_gdb_python(b, c, sdm_call_args(c), what, NULL);
}

static void got_sources(struct sdm_backend *b, struct gdb_pending *p, const struct sdm_mi_record *r) {
  json_t *list = json_array(), *f;
  size_t i;
  (void)b;
  json_array_foreach(json_object_get(r->results, "files"), i, f) if (sdm_gdb_field(f, "fullname") && *sdm_gdb_field(f, "fullname") == '/')
      json_array_append_new(list, json_string(sdm_gdb_field(f, "fullname")));
  sdm_call_done(p->call, json_pack("{s:o}", "sources", list), NULL);
}

void sdm_gdb_sources(struct sdm_backend *b, struct sdm_call *c) {
  if (sdm_gdb_start(b, c))
    sdm_gdb_send(b, c, got_sources, "-file-list-exec-source-files");
}
