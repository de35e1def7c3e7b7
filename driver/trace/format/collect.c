#include "driver/trace/format/collect.h"
#include "driver/trace/format/alive.h"
#include "driver/trace/format/lead.h"
#include "runtime/trace/ring.h"
#include "runtime/trace/text.h"
#include "driver/trace/format/sums.h"
#include "driver/trace/format/value.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { NO_OBJECT = DVMT_ALIVE_NO_OBJECT };

struct site {
  uint64_t address;          /* key */
  struct site *next;         /* that came after it last time: most programs repeat themselves */
  uint32_t number;
  uint8_t kind, words, where, nargs;
  bool truth;                /* only whether the value is zero counts */
  bool pointer;              /* only where the value leads counts */
  bool leads;                /* behind the value stands where the pointer leads that the access went through */
  uint64_t size;             /* of the variable at its root */
  uint32_t named;            /* object of its variable's name, for offsets */
  uint32_t variable;         /* object of the variable itself, where an address leads to it */
  struct dvmt_place at, to;  /* where an address of it fell into, where a value of it led to */
  uint64_t lead;             /* 'to', as the word of its beginning */
  uint64_t iterations;       /* of a loop without an index */
  uint8_t pointers[32];      /* bit per argument: is an address */
  struct site *before;       /* one that was at this address; owned */
  char *text;                /* owned; kept to the end, as extents name it */
};

struct dvmt_collector {
  struct dvmt_sink *sink;
  struct site **sites;       /* open addressing; owned, as the rest */
  size_t nsites, sites_cap;
  uint32_t nnumbers;
  struct dvmt_object_def *objects;
  size_t nobjects;
  struct dvmt_alive *alive;
  uint64_t values[DVMT_WORDS_MAX];
  struct dvmt_sums *sums;    /* of constructs at level checksum */
};

struct dvmt_collector *dvmt_collector_create(struct dvmt_sink *sink) {
  struct dvmt_collector *c = calloc(1, sizeof(*c));
  if (!c)
    return NULL;
  c->sink = sink;
  c->sums = dvmt_sums_create();
  c->alive = dvmt_alive_create();
  if (c->sums && c->alive)
    return c;
  dvmt_collector_destroy(c);
  return NULL;
}

void dvmt_collector_destroy(struct dvmt_collector *c) {
  if (!c)
    return;
  for (size_t i = 0; i < c->sites_cap; i++)
    for (struct site *s = c->sites[i], *before; s; s = before) {
      before = s->before;
      free(s->text);
      free(s);
    }
  for (size_t i = 0; i < c->nobjects; i++)
    free((char *)c->objects[i].name);
  free(c->sites);
  free(c->objects);
  dvmt_alive_destroy(c->alive);
  if (c->sums)
    dvmt_sums_destroy(c->sums);
  free(c);
}

/* ---- sites ----------------------------------------------------------------------------------------------------------------- */

static size_t slot_of(const struct dvmt_collector *c, uint64_t address) {
  size_t i = (address >> 4) * 0x9e3779b97f4a7c15ull >> 20 & (c->sites_cap - 1);
  while (c->sites[i] && c->sites[i]->address != address)
    i = (i + 1) & (c->sites_cap - 1);
  return i;
}

static struct site *site_at(const struct dvmt_collector *c, uint64_t address) {
  return c->sites_cap ? c->sites[slot_of(c, address)] : NULL;
}

static int grow_sites(struct dvmt_collector *c) {
  size_t old_cap = c->sites_cap, cap = old_cap ? 2 * old_cap : 1024;
  struct site **old = c->sites, **rows = calloc(cap, sizeof(*rows));
  if (!rows)
    return -ENOMEM;
  c->sites = rows;
  c->sites_cap = cap;
  for (size_t i = 0; i < old_cap; i++)
    if (old[i])
      c->sites[slot_of(c, old[i]->address)] = old[i];
  free(old);
  return 0;
}

/* ---- objects --------------------------------------------------------------------------------------------------------------- */

static bool same_object(const struct dvmt_object_def *a, const struct dvmt_object_def *b) {
  return a->flags == b->flags && a->element_bytes == b->element_bytes && a->ndims == b->ndims && !strcmp(a->name, b->name) &&
         !memcmp(a->extent, b->extent, sizeof(a->extent)) && !memcmp(a->lower, b->lower, sizeof(a->lower));
}

