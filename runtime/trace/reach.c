/* Memory is the system's: the program's own must not be touched by being looked at. */
#include "runtime/trace/reach.h"
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

enum { PIECE = 1 << 16 };
static char *piece;
static size_t left;

/* Zeros; NULL: there is no more. */
static void *get(size_t n) {
  n = (n + 15) & ~(size_t)15;
  if (n > left) {
    size_t size = n > PIECE ? n : PIECE;
    void *p = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (p == MAP_FAILED)
      return NULL;
    piece = p;
    left = size;
  }
  void *p = piece;
  piece += n;
  left -= n;
  return p;
}

/* ---- functions ----------------------------------------------------------------------------------------------------------------- */

struct effect {
  const struct dvmt_reach_variable *v; /* of the table that knows most of it */
  const char *file;
  uint64_t flags;
  struct effect *next;
};
struct function {
  const struct dvmt_reach *of;
  struct function *next, *chain; /* of all; with the same hash */
  struct effect *effects;
  bool wanted;
};
enum { NHASHES = 1024 };
static struct function *functions, *hashed[NHASHES], *unused;

/* Functions are made of the tables when a nest asks: tables come and go with their objects. */
struct table {
  const struct dvmt_reach *rows;
  uint64_t n;
  struct table *next;
};
static struct table *tables, *unused_tables;
static bool known; /* the functions are those of the tables */

static unsigned hash_of(const char *name) {
  unsigned h = 0;
  while (*name)
    h = h * 31 + (unsigned char)*name++;
  return h % NHASHES;
}

static struct function *find(const char *name) {
  struct function *f = hashed[hash_of(name)];
  while (f && strcmp(f->of->name, name))
    f = f->chain;
  return f;
}

/* Another one of the name: functions that pointers lead to. */
static struct function *find_next(const struct function *of) {
  struct function *f = of->chain;
  while (f && strcmp(f->of->name, of->of->name))
    f = f->chain;
  return f;
}

static struct function *get_function(void) {
  struct function *f = unused;
  if (f)
    unused = f->next;
  return f ? f : get(sizeof(*f));
}

static void add_function(const struct dvmt_reach *row) {
  bool again = *row->name != *DVMT_REACH_POINTED && find(row->name); /* inline functions are in many objects */
  struct function *f = again ? NULL : get_function();
  unsigned h = hash_of(row->name);
  if (!f)
    return;
  *f = (struct function){.of = row, .next = functions, .chain = hashed[h]};
  functions = hashed[h] = f;
}

/* What is known of the functions that there were is dropped: effects lie in tables of other objects, too. */
static void know_functions(void) {
  while (functions) {
    struct function *f = functions;
    functions = f->next;
    f->next = unused;
    unused = f;
  }
  memset(hashed, 0, sizeof(hashed));
  for (const struct table *t = tables; t; t = t->next)
    for (uint64_t i = 0; i < t->n; i++)
      add_function(&t->rows[i]);
  known = true;
}

/* ---- what they do together -------------------------------------------------------------------------------------------------------- */

static struct effect *effect_of(const struct function *f, const void *address) {
  struct effect *e = f->effects;
  while (e && e->v->address != address)
    e = e->next;
  return e;
}

static struct effect *add_effect(struct function *f, const struct dvmt_reach_variable *v, const char *file) {
  struct effect *e = effect_of(f, v->address);
  if (!e && (e = get(sizeof(*e)))) {
    *e = (struct effect){.v = v, .file = file, .next = f->effects};
    f->effects = e;
  }
  if (e && !e->v->bytes && v->bytes)
    e->v = v;
  return e;
}

static bool add_flags(struct effect *e, uint64_t flags) {
  bool more = e && (flags & ~e->flags);
  if (e)
    e->flags |= flags;
  return more;
}

/* One of the functions assigns the variable whenever it comes back. */
static bool is_assigned_by(const char *names, const void *address) {
  for (; names && *names; names += strlen(names) + 1) {
    const struct function *f = find(names);
    const struct effect *e = f ? effect_of(f, address) : NULL;
    if (e && (e->flags & DVMT_REACH_SURE))
      return true;
  }
  return false;
}

static bool is_assigned_before(const struct dvmt_reach_call *c, const void *address) {
  for (const void *const *p = c->assigned; p && *p; p++)
    if (*p == address)
      return true;
  return is_assigned_by(c->behind, address);
}

static void want(struct function *f) {
  f->wanted = true;
  for (uint64_t i = 0; i < f->of->nvariables; i++) {
    const struct dvmt_reach_variable *v = &f->of->variables[i];
    add_flags(add_effect(f, v, f->of->file), v->flags & ~(uint64_t)DVMT_REACH_EXPOSED);
  }
}

/* Functions that are called, by those too that this finds; true: there are new ones. */
static bool want_callees(const struct dvmt_reach *of) {
  bool more = false;
  for (uint64_t i = 0; i < of->ncalls; i++)
    for (struct function *f = find(of->calls[i].function); f; f = find_next(f))
      if (!f->wanted) {
        want(f);
        want_callees(f->of);
        more = true;
      }
  return more;
}

/* What one function has from one that it calls; 'kinds' of flags.  True: something new. */
static bool take_call(struct function *f, const struct dvmt_reach_call *c, const struct function *callee, uint64_t kinds) {
  bool more = false;
  for (struct effect *e = callee != f ? callee->effects : NULL; e; e = e->next) {
    uint64_t flags = e->flags & kinds;
    if ((flags & DVMT_REACH_EXPOSED) && is_assigned_before(c, e->v->address))
      flags &= ~(uint64_t)DVMT_REACH_EXPOSED;
    if (!c->sure)
      flags &= ~(uint64_t)DVMT_REACH_SURE;
    struct effect *own = add_effect(f, e->v, e->file);
    more |= add_flags(own, flags | (flags & DVMT_REACH_WRITTEN ? DVMT_REACH_CALLED : 0));
  }
  return more;
}

