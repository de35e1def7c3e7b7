#include "sdm/console/select.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define DEPTH_MAX 20

struct parser {
  struct sdm_session *s;
  const struct sdm_names *names;
  const char *p;
  unsigned depth;
  struct dvm_error *err;
};

void sdm_names_set(struct sdm_names *names, const char *name, const char *text) {
  for (size_t i = 0; i < names->n; i++)
    if (!strcmp(names->items[i].name, name)) {
      free(names->items[i].text);
      names->items[i].text = sdm_strdup(text);
      return;
    }
  names->items = sdm_realloc(names->items, (names->n + 1) * sizeof(*names->items));
  names->items[names->n].name = sdm_strdup(name);
  names->items[names->n++].text = sdm_strdup(text);
}

void sdm_names_fini(struct sdm_names *names) {
  for (size_t i = 0; i < names->n; i++) {
    free(names->items[i].name);
    free(names->items[i].text);
  }
  free(names->items);
  *names = (struct sdm_names){0};
}

static struct sdm_set *expression(struct parser *p);

static void blanks(struct parser *p) {
  while (isspace((unsigned char)*p->p))
    p->p++;
}

/* Ranks whose last stop has 'key' equal to 'value' (text, or a number). */
static struct sdm_set *at_place(struct parser *p, const char *key, const char *value) {
  struct sdm_set *set = sdm_set_new();
  for (size_t i = 0; i < p->s->nplaces; i++) {
    const json_t *v = json_object_get(p->s->places[i].event, key);
    if (json_is_integer(v) ? json_integer_value(v) == atoll(value) : json_is_string(v) && !strcmp(json_string_value(v), value))
      sdm_set_union(set, p->s->places[i].set);
  }
  return set;
}

/* Asks the ranks; those whose answer has 'key' equal to one of the values. */
static struct sdm_set *asked(struct parser *p, const struct sdm_set *of, json_t *command, const char *key,
                             bool (*fits)(const char *text, const char *arg), const char *arg) {
  struct sdm_set *set = sdm_set_new();
  struct sdm_answer *a = sdm_session_ask(p->s, of, command, SDM_REDUCE_SAME, 3000);
  for (size_t i = 0; i < a->n; i++) {
    json_t *body = a->classes[i].kind == SDM_CLASS_OK ? sdm_class_json(&a->classes[i]) : NULL;
    const char *text = json_string_value(json_object_get(body, key));
    if (text && fits(text, arg))
      sdm_set_union(set, a->classes[i].set);
    json_decref(body);
  }
  const struct sdm_class *first = a->n ? &a->classes[0] : NULL;
  bool known = !first;
  for (size_t i = 0; i < a->n; i++)
    known |= a->classes[i].kind == SDM_CLASS_OK;
  if (!known)
    dvm_error_set(p->err, -EINVAL, "%.*s", (int)first->body.len, (const char *)first->body.p);
  sdm_answer_free(a);
  if (known)
    return set;
  sdm_set_free(set);
  return NULL;
}

static bool is_true(const char *text, const char *arg) {
  (void)arg;
  return strcmp(text, "0") && strcmp(text, "false");
}
static bool is_same(const char *text, const char *arg) { return !strcmp(text, arg); }

static struct sdm_set *call(struct parser *p, const char *name, const char *arg) {
  if (!strcmp(name, "bp"))
    return at_place(p, "bp", arg);
  if (!strcmp(name, "at"))
    return at_place(p, "func", arg);
  if (!strcmp(name, "host"))
    return asked(p, p->s->all, json_pack("{s:s}", "cmd", "where"), "host", is_same, arg);
  if (!strcmp(name, "value"))
    return asked(p, p->s->stopped, json_pack("{s:s, s:s}", "cmd", "evaluate", "expression", arg), "value", is_true, arg);
  dvm_error_set(p->err, -EINVAL, "there is no live set '%s'; there are bp(), at(), host() and value()", name);
  return NULL;
}