/* The object's number, new or not; 'def' with its name goes over to the collector.  NO_OBJECT: 'rc' has the error. */
static uint32_t object_number(struct dvmt_collector *c, struct dvmt_object_def def, int *rc) {
  if (!def.name) {
    *rc = -ENOMEM;
    return NO_OBJECT;
  }
  for (size_t i = 0; i < c->nobjects; i++)
    if (same_object(&c->objects[i], &def)) {
      free((char *)def.name);
      return (uint32_t)i;
    }
  struct dvmt_object_def *rows = realloc(c->objects, (c->nobjects + 1) * sizeof(*rows));
  if (!rows) {
    free((char *)def.name);
    *rc = -ENOMEM;
    return NO_OBJECT;
  }
  c->objects = rows;
  rows[c->nobjects] = def;
  *rc = c->sink->object(c->sink, &rows[c->nobjects]);
  return (uint32_t)c->nobjects++;
}

/* Shape of the array from an access text. */
static bool read_shape(void *arg, char key, struct dvmt_span rest) {
  struct dvmt_object_def *def = arg;
  if (key == DVMRT_ACCESS_EXTENT && def->ndims < DVMT_NDIMS_MAX)
    def->extent[def->ndims++] = dvmt_span_number(rest, 0);
  else if (key == DVMRT_ACCESS_ELEMENT)
    def->element_bytes = (uint32_t)dvmt_span_number(rest, 0);
  else if (key == DVMRT_ANY_LANGUAGE)
    def->flags |= DVMT_OBJECT_FORTRAN;
  for (int d = 0; key == DVMRT_ACCESS_LOWER && d < def->ndims; d++) {
    struct dvmt_span lower = dvmt_text_field(&rest);
    def->lower[d] = dvmt_span_number(lower, 1);
    if (dvmt_span_is(lower, "*"))
      def->extent[d] = 0; /* its subscripts are not known */
  }
  return true;
}

/* An object by the name of the variable at an access's root. */
static uint32_t named_object(struct dvmt_collector *c, const char *text, unsigned flags, int *rc) {
  struct dvmt_span name = flags & DVMT_OBJECT_POINTED ? dvmt_text_line(text, DVMRT_TRACE_POINTER) : (struct dvmt_span){NULL, 0};
  struct dvmt_object_def def = {.flags = (uint8_t)flags};
  if (!name.s)
    name = dvmt_text_line(text, DVMRT_ACCESS_VARIABLE);
  if (!name.s)
    name = dvmt_text_line(text, DVMRT_ACCESS_TEXT);
  def.name = name.s ? strndup(name.s, name.n) : strdup("?");
  dvmt_text_lines(text, read_shape, &def);
  struct dvmt_span size = dvmt_text_line(text, DVMRT_ACCESS_SIZE);
  if (!def.element_bytes && size.s)
    def.element_bytes = (uint32_t)dvmt_span_number(size, 0);
  return object_number(c, def, rc);
}

/* ---- records --------------------------------------------------------------------------------------------------------------- */

static void find_pointers(struct site *s) {
  unsigned n = 0;
  const char *at = s->text;
  for (struct dvmrt_site_line line; dvmrt_site_next_line(&at, at + strlen(at), &line);) {
    const size_t length = dvmrt_site_signs(&line);
    for (size_t i = 0; i < length; i++)
      if (line.s[i] == '#' || line.s[i] == '&') {
        if (line.s[i] == '&' && n < 256)
          s->pointers[n / 8] |= (uint8_t)(1 << n % 8);
        n++;
      }
  }
}

