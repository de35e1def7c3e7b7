#include "mpir/mpi/type.h"
#include "mpir/mpi/core.h"
#include <stdlib.h>
#include <string.h>

static const struct {
  unsigned char size, align;
} basics[] = {
    [MPL_B_NONE] = {0, 0},
#define X(id, type) [MPL_B_##id] = {sizeof(type), _Alignof(type)},
    MPL_BASICS(X)
#undef X
};

size_t mpl_basic_size(enum mpl_basic basic) { return basics[basic].size; }
uint8_t mpl_basic_align(enum mpl_basic basic) { return basics[basic].align; }

/* --- life --- */

struct ompi_datatype_t *mpl_type_new(int combiner) {
  struct ompi_datatype_t *t = calloc(1, sizeof(*t));
  if (!t)
    mpl_die(1, "no memory for a datatype");
  t->magic = MPL_TYPE;
  t->refs = 1;
  t->f_index = -1;
  t->combiner = combiner;
  return t;
}

void mpl_type_hold(struct ompi_datatype_t *t) {
  if (!t->predefined)
    t->refs++;
}

void mpl_type_release(struct ompi_datatype_t *t) {
  if (t->predefined || --t->refs)
    return;
  if (t->child)
    mpl_type_release(t->child);
  if (t->kids)
    for (MPI_Aint i = 0; i < t->count; i++)
      mpl_type_release(t->kids[i]);
  if (t->contents) {
    for (int i = 0; i < t->contents->ntypes; i++)
      mpl_type_release(t->contents->types[i]);
    free(t->contents->ints);
    free(t->contents->aints);
    free(t->contents->types);
    free(t->contents);
  }
  free(t->lens);
  free(t->disps);
  free(t->kids);
  t->magic = MPL_FREED;
  free(t);
}

static void *copied(const void *p, size_t n) {
  void *q = malloc(n ? n : 1);
  if (!q)
    mpl_die(1, "no memory for a datatype");
  if (n)
    memcpy(q, p, n);
  return q;
}

void mpl_type_contents(struct ompi_datatype_t *t, int nints, const int *ints, int naints, const MPI_Aint *aints, int ntypes,
                       struct ompi_datatype_t *const *types) {
  struct mpl_contents *c = t->contents = calloc(1, sizeof(*c));
  *c = (struct mpl_contents){nints, naints, ntypes, copied(ints, (size_t)nints * sizeof(int)), copied(aints, (size_t)naints * sizeof(MPI_Aint)),
                             copied(types, (size_t)ntypes * sizeof(*types))};
  for (int i = 0; i < ntypes; i++)
    mpl_type_hold(c->types[i]);
}

/* --- shape --- */

struct bounds {
  MPI_Aint lb, ub, true_lb, true_ub, end; /* end: of the data so far, where they are one run */
  bool any, any_data, dense;
};

/* 'n' elements of 'kid' from 'at' on. */
static void widen(struct bounds *b, const struct ompi_datatype_t *kid, MPI_Aint at, MPI_Aint n) {
  if (n <= 0)
    return;
  MPI_Aint span = (n - 1) * (kid->ub - kid->lb), low = span < 0 ? span : 0, high = span < 0 ? 0 : span;
#define LEAST(a, v) if (!b->any || (v) < b->a) b->a = (v)
#define MOST(a, v) if (!b->any || (v) > b->a) b->a = (v)
  LEAST(lb, at + low + kid->lb);
  MOST(ub, at + high + kid->ub);
  if (kid->size) {
    bool first = !b->any_data;
    if (first || at + low + kid->true_lb < b->true_lb)
      b->true_lb = at + low + kid->true_lb;
    if (first || at + high + kid->true_ub > b->true_ub)
      b->true_ub = at + high + kid->true_ub;
    if (!mpl_type_is_run(kid, n) || (!first && at + kid->true_lb != b->end))
      b->dense = false;
    b->end = at + kid->true_lb + n * kid->size;
    b->any_data = true;
  }
  b->any = true;
}