/* From all of them. */
static bool take(struct function *f, uint64_t kinds) {
  bool more = false;
  for (uint64_t i = 0; i < f->of->nvariables && (kinds & DVMT_REACH_EXPOSED); i++) {
    const struct dvmt_reach_variable *v = &f->of->variables[i];
    if ((v->flags & DVMT_REACH_EXPOSED) && !is_assigned_by(v->behind, v->address))
      more |= add_flags(effect_of(f, v->address), DVMT_REACH_EXPOSED);
  }
  for (uint64_t i = 0; i < f->of->ncalls; i++)
    for (const struct function *callee = find(f->of->calls[i].function); callee; callee = find_next(callee))
      more |= take_call(f, &f->of->calls[i], callee, kinds);
  return more;
}

/* Until nothing changes; flags are only added. */
static void settle(struct function *nest, uint64_t kinds) {
  for (bool more = true; more;) {
    more = take(nest, kinds);
    for (struct function *f = functions; f; f = f->next)
      if (f->wanted)
        more |= take(f, kinds);
  }
}

/* ---- nests -------------------------------------------------------------------------------------------------------------------- */

struct nest {
  const struct dvmt_reach *of;
  struct dvmt_reached *rows;
  size_t n;
  struct nest *next;
};
static struct nest *nests;

/* Static variables of two files may have one name. */
static const char *name_of(const struct nest *t, const struct effect *e) {
  for (size_t i = 0; i < t->n; i++)
    if (!strcmp(t->rows[i].name, e->v->name)) {
      size_t size = strlen(e->v->name) + strlen(e->file) + 4;
      char *name = get(size);
      if (name)
        snprintf(name, size, "%s (%s)", e->v->name, e->file);
      return name ? name : e->v->name;
    }
  return e->v->name;
}

static bool is_of_interest(const struct effect *e) {
  return (e->flags & (DVMT_REACH_CALLED | DVMT_REACH_WRITTEN | DVMT_REACH_NAMED)) == (DVMT_REACH_CALLED | DVMT_REACH_WRITTEN);
}

static void add_rows(struct nest *t, const struct function *f) {
  size_t n = 0;
  for (const struct effect *e = f->effects; e; e = e->next)
    n += is_of_interest(e);
  t->rows = n ? get(n * sizeof(*t->rows)) : NULL;
  for (const struct effect *e = f->effects; e && t->rows; e = e->next) {
    if (!is_of_interest(e))
      continue;
    bool matters = (e->flags & DVMT_REACH_EXPOSED) || !(e->flags & DVMT_REACH_READ);
    t->rows[t->n] =
        (struct dvmt_reached){.address = e->v->address,
                              .name = name_of(t, e),
                              .bytes = e->v->bytes,
                              .flags = DVMT_REACH_WRITTEN | (matters ? DVMT_REACH_EXPOSED : 0) | (e->flags & DVMT_REACH_POINTER)};
    t->n++;
  }
}

static void forget(void) {
  known = false;
  nests = NULL;
}

void dvmt_reach_add(const struct dvmt_reach *rows, uint64_t n) {
  struct table **at = &tables, *t = unused_tables;
  if (t)
    unused_tables = t->next;
  else
    t = get(sizeof(*t));
  while (*at) /* the first of a name counts, as for the dynamic linker */
    at = &(*at)->next;
  if (t) {
    *t = (struct table){.rows = rows, .n = n};
    *at = t;
  }
  forget();
}

void dvmt_reach_gone(const struct dvmt_reach *rows) {
  struct table **at = &tables;
  while (*at && (*at)->rows != rows)
    at = &(*at)->next;
  if (*at) {
    struct table *t = *at;
    *at = t->next;
    t->next = unused_tables;
    unused_tables = t;
  }
  forget();
}

struct dvmt_reached *dvmt_reach_of(const struct dvmt_reach *of, size_t *n) {
  struct nest *t = nests;
  while (t && t->of != of)
    t = t->next;
  if (!t && (t = get(sizeof(*t)))) {
    struct function f = {.of = of};
    *t = (struct nest){.of = of, .next = nests};
    nests = t;
    if (!known)
      know_functions();
    want(&f);
    if (want_callees(of)) {
      settle(&f, ~(uint64_t)(DVMT_REACH_EXPOSED | DVMT_REACH_NAMED));
      settle(&f, DVMT_REACH_EXPOSED);
    } else {
      settle(&f, ~(uint64_t)DVMT_REACH_NAMED);
    }
    add_rows(t, &f);
  }
  *n = t ? t->n : 0;
  return t ? t->rows : NULL;
}

struct dvmt_site *dvmt_reach_site(struct dvmt_span file, struct dvmt_span place, const struct dvmt_reached *v) {
  size_t size = file.n + place.n + 2 * strlen(v->name) + 64;
  struct dvmt_site *s = get(sizeof(*s));
  char *text = get(size);
  if (!s || !text)
    return NULL;
  snprintf(text, size, "K shared\nF %.*s\nP %.*s\nT %s\nV %s\nS %llu", (int)file.n, file.s ? file.s : "", (int)place.n,
           place.s ? place.s : "", v->name, v->name, (unsigned long long)v->bytes);
  *s = (struct dvmt_site){.text = text, .kind = DVMT_SITE_ACCESS, .level = DVMT_LEVEL_UNSET};
  return s;
}
