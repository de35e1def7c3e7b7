#define _GNU_SOURCE
#include "driver/fix/text.h"
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int no_memory(struct dvm_error *err) { return dvm_error_set(err, -ENOMEM, "out of memory"); }

/* ---- texts -------------------------------------------------------------------------------------------------------------- */

static void text_fini(struct fix_text *t) {
  free(t->s);
  free(t->origin);
  *t = (struct fix_text){NULL, 0, NULL, 0};
}

static int text_copy(struct fix_text *to, const struct fix_text *from, struct dvm_error *err) {
  struct fix_text t = {malloc(from->n + 1), from->n, malloc((from->nlines + 1) * sizeof *t.origin), from->nlines};
  if (!t.s || !t.origin) {
    text_fini(&t);
    return no_memory(err);
  }
  memcpy(t.s, from->s, from->n);
  t.s[t.n] = 0;
  memcpy(t.origin, from->origin, from->nlines * sizeof *t.origin);
  text_fini(to);
  *to = t;
  return 0;
}

static size_t count_lines(const char *s, size_t n) {
  size_t lines = 0;
  for (size_t i = 0; i < n; i++)
    lines += s[i] == '\n';
  return lines;
}

/* Offset of a line, from 1; SIZE_MAX if there is none such. */
static size_t line_offset(const struct fix_text *t, size_t line) {
  size_t at = 0;
  for (size_t i = 1; i < line; i++) {
    const char *next = memchr(t->s + at, '\n', t->n - at);
    if (!next)
      return SIZE_MAX;
    at = (size_t)(next - t->s) + 1;
  }
  return at;
}

/* Bytes [at, at + length) give way to 'with'. */
static int text_replace(struct fix_text *t, size_t at, size_t length, const char *with, struct dvm_error *err) {
  size_t n = strlen(with), come = count_lines(with, n), go = count_lines(t->s + at, length), line = count_lines(t->s, at);
  char *s = malloc(t->n - length + n + 1);
  uint32_t *origin = malloc((t->nlines + come + 1) * sizeof *origin);
  if (!s || !origin) {
    free(s);
    free(origin);
    return no_memory(err);
  }
  memcpy(s, t->s, at);
  memcpy(s + at, with, n);
  memcpy(s + at + n, t->s + at + length, t->n - at - length + 1);
  /* What stays of the line that 'at' is in keeps its number: it is in front of the new lines unless 'at' begins it. */
  bool begins = at == 0 || t->s[at - 1] == '\n';
  size_t keep = line + !begins, rest = line + go + !begins;
  memcpy(origin, t->origin, keep * sizeof *origin);
  for (size_t i = 0; i < come; i++)
    origin[keep + i] = line < t->nlines ? t->origin[line] : 0;
  memcpy(origin + keep + come, t->origin + rest, (t->nlines - rest) * sizeof *origin);
  free(t->s);
  free(t->origin);
  *t = (struct fix_text){s, t->n - length + n, origin, keep + come + t->nlines - rest};
  return 0;
}

static int text_read(struct fix_text *t, int fd, size_t size, struct dvm_error *err) {
  *t = (struct fix_text){malloc(size + 1), 0, NULL, 0};
  for (ssize_t n = 1; t->s && t->n < size && n > 0; t->n += n > 0 ? (size_t)n : 0)
    n = read(fd, t->s + t->n, size - t->n);
  if (!t->s)
    return no_memory(err);
  t->s[t->n] = 0;
  t->nlines = count_lines(t->s, t->n) + 1;
  t->origin = malloc((t->nlines + 1) * sizeof *t->origin);
  for (size_t i = 0; t->origin && i < t->nlines; i++)
    t->origin[i] = (uint32_t)i + 1;
  return t->origin ? 0 : no_memory(err);
}

/* ---- files -------------------------------------------------------------------------------------------------------------- */

static void file_fini(struct fix_file *f) {
  free(f->name);
  free(f->path);
  text_fini(&f->first);
  text_fini(&f->good);
  text_fini(&f->tried);
}

int fix_file_write(const char *path, const char *s, size_t n, struct dvm_error *err) {
  FILE *f = fopen(path, "we");
  bool bad = !f || fwrite(s, 1, n, f) != n;
  if ((f && fclose(f)) || bad)
    return dvm_error_errno(err, "cannot write '%s'", path);
  return 0;
}

void fix_files_fini(struct fix_files *files) {
  for (size_t i = 0; i < files->n; i++)
    file_fini(&files->v[i]);
  free(files->v);
  *files = (struct fix_files){NULL, 0};
}

static char *absolute(const char *name) {
  char *path, *here = name[0] == '/' ? strdup("") : getcwd(NULL, 0);
  if (!here || asprintf(&path, "%s%s%s", here, name[0] == '/' ? "" : "/", name) < 0)
    path = NULL;
  free(here);
  return path;
}

