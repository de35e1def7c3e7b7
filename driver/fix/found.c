#define _GNU_SOURCE
#include "driver/fix/found.h"
#include "base/text.h"
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Owned.  Where one of 'names' begins, the one behind it stands in its place. */
static char *renamed(const char *s, const struct dvm_list *names) {
  struct dvm_text t = DVM_TEXT_INIT;
  dvm_text_add(&t, "");
  while (*s) {
    size_t i = 0;
    while (i < names->n && strncmp(s, names->v[i], strlen(names->v[i])))
      i += 2;
    if (i < names->n) {
      dvm_text_add(&t, names->v[i + 1]);
      s += strlen(names->v[i]);
    } else {
      dvm_text_add_n(&t, s++, 1);
    }
  }
  char *copy = t.failed ? NULL : strdup(dvm_text_str(&t));
  dvm_text_fini(&t);
  return copy;
}

static char *text_of(const json_t *object, const char *key, const struct dvm_list *names) {
  const char *s = json_string_value(json_object_get(object, key));
  return renamed(s ? s : "", names);
}

static size_t number_of(const json_t *object, const char *key) {
  json_int_t n = json_integer_value(json_object_get(object, key));
  return n > 0 ? (size_t)n : 0;
}

/* All of them, each in a line. */
static char *lines_of(const json_t *strings) {
  char *text = NULL;
  size_t n = 0, i;
  const json_t *s;
  FILE *f = open_memstream(&text, &n);
  if (!f)
    return NULL;
  json_array_foreach(strings, i, s) fprintf(f, "%s%s", i ? "\n" : "", json_string_value(s) ? json_string_value(s) : "");
  return fclose(f) ? NULL : text;
}

/* Room for one more. */
static struct fix_found *grow(struct fix_findings *f, size_t nedits) {
  struct fix_found *v = reallocarray(f->v, f->n + 1, sizeof *v);
  if (!v)
    return NULL;
  f->v = v;
  v[f->n] = (struct fix_found){.nedits = nedits, .edits = calloc(nedits + 1, sizeof *v->edits)};
  return v[f->n].edits ? &v[f->n++] : NULL;
}

static bool is_whole(const struct fix_found *d) {
  for (size_t i = 0; i < d->nedits; i++)
    if (!d->edits[i].file || !d->edits[i].text)
      return false;
  return d->id && d->severity && d->file && d->message && d->variable && d->help && d->no_edit;
}

static int add(struct fix_findings *f, const json_t *line, const struct dvm_list *names, struct dvm_error *err) {
  const json_t *edits = json_object_get(line, "edit"), *e;
  struct fix_found *d = grow(f, json_array_size(edits));
  size_t i;
  if (!d)
    return dvm_error_set(err, -ENOMEM, "out of memory");
  d->id = text_of(line, "id", names);
  d->severity = text_of(line, "severity", names);
  d->file = text_of(line, "file", names);
  d->message = text_of(line, "message", names);
  d->variable = text_of(line, "variable", names);
  char *help = lines_of(json_object_get(line, "help"));
  d->help = help ? renamed(help, names) : NULL;
  free(help);
  d->no_edit = text_of(line, "noEdit", names);
  d->line = number_of(line, "line");
  d->column = number_of(line, "column");
  json_array_foreach(edits, i, e) d->edits[i] = (struct fix_edit){text_of(e, "file", names), text_of(e, "text", names),
                                                                  number_of(e, "line"), number_of(e, "column"), number_of(e, "length")};
  return is_whole(d) ? 0 : dvm_error_set(err, -ENOMEM, "out of memory");
}

