#include "runtime/data/site.h"
#include "runtime/data/mem.h"
#include "runtime/data/scan.h"
#include <string.h>

struct module {
  struct dvmrt_site *first, *last;
  struct module *next;
  bool looked_at; /* has no directive */
};

struct name {
  struct name *next;
  size_t size;
  bool fortran, fixed;
  char text[];
};

/* Sites by construct, made at the first question about it. */
struct group {
  struct group *next;
  struct dvmrt_site *construct;
  struct dvmrt_access *accesses;
};

static struct module *modules;
static struct name *files;
static struct group *groups;

void dvmrt_site_module(struct dvmrt_site *first, struct dvmrt_site *last) {
  struct module *m = dvmrt_mem_alloc(sizeof(*m));
  *m = (struct module){first, last, modules, false};
  modules = m;
}

static uint64_t sites_gone; /* of objects that are no longer mapped */

uint64_t dvmrt_site_count(void) {
  uint64_t n = sites_gone;
  for (const struct module *m = modules; m; m = m->next)
    n += (uint64_t)(m->last - m->first);
  return n;
}

void dvmrt_site_module_gone(const struct dvmrt_site *first, const struct dvmrt_site *last) {
  for (struct module **m = &modules; *m; m = &(*m)->next) {
    if ((*m)->first != first)
      continue;
    struct module *gone = *m;
    sites_gone += (uint64_t)(gone->last - gone->first);
    *m = gone->next;
    dvmrt_mem_free(gone, sizeof(*gone));
    break;
  }
  for (struct group **g = &groups; *g;) {
    struct group *gone = *g;
    if (gone->construct < first || gone->construct >= last) {
      g = &gone->next;
      continue;
    }
    *g = gone->next;
    dvmrt_mem_free(gone, sizeof(*gone));
  }
}

const char *dvmrt_site_file(const char *s, size_t n) {
  for (struct name *f = files; f; f = f->next)
    if (f->size == n && !memcmp(f->text, s, n))
      return f->text;
  struct name *f = dvmrt_mem_alloc(sizeof(*f) + n + 1);
  f->next = files;
  f->size = n;
  memcpy(f->text, s, n);
  files = f;
  return f->text;
}

static struct name *name_of(const char *file) {
  struct name *f = files;
  while (f && f->text != file)
    f = f->next;
  return f;
}

bool dvmrt_site_is_fortran(const char *file) {
  const struct name *f = file ? name_of(file) : NULL;
  return f && f->fortran;
}

bool dvmrt_site_is_fixed(const char *file) {
  const struct name *f = file ? name_of(file) : NULL;
  return f && f->fixed;
}

void dvmrt_site_set_fortran(const char *file, bool fixed) {
  struct name *f = file ? name_of(file) : NULL;
  if (f) {
    f->fortran = true;
    f->fixed |= fixed;
  }
}

static const char *file_rest(struct dvmrt_scan *s) {
  while (s->at < s->end && *s->at == ' ')
    s->at++;
  return dvmrt_site_file(s->at, (size_t)(s->end - s->at));
}

static void read_subscript(struct dvmrt_scan *s, struct dvmrt_access *a) {
  const char *w;
  size_t n = dvmrt_scan_word(s, &w);
  if (!n || a->ndims == DVMRT_NDIMS_MAX)
    return;
  struct dvmrt_subscript *x = &a->axis[a->ndims++];
  const char *p = w + 1, *end = w + n;
  x->kind = 'o';
  if (*w == 'c') {
    x->add = dvmrt_scan_digits(&p, end);
    x->kind = 'c';
  } else if (*w == 'a') {
    x->kind = 'a';
    x->index = (int)dvmrt_scan_digits(&p, end);
    p += p < end;
    x->coef = dvmrt_scan_digits(&p, end);
    p += p < end;
    x->add = dvmrt_scan_digits(&p, end);
  }
  while (s->at < s->end && *s->at == ' ')
    s->at++;
  x->text = s->at < s->end ? dvmrt_scan_rest(s) : NULL;
}

static struct dvmrt_members *members_of(struct dvmrt_access *a) {
  if (!a->members)
    a->members = dvmrt_mem_alloc(sizeof(*a->members));
  return a->members;
}

