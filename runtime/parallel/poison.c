#include "runtime/parallel/poison.h"
#include "runtime/parallel/construct.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include <stdlib.h>
#include <string.h>

struct brought {
  struct brought *next;
  bool remote;
  int depth;                    /* of the construct that it is for */
  struct dvmp_set set;
  struct dvmp_arena memory;
};

static void *get(size_t n) {
  void *p = calloc(1, n ? n : 1);
  if (!p)
    dvmp_out_of_memory();
  return p;
}

/* ---- elements ------------------------------------------------------------------------------------------------------------------- */

struct filling {
  struct dvmp_array *a;
  uint8_t from, to;             /* states; from 255: any */
  bool fill;                    /* with poison */
};

static void fill_run(void *arg, int64_t offset, int64_t count) {
  const struct filling *f = arg;
  uint8_t *state = f->a->poison->state + offset;
  for (int64_t i = 0; i < count; i++) {
    if (f->from != 255 && state[i] != f->from)
      continue;
    state[i] = f->to;
    if (f->fill)
      memcpy((char *)f->a->address + (size_t)(offset + i) * f->a->element_bytes, f->a->poison->value, f->a->element_bytes);
  }
}

static void set_state(struct dvmp_array *a, const struct dvmp_set *s, uint8_t from, uint8_t to, bool fill) {
  struct filling f = {a, from, to, fill};
  dvmp_set_runs(s, a->stride, a->extent, fill_run, &f);
}

/* No result of a program: a signalling NaN with a payload of our own, or 0x8b in each byte. */
static void make_value(struct dvmp_array *a) {
  uint64_t nan8 = 0x7ff48b8b8b8b8b8bu;
  uint32_t nan4 = 0x7fa08b8bu;
  char *v = a->poison->value;
  memset(v, 0x8b, a->element_bytes);
  uint64_t part = a->type == 'c' ? a->element_bytes / 2 : a->type == 'f' ? a->element_bytes : 0;
  for (uint64_t i = 0; part == 8 && i < a->element_bytes; i += 8)
    memcpy(v + i, &nan8, 8);
  for (uint64_t i = 0; part == 4 && i < a->element_bytes; i += 4)
    memcpy(v + i, &nan4, 4);
}

static struct dvmp_set all_of(struct dvmp_arena *m, const struct dvmp_array *a) {
  struct dvmp_set s = {.ndims = a->ndims};
  for (int d = 0; d < a->ndims; d++)
    s.dim[d] = dvmp_list_of(m, 0, a->extent[d] - 1);
  return s;
}

static void forget_brought(struct dvmp_poison *p) {
  while (p->brought) {
    struct brought *b = p->brought;
    p->brought = b->next;
    dvmp_arena_free(&b->memory);
    free(b);
  }
}

/* As malloc has left it. */
static bool is_fresh(const struct dvmp_array *a, const char *element) {
  for (uint64_t i = 0; i < a->element_bytes; i++)
    if (element[i] != (char)DVMP_POISON_BYTE)
      return false;
  return a->element_bytes > 2;
}

/* ---- places --------------------------------------------------------------------------------------------------------------------- */

void dvmp_poison_drop(struct dvmp_array *a) {
  if (!a->poison)
    return;
  forget_brought(a->poison);
  free(a->poison->state);
  free(a->poison->value);
  free(a->poison);
  a->poison = NULL;
}

void dvmp_poison_place(struct dvmp_array *a, bool unset) {
  struct dvmp_poison *old = a->poison;
  uint64_t n = a->is_template ? 0 : (a->end - a->address) / a->element_bytes;
  if (!dvmp_job.poison || !n)
    return;
  struct dvmp_arena m = {NULL};
  struct dvmp_set all = all_of(&m, a);
  if (!old) {
    a->poison = get(sizeof(*a->poison));
    a->poison->state = get(n);
    a->poison->value = get(a->element_bytes);
    make_value(a);
    if (unset)
      set_state(a, &a->own, 255, DVMP_UNSET, true);
  }
  forget_brought(a->poison);
  /* What was its own stays as it is, what comes is marked when it does; the others lie elsewhere now. */
  uint8_t *kept = get(n);
  memcpy(kept, a->poison->state, n);
  set_state(a, &all, 255, DVMP_FOREIGN, false);
  struct dvmp_set own = a->own;
  set_state(a, &own, 255, old || unset ? DVMP_UNSET : DVMP_OWN, false);
  for (uint64_t i = 0; i < n; i++) {
    char *element = (char *)a->address + i * a->element_bytes;
    bool has = kept[i] <= DVMP_REMOTE; /* UNSET too: what was assigned unseen is told by its value */
    uint8_t *state = &a->poison->state[i];
    if (*state != DVMP_FOREIGN && old && has && !unset && memcmp(element, a->poison->value, a->element_bytes))
      *state = DVMP_OWN;
    if (*state == DVMP_OWN && is_fresh(a, element))
      *state = DVMP_UNSET;
    if (*state != DVMP_OWN)
      memcpy(element, a->poison->value, a->element_bytes);
  }
  free(kept);
  dvmp_arena_free(&m);
}

