#define _GNU_SOURCE
#include "driver/fortran/depends.h"
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

struct scan {
  const struct fc_depends *d;
  struct dvm_list needs, makes; /* files: the source first; modules that it defines */
};

/* ---- names ------------------------------------------------------------------------------------------------------------------- */

static char *with_suffix(const char *name, const char *suffix) {
  const char *dot = strrchr(name, '.');
  char *out = NULL;
  const int n = dot && !strchr(dot, '/') ? (int)(dot - name) : (int)strlen(name);
  return asprintf(&out, "%.*s%s", n, name, suffix) < 0 ? NULL : out;
}

static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

char *fc_depends_file(const struct fc_depends *d, const char *source) {
  return d->file ? strdup(d->file) : with_suffix(d->only_object && d->output ? d->output : base_of(source), ".d");
}

char *fc_depends_target(const struct fc_depends *d, const char *source) {
  return d->targets.n ? strdup(d->targets.v[0]) : d->only_object && d->output ? strdup(d->output) : with_suffix(base_of(source), ".o");
}

void fc_depends_fini(struct fc_depends *d) {
  dvm_list_fini(&d->targets);
  dvm_list_fini(&d->folders);
}

/* ---- reading ----------------------------------------------------------------------------------------------------------------- */

static bool has(const struct dvm_list *l, const char *s) {
  for (size_t i = 0; i < l->n; i++)
    if (!strcmp(l->v[i], s))
      return true;
  return false;
}

static bool take_file(struct dvm_list *to, const char *folder, size_t n, const char *name) {
  char path[PATH_MAX];
  if (n == 1 && folder[0] == '.')
    n = 0;
  snprintf(path, sizeof path, "%.*s%s%s", (int)n, folder, n ? "/" : "", name);
  if (access(path, R_OK))
    return false;
  if (!has(to, path))
    dvm_list_add(to, path);
  return true;
}

/* Beside the file that includes it, here, or in one of the folders. */
static void include(struct scan *s, const char *from, const char *name) {
  const char *slash = strrchr(from, '/');
  if (*name == '/' ? take_file(&s->needs, "", 0, name) : slash && take_file(&s->needs, from, (size_t)(slash - from), name))
    return;
  if (*name == '/' || take_file(&s->needs, "", 0, name))
    return;
  for (size_t i = 0; i < s->d->folders.n; i++)
    if (take_file(&s->needs, s->d->folders.v[i], strlen(s->d->folders.v[i]), name))
      return;
}

static void use(struct scan *s, const char *module) {
  char name[300];
  snprintf(name, sizeof name, "%s.mod", module);
  if (has(&s->makes, module) || take_file(&s->needs, "", 0, name))
    return;
  if (s->d->modules && take_file(&s->needs, s->d->modules, strlen(s->d->modules), name))
    return;
  for (size_t i = 0; i < s->d->folders.n; i++)
    if (take_file(&s->needs, s->d->folders.v[i], strlen(s->d->folders.v[i]), name))
      return;
}

static const char *skip(const char *s) { return s + strspn(s, " \t"); }

/* The word at 's', in small letters; what follows it, or NULL: it is none. */
static const char *word_at(const char *s, char *word, size_t size) {
  size_t n = 0;
  if (!isalpha((unsigned char)*s))
    return NULL;
  for (; isalnum((unsigned char)s[n]) || s[n] == '_'; n++)
    if (n + 1 < size)
      word[n] = (char)tolower((unsigned char)s[n]);
  word[n < size ? n : size - 1] = 0;
  return skip(s + n);
}

static bool ends(const char *s) { return !*s || strchr("!;,\r\n", *s); }

/* "use m", "use :: m, only: x", "use, non_intrinsic :: m" */
static void read_use(struct scan *s, const char *at) {
  char word[256];
  if (*at == ',') {
    const char *next = word_at(skip(at + 1), word, sizeof word);
    if (!next || strcmp(word, "non_intrinsic"))
      return;
    at = next;
  }
  if (!strncmp(at, "::", 2))
    at = skip(at + 2);
  const char *next = word_at(at, word, sizeof word);
  if (next && ends(next))
    use(s, word);
}

static void read_module(struct scan *s, const char *at) {
  char word[256];
  const char *next = word_at(at, word, sizeof word);
  if (next && ends(next) && *next != ',' && strcmp(word, "procedure") && !has(&s->makes, word))
    dvm_list_add(&s->makes, word);
}

