#include "driver/trace/format/alive.h"
#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

struct variable {
  uint64_t low, high, frame;
  uint32_t object, calls; /* of functions that were open when it was entered */
  const void *owner;
};
/* Variables by address, none overlap. */
struct table {
  struct variable *row;      /* owned */
  size_t n, cap;
  uint64_t changes;          /* count, so that what was found before is known to be old */
};
struct dvmt_alive {
  struct table lasting, local;
  void *heap;                /* of tsearch */
  uint32_t calls;            /* of functions that are open */
  struct dvmt_allocation *unused; /* that others may begin in: owned, as those in 'heap' */
  uint64_t begun;
};

struct dvmt_alive *dvmt_alive_create(void) { return calloc(1, sizeof(struct dvmt_alive)); }

void dvmt_alive_destroy(struct dvmt_alive *a) {
  if (!a)
    return;
  tdestroy(a->heap, free);
  for (struct dvmt_allocation *b = a->unused, *next; b; b = next) {
    next = b->next;
    free(b);
  }
  free(a->lasting.row);
  free(a->local.row);
  free(a);
}

uint64_t dvmt_alive_allocations(const struct dvmt_alive *a) { return a->begun; }

/* ---- variables --------------------------------------------------------------------------------------------------------------- */

/* The first that ends behind the address. */
static size_t variable_after(const struct table *t, uint64_t address) {
  size_t low = 0, high = t->n;
  while (low < high) {
    size_t mid = (low + high) / 2;
    if (t->row[mid].high <= address)
      low = mid + 1;
    else
      high = mid;
  }
  return low;
}

static void take_out(struct table *t, size_t first, size_t last) {
  memmove(t->row + first, t->row + last, (t->n - last) * sizeof(*t->row));
  t->n -= last - first;
}

static int put_in(struct table *t, struct variable v) {
  size_t first = variable_after(t, v.low), last = first;
  while (last < t->n && t->row[last].low < v.high)
    last++;
  take_out(t, first, last);
  if (t->n == t->cap) {
    size_t cap = t->cap ? 2 * t->cap : 64;
    struct variable *row = realloc(t->row, cap * sizeof(*row));
    if (!row)
      return -ENOMEM;
    t->row = row;
    t->cap = cap;
  }
  memmove(t->row + first + 1, t->row + first, (t->n - first) * sizeof(*t->row));
  t->n++;
  t->row[first] = v;
  t->changes++;
  return 0;
}

int dvmt_alive_variable(struct dvmt_alive *a, uint64_t low, uint64_t bytes, uint32_t object, const void *owner) {
  return low + bytes > low ? put_in(&a->lasting, (struct variable){low, low + bytes, 0, object, 0, owner}) : 0;
}

int dvmt_alive_local(struct dvmt_alive *a, uint64_t low, uint64_t bytes, uint64_t frame, const void *owner) {
  struct table *t = &a->local;
  size_t gone = 0;
  while (gone < t->n && t->row[gone].frame < frame)
    gone++;
  take_out(t, 0, gone);
  if (low + bytes <= low)
    return 0;
  size_t at = variable_after(t, low);
  const struct variable *v = at < t->n ? &t->row[at] : NULL;
  if (v && v->low == low && v->high == low + bytes && v->frame == frame && v->owner == owner && v->calls == a->calls)
    return 0; /* the function has been called again */
  return put_in(t, (struct variable){low, low + bytes, frame, DVMT_ALIVE_NO_OBJECT, a->calls, owner});
}

void dvmt_alive_call(struct dvmt_alive *a) { a->calls++; }

/* Those of the innermost calls have the lowest addresses. */
void dvmt_alive_return(struct dvmt_alive *a) {
  struct table *t = &a->local;
  size_t gone = 0;
  a->calls -= a->calls > 0;
  while (gone < t->n && t->row[gone].calls > a->calls)
    gone++;
  if (!gone)
    return;
  take_out(t, 0, gone);
  t->changes++;
}