/* ---- exchanges ------------------------------------------------------------------------------------------------------------------ */

void dvmp_poison_pending(struct dvmp_array *a, const struct dvmp_set *s) {
  if (!a->poison)
    return;
  set_state(a, s, DVMP_EDGE, DVMP_PENDING, true);
  set_state(a, s, DVMP_FOREIGN, DVMP_PENDING, true);
  set_state(a, s, DVMP_STALE, DVMP_PENDING, true);
  set_state(a, s, DVMP_OVER, DVMP_PENDING, true);
}

static void note_brought(struct dvmp_array *a, const struct dvmp_set *s, bool remote) {
  struct brought *b = get(sizeof(*b));
  b->remote = remote;
  b->depth = dvmp_construct_depth();
  b->set = dvmp_set_copy(&b->memory, s);
  b->next = a->poison->brought;
  a->poison->brought = b;
}

void dvmp_poison_brought(struct dvmp_array *a, const struct dvmp_set *s, bool remote) {
  if (!a->poison)
    return;
  note_brought(a, s, remote);
  set_state(a, s, DVMP_UNSET, DVMP_OWN, false);
  for (uint8_t from = DVMP_FOREIGN; from <= DVMP_OVER; from++)
    set_state(a, s, from, remote ? DVMP_REMOTE : DVMP_EDGE, false);
  if (!remote)
    set_state(a, s, DVMP_REMOTE, DVMP_EDGE, false);
}

static void compute_run(void *arg, int64_t offset, int64_t count) {
  struct dvmp_array *a = arg;
  for (int64_t i = offset; i < offset + count; i++)
    if (a->poison->state[i] >= DVMP_FOREIGN &&
        memcmp((char *)a->address + (size_t)i * a->element_bytes, a->poison->value, a->element_bytes))
      a->poison->state[i] = DVMP_EDGE;
}

void dvmp_poison_computed(struct dvmp_array *a, const struct dvmp_set *s) {
  if (!a->poison)
    return;
  note_brought(a, s, false);
  dvmp_set_runs(s, a->stride, a->extent, compute_run, a);
}

void dvmp_poison_clean(void) {
  for (struct dvmp_array *a = dvmp_array_first(); a; a = a->next) {
    struct dvmp_arena m = {NULL};
    struct dvmp_set all = all_of(&m, a);
    for (uint8_t from = DVMP_FOREIGN; a->poison && from <= DVMP_OVER; from++)
      set_state(a, &all, from, from, true);
    dvmp_arena_free(&m);
  }
}

static void drop_brought(struct dvmp_array *a, bool remote, int depth) {
  for (struct brought **l = &a->poison->brought; *l;) {
    struct brought *b = *l;
    if (b->remote != remote || b->depth < depth) {
      l = &b->next;
      continue;
    }
    set_state(a, &b->set, remote ? DVMP_REMOTE : DVMP_EDGE, remote ? DVMP_OVER : DVMP_STALE, true);
    *l = b->next;
    dvmp_arena_free(&b->memory);
    free(b);
  }
}

void dvmp_poison_assigned(struct dvmp_array *a, uintptr_t at, uint64_t size) {
  if (!a->poison)
    return;
  uint64_t first = (at - a->address) / a->element_bytes, last = (at + size - 1 - a->address) / a->element_bytes;
  drop_brought(a, false, 0);
  for (uint64_t i = first; i <= last && a->address + i * a->element_bytes < a->end; i++) {
    uint8_t *state = &a->poison->state[i];
    *state = *state == DVMP_UNSET ? DVMP_OWN : *state;
    if (*state >= DVMP_FOREIGN) /* what rank 0 has read for all */
      memcpy((char *)a->address + i * a->element_bytes, a->poison->value, a->element_bytes);
  }
}

void dvmp_poison_end(int depth) {
  int64_t n = 0, i = 0;
  if (!dvmp_job.poison)
    return;
  struct dvmp_array *first = dvmp_array_common(dvmp_array_first());
  for (struct dvmp_array *a = first; a; a = dvmp_array_common(a->next))
    n++;
  uint8_t *written = get((size_t)n);
  for (struct dvmp_array *a = first; a; a = dvmp_array_common(a->next))
    written[i++] = a->poison && a->poison->written;
  dvmp_job_combine(written, n, 'o', 'u', 1, NULL);
  i = 0;
  for (struct dvmp_array *a = first; a; a = dvmp_array_common(a->next), i++) {
    if (!a->poison)
      continue;
    a->poison->written = false;
    drop_brought(a, true, depth);
    if (written[i])
      drop_brought(a, false, 0);
  }
  free(written);
}

bool dvmp_poison_unset(const struct dvmp_array *a, uint64_t i) {
  const struct dvmp_poison *p = a->poison;
  return p && p->state[i] == DVMP_UNSET && !memcmp((const char *)a->address + i * a->element_bytes, p->value, a->element_bytes);
}