int fix_findings_copy(struct fix_findings *to, const struct fix_findings *from, struct dvm_error *err) {
  *to = (struct fix_findings){NULL, 0};
  for (size_t i = 0; i < from->n; i++) {
    const struct fix_found *d = &from->v[i];
    struct fix_found *c = grow(to, d->nedits);
    if (!c)
      return dvm_error_set(err, -ENOMEM, "out of memory");
    struct fix_edit *edits = c->edits;
    *c = (struct fix_found){strdup(d->id),
                            strdup(d->severity),
                            strdup(d->file),
                            strdup(d->message),
                            strdup(d->variable),
                            strdup(d->help),
                            strdup(d->no_edit),
                            d->line,
                            d->column,
                            d->nedits,
                            edits,
                            d->origin};
    for (size_t k = 0; k < d->nedits; k++) {
      const struct fix_edit *e = &d->edits[k];
      edits[k] = (struct fix_edit){strdup(e->file), strdup(e->text), e->line, e->column, e->length};
    }
    if (!is_whole(c))
      return dvm_error_set(err, -ENOMEM, "out of memory");
  }
  return 0;
}

static void found_fini(struct fix_found *d) {
  char *const owned[] = {d->id, d->severity, d->file, d->message, d->variable, d->help, d->no_edit};
  for (size_t k = 0; k < sizeof owned / sizeof *owned; k++)
    free(owned[k]);
  for (size_t k = 0; k < d->nedits; k++) {
    free(d->edits[k].file);
    free(d->edits[k].text);
  }
  free(d->edits);
}

/* What several programs report is one finding. */
static void drop_repeated(struct fix_findings *f) {
  const struct fix_found *d = &f->v[f->n - 1];
  for (size_t i = 0; i + 1 < f->n; i++) {
    const struct fix_found *o = &f->v[i];
    if (o->line == d->line && o->column == d->column && !strcmp(o->id, d->id) && !strcmp(o->file, d->file) &&
        !strcmp(o->variable, d->variable)) {
      found_fini(&f->v[--f->n]);
      return;
    }
  }
}

static int read_line(struct fix_findings *f, const char *line, const char *path, const struct dvm_list *names, bool several,
                     struct dvm_error *err) {
  json_error_t why;
  json_t *object = json_loads(line, 0, &why);
  int rc = json_is_object(object) ? add(f, object, names, err) : dvm_error_set(err, -EBADMSG, "'%s' is not a report", path);
  json_decref(object);
  if (!rc && several)
    drop_repeated(f);
  return rc;
}

static int read_report(struct fix_findings *f, const char *path, const struct dvm_list *names, bool several, struct dvm_error *err) {
  FILE *in = fopen(path, "re");
  char *line = NULL;
  size_t size = 0;
  int rc = 0;
  if (!in)
    return dvm_error_errno(err, "cannot read '%s'", path);
  while (!rc && getline(&line, &size, in) > 0)
    rc = read_line(f, line, path, names, several, err);
  free(line);
  fclose(in);
  return rc;
}

static int is_report(const struct dirent *e) { return strstr(e->d_name, ".jsonl") != NULL; }

int fix_findings_read(struct fix_findings *f, const char *folder, const struct dvm_list *names, size_t *nreports, struct dvm_error *err) {
  struct dirent **entries;
  int rc = 0, n = scandir(folder, &entries, is_report, versionsort);
  *f = (struct fix_findings){NULL, 0};
  if (n < 0)
    return dvm_error_errno(err, "cannot read '%s'", folder);
  *nreports = (size_t)n;
  for (int i = 0; i < n; i++) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, entries[i]->d_name);
    rc = rc ? rc : read_report(f, path, names, n > 1, err);
    free(entries[i]);
  }
  free(entries);
  if (rc)
    fix_findings_fini(f);
  return rc;
}

void fix_findings_fini(struct fix_findings *f) {
  for (size_t i = 0; i < f->n; i++)
    found_fini(&f->v[i]);
  free(f->v);
  *f = (struct fix_findings){NULL, 0};
}

bool fix_found_same(const struct fix_found *a, const struct fix_found *b, bool any_id) {
  return a->origin == b->origin && !strcmp(a->file, b->file) && !strcmp(a->variable, b->variable) && (any_id || !strcmp(a->id, b->id));
}

const struct fix_found *fix_findings_like(const struct fix_findings *f, const struct fix_found *a, bool any_id) {
  for (size_t i = 0; i < f->n; i++)
    if (fix_found_same(&f->v[i], a, any_id))
      return &f->v[i];
  return NULL;
}
