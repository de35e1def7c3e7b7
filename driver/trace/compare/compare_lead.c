/* Whether two pointers lead to the same: objects of the run are partners of objects of the reference, one of one.  Two that have the same
 * number or name are, and two allocations that meet here for the first time are too, whatever their numbers: a program that has been
 * changed may allocate more. */
#include "driver/trace/compare/compare_private.h"
#include "driver/trace/format/lead.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PARTNERS = 1 << 16 }; /* a power of two; of more objects than these the oldest are forgotten, and agree again with any */

struct partner {
  uint32_t own, other;
};
struct dvmt_leads {
  struct partner a[PARTNERS], b[PARTNERS];
  uint32_t last_a, last_b;   /* that agreed */
  uint64_t passed;           /* allocations of stretches that were the same and have not been looked at */
  size_t known;              /* definitions when 'moved' was found out */
  bool moved;                /* something has another size or place in its struct: distances say nothing */
};

static uint32_t number_of(uint32_t object) { return object & (DVMT_LEAD_NUMBERS - 1); }
static bool is_named(uint32_t object) { return object & (uint32_t)(DVMT_LEAD_NAMED >> DVMT_LEAD_SHIFT); }
static struct partner *slot(struct partner *p, uint32_t object) { return &p[(object ^ object >> 16) & (PARTNERS - 1)]; }
static uint32_t partner_of(struct partner *p, uint32_t object) {
  const struct partner *s = slot(p, object);
  return s->own == object ? s->other : 0;
}

static void bind(struct dvmt_leads *l, uint32_t a, uint32_t b) {
  *slot(l->a, a) = (struct partner){a, b};
  *slot(l->b, b) = (struct partner){b, a};
  l->last_a = a;
  l->last_b = b;
}

/* The variable of that hash, or NULL. */
static const struct dvmt_object_def *variable_of(const struct dvmt_compare *c, uint32_t object, bool of_reference) {
  size_t n = of_reference ? c->a.objects.n : c->b.objects.n;
  for (size_t i = 0; is_named(object) && i < n; i++) {
    const struct dvmt_object_def *o = of_reference ? dvmt_reader_object(c->reference, i) : &c->b_objects[i];
    if (!(o->flags & DVMT_OBJECT_POINTED) && dvmt_lead_hash(o->name) == number_of(object))
      return o;
  }
  return NULL;
}

/* An object that the other side cannot have: a variable that is not among its own, an allocation that nothing has led to yet. */
static bool is_new(const struct dvmt_compare *c, uint32_t object, bool of_reference) {
  return is_named(object) ? !variable_of(c, object, !of_reference) : number_of(object) > c->leads->passed;
}

static bool objects_agree(struct dvmt_compare *c, uint32_t a, uint32_t b) {
  struct dvmt_leads *l = c->leads;
  uint32_t other = partner_of(l->a, a), own = partner_of(l->b, b);
  if (other || own)
    return (!other || other == b) && (!own || own == a);
  if (a == b) {
    bind(l, a, b);
    return true;
  }
  const struct dvmt_object_def *named = variable_of(c, a, true);
  if (named && is_named(b) && dvmt_lead_hash(dvmt_cmp_renamed(c, named->name)) == number_of(b))
    return true;
  if (!is_new(c, a, true) || !is_new(c, b, false))
    return false;
  bind(l, a, b);
  return true;
}

static bool has_moved(const struct dvmt_compare *c, size_t site, size_t partner) {
  const struct member *x = &c->a.members.row[site], *y = &c->b.members.row[partner];
  return c->a_types[site].bytes != c->b_types[partner].bytes ||
         (x->path == y->path && (x->offset != y->offset || x->bytes != y->bytes || x->nstrides != y->nstrides ||
                                 memcmp(x->stride, y->stride, x->nstrides * sizeof(*x->stride)) != 0));
}

/* Of its name there are others in the run, and none of this size. */
static bool is_resized(const struct dvmt_compare *c, size_t object) {
  const struct dvmt_object_def *o = dvmt_reader_object(c->reference, object);
  bool other = false;
  for (size_t i = 0; i < c->b.objects.n; i++)
    if (c->a.objects.key[object] == c->b.objects.key[i] && c->b_objects[i].flags == o->flags) {
      if (c->b_objects[i].element_bytes == o->element_bytes)
        return false;
      other = true;
    }
  return other;
}

static bool layouts_differ(struct dvmt_compare *c) {
  struct dvmt_leads *l = c->leads;
  size_t known = c->a.sites.n + c->b.sites.n + c->a.objects.n + c->b.objects.n;
  if (l->moved || l->known == known)
    return l->moved;
  l->known = known;
  for (size_t i = 0; i < c->npartners && i < c->a.sites.n && !l->moved; i++)
    l->moved = c->partners[i] < c->b.sites.n && has_moved(c, i, c->partners[i]);
  for (size_t i = 0; i < c->a.objects.n && !l->moved; i++)
    l->moved = is_resized(c, i);
  return l->moved;
}

static bool distances_agree(struct dvmt_compare *c, uint64_t a, uint64_t b) {
  int64_t x = dvmt_lead_distance(a), y = dvmt_lead_distance(b);
  const struct dvmt_object_def *o = variable_of(c, dvmt_lead_object(a), true), *p = variable_of(c, dvmt_lead_object(b), false);
  if (o && p && o->element_bytes && p->element_bytes && o->element_bytes != p->element_bytes)
    return x / (int64_t)o->element_bytes == y / (int64_t)p->element_bytes;
  return x == y || layouts_differ(c);
}

bool dvmt_cmp_leads_agree(struct dvmt_compare *c, uint64_t a, uint64_t b) {
  uint32_t x = dvmt_lead_object(a), y = dvmt_lead_object(b);
  if (!dvmt_lead_known(a) || !dvmt_lead_known(b))
    return true;
  if (dvmt_lead_is_seam(a) && dvmt_lead_is_seam(b) && number_of((uint32_t)a) == number_of((uint32_t)b))
    return true; /* the end of the same variable; the linker has put others behind it */
  if (!c->leads && !(c->leads = calloc(1, sizeof(*c->leads)))) {
    c->rc = -ENOMEM;
    return true;
  }
  if (x != c->leads->last_a || y != c->leads->last_b) {
    if (!objects_agree(c, x, y))
      return false;
    c->leads->last_a = x;
    c->leads->last_b = y;
  }
  return dvmt_lead_distance(a) == dvmt_lead_distance(b) || distances_agree(c, a, b);
}

void dvmt_cmp_leads_passed(struct dvmt_compare *c, uint64_t allocations) {
  if (!c->leads && !(c->leads = calloc(1, sizeof(*c->leads))))
    c->rc = -ENOMEM;
  else
    c->leads->passed = allocations;
}

void dvmt_cmp_lead_text(const struct dvmt_compare *c, uint64_t word, bool of_reference, char *buf, size_t size) {
  dvmt_lead_text(word, dvmt_lead_known(word) ? variable_of(c, dvmt_lead_object(word), of_reference) : NULL, buf, size);
}