static struct sdm_set *named(struct parser *p, const char *name) {
  struct sdm_session *s = p->s;
  const struct {
    const char *name;
    const struct sdm_set *set;
  } own[] = {{"all", s->all}, {"stopped", s->stopped}, {"running", s->running}, {"exited", s->exited}, {"dead", s->dead}};
  for (size_t i = 0; i < 5; i++)
    if (!strcmp(name, own[i].name))
      return sdm_set_copy(own[i].set);
  for (size_t i = 0; i < p->names->n; i++) {
    if (strcmp(name, p->names->items[i].name))
      continue;
    struct parser inner = {s, p->names, p->names->items[i].text, p->depth + 1, p->err};
    if (p->depth < DEPTH_MAX)
      return expression(&inner);
    dvm_error_set(p->err, -ELOOP, "the set '%s' is defined in terms of itself", name);
    return NULL;
  }
  dvm_error_set(p->err, -ENOENT, "there is no set '%s'", name);
  return NULL;
}

static struct sdm_set *name_or_call(struct parser *p) {
  char name[64];
  size_t n = strspn(p->p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789");
  if (n >= sizeof(name)) {
    dvm_error_set(p->err, -EINVAL, "'%.20s...' is too long for the name of a set", p->p);
    return NULL;
  }
  memcpy(name, p->p, n);
  name[n] = 0;
  p->p += n;
  if (*p->p != '(')
    return named(p, name);
  const char *start = ++p->p;
  for (int depth = 1; *p->p; p->p++)
    if ((depth += (*p->p == '(') - (*p->p == ')')) == 0)
      break;
  if (*p->p != ')') {
    dvm_error_set(p->err, -EINVAL, "'%s(' has no closing ')'", name);
    return NULL;
  }
  char *arg = sdm_strdup(start);
  arg[p->p++ - start] = 0;
  struct sdm_set *set = call(p, name, arg);
  free(arg);
  return set;
}

static struct sdm_set *term(struct parser *p) {
  struct sdm_set *set = NULL;
  blanks(p);
  if (*p->p == '(' && p->depth < DEPTH_MAX) {
    p->p++;
    p->depth++;
    set = expression(p);
    p->depth--;
    if (set && *p->p++ != ')') {
      sdm_set_free(set);
      dvm_error_set(p->err, -EINVAL, "')' is missing");
      return NULL;
    }
  } else if (isdigit((unsigned char)*p->p)) {
    char text[64];
    size_t n = strspn(p->p, "0123456789-/");
    n = n < sizeof(text) - 1 ? n : sizeof(text) - 1;
    memcpy(text, p->p, n);
    text[n] = 0;
    p->p += n;
    set = sdm_set_new();
    if (sdm_set_parse(set, text, p->err)) {
      sdm_set_free(set);
      return NULL;
    }
  } else if (isalpha((unsigned char)*p->p) || *p->p == '_')
    set = name_or_call(p);
  else
    dvm_error_set(p->err, -EINVAL, "expected ranks or the name of a set, found '%s'", *p->p ? p->p : "the end");
  blanks(p);
  return set;
}

static struct sdm_set *expression(struct parser *p) {
  struct sdm_set *set = term(p);
  while (set && *p->p && strchr(",!&^", *p->p)) {
    char op = *p->p++;
    struct sdm_set *right = term(p);
    if (!right) {
      sdm_set_free(set);
      return NULL;
    }
    if (op == ',')
      sdm_set_union(set, right);
    else if (op == '!')
      sdm_set_diff(set, right);
    else if (op == '&')
      sdm_set_intersect(set, right);
    else
      sdm_set_xor(set, right);
    sdm_set_free(right);
  }
  return set;
}

struct sdm_set *sdm_select(struct sdm_session *s, const struct sdm_names *names, const char *text, struct dvm_error *err) {
  struct parser p = {s, names, text, 0, err};
  struct sdm_set *set = expression(&p);
  if (set && *p.p) {
    dvm_error_set(err, -EINVAL, "unexpected '%s' in a set", p.p);
    sdm_set_free(set);
    return NULL;
  }
  struct sdm_set *known = set ? sdm_set_intersect(sdm_set_copy(set), s->all) : NULL;
  if (set && !sdm_set_is_subset(set, s->all)) {
    char *there = sdm_set_text(s->all);
    dvm_error_set(err, -ERANGE, "'%s' names ranks that do not exist; the ranks are %s", text, there);
    free(there);
    sdm_set_free(known);
    known = NULL;
  }
  sdm_set_free(set);
  return known;
}