/* "submodule (m) s", "submodule (m:a) s" */
static void read_submodule(struct scan *s, const char *at) {
  char module[256], parent[256], word[256];
  const char *next = *at == '(' ? word_at(skip(at + 1), module, sizeof module) : NULL;
  if (!next)
    return;
  use(s, module);
  if (*next == ':' && (next = word_at(skip(next + 1), parent, sizeof parent))) {
    char name[600];
    snprintf(name, sizeof name, "%s-%s", module, parent);
    use(s, name);
  }
  if (next && *next == ')' && word_at(skip(next + 1), word, sizeof word))
    dvm_list_printf(&s->makes, "%s-%s", module, word);
}

static void read_include(struct scan *s, const char *from, const char *at) {
  static const char quotes[] = "'\"<", closing[] = "'\">";
  const char *quote = *at ? strchr(quotes, *at) : NULL, *end = quote ? strchr(at + 1, closing[quote - quotes]) : NULL;
  char name[PATH_MAX];
  if (!end)
    return;
  snprintf(name, sizeof name, "%.*s", (int)(end - at - 1), at + 1);
  include(s, from, name);
}

static void read_line(struct scan *s, const char *from, const char *line) {
  char word[256];
  const bool cpp = *skip(line) == '#';
  const char *at = word_at(skip(cpp ? skip(line) + 1 : line), word, sizeof word);
  if (!at)
    return;
  if (!strcmp(word, "include"))
    read_include(s, from, at);
  else if (cpp)
    return;
  else if (!strcmp(word, "use"))
    read_use(s, at);
  else if (!strcmp(word, "module"))
    read_module(s, at);
  else if (!strcmp(word, "submodule"))
    read_submodule(s, at);
}

/* The files that it includes are read behind it. */
static void read_file(struct scan *s, const char *name) {
  char *line = NULL;
  size_t size = 0;
  FILE *f = fopen(name, "re");
  while (f && getline(&line, &size, f) > 0)
    read_line(s, name, line);
  free(line);
  if (f)
    fclose(f);
}

/* ---- writing ----------------------------------------------------------------------------------------------------------------- */

/* As make reads it. */
static void put(FILE *f, const char *name) {
  for (; *name; name++) {
    if (strchr(" \t#\\", *name))
      fputc('\\', f);
    if (*name == '$')
      fputc('$', f);
    fputc(*name, f);
  }
}

static void write_rule(FILE *f, const struct scan *s, const char *target) {
  const struct fc_depends *d = s->d;
  put(f, target);
  for (size_t i = 1; i < d->targets.n; i++) {
    fputc(' ', f);
    put(f, d->targets.v[i]);
  }
  for (size_t i = 0; i < s->makes.n; i++) {
    fprintf(f, " %s%s", d->modules && strcmp(d->modules, ".") ? d->modules : "", d->modules && strcmp(d->modules, ".") ? "/" : "");
    fprintf(f, "%s.mod", s->makes.v[i]);
  }
  fputc(':', f);
  for (size_t i = 0; i < s->needs.n; i++) {
    fputc(' ', f);
    put(f, s->needs.v[i]);
  }
  fputc('\n', f);
  for (size_t i = 1; i < s->needs.n && d->phony; i++) {
    put(f, s->needs.v[i]);
    fputs(":\n", f);
  }
}

int fc_depends_write(const struct fc_depends *d, const char *source, struct dvm_error *err) {
  struct scan s = {d, DVM_LIST_INIT, DVM_LIST_INIT};
  char *path = fc_depends_file(d, source), *target = fc_depends_target(d, source);
  int rc = 0;
  dvm_list_add(&s.needs, source);
  for (size_t i = 0; i < s.needs.n; i++) { /* grows */
    const size_t n = strlen(s.needs.v[i]);
    if (n < 4 || strcmp(s.needs.v[i] + n - 4, ".mod"))
      read_file(&s, s.needs.v[i]);
  }
  FILE *f = path && target && !s.needs.failed && !s.makes.failed ? fopen(path, "we") : NULL;
  if (!path || !target || s.needs.failed || s.makes.failed)
    rc = dvm_error_set(err, -ENOMEM, "out of memory");
  else if (!f)
    rc = dvm_error_errno(err, "cannot write '%s'", path);
  if (f) {
    write_rule(f, &s, target);
    const bool bad = ferror(f);
    if (fclose(f) || bad)
      rc = dvm_error_errno(err, "cannot write '%s'", path);
  }
  dvm_list_fini(&s.needs);
  dvm_list_fini(&s.makes);
  free(path);
  free(target);
  return rc;
}
