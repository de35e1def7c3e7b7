#include "runtime/data/directive.h"
#include "runtime/data/mem.h"
#include "runtime/data/scan.h"
#include <string.h>

struct reader {
  struct dvmrt_directive *d;
  struct dvmrt_scan s;
  struct dvmrt_item *last;
  struct dvmrt_item **tail;
};

static struct dvmrt_num fixed(int64_t v) { return (struct dvmrt_num){v, -1}; }
static struct dvmrt_num slot(struct reader *r) { return (struct dvmrt_num){0, r->d->nslots++}; }

/* One number at *p: digits, '#', '&' (a slot), '*' (-1) or '-' alone (0). */
static struct dvmrt_num num_at(struct reader *r, const char **p, const char *end) {
  if (*p < end && (**p == '#' || **p == '&')) {
    ++*p;
    return slot(r);
  }
  if (*p < end && **p == '*') {
    ++*p;
    return fixed(-1);
  }
  return fixed(dvmrt_scan_digits(p, end));
}

static struct dvmrt_num num(struct reader *r) {
  const char *w;
  size_t n = dvmrt_scan_word(&r->s, &w);
  return num_at(r, &w, w + n);
}

static bool more(struct reader *r) {
  struct dvmrt_scan look = r->s;
  const char *w;
  return dvmrt_scan_word(&look, &w) > 0;
}

static struct dvmrt_item *item(struct reader *r, char key) {
  struct dvmrt_item *i = dvmrt_mem_alloc(sizeof(*i));
  i->key = key;
  i->ref.address = i->ref.element_bytes = i->loc_address = i->bytes = i->loc_bytes = fixed(0);
  *r->tail = i;
  r->tail = &i->next;
  r->last = i;
  return i;
}

static void read_flags(struct reader *r, struct dvmrt_ref *ref) {
  const char *w;
  size_t n = dvmrt_scan_word(&r->s, &w);
  for (size_t i = 0; i < n; i++) {
    const char *number = w + i + 1;
    switch (w[i]) {
    case 'a': ref->flags |= DVMRT_REF_ARRAY; break;
    case 'p': ref->flags |= DVMRT_REF_POINTER; break;
    case 't': ref->flags |= DVMRT_REF_TEMPLATE; break;
    case 'x': ref->flags |= DVMRT_REF_UNKNOWN; break;
    case 'o':
      ref->granule = (uint32_t)dvmrt_scan_digits(&number, w + n);
      ref->type = 'o';
      return;
    case 'f':
    case 'i':
    case 'u':
    case 'c':
      ref->type = w[i];
      ref->element_bytes = fixed((int64_t)dvmrt_scan_digits(&number, w + n));
      return;
    default: break;
    }
  }
}

static void read_extents(struct reader *r, struct dvmrt_ref *ref) {
  ref->ndims = (int)dvmrt_scan_number(&r->s);
  if (ref->ndims < 0 || ref->ndims > DVMRT_NDIMS_MAX)
    ref->ndims = 0;
  for (int i = 0; i < ref->ndims; i++)
    ref->extent[i] = more(r) ? num(r) : fixed(-1);
}

static void read_ref(struct reader *r, struct dvmrt_ref *ref) {
  ref->name = dvmrt_scan_string(&r->s);
  read_flags(r, ref);
  ref->address = num(r);
  ref->element_bytes = num(r);
  read_extents(r, ref);
}

static void read_axis(struct reader *r) {
  const char *w;
  size_t n = dvmrt_scan_word(&r->s, &w);
  if (!n || !r->last || r->last->naxes == DVMRT_NDIMS_MAX)
    return;
  struct dvmrt_axis *x = &r->last->axis[r->last->naxes++];
  const char *p = w + 1, *end = w + n;
  *x = (struct dvmrt_axis){*w, 0, fixed(0), fixed(0), NULL};
  switch (*w) {
  case 'c': x->add = num_at(r, &p, end); break;
  case 'a':
    x->index = (int)dvmrt_scan_digits(&p, end);
    p += p < end;
    x->coef = num_at(r, &p, end);
    p += p < end;
    x->add = num_at(r, &p, end);
    break;
  case 'r':
    x->coef = num_at(r, &p, end);
    p += p < end;
    x->add = num_at(r, &p, end);
    break;
  case 'o':
    if (more(r)) {
      r->s.at++;
      x->text = dvmrt_scan_rest(&r->s);
    }
    break;
  default: break;
  }
}

