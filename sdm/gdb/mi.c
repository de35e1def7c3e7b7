#include "sdm/gdb/mi.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* Text that gdb passes on may be in any encoding, JSON must be UTF-8: what is not is shown byte by byte. */
static json_t *json_text(const char *s, size_t len) {
  json_t *j = json_stringn(s, len);
  if (j)
    return j;
  struct dvm_text t = DVM_TEXT_INIT;
  for (size_t i = 0; i < len; i++)
    if ((unsigned char)s[i] < 128 && s[i])
      dvm_text_add_n(&t, s + i, 1);
    else
      dvm_text_printf(&t, "\\x%02x", (unsigned char)s[i]);
  j = json_string(dvm_text_str(&t));
  dvm_text_fini(&t);
  return j ? j : json_string("");
}

static char escape_value(const char **p) {
  static const char from[] = "nrtabfve", to[] = "\n\r\t\a\b\f\v\033";
  char c = *(*p)++;
  const char *at = strchr(from, c);
  if (c >= '0' && c <= '7') {
    unsigned v = (unsigned)(c - '0');
    for (int i = 0; i < 2 && **p >= '0' && **p <= '7'; i++)
      v = v * 8 + (unsigned)(*(*p)++ - '0');
    return (char)v;
  }
  return at && c ? to[at - from] : c;
}

/* At an opening quote; past the closing one afterwards.  false: it never closes. */
static bool c_string(const char **p, struct dvm_text *out) {
  for (++*p; **p && **p != '"';) {
    char c = *(*p)++;
    if (c == '\\') {
      if (!**p)
        return false;
      c = escape_value(p);
    }
    dvm_text_add_n(out, &c, 1);
  }
  if (**p != '"')
    return false;
  ++*p;
  return true;
}

static json_t *value(const char **p, unsigned depth);

/* name=value; the name is copied into 'name' (cut at its size). */
static json_t *result(const char **p, char *name, size_t size, unsigned depth) {
  size_t n = strcspn(*p, "=,{}[]\"");
  if (!n || (*p)[n] != '=')
    return NULL;
  size_t keep = n < size - 1 ? n : size - 1;
  memcpy(name, *p, keep);
  name[keep] = 0;
  *p += n + 1;
  return value(p, depth);
}

static bool set_key(json_t *object, const char *name, json_t *v) {
  json_t *old = json_object_get(object, name);
  if (!old)
    return !json_object_set_new(object, name, v);
  if (json_is_array(old) && json_is_object(v)) /* the same name again: the values are collected */
    return !json_array_append_new(old, v);
  json_t *both = json_array();
  json_array_append(both, old);
  json_array_append_new(both, v);
  return !json_object_set_new(object, name, both);
}

static bool results(const char **p, char end, json_t *object, unsigned depth) {
  char name[128];
  while (**p != end) {
    json_t *v = result(p, name, sizeof(name), depth);
    if (!v || !set_key(object, name, v))
      return false;
    if (**p == ',')
      ++*p;
    else if (**p != end)
      return false;
  }
  return true;
}

static json_t *tuple(const char **p, unsigned depth) {
  json_t *object = json_object();
  ++*p;
  if (!results(p, '}', object, depth)) {
    json_decref(object);
    return NULL;
  }
  ++*p;
  return object;
}

static json_t *list(const char **p, unsigned depth) {
  json_t *array = json_array();
  char name[128];
  for (++*p; **p != ']';) {
    json_t *v = **p == '"' || **p == '{' || **p == '[' ? value(p, depth) : result(p, name, sizeof(name), depth);
    if (!v || (**p != ',' && **p != ']')) {
      json_decref(v);
      json_decref(array);
      return NULL;
    }
    json_array_append_new(array, v);
    *p += **p == ',';
  }
  ++*p;
  return array;
}

static json_t *value(const char **p, unsigned depth) {
  if (depth > SDM_MI_DEPTH_MAX)
    return NULL;
  if (**p == '{')
    return tuple(p, depth + 1);
  if (**p == '[')
    return list(p, depth + 1);
  if (**p != '"')
    return NULL;
  struct dvm_text t = DVM_TEXT_INIT;
  json_t *v = c_string(p, &t) ? json_text(dvm_text_str(&t), t.len) : NULL;
  dvm_text_fini(&t);
  return v;
}

static bool parse_stream(struct sdm_mi_record *r, const char *p, struct dvm_text *text) {
  if (*p != '"' || !c_string(&p, text) || *p)
    return false;
  r->text = dvm_text_str(text);
  return true;
}

static bool parse_async(struct sdm_mi_record *r, const char *p, struct dvm_text *name) {
  size_t n = strcspn(p, ",");
  dvm_text_add_n(name, p, n);
  r->name = dvm_text_str(name);
  r->results = json_object();
  p += n;
  p += *p == ',';
  return n && results(&p, 0, r->results, 0);
}

static void parse_line(const char *line, sdm_mi_f fn, void *arg) {
  struct sdm_mi_record r = {.kind = SDM_MI_OTHER, .text = line};
  struct dvm_text text = DVM_TEXT_INIT;
  const char *p = line;
  while (isdigit((unsigned char)*p) && r.token < UINT64_MAX / 16)
    r.token = r.token * 10 + (uint64_t)(*p++ - '0');
  char kind = *p;
  bool good = false;
  if (!strncmp(line, "(gdb)", 5)) {
    r.kind = SDM_MI_PROMPT;
    good = true;
  } else if (kind && strchr("~@&", kind))
    good = parse_stream(&r, p + 1, &text);
  else if (kind && strchr("^*+=", kind))
    good = parse_async(&r, p + 1, &text);
  if (good && r.kind != SDM_MI_PROMPT)
    r.kind = kind;
  if (!good)
    r = (struct sdm_mi_record){.kind = SDM_MI_OTHER, .text = line, .results = r.results};
  json_t *owned = r.results;
  if (r.kind == SDM_MI_OTHER)
    r.results = NULL;
  fn(arg, &r);
  json_decref(owned);
  dvm_text_fini(&text);
}

void sdm_mi_feed(struct sdm_mi *mi, const char *p, size_t len, sdm_mi_f fn, void *arg) {
  while (len) {
    const char *end = memchr(p, '\n', len);
    size_t n = end ? (size_t)(end - p) : len;
    if (mi->skipping || mi->line.len + n > SDM_MI_LINE_MAX) {
      mi->skipping = !end;
      dvm_text_clear(&mi->line);
    } else {
      dvm_text_add_n(&mi->line, p, n);
      if (end) {
        struct dvm_text line = mi->line; /* the callback may feed again */
        mi->line = (struct dvm_text)DVM_TEXT_INIT;
        if (line.len && line.s[line.len - 1] == '\r')
          line.s[--line.len] = 0;
        if (line.len)
          parse_line(line.s, fn, arg);
        dvm_text_fini(&line);
      }
    }
    p += n + (end != NULL);
    len -= n + (end != NULL);
  }
}

void sdm_mi_fini(struct sdm_mi *mi) { dvm_text_fini(&mi->line); }

void sdm_mi_quote(struct dvm_text *out, const char *s) {
  dvm_text_add(out, "\"");
  for (; *s; s++)
    if (*s == '"' || *s == '\\')
      dvm_text_printf(out, "\\%c", *s);
    else if (*s == '\n')
      dvm_text_add(out, "\\n");
    else
      dvm_text_add_n(out, s, 1);
  dvm_text_add(out, "\"");
}
