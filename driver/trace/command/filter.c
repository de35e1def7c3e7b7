#define _GNU_SOURCE
#include "driver/trace/command/filter.h"
#include "driver/trace/format/context.h"
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void dvmt_wanted_fini(struct dvmt_wanted *w) {
  dvmt_select_fini(&w->variables);
  dvmt_select_fini(&w->files);
  dvmt_select_fini(&w->functions);
}

void dvmt_filter_fini(struct dvmt_filter *f) { free(f->place.file); }

static bool is_here(const struct dvmt_filter *f, const char *text) {
  struct dvmt_where w = dvmt_site_where(text);
  return w.file.s && dvmt_place_is(&f->place, w.file.s, w.file.n, w.line, w.column);
}

/* Executions of the construct before the present block, and how many of them are open. */
static void locate(struct dvmt_filter *f, struct dvmt_reader *r) {
  struct dvmt_context *x = malloc(sizeof(*x));
  f->executions = 0;
  f->inside = 0;
  if (!x)
    return;
  dvmt_context_init(x);
  if (!dvmt_reader_context(r, x)) {
    for (size_t i = 0; i < x->ncounts && i < dvmt_reader_nsites(r); i++)
      if (x->counts[i] && is_here(f, dvmt_reader_site(r, i)->text))
        f->executions += x->counts[i];
    for (int d = 0; d < x->depth; d++)
      f->inside +=
          is_here(f, dvmt_reader_site(r, x->open[d].site)->text) && (!f->wanted->execution || x->open[d].execution == f->wanted->execution);
  }
  dvmt_context_fini(x);
  free(x);
}

static int go_to(struct dvmt_filter *f, struct dvmt_reader *r, uint64_t record, struct dvm_error *err) {
  int rc = dvmt_reader_seek(r, record, err);
  if (!rc)
    rc = dvmt_reader_load(r, err);
  f->executions = 0;
  f->inside = 0;
  if (!rc && f->place.file && dvmt_reader_left(r))
    locate(f, r);
  if (!rc)
    f->record = dvmt_reader_position(r);
  return rc;
}

/* The last block before which the construct was executed less often than wanted. */
static int find_execution(struct dvmt_filter *f, struct dvmt_reader *r, struct dvm_error *err) {
  struct dvmt_summary s;
  int rc = dvmt_reader_summary(r, &s, err);
  uint64_t low = 0, high = rc ? 0 : s.records;
  while (!rc && high - low > DVMT_BLOCK_RECORDS) {
    uint64_t mid = low + (high - low) / 2;
    rc = go_to(f, r, mid, err);
    if (!rc && f->executions < f->wanted->execution)
      low = f->record > low ? f->record : mid;
    else
      high = mid;
  }
  return rc || !high ? rc : go_to(f, r, low, err);
}

int dvmt_filter_begin(struct dvmt_filter *f, struct dvmt_wanted *wanted, struct dvmt_reader *r, struct dvm_error *err) {
  *f = (struct dvmt_filter){.wanted = wanted};
  f->selects = wanted->element || wanted->variables.n || wanted->files.n || wanted->functions.n;
  f->is_element = wanted->element && dvmt_element_parse(wanted->element, &f->name, &f->index);
  if (wanted->element && !f->is_element && !strpbrk(wanted->element, ".>%"))
    return dvm_error_set(err, -EINVAL, "'%s' is not an element; expected a name and subscripts, as in 'A[3][4]', 'S[3].x[1]' or 'A(5,4)'",
                         wanted->element);
  if (wanted->construct) {
    int rc = dvmt_place_read(&f->place, wanted->construct);
    if (rc)
      return rc == -EINVAL ? dvm_error_set(err, -EINVAL, "'%s' is not a place; expected FILE:LINE", wanted->construct)
                           : dvm_error_set(err, -ENOMEM, "out of memory");
  }
  if (wanted->execution && f->place.file)
    return find_execution(f, r, err);
  if (wanted->from) {
    int rc = go_to(f, r, wanted->from, err);
    return rc == -ENODATA ? dvm_error_set(err, -EINVAL, "there is no record %llu", (unsigned long long)wanted->from) : rc;
  }
  return 0;
}