static char *text_behind(struct dvmrt_scan *s) {
  while (s->at < s->end && *s->at == ' ')
    s->at++;
  return dvmrt_scan_rest(s);
}

static void read_members(struct dvmrt_scan *s, struct dvmrt_members *m) {
  m->begin = (uint64_t)dvmrt_scan_number(s);
  m->times = (uint64_t)dvmrt_scan_number(s);
  const char *form;
  if (dvmrt_scan_word(s, &form))
    m->form = *form;
  m->text = text_behind(s);
}

static void read_member(struct dvmrt_scan *s, struct dvmrt_members *all) {
  struct dvmrt_member *m = dvmrt_mem_alloc(sizeof(*m));
  m->offset = (uint64_t)dvmrt_scan_number(s);
  m->bytes = (uint64_t)dvmrt_scan_number(s);
  m->count = (uint64_t)dvmrt_scan_number(s);
  m->stride = (uint64_t)dvmrt_scan_number(s);
  m->name = text_behind(s);
  struct dvmrt_member **at = &all->first;
  while (*at)
    at = &(*at)->next;
  *at = m;
}

/* Longer than others: one case for each key of the schema, as the writer has them; what takes more than a line is a function above. */
static void read_line(struct dvmrt_scan *s, char key, struct dvmrt_access *a) {
  const char *word;
  switch (key) {
  case DVMRT_ANY_KIND:
    a->flags = dvmrt_scan_is(s, "r") ? DVMRT_READ : dvmrt_scan_is(s, "w") ? DVMRT_WRITE : 0;
    if (!a->flags && dvmrt_scan_is(s, "m"))
      a->flags = DVMRT_READ | DVMRT_WRITE;
    a->quiet = dvmrt_scan_is(s, "quiet");
    break;
  case DVMRT_ANY_FILE: a->pos.file = file_rest(s); break;
  case DVMRT_ANY_PLACE:
    a->pos.line = (uint32_t)dvmrt_scan_number(s);
    a->pos.column = (uint32_t)dvmrt_scan_number(s);
    break;
  case DVMRT_ACCESS_TEXT: a->text = dvmrt_scan_rest(s); break;
  case DVMRT_ACCESS_VARIABLE: a->name = dvmrt_scan_rest(s); break;
  case DVMRT_ACCESS_DECLARED:
    a->declared.line = (uint32_t)dvmrt_scan_number(s);
    a->declared.column = (uint32_t)dvmrt_scan_number(s);
    a->declared.file = file_rest(s);
    break;
  case DVMRT_ACCESS_WHOLE: a->whole = true; break;
  case DVMRT_ACCESS_SIZE: a->bytes = (uint64_t)dvmrt_scan_number(s); break;
  case DVMRT_ACCESS_ELEMENT: a->element_bytes = (uint64_t)dvmrt_scan_number(s); break;
  case DVMRT_ACCESS_CONSTRUCT: a->cid = (long)dvmrt_scan_number(s); break;
  case DVMRT_ACCESS_DISTRIBUTED:
    a->distributed = true;
    if (!dvmrt_scan_is(s, "-"))
      a->use = (int)dvmrt_scan_number(s);
    break;
  case DVMRT_ACCESS_ROOT: a->root = s->at < s->end ? *s->at : 0; break;
  case DVMRT_ACCESS_RANGE: a->range = s->at < s->end ? *s->at : 0; break;
  case DVMRT_ACCESS_MEMBERS: read_members(s, members_of(a)); break;
  case DVMRT_ACCESS_MEMBER: read_member(s, members_of(a)); break;
  case DVMRT_ACCESS_FLOATING: a->floating = dvmrt_scan_is(s, "f"); break;
  case DVMRT_ACCESS_BUFFERED:
    a->buffered = true;
    a->varies = dvmrt_scan_is(s, "?");
    break;
  case DVMRT_ACCESS_ROLE:
    a->role = s->at < s->end ? *s->at : 0;
    dvmrt_scan_word(s, &word);
    a->expression = (long)dvmrt_scan_number(s);
    break;
  case DVMRT_ACCESS_STANDING: a->standing = s->at < s->end ? *s->at : 0; break;
  case DVMRT_ACCESS_INDEX_VARIABLE: a->index = (int)dvmrt_scan_number(s); break;
  case DVMRT_ACCESS_SUBSCRIPT: read_subscript(s, a); break;
  case DVMRT_ACCESS_INNER_EXTENT:
    if (a->ninner < DVMRT_NDIMS_MAX) {
      dvmrt_scan_number(s);
      a->inner[a->ninner].dim = (int)dvmrt_scan_number(s);
      a->inner[a->ninner++].member = s->at < s->end ? dvmrt_scan_string(s) : NULL;
    }
    break;
  case DVMRT_ACCESS_LONGER:
    if (a->ninner)
      a->inner[a->ninner - 1].longer = dvmrt_scan_number(s);
    break;
  case DVMRT_ACCESS_EXTENT:
    if (a->nextents < DVMRT_NDIMS_MAX)
      a->extent[a->nextents++] = dvmrt_scan_is(s, "*") || dvmrt_scan_is(s, "#") ? -1 : dvmrt_scan_number(s);
    break;
  case DVMRT_ANY_LANGUAGE:
    a->fortran = true;
    a->fixed = s->at < s->end && *s->at == 'f';
    break;
  case DVMRT_ACCESS_LOWER:
    for (int i = 0; i < DVMRT_NDIMS_MAX && s->at < s->end; i++) {
      const bool varies = dvmrt_scan_is(s, "*");
      a->lower[i] = varies ? 1 : dvmrt_scan_number(s);
      a->lower_varies |= (uint8_t)(varies << i);
    }
    break;
  default: break;
  }
}