static void bound(struct ompi_datatype_t *t, const struct bounds *b) {
  t->lb = b->lb;
  t->ub = b->ub;
  t->true_lb = b->true_lb;
  t->true_ub = b->true_ub;
  t->dense = b->dense;
}

void mpl_type_vector(struct ompi_datatype_t *t, MPI_Aint count, MPI_Aint blocklen, MPI_Aint stride, struct ompi_datatype_t *child) {
  t->shape = MPL_VECTOR;
  t->count = count;
  t->blocklen = blocklen;
  t->stride = stride;
  t->child = child;
  mpl_type_hold(child);
  t->align = child->align;
  t->size = count * blocklen * child->size;
  t->nbasic = (uint64_t)(count * blocklen) * child->nbasic;
  struct bounds b = {.dense = true};
  if (count > 0 && blocklen > 0) {
    widen(&b, child, 0, blocklen);
    if (count > 1)
      widen(&b, child, stride, blocklen);
    if (count > 2)
      widen(&b, child, (count - 1) * stride, blocklen);
    if (count > 2)
      b.dense = child->size == 0 || (mpl_type_is_run(child, blocklen) && stride == blocklen * child->size);
  }
  bound(t, &b);
}

void mpl_type_blocks(struct ompi_datatype_t *t, MPI_Aint count, const int *lens, const MPI_Aint *disps, struct ompi_datatype_t *const *kids,
                     struct ompi_datatype_t *child) {
  t->shape = MPL_BLOCKS;
  t->count = count;
  t->lens = copied(lens, (size_t)count * sizeof(int));
  t->disps = copied(disps, (size_t)count * sizeof(MPI_Aint));
  if (kids)
    t->kids = copied(kids, (size_t)count * sizeof(*kids));
  else if (child)
    mpl_type_hold(t->child = child);
  struct bounds b = {.dense = true};
  for (MPI_Aint i = 0; i < count; i++) {
    struct ompi_datatype_t *kid = kids ? kids[i] : child;
    if (kids)
      mpl_type_hold(kid);
    if (lens[i] && kid->align > t->align)
      t->align = kid->align;
    t->size += lens[i] * kid->size;
    t->nbasic += (uint64_t)lens[i] * kid->nbasic;
    widen(&b, kid, disps[i], lens[i]);
  }
  bound(t, &b);
}

/* --- walks --- */

struct walk {
  mpl_run_f *run;
  mpl_basic_f *basic;
  void *arg;
  size_t left;
};

static void walk(struct walk *w, const struct ompi_datatype_t *t, MPI_Aint count, char *at);

static void walk_one(struct walk *w, const struct ompi_datatype_t *t, char *at) {
  if (t->shape == MPL_VECTOR) {
    for (MPI_Aint i = 0; i < t->count && w->left; i++)
      walk(w, t->child, t->blocklen, at + i * t->stride);
    return;
  }
  for (MPI_Aint i = 0; i < t->count && w->left; i++)
    walk(w, t->kids ? t->kids[i] : t->child, t->lens[i], at + t->disps[i]);
}

static void walk(struct walk *w, const struct ompi_datatype_t *t, MPI_Aint count, char *at) {
  if (count <= 0 || !t->size || !w->left)
    return;
  if (w->basic && t->shape == MPL_BASIC) {
    w->basic(w->arg, at, (enum mpl_basic)t->basic, (size_t)count);
    return;
  }
  if (w->run && mpl_type_is_run(t, count)) {
    size_t n = (size_t)(count * t->size);
    n = n < w->left ? n : w->left;
    w->run(w->arg, at + t->true_lb, n);
    w->left -= n;
    return;
  }
  if (w->run && t->dense) {
    for (MPI_Aint i = 0; i < count && w->left; i++)
      walk(w, t, 1, at + i * (t->ub - t->lb));
    return;
  }
  for (MPI_Aint i = 0; i < count && w->left; i++)
    walk_one(w, t, at + i * (t->ub - t->lb));
}

void mpl_type_runs(const struct ompi_datatype_t *t, MPI_Aint count, const void *buf, size_t limit, mpl_run_f *f, void *arg) {
  struct walk w = {.run = f, .arg = arg, .left = limit};
  walk(&w, t, count, (char *)(uintptr_t)buf);
}