uint64_t dvmt_alive_room(const struct dvmt_alive *a, uint64_t low, uint64_t most) {
  size_t next = variable_after(&a->lasting, low);
  if (next < a->lasting.n && a->lasting.row[next].low > low && a->lasting.row[next].low - low < most)
    return a->lasting.row[next].low - low;
  return most;
}

/* ---- allocations ------------------------------------------------------------------------------------------------------------- */

static int by_address(const void *a, const void *b) {
  const struct dvmt_allocation *x = a, *y = b;
  return x->high <= y->low ? -1 : x->low >= y->high;
}

static struct dvmt_allocation *allocation_in(struct dvmt_alive *a, uint64_t low, uint64_t high) {
  const struct dvmt_allocation key = {.low = low, .high = high};
  struct dvmt_allocation **found = tfind(&key, &a->heap, by_address);
  return found ? *found : NULL;
}

static void end_allocation(struct dvmt_alive *a, struct dvmt_allocation *b) {
  tdelete(b, &a->heap, by_address);
  b->number = 0;
  b->next = a->unused;
  a->unused = b;
}

/* What had this memory before is gone, whoever has given it back. */
static void clear_place(struct dvmt_alive *a, uint64_t low, uint64_t high) {
  struct dvmt_allocation *b;
  struct table *t = &a->lasting;
  while ((b = allocation_in(a, low, high)))
    end_allocation(a, b);
  size_t first = variable_after(t, low), last;
  if (first == t->n || t->row[first].low >= high)
    return;
  if (t->row[first].low < low)
    t->row[first++].high = low;
  for (last = first; last < t->n && t->row[last].low < high;)
    last++;
  take_out(t, first, last);
  t->changes++;
}

int dvmt_alive_allocation(struct dvmt_alive *a, uint64_t low, uint64_t bytes) {
  struct dvmt_allocation *b;
  if (!bytes) {
    if ((b = allocation_in(a, low, low + 1)) && b->low == low)
      end_allocation(a, b);
    return 0;
  }
  if (low + bytes < low)
    return 0;
  clear_place(a, low, low + bytes);
  if ((b = a->unused))
    a->unused = b->next;
  else if (!(b = malloc(sizeof(*b))))
    return -ENOMEM;
  a->begun++;
  *b = (struct dvmt_allocation){low, low + bytes, a->begun < UINT32_MAX ? (uint32_t)a->begun : UINT32_MAX, NULL};
  if (tsearch(b, &a->heap, by_address))
    return 0;
  free(b);
  return -ENOMEM;
}

/* ---- what is at an address --------------------------------------------------------------------------------------------------- */

static bool find_in(struct table *t, uint64_t address, struct dvmt_place *place) {
  size_t i = variable_after(t, address);
  const struct variable *v = t->row + i;
  if (i == t->n || v->low > address)
    return false;
  *place = (struct dvmt_place){
      .low = v->low, .high = v->high, .object = v->object, .owner = v->owner, .changes = &t->changes, .seen = t->changes};
  return true;
}

bool dvmt_alive_find(struct dvmt_alive *a, uint64_t address, struct dvmt_place *place) {
  if (find_in(&a->lasting, address, place) || find_in(&a->local, address, place))
    return true;
  const struct dvmt_allocation *b = allocation_in(a, address, address + 1);
  *place = (struct dvmt_place){.object = DVMT_ALIVE_NO_OBJECT};
  if (!b)
    return false;
  *place = (struct dvmt_place){.low = b->low,
                               .high = b->high,
                               .number = b->number,
                               .object = DVMT_ALIVE_NO_OBJECT,
                               .allocation = b,
                               .changes = &a->lasting.changes,
                               .seen = a->lasting.changes};
  return true;
}

void dvmt_alive_name(struct dvmt_alive *a, const struct dvmt_place *place, uint32_t object) {
  for (int i = 0; i < 2; i++) {
    struct table *t = i ? &a->local : &a->lasting;
    size_t at = variable_after(t, place->low);
    if (place->changes == &t->changes && at < t->n && t->row[at].low == place->low)
      t->row[at].object = object;
  }
}