static int load(struct fix_file *f, const char *name, struct dvm_error *err) {
  *f = (struct fix_file){.name = strdup(name), .path = absolute(name)};
  int fd = open(name, O_RDONLY | O_CLOEXEC);
  int rc = !f->name || !f->path ? no_memory(err) : fd < 0 || fstat(fd, &f->st) ? dvm_error_errno(err, "cannot read '%s'", name) : 0;
  if (!rc)
    rc = text_read(&f->first, fd, (size_t)f->st.st_size, err);
  if (!rc)
    rc = text_copy(&f->good, &f->first, err);
  if (!rc)
    rc = text_copy(&f->tried, &f->first, err);
  if (fd >= 0)
    close(fd);
  return rc;
}

struct fix_file *fix_files_get(struct fix_files *files, const char *name, struct dvm_error *err) {
  for (size_t i = 0; i < files->n; i++)
    if (!strcmp(files->v[i].name, name))
      return &files->v[i];
  struct fix_file *v = reallocarray(files->v, files->n + 1, sizeof *v);
  if (!v) {
    no_memory(err);
    return NULL;
  }
  files->v = v;
  if (!load(&v[files->n], name, err))
    return &files->v[files->n++];
  file_fini(&v[files->n]);
  return NULL;
}

/* ---- edits -------------------------------------------------------------------------------------------------------------- */

struct placed {
  const struct fix_edit *edit;
  size_t at, order;
};

static int from_the_end(const void *a, const void *b) {
  const struct placed *x = a, *y = b;
  if (x->at != y->at)
    return x->at < y->at ? 1 : -1;
  return x->order < y->order ? 1 : -1;
}

static int place(struct placed *p, struct fix_files *files, const struct fix_edit *e, size_t order, struct dvm_error *err) {
  struct fix_file *f = fix_files_get(files, e->file, err);
  if (!f)
    return err->code;
  size_t line = line_offset(&f->tried, e->line), at = line == SIZE_MAX ? line : line + e->column - 1;
  if (!e->line || !e->column || at > f->tried.n || e->length > f->tried.n - at)
    return dvm_error_set(err, -EINVAL, "the edit does not fit '%s'", e->file);
  *p = (struct placed){e, at, order};
  return 0;
}

static bool same_edit(const struct placed *a, const struct placed *b) {
  return a->at == b->at && a->edit->length == b->edit->length && !strcmp(a->edit->file, b->edit->file) &&
         !strcmp(a->edit->text, b->edit->text);
}

static bool overlap(const struct placed *a, const struct placed *b) {
  return !strcmp(a->edit->file, b->edit->file) && a->at < b->at + b->edit->length && b->at < a->at + a->edit->length;
}

/* Of equal edits the first one stays.  0, or -EINVAL. */
static int sift(struct placed *p, size_t *n, struct dvm_error *err) {
  size_t kept = 0;
  for (size_t i = 0; i < *n; i++) {
    bool again = false;
    for (size_t k = 0; k < kept && !again; k++) {
      again = same_edit(&p[i], &p[k]);
      if (!again && overlap(&p[i], &p[k]))
        return dvm_error_set(err, -EINVAL, "two edits of '%s' overlap", p[i].edit->file);
    }
    if (!again)
      p[kept++] = p[i];
  }
  *n = kept;
  return 0;
}

int fix_files_edit(struct fix_files *files, const struct fix_edit *const *edits, size_t n, struct dvm_error *err) {
  struct placed *p = calloc(n + 1, sizeof *p);
  int rc = p ? 0 : no_memory(err);
  for (size_t i = 0; i < n && !rc; i++)
    rc = place(&p[i], files, edits[i], i, err);
  if (!rc)
    rc = sift(p, &n, err);
  if (!rc)
    qsort(p, n, sizeof *p, from_the_end);
  for (size_t i = 0; i < n && !rc; i++)
    rc = text_replace(&fix_files_get(files, p[i].edit->file, err)->tried, p[i].at, p[i].edit->length, p[i].edit->text, err);
  free(p);
  return rc;
}

int fix_files_accept(struct fix_files *files, struct dvm_error *err) {
  int rc = 0;
  for (size_t i = 0; i < files->n && !rc; i++)
    rc = text_copy(&files->v[i].good, &files->v[i].tried, err);
  return rc;
}

int fix_files_back(struct fix_files *files, struct dvm_error *err) {
  int rc = 0;
  for (size_t i = 0; i < files->n && !rc; i++)
    rc = text_copy(&files->v[i].tried, &files->v[i].good, err);
  return rc;
}

size_t fix_files_origin(const struct fix_files *files, const char *name, size_t line) {
  for (size_t i = 0; i < files->n; i++)
    if (!strcmp(files->v[i].name, name) && line && line <= files->v[i].tried.nlines)
      return files->v[i].tried.origin[line - 1];
  return line;
}