static int define(struct dvmt_collector *c, uint64_t address, const uint64_t *w) {
  uint64_t base = w[0], size = w[1], packed = w[2], length = w[3];
  int rc = (c->nsites + 1) * 2 > c->sites_cap ? grow_sites(c) : 0;
  struct site *s = rc ? NULL : calloc(1, sizeof(*s));
  if (!s)
    return -ENOMEM;
  *s = (struct site){.address = address,
                     .number = c->nnumbers,
                     .kind = packed & 255,
                     .words = packed >> 8 & 255,
                     .where = packed >> 24 & (DVMT_WHERE_ADDRESS | DVMT_WHERE_POINTER),
                     .nargs = packed >> 32 & 255,
                     .size = size,
                     .named = NO_OBJECT,
                     .variable = NO_OBJECT,
                     .text = strndup((const char *)(w + 4), length)};
  size_t slot = slot_of(c, address);
  if (c->sites[slot]) { /* a library that came again to the same place */
    s->before = c->sites[slot];
    s->before->address = 0; /* no guess leads to it */
  } else {
    c->nsites++;
  }
  c->sites[slot] = s;
  if (!s->text)
    return -ENOMEM;
  struct dvmt_type type = dvmt_type_of(s->text);
  s->truth = type.kind == 'b';
  s->pointer = type.kind == 'p';
  /* Behind values alone, not behind those of a call that have what was there before it. */
  s->leads = (s->where & DVMT_WHERE_POINTER) && s->words == (type.bytes + 7) / 8 && s->words < DVMT_VALUE_WORDS_MAX;
  find_pointers(s);
  c->nnumbers++;
  struct dvmt_site_def def = {s->text, s->kind, s->words, packed >> 16 & 255, (uint8_t)(s->where | (s->leads ? DVMT_SITE_LEADS : 0)),
                              s->nargs};
  rc = c->sink->site(c->sink, &def);
  if (rc || s->kind != DVMT_SITE_ACCESS || !base || !size || dvmt_alive_room(c->alive, base, size) < size)
    return rc;
  struct dvmt_place there; /* declared by a directive, or seen by another site */
  return dvmt_alive_find(c->alive, base, &there) && !there.number ? 0 : dvmt_alive_variable(c->alive, base, size, NO_OBJECT, s);
}

static int program(struct dvmt_collector *c, const uint64_t *w) {
  char *id = c->sink->program ? strndup((const char *)(w + 1), w[0]) : NULL;
  int rc = id ? c->sink->program(c->sink, id) : c->sink->program ? -ENOMEM : 0;
  free(id);
  return rc;
}

/* An allocation, or an array that a directive has declared there before: where memory of the address ends. */
static bool knows_end(const struct dvmt_place *there, uint64_t address) {
  const struct site *s = (const struct site *)(uintptr_t)there->owner;
  return there->number || (s && s->kind == DVMT_SITE_DIRECT && there->low == address);
}

/* A directive that declares an array. */
static int declare(struct dvmt_collector *c, const struct site *s, const uint64_t *args) {
  struct dvmt_array_ref ref;
  struct dvmt_span kind = dvmt_text_line(s->text, DVMRT_ANY_KIND);
  kind = dvmt_text_field(&kind);
  if (!(dvmt_span_is(kind, "array") || dvmt_span_is(kind, "bind")) || !dvmt_text_array(s->text, (const int64_t *)args, s->nargs, &ref))
    return 0;
  struct dvmt_object_def def = {
      strndup(ref.name.s, ref.name.n), (uint32_t)ref.element_bytes, DVMT_OBJECT_ARRAY, (uint8_t)ref.ndims, {0}, {0}};
  if (dvmt_text_line(s->text, DVMRT_ANY_LANGUAGE).s)
    def.flags |= DVMT_OBJECT_FORTRAN;
  memcpy(def.lower, ref.lower, sizeof(def.lower));
  uint64_t bytes = ref.element_bytes;
  for (int d = 0; d < ref.ndims; d++) {
    def.extent[d] = ref.extent[d];
    bytes *= ref.extent[d] ? (uint64_t)ref.extent[d] : 1;
  }
  /* Of a pointer's first dimension only the allocation tells the extent; else as far as nothing else is in the way, up to a terabyte. */
  struct dvmt_place there;
  bool open = ref.ndims && !ref.extent[0];
  if (open && dvmt_alive_find(c->alive, ref.address, &there) && knows_end(&there, ref.address)) {
    def.extent[0] = (int64_t)((there.high - ref.address) / bytes);
    bytes = there.high - ref.address;
  } else if (open) {
    bytes = dvmt_alive_room(c->alive, ref.address, 1ull << 40);
  }
  int rc = 0;
  uint32_t object = object_number(c, def, &rc);
  if (rc || object == NO_OBJECT)
    return rc;
  return dvmt_alive_variable(c->alive, ref.address, bytes, object, s);
}

static inline int send(struct dvmt_collector *c, struct dvmt_record r) { return c->sink->record(c->sink, &r); }

/* The variable at a place that has just been found. */
static int name_place(struct dvmt_collector *c, struct dvmt_place *place) {
  struct site *s = (struct site *)(uintptr_t)place->owner;
  int rc = 0;
  if (!s || place->object != NO_OBJECT)
    return 0;
  if (s->variable == NO_OBJECT)
    s->variable = named_object(c, s->text, 0, &rc);
  place->object = s->variable;
  if (!rc)
    dvmt_alive_name(c->alive, place, place->object);
  return rc;
}