static void read_widths(struct reader *r) {
  struct dvmrt_item *i = r->last;
  const char *w;
  if (i && i->key == DVMRT_DIRECTIVE_ALIGN)
    i = r->d->items; /* shadow widths of an aligned array */
  for (size_t n; i && (n = dvmrt_scan_word(&r->s, &w));) {
    if (n == 6 && !memcmp(w, "corner", 6))
      i->corner = true;
    else if (n == 5 && !memcmp(w, "named", 5))
      i->named = true;
    else if (n == 3 && !memcmp(w, "out", 3))
      i->out = true;
    else if (i->nwidths < DVMRT_NDIMS_MAX) {
      int k = i->nwidths++;
      const char *p = w, *end = w + n;
      i->width[k].given = !(n == 1 && *w == '-');
      i->width[k].low = num_at(r, &p, end);
      p += p < end;
      i->width[k].high = num_at(r, &p, end);
    }
  }
}

/* "genblock,&,<count>,<kind>", "wgtblock,&,<count>,<kind>,<n>", "multblock,<n>", "indirect,&,<count>,<kind>", "derived[,<n>[,f]]". */
static void read_rule(struct reader *r, struct dvmrt_rule *rule, const char *p, const char *end) {
  static const char kinds[] = "gwmid";
  rule->kind = strchr(kinds, *p) ? *p : 0;
  rule->values = rule->count = rule->number = fixed(0);
  while (p < end && *p != ',')
    p++;
  if (rule->kind && rule->kind != 'm' && rule->kind != 'd' && p < end) {
    p++;
    rule->values = num_at(r, &p, end);
    p += p < end;
    rule->count = num_at(r, &p, end);
    if (++p < end) {
      rule->type = *p++;
      rule->bytes = (int)dvmrt_scan_digits(&p, end);
    }
  }
  if (p < end) {
    p++;
    rule->number = num_at(r, &p, end);
    if (rule->kind == 'd' && p + 1 < end)
      rule->type = p[1];
  }
}

static uint8_t dist_of(const char *w, size_t n) {
  if (n == 1 && *w == '*')
    return DVMRT_DIST_WHOLE;
  return *w == 'b' || *w == 'm' ? /* block, multblock */ DVMRT_DIST_BLOCK : DVMRT_DIST_GIVEN;
}

static void read_dist(struct reader *r) {
  struct dvmrt_item *i = r->last;
  const char *w;
  for (size_t n; i && i->ndist < DVMRT_NDIMS_MAX && (n = dvmrt_scan_word(&r->s, &w));) {
    int k = i->ndist++;
    i->dist[k] = dist_of(w, n);
    read_rule(r, &i->rule[k], w, w + n);
  }
}

static int read_names(struct reader *r, const char **names) {
  int n = (int)dvmrt_scan_number(&r->s);
  if (n < 0 || n > DVMRT_NDIMS_MAX)
    n = 0;
  for (int i = 0; i < n; i++)
    names[i] = dvmrt_scan_string(&r->s);
  return n;
}

/* An lvalue as it is written, before its '&': it may hold blanks. */
static const char *read_lvalue(struct reader *r) {
  const char *from = r->s.at, *end = from;
  while (end < r->s.end && *end == ' ')
    from = ++end;
  while (end + 1 < r->s.end && !(end[0] == ' ' && end[1] == '&'))
    end++;
  r->s.at = end;
  return dvmrt_mem_strndup(from, (size_t)(end - from));
}

static void read_reduction(struct reader *r) {
  struct dvmrt_item *i = item(r, DVMRT_DIRECTIVE_REDUCTION);
  i->word = dvmrt_scan_string(&r->s);
  i->ref.name = read_lvalue(r);
  i->ref.address = num(r);
  struct dvmrt_num bytes = num(r), count = num(r);
  i->ref.element_bytes = bytes;
  i->ref.ndims = 1;
  i->ref.extent[0] = count;
  const char *w;
  if (dvmrt_scan_word(&r->s, &w))
    i->ref.type = *w;
  if (!more(r))
    return;
  i->loc_name = read_lvalue(r);
  i->loc_address = num(r);
  i->loc_bytes = num(r);
  if (more(r))
    i->bytes = num(r); /* count of locations */
}

static void read_result_extents(struct reader *r) {
  struct dvmrt_item *i = r->last;
  int64_t n = dvmrt_scan_number(&r->s);
  for (int k = 0; i && k < n && k < DVMRT_NDIMS_MAX; k++)
    i->extents[i->nextents++] = dvmrt_scan_number(&r->s);
  for (int k = 0; i && k < i->nextents; k++)
    i->lower[i->nlower++] = more(r) ? num(r) : fixed(r->d->fortran);
}