/* A part of a struct, or all that is in it: by the name that the dump shows. */
static bool is_named(const struct dvmt_reader *r, const struct dvmt_record *rec, const char *element) {
  char name[256];
  size_t n = strlen(element);
  dvmt_element_text(dvmt_reader_object(r, rec->object), rec->offset, dvmt_reader_site(r, rec->site)->text, name, sizeof(name));
  return !strncmp(name, element, n) && (!name[n] || strchr(".[-(%", name[n]));
}

static bool is_result(const struct dvmt_reader *r, const struct dvmt_record *rec, const char *element) {
  char name[256];
  dvmt_text_result(dvmt_reader_site(r, rec->site)->text, rec->words[0], name, sizeof(name));
  return !strcmp(name, element);
}

static bool is_element(const struct dvmt_filter *f, const struct dvmt_reader *r, const struct dvmt_record *rec) {
  if (rec->kind == DVMT_RESULT)
    return is_result(r, rec, f->wanted->element);
  if (rec->kind != DVMT_READ && rec->kind != DVMT_WRITE)
    return false;
  const struct dvmt_object_def *o = dvmt_reader_object(r, rec->object);
  if (!f->is_element)
    return is_named(r, rec, f->wanted->element);
  if (strlen(o->name) != f->name.n || memcmp(o->name, f->name.s, f->name.n) != 0)
    return strpbrk(f->wanted->element, ".>%") && is_named(r, rec, f->wanted->element); /* 'p->w[1]' may be a part of 'p', or of 'p->w' */
  int64_t offset = f->index.n ? dvmt_element_offset(o, &f->index) : -1;
  return !f->index.n || (offset >= 0 && rec->offset >= offset && rec->offset < offset + o->element_bytes);
}

static bool is_selected(struct dvmt_filter *f, const struct dvmt_reader *r, const struct dvmt_record *rec) {
  struct dvmt_wanted *w = f->wanted;
  const char *text = dvmt_reader_site(r, rec->site)->text, *variable = "";
  char name[256];
  if (rec->kind <= DVMT_WRITE || rec->kind == DVMT_DIGEST) {
    variable = dvmt_reader_object(r, rec->object)->name;
  } else if (rec->kind == DVMT_RESULT) {
    struct dvmt_type type;
    struct dvmt_span s = dvmt_result_name(text, rec->words[0], &type);
    snprintf(name, sizeof(name), "%.*s", (int)s.n, s.s);
    variable = name;
  }
  return (!w->variables.n || dvmt_select_has(&w->variables, variable, text)) &&
         (!w->files.n || dvmt_select_has(&w->files, variable, text)) && (!w->functions.n || dvmt_select_has(&w->functions, variable, text));
}

static bool is_wanted(struct dvmt_filter *f, const struct dvmt_reader *r, const struct dvmt_record *rec, uint64_t number) {
  if (rec->kind == DVMT_LOST)
    return true;
  bool inside = true;
  if (f->place.file) {
    bool here = (rec->kind == DVMT_ENTER || rec->kind == DVMT_LEAVE) && is_here(f, dvmt_reader_site(r, rec->site)->text);
    if (here && rec->kind == DVMT_ENTER)
      f->executions = dvmt_next_number((uint32_t)f->executions, rec->words);
    f->inside += here && rec->kind == DVMT_ENTER && (!f->wanted->execution || f->executions == f->wanted->execution);
    inside = f->inside > 0;
    f->inside -= here && rec->kind == DVMT_LEAVE && f->inside;
  }
  return inside && number >= f->wanted->from && (!f->wanted->element || is_element(f, r, rec)) && is_selected(f, r, rec);
}

/* Nothing that is wanted follows. */
static bool is_over(const struct dvmt_filter *f) {
  if (f->wanted->to && f->record > f->wanted->to)
    return true;
  return f->wanted->execution && f->place.file && !f->inside && f->executions >= f->wanted->execution && f->any;
}