static inline bool is_in(const struct dvmt_place *place, uint64_t a) {
  return a - place->low < place->high - place->low && dvmt_alive_still(place);
}

/* Object and offset of a value; returns the number of words that said it.  'lead': where the pointer leads, or 0. */
static inline unsigned resolve(struct dvmt_collector *c, struct site *s, const uint64_t *w, struct dvmt_record *r, uint64_t *lead,
                               int *rc) {
  unsigned used = s->where == (DVMT_WHERE_ADDRESS | DVMT_WHERE_POINTER) ? 2 : 1;
  bool found = false;
  if (s->where & DVMT_WHERE_ADDRESS) {
    uint64_t a = w[0];
    found = is_in(&s->at, a);
    if (!found && (found = dvmt_alive_find(c->alive, a, &s->at)))
      *rc = name_place(c, &s->at);
    if (found && !s->at.number) {
      r->object = s->at.object;
      r->offset = (int64_t)(a - s->at.low);
      return used;
    }
    if (found && s->leads)
      *lead = dvmt_lead(0, s->at.number, (int64_t)(a - w[1] - s->at.low));
  }
  if (s->named == NO_OBJECT)
    s->named = named_object(c, s->text, s->where & DVMT_WHERE_POINTER ? DVMT_OBJECT_POINTED : 0, rc);
  r->object = s->named;
  r->offset = s->where & DVMT_WHERE_ADDRESS && used == 1 ? 0 : (int64_t)w[used - 1];
  return used;
}

/* The word of where a place begins. */
static uint64_t beginning(const struct dvmt_collector *c, const struct dvmt_place *place) {
  if (place->number)
    return dvmt_lead(0, place->number, 0);
  return place->object == NO_OBJECT ? 1 : dvmt_lead(DVMT_LEAD_NAMED, dvmt_lead_hash(c->objects[place->object].name), 0);
}

/* 'a' bytes from the beginning of what the site's value has led to. */
static uint64_t lead_into(const struct site *s, uint64_t a) {
  if (!dvmt_lead_known(s->lead))
    return 1;
  return dvmt_lead(s->lead & DVMT_LEAD_NAMED, dvmt_lead_object(s->lead) & (DVMT_LEAD_NUMBERS - 1), (int64_t)(a - s->to.low));
}

/* Of an address at which an object may end: allocations stand apart, variables behind one another. */
static uint64_t lead_of_edge(struct dvmt_collector *c, struct site *s, uint64_t a, int *rc) {
  struct dvmt_place before = {0}, *to = &s->to;
  bool found = dvmt_alive_find(c->alive, a, to), ends = false;
  if (!found || !to->number)
    ends = dvmt_alive_find(c->alive, a - 1, &before) && before.high == a;
  if (!found && (!ends || !before.number)) /* behind a variable may be anything */
    return 1;
  if (!found)
    *to = before;
  if ((*rc = name_place(c, to)) || (ends && (*rc = name_place(c, &before))))
    return 1;
  s->lead = beginning(c, to);
  if (found && ends && !before.number && dvmt_lead_known(s->lead) && before.object != NO_OBJECT)
    return dvmt_lead_seam(dvmt_lead_object(s->lead) & (DVMT_LEAD_NUMBERS - 1), dvmt_lead_hash(c->objects[before.object].name));
  return lead_into(s, a);
}

/* Where the value of a pointer leads. */
static uint64_t lead_of(struct dvmt_collector *c, struct site *s, uint64_t a, int *rc) {
  if (a <= 1)
    return a;
  if (!is_in(&s->to, a) || a == s->to.low) {
    bool inside = dvmt_alive_find(c->alive, a, &s->to) && a != s->to.low;
    if (!inside)
      return lead_of_edge(c, s, a, rc);
    if ((*rc = name_place(c, &s->to)))
      return 1;
    s->lead = beginning(c, &s->to);
  }
  return lead_into(s, a);
}

static inline void truths(struct dvmt_collector *c, const struct site *s, struct dvmt_record *r) {
  for (unsigned i = 0; i < s->words; i++)
    c->values[i] = r->words[i] != 0;
  r->words = c->values;
}