static void read_variable(struct reader *r, char key) {
  struct dvmrt_item *i = item(r, key);
  i->ref.name = dvmrt_scan_string(&r->s);
  i->ref.address = num(r);
  i->bytes = num(r);
  read_flags(r, &i->ref);
}

/* T: a template with sizes, or the name of a task array. */
static void read_template(struct reader *r) {
  struct dvmrt_item *i = item(r, DVMRT_DIRECTIVE_TEMPLATE);
  i->ref.name = dvmrt_scan_string(&r->s);
  i->ref.flags = DVMRT_REF_TEMPLATE;
  i->ref.address = num(r);
  i->ref.element_bytes = fixed(0);
  if (more(r))
    read_extents(r, &i->ref);
}

static void read_on(struct reader *r) {
  struct dvmrt_item *i = item(r, DVMRT_DIRECTIVE_ON);
  if (!strcmp(r->d->kind, "on") || !strcmp(r->d->kind, "map")) {
    i->ref.name = dvmrt_scan_string(&r->s);
    i->ref.address = num(r);
    return;
  }
  read_ref(r, &i->ref);
}

static void read_kind(struct reader *r) {
  r->d->kind = dvmrt_scan_string(&r->s);
  r->d->parallel = !strcmp(r->d->kind, "parallel");
  r->d->cid = (long)dvmrt_scan_number(&r->s);
}

static void read_word(struct reader *r, char key) {
  struct dvmrt_item *i = item(r, key);
  if (key == DVMRT_DIRECTIVE_SHADOW || key == DVMRT_DIRECTIVE_REGION)
    i->word = dvmrt_scan_string(&r->s);
  if (key == DVMRT_DIRECTIVE_REGION)
    read_ref(r, &i->ref);
  else
    i->ref.name = dvmrt_scan_string(&r->s);
}

/* Its axes are the numbers. */
static void read_interval(struct reader *r) {
  struct dvmrt_item *i = item(r, DVMRT_DIRECTIVE_INTERVAL);
  while (i->naxes < DVMRT_NDIMS_MAX && more(r)) {
    i->axis[i->naxes].kind = 'c';
    i->axis[i->naxes++].add = num(r);
  }
}

static void read_use(struct reader *r) {
  struct dvmrt_item *i = item(r, DVMRT_DIRECTIVE_USE);
  const char *w;
  i->ref.name = dvmrt_scan_string(&r->s);
  i->ref.address = num(r);
  i->use = dvmrt_scan_word(&r->s, &w) ? *w : '?';
}