struct dvmrt_access *dvmrt_site_access(struct dvmrt_site *site) {
  if (site->cache)
    return site->cache;
  struct dvmrt_access *a = dvmrt_mem_alloc(sizeof(*a));
  a->site = site;
  a->use = a->index = -1;
  struct dvmrt_scan s;
  dvmrt_scan_init(&s, site->text);
  for (char key; (key = dvmrt_scan_line(&s));)
    read_line(&s, key, a);
  if (a->fortran)
    dvmrt_site_set_fortran(a->pos.file, a->fixed);
  if (!a->text)
    a->text = a->name ? a->name : "this datum";
  __atomic_store_n(&site->cache, a, __ATOMIC_RELEASE);
  return a;
}

static bool is_access(const char *text) {
  return text && text[0] == 'K' && text[1] == ' ' && strchr("rwm", text[2]) && (text[3] == '\n' || text[3] == ' ');
}

bool dvmrt_site_has_directives(void) {
  static bool found;
  for (struct module *m = modules; m && !found && !m->looked_at; m = m->next) {
    for (const struct dvmrt_site *site = m->first; site < m->last && !found; site++)
      found = site->text && !is_access(site->text);
    m->looked_at = true; /* and all behind it */
  }
  return found;
}

static const struct module *module_of(const struct dvmrt_site *site) {
  for (const struct module *m = modules; m; m = m->next)
    if (site >= m->first && site < m->last)
      return m;
  return NULL;
}

const struct dvmrt_access *dvmrt_site_next(const struct dvmrt_site *site, const struct dvmrt_access *x) {
  const struct module *m = module_of(site);
  for (struct dvmrt_site *s = !m ? NULL : x ? x->site + 1 : m->first; m && s < m->last; s++)
    if (is_access(s->text))
      return dvmrt_site_access(s);
  return NULL;
}

static struct dvmrt_access *collect(const struct module *m, const char *file, long cid) {
  struct dvmrt_access *first = NULL, **tail = &first;
  for (struct dvmrt_site *site = m->first; site < m->last; site++) {
    if (!is_access(site->text))
      continue;
    struct dvmrt_access *a = dvmrt_site_access(site);
    if (a->cid != cid || a->pos.file != file)
      continue;
    *tail = a;
    tail = &a->next;
  }
  *tail = NULL;
  return first;
}

struct dvmrt_access *dvmrt_site_of_construct(struct dvmrt_site *construct, const char *file, long cid) {
  for (struct group *g = groups; g; g = g->next)
    if (g->construct == construct)
      return g->accesses;
  const struct module *m = module_of(construct);
  struct group *g = dvmrt_mem_alloc(sizeof(*g));
  *g = (struct group){groups, construct, m ? collect(m, file, cid) : NULL};
  groups = g;
  return g->accesses;
}