static inline int value(struct dvmt_collector *c, struct site *s, enum dvmt_tag tag, const uint64_t *w, size_t *used) {
  struct dvmt_record r = {.kind = tag == DVMT_TAG_READ ? DVMT_READ : DVMT_WRITE, .site = s->number, .nwords = s->words};
  int rc = 0;
  uint64_t lead = 0;
  unsigned where = resolve(c, s, w, &r, &lead, &rc);
  *used = where + s->words;
  if (rc || r.object == NO_OBJECT)
    return rc ? rc : -ENOMEM;
  r.words = w + where;
  if (s->truth || s->pointer)
    truths(c, s, &r);
  int summed = dvmt_sums_add(c->sums, &r);
  if (summed)
    return summed < 0 ? summed : 0;
  if (s->pointer) {
    for (unsigned i = 0; i < s->words && !rc; i++)
      c->values[i] = lead_of(c, s, w[where + i], &rc);
  } else if (lead && !s->truth) {
    memcpy(c->values, r.words, s->words * sizeof(*c->values));
    r.words = c->values;
  }
  if (lead)
    c->values[r.nwords++] = lead;
  return rc ? rc : send(c, r);
}

static int allocation(struct dvmt_collector *c, const uint64_t *w) {
  int rc = dvmt_alive_allocation(c->alive, w[0], w[1]);
  c->sink->allocations = dvmt_alive_allocations(c->alive);
  return rc;
}

/* Addresses differ from run to run: of them only whether they are null stays. */
static const uint64_t *plain_args(struct dvmt_collector *c, const struct site *s, const uint64_t *w, unsigned first) {
  memcpy(c->values, w, (first + s->nargs) * 8u);
  for (unsigned i = 0; i < s->nargs; i++)
    if (s->pointers[i / 8] >> i % 8 & 1)
      c->values[first + i] = c->values[first + i] != 0;
  return c->values;
}

/* Of an access site: what one rank has of an array, with the number of the part, or the site's variable; else all of an array, part 0. */
static int digest(struct dvmt_collector *c, struct site *s, const uint64_t *w) {
  const uint64_t words[3] = {w[1], w[2], s->kind == DVMT_SITE_ACCESS ? w[3] : 0};
  struct dvmt_place at;
  int rc = 0;
  if (!w[0] && s->kind == DVMT_SITE_ACCESS) {
    if (s->named == NO_OBJECT)
      s->named = named_object(c, s->text, 0, &rc);
    return rc ? rc : send(c, (struct dvmt_record){.kind = DVMT_DIGEST, .site = s->number, .object = s->named, .nwords = 3, .words = words});
  }
  if (!dvmt_alive_find(c->alive, w[0], &at) || at.object == NO_OBJECT)
    return 0;
  return send(c, (struct dvmt_record){.kind = DVMT_DIGEST, .site = s->number, .object = at.object, .nwords = 3, .words = words});
}

static inline int iteration(struct dvmt_collector *c, struct site *s, const uint64_t *w) {
  struct dvmt_record r = {.kind = DVMT_ITER, .site = s->number, .nwords = s->words, .words = w};
  if (!s->words) {
    c->values[0] = s->iterations++;
    r.words = c->values;
    r.nwords = 1;
  }
  return send(c, r);
}

static inline __attribute__((always_inline)) int one(struct dvmt_collector *c, struct site *s, enum dvmt_tag tag, const uint64_t *w,
                                                     size_t *used) {
  int rc;
  switch (tag) {
  case DVMT_TAG_READ:
  case DVMT_TAG_WRITE: return value(c, s, tag, w, used);
  case DVMT_TAG_ITER: *used = s->words; return iteration(c, s, w);
  case DVMT_TAG_ENTER:
    *used = 1u + s->nargs;
    s->iterations = 0;
    dvmt_sums_enter(c->sums, dvmt_enter_level(w));
    return send(c, (struct dvmt_record){.kind = DVMT_ENTER, .site = s->number, .nwords = 1u + s->nargs, .words = plain_args(c, s, w, 1)});
  case DVMT_TAG_LEAVE:
    *used = 0;
    rc = dvmt_sums_leave(c->sums, s->number, c->sink);
    return rc ? rc : send(c, (struct dvmt_record){.kind = DVMT_LEAVE, .site = s->number});
  case DVMT_TAG_RESULT: *used = 6; return send(c, (struct dvmt_record){.kind = DVMT_RESULT, .site = s->number, .nwords = 6, .words = w});
  case DVMT_TAG_DIRECT:
    *used = s->nargs;
    rc = declare(c, s, w);
    return rc ? rc
              : send(c, (struct dvmt_record){.kind = DVMT_DIRECT, .site = s->number, .nwords = s->nargs, .words = plain_args(c, s, w, 0)});
  case DVMT_TAG_DIGEST: *used = s->kind == DVMT_SITE_ACCESS ? 4 : 3; return digest(c, s, w);
  case DVMT_TAG_LOCAL: *used = 3; return dvmt_alive_local(c->alive, w[0], w[2] ? w[2] : s->size, w[1], s);
  case DVMT_TAG_CALL:
  case DVMT_TAG_RETURN:
    if (tag == DVMT_TAG_CALL)
      dvmt_alive_call(c->alive);
    else
      dvmt_alive_return(c->alive);
    return send(c, (struct dvmt_record){.kind = tag == DVMT_TAG_CALL ? DVMT_CALL : DVMT_RETURN, .site = s->number});
  default: return -EBADMSG;
  }
}