void mpl_type_basics(const struct ompi_datatype_t *t, MPI_Aint count, const void *buf, mpl_basic_f *f, void *arg) {
  struct walk w = {.basic = f, .arg = arg, .left = SIZE_MAX};
  walk(&w, t, count, (char *)(uintptr_t)buf);
}

static void pack_run(void *arg, char *at, size_t bytes) {
  char **out = arg;
  memcpy(*out, at, bytes);
  *out += bytes;
}

static void unpack_run(void *arg, char *at, size_t bytes) {
  const char **in = arg;
  memcpy(at, *in, bytes);
  *in += bytes;
}

void mpl_pack(const struct ompi_datatype_t *t, MPI_Aint count, const void *buf, char *out) { mpl_type_runs(t, count, buf, SIZE_MAX, pack_run, &out); }

void mpl_unpack(const struct ompi_datatype_t *t, MPI_Aint count, void *buf, const char *in, size_t bytes) {
  mpl_type_runs(t, count, buf, bytes, unpack_run, &in);
}

struct counting {
  uint64_t bytes, n;
  bool whole;
};

static void count_basics(void *arg, char *at, enum mpl_basic basic, size_t n) {
  struct counting *c = arg;
  (void)at;
  size_t size = mpl_basic_size(basic), take = c->bytes / size < n ? c->bytes / size : n;
  c->n += take;
  c->bytes -= take * size;
  if (take < n && c->bytes) {
    c->bytes = 0; /* part of one */
    c->whole = false;
  }
}

uint64_t mpl_type_elements(const struct ompi_datatype_t *t, uint64_t bytes, bool *whole) {
  *whole = true;
  if (!t->size)
    return 0;
  struct counting c = {bytes % (uint64_t)t->size, 0, true};
  uint64_t elements = bytes / (uint64_t)t->size * t->nbasic;
  if (c.bytes)
    mpl_type_basics(t, 1, NULL, count_basics, &c);
  *whole = c.whole;
  return elements + c.n;
}

void mpl_copy(const void *from, MPI_Aint nfrom, const struct ompi_datatype_t *tfrom, void *to, MPI_Aint nto, const struct ompi_datatype_t *tto) {
  size_t have = (size_t)(nfrom * tfrom->size), room = (size_t)(nto * tto->size), n = have < room ? have : room;
  if (!n)
    return;
  bool run_from = mpl_type_is_run(tfrom, nfrom), run_to = mpl_type_is_run(tto, nto);
  if (run_from && run_to) {
    memmove((char *)to + tto->true_lb, (const char *)from + tfrom->true_lb, n);
    return;
  }
  if (run_from) {
    mpl_unpack(tto, nto, to, (const char *)from + tfrom->true_lb, n);
    return;
  }
  char *between = malloc(have);
  mpl_pack(tfrom, nfrom, from, between);
  mpl_unpack(tto, nto, to, between, n);
  free(between);
}

/* --- requests --- */

void mpl_type_gather(struct ompi_request_t *q) {
  const struct ompi_datatype_t *t = q->type;
  q->size = (size_t)(q->count * t->size);
  if (q->own_bytes)
    return; /* of a buffered send */
  if (mpl_type_is_run(t, q->count)) {
    q->bytes = (char *)q->buf + t->true_lb;
    return;
  }
  q->bytes = malloc(q->size ? q->size : 1);
  q->own_bytes = true;
  mpl_pack(t, q->count, q->buf, q->bytes);
}

void mpl_type_room(struct ompi_request_t *q) {
  const struct ompi_datatype_t *t = q->type;
  q->capacity = (size_t)(q->count * t->size);
  if (mpl_type_is_run(t, q->count)) {
    q->bytes = (char *)q->buf + t->true_lb;
    return;
  }
  q->bytes = malloc(q->capacity ? q->capacity : 1);
  q->own_bytes = true;
}

void mpl_type_scatter(struct ompi_request_t *q, size_t bytes) { mpl_unpack(q->type, q->count, q->buf, q->bytes, bytes); }