/* Longer than others: one case for each key of the schema, as the writer has them; what takes more than a line is a function above. */
static void read_line(struct reader *r, char key) {
  struct dvmrt_directive *d = r->d;
  switch (key) {
  case DVMRT_ANY_KIND: read_kind(r); break;
  case DVMRT_ANY_FILE: d->pos.file = d->loop.file = dvmrt_site_file(r->s.at, (size_t)(r->s.end - r->s.at)); break;
  case DVMRT_ANY_PLACE:
    d->pos.line = (uint32_t)dvmrt_scan_number(&r->s);
    d->pos.column = (uint32_t)dvmrt_scan_number(&r->s);
    break;
  case DVMRT_DIRECTIVE_LOOP:
    d->loop.line = (uint32_t)dvmrt_scan_number(&r->s);
    d->loop.column = (uint32_t)dvmrt_scan_number(&r->s);
    break;
  case DVMRT_DIRECTIVE_ARRAY:
  case DVMRT_DIRECTIVE_ALIGN:
  case DVMRT_DIRECTIVE_RENEW:
  case DVMRT_DIRECTIVE_RECOMPUTE:
  case DVMRT_DIRECTIVE_ACROSS:
  case DVMRT_DIRECTIVE_REMOTE: read_ref(r, &item(r, key)->ref); break;
  case DVMRT_DIRECTIVE_ON: read_on(r); break;
  case DVMRT_DIRECTIVE_TEMPLATE: read_template(r); break;
  case DVMRT_DIRECTIVE_PRIVATE:
  case DVMRT_DIRECTIVE_CONSISTENT: read_variable(r, key); break;
  case DVMRT_DIRECTIVE_ELEMENT:
    if (r->last) {
      r->last->ref.element_bytes = num(r);
      r->last->parts = dvmrt_scan_rest(&r->s);
    }
    break;
  case DVMRT_DIRECTIVE_NEW_VALUE: d->new_value = true; break;
  case DVMRT_DIRECTIVE_REDUCTION: read_reduction(r); break;
  case DVMRT_DIRECTIVE_RESULTS: read_result_extents(r); break;
  case DVMRT_DIRECTIVE_USE: read_use(r); break;
  case DVMRT_DIRECTIVE_SHARED: read_variable(r, key); break;
  case DVMRT_DIRECTIVE_INTERVAL: read_interval(r); break;
  case DVMRT_DIRECTIVE_ONTO: {
    struct dvmrt_item *i = item(r, key);
    i->ref.name = dvmrt_scan_string(&r->s);
    i->ref.address = num(r);
    break;
  }
  case DVMRT_DIRECTIVE_REMOTE_GROUP:
  case DVMRT_DIRECTIVE_GROUP:
  case DVMRT_DIRECTIVE_SHADOW:
  case DVMRT_DIRECTIVE_REGION: read_word(r, key); break;
  case DVMRT_DIRECTIVE_REACHED:
  case DVMRT_DIRECTIVE_POINTER: item(r, key)->ref.address = num(r); break;
  case DVMRT_DIRECTIVE_AXIS: read_axis(r); break;
  case DVMRT_DIRECTIVE_WIDTHS: read_widths(r); break;
  case DVMRT_DIRECTIVE_EDGE:
    if (r->last)
      r->last->edge = dvmrt_scan_rest(&r->s);
    break;
  case DVMRT_DIRECTIVE_DISTRIBUTION: read_dist(r); break;
  case DVMRT_DIRECTIVE_NAMES:
    if (!strcmp(d->kind, "parallel"))
      d->rank = read_names(r, d->names);
    else if (r->last)
      r->last->nnames = read_names(r, r->last->names);
    break;
  case DVMRT_DIRECTIVE_STEPS:
    for (int i = 0; i < DVMRT_NDIMS_MAX && more(r); i++)
      d->step[i] = dvmrt_scan_is(&r->s, "*") ? fixed(0) : num(r);
    break;
  case DVMRT_DIRECTIVE_DYNAMIC: d->dynamic = true; break;
  case DVMRT_DIRECTIVE_VISIBLE: d->visible = true; break;
  case DVMRT_DIRECTIVE_ACCESSES: d->accesses = (uint64_t)dvmrt_scan_number(&r->s); break;
  case DVMRT_DIRECTIVE_CALLS: d->calls = true; break;
  case DVMRT_DIRECTIVE_COUNTED: d->counted = true; break;
  case DVMRT_DIRECTIVE_FUNCTION: d->function = (uint64_t)dvmrt_scan_number(&r->s); break;
  case DVMRT_DIRECTIVE_NO_SUMMARY: d->no_summary = dvmrt_scan_rest(&r->s); break;
  case DVMRT_DIRECTIVE_INIT: d->init = true; break;
  case DVMRT_ANY_LANGUAGE:
    d->fortran = true;
    d->fixed = r->s.at < r->s.end && *r->s.at == 'f';
    break;
  case DVMRT_DIRECTIVE_LOWER:
    for (int i = 0; r->last && i < DVMRT_NDIMS_MAX && more(r); i++)
      r->last->lower[r->last->nlower++] = num(r);
    break;
  default: break;
  }
}

struct dvmrt_directive *dvmrt_directive_read(struct dvmrt_site *site) {
  struct dvmrt_directive *d = dvmrt_mem_alloc(sizeof(*d));
  *d = (struct dvmrt_directive){.site = site, .kind = ""};
  for (int i = 0; i < DVMRT_NDIMS_MAX; i++)
    d->step[i] = fixed(0);
  struct reader r = {.d = d, .tail = &d->items};
  dvmrt_scan_init(&r.s, site->text);
  for (char key; (key = dvmrt_scan_line(&r.s));)
    read_line(&r, key);
  if (d->fortran)
    dvmrt_site_set_fortran(d->pos.file, d->fixed);
  __atomic_store_n(&site->cache, d, __ATOMIC_RELEASE);
  return d;
}

struct dvmrt_item *dvmrt_directive_find(struct dvmrt_item *from, char key) {
  while (from && from->key != key)
    from = from->next;
  return from;
}

uint64_t dvmrt_directive_reduction_bytes(const struct dvmrt_item *i, const int64_t *args) {
  uint64_t count = (uint64_t)dvmrt_num_value(i->ref.extent[0], args);
  return (uint64_t)dvmrt_num_value(i->ref.element_bytes, args) * (count ? count : 1);
}