static inline size_t words_of(const struct site *s, enum dvmt_tag tag) {
  switch (tag) {
  case DVMT_TAG_READ:
  case DVMT_TAG_WRITE: return s->words + (s->where == (DVMT_WHERE_ADDRESS | DVMT_WHERE_POINTER) ? 2u : 1u);
  case DVMT_TAG_ITER: return s->words;
  case DVMT_TAG_ENTER: return 1u + s->nargs;
  case DVMT_TAG_RESULT: return 6;
  case DVMT_TAG_DIRECT: return s->nargs;
  case DVMT_TAG_DIGEST: return s->kind == DVMT_SITE_ACCESS ? 4 : 3;
  case DVMT_TAG_LOCAL: return 3;
  default: return 0;
  }
}

/* The site of a first word, guessed from the one before. */
static inline struct site *site_after(const struct dvmt_collector *c, struct site *before, uint64_t address) {
  if (before && before->next && before->next->address == address)
    return before->next;
  struct site *s = site_at(c, address);
  if (before)
    before->next = s;
  return s;
}

int dvmt_collector_take_on(struct dvmt_collector *c, const uint64_t *words, size_t n, size_t *taken) {
  struct site *s = NULL;
  uint64_t first;
  for (size_t at = *taken; at < n && (first = __atomic_load_n(&words[at], __ATOMIC_ACQUIRE));) {
    uint64_t address = first & ~15ull;
    enum dvmt_tag tag = first & 15;
    const uint64_t *w = words + at + 1;
    size_t left = n - at - 1, used = 0;
    int rc;
    if (tag == DVMT_TAG_PROGRAM) {
      if (left < 1 || w[0] >= left * 8 || 1 + (w[0] + 8) / 8 > left)
        return 0;
      used = 1 + (w[0] + 8) / 8;
      rc = program(c, w);
      s = NULL;
    } else if (tag == DVMT_TAG_HEAP) {
      if (left < 2)
        return 0;
      used = 2;
      rc = allocation(c, w);
    } else if (tag == DVMT_TAG_DEFINE) {
      if (left < 4 || w[3] > left * 8 || 4 + (w[3] + 7) / 8 > left)
        return 0;
      used = 4 + (w[3] + 7) / 8;
      rc = define(c, address, w);
      s = NULL;
    } else {
      s = site_after(c, s, address);
      if (!s || left < words_of(s, tag))
        return 0; /* cut by the program's death */
      rc = one(c, s, tag, w, &used);
    }
    if (rc)
      return rc == -EBADMSG ? 0 : rc;
    *taken = at += 1 + used;
  }
  return 0;
}

int dvmt_collector_take(struct dvmt_collector *c, const uint64_t *words, size_t n) {
  size_t taken = 0;
  return dvmt_collector_take_on(c, words, n, &taken);
}

int dvmt_collector_unrecorded(struct dvmt_collector *c, const struct dvmt_ring *ring) {
  uint32_t n = atomic_load(&ring->nunrecorded);
  int rc = 0;
  for (uint32_t i = 0; i < n && i < DVMT_RING_UNRECORDED && !rc; i++) {
    uint64_t noted = atomic_load(&ring->unrecorded[i]), why = noted & 15;
    const struct site *s = site_at(c, noted & ~15ull);
    if (s)
      rc = send(c, (struct dvmt_record){.kind = DVMT_UNRECORDED, .site = s->number, .nwords = 1, .words = &why});
  }
  return rc;
}