/* ---- blocks without what is wanted --------------------------------------------------------------------------------------------------- */

static bool has_result(const struct dvmt_select *s, const char *text) {
  for (unsigned number = 0;; number++) {
    struct dvmt_type type;
    char name[256];
    struct dvmt_span found = dvmt_result_name(text, number, &type);
    if (dvmt_span_is(found, "?")) /* there are no more */
      return false;
    snprintf(name, sizeof(name), "%.*s", (int)found.n, found.s);
    if (dvmt_select_may(s, name, text))
      return true;
  }
}

static void want_site(struct dvmt_filter *f, size_t number, const char *text) {
  const struct dvmt_wanted *w = f->wanted;
  if ((w->files.n && !dvmt_select_may(&w->files, NULL, text)) || (w->functions.n && !dvmt_select_may(&w->functions, NULL, text)))
    return;
  if (!w->variables.n || dvmt_select_may(&w->variables, NULL, text))
    dvmt_contents_set(f->with.sites, number);
  if (!w->element && (!w->variables.n || dvmt_select_may(&w->variables, "", text) || has_result(&w->variables, text)))
    dvmt_contents_set(f->alone.sites, number);
}

static void want_object(struct dvmt_filter *f, size_t number, const char *name) {
  const struct dvmt_wanted *w = f->wanted;
  bool whole = w->element && !strpbrk(w->element, ".>"); /* parts may have names of their own */
  if ((!w->variables.n || dvmt_select_may(&w->variables, name, NULL)) &&
      (!whole || (strlen(name) == f->name.n && !memcmp(name, f->name.s, f->name.n))))
    dvmt_contents_set(f->with.objects, number);
}

/* Passes over blocks of which the index knows that nothing is wanted.  True: what the construct did in them is to be found out. */
static bool pass_blocks(struct dvmt_filter *f, struct dvmt_reader *r) {
  bool passed = false;
  while (f->selects && !dvmt_reader_left(r)) {
    for (; f->nsites < dvmt_reader_nsites(r); f->nsites++)
      want_site(f, f->nsites, dvmt_reader_site(r, f->nsites)->text);
    for (; f->nobjects < dvmt_reader_nobjects(r); f->nobjects++)
      want_object(f, f->nobjects, dvmt_reader_object(r, f->nobjects)->name);
    if (!dvmt_reader_next_lacks(r, &f->alone, &f->with))
      break;
    f->record += dvmt_reader_pass_block(r);
    passed = true;
  }
  return passed && f->place.file;
}

int dvmt_filter_next(struct dvmt_filter *f, struct dvmt_reader *r, struct dvmt_record *rec, uint64_t *number, struct dvm_error *err) {
  for (;;) {
    f->unknown |= !is_over(f) && pass_blocks(f, r);
    if (is_over(f))
      return 0;
    int more = dvmt_reader_next(r, rec, err);
    if (more <= 0)
      return more;
    if (f->unknown && rec->kind != DVMT_LOST) {
      locate(f, r);
      f->unknown = false;
    }
    *number = f->record;
    f->record += rec->kind == DVMT_LOST ? rec->words[0] : 1;
    if (is_wanted(f, r, rec, *number)) {
      f->any = true;
      return 1;
    }
  }
}

static void note_unused(const struct dvmt_select *s, const char *path) {
  for (size_t i = 0; i < s->n; i++)
    if (!s->row[i].hit)
      fprintf(stderr, "dvm: warning: '%s' has no record of '%s'; 'dvm trace stat' lists constructs and variables\n", path, s->row[i].text);
}

void dvmt_filter_note(const struct dvmt_filter *f, const char *path) {
  const struct dvmt_wanted *w = f->wanted;
  if (!f->any && (w->element || w->construct))
    fprintf(stderr, "dvm: warning: '%s' has no record of '%s'; 'dvm trace stat' lists constructs and variables\n", path,
            w->element ? w->element : w->construct);
  note_unused(&w->variables, path);
  note_unused(&w->files, path);
  note_unused(&w->functions, path);
}
