/* What a program that is executed in parallel knows of its ranks: who has which elements, and which iterations are this rank's. */
#include <errno.h>

#include "sdm/gdb/facts_private.h"

#define SPANS_SHOWN 4u
#define SPANS_MAX (1u << 24)
#define RANKS_MAX (1u << 20)
#define ARRAYS_MAX 10000u
enum { EVERYWHERE, CONSTANT, AFFINE }; /* DVM_FACTS_COORD_KIND */

bool sdm_facts_is_parallel(const struct facts *f) { return f->head.fields[DVM_FACTS_NOW_RANK].bytes && f->head.now; }

/* ---- lists of spans ---- */

struct list {
  uint32_t count;
  uint64_t spans;
};

static uint32_t bytes_of(const struct facts *f, enum dvm_facts_id id) { return f->head.fields[id].bytes; }

/* List 'k' of those in a field. */
static struct list list_in(struct facts *f, uint64_t record, enum dvm_facts_id id, uint32_t k) {
  const struct dvm_facts_field *x = &f->head.fields[id];
  uint32_t bytes = bytes_of(f, DVM_FACTS_LIST_BYTES);
  if (!bytes || (uint64_t)(k + 1) * bytes > x->bytes) {
    sdm_facts_fail(f, -EPROTO, record);
    return (struct list){0, 0};
  }
  uint64_t at = record + x->offset + (uint64_t)k * bytes, n = sdm_facts_number(f, at, DVM_FACTS_LIST_COUNT);
  if (n > SPANS_MAX)
    sdm_facts_fail(f, -EPROTO, at);
  return (struct list){n > SPANS_MAX ? 0 : (uint32_t)n, sdm_facts_number(f, at, DVM_FACTS_LIST_SPANS)};
}

static void span(struct facts *f, const struct list *l, uint32_t i, int64_t *low, int64_t *high) {
  uint64_t at = l->spans + (uint64_t)i * bytes_of(f, DVM_FACTS_SPAN_BYTES);
  *low = sdm_facts_wide(f, at, DVM_FACTS_SPAN_LOW, 0);
  *high = sdm_facts_wide(f, at, DVM_FACTS_SPAN_HIGH, 0);
}

/* They are in order. */
static bool has(struct facts *f, const struct list *l, int64_t x) {
  uint32_t from = 0, to = l->count;
  int64_t low, high;
  while (from < to && !f->rc) {
    uint32_t middle = from + (to - from) / 2;
    span(f, l, middle, &low, &high);
    if (x >= low && x <= high)
      return true;
    if (x < low)
      to = middle;
    else
      from = middle + 1;
  }
  return false;
}

struct edge {
  int64_t low, high, extent; /* widths; of the whole dimension */
};

static int64_t within(int64_t x, int64_t low, int64_t high) { return x < low ? low : x > high ? high : x; }

static void widen(const struct edge *e, int64_t *low, int64_t *high) {
  int64_t last = e->extent > 0 ? e->extent - 1 : 0;
  *low = within(within(*low, 0, last) - within(e->low, 0, last), 0, last);
  *high = within(within(*high, 0, last) + within(e->high, 0, last), 0, last);
}

/* "[0..24,30]" */
static void add_list(struct facts *f, const struct list *l, const struct edge *e, struct dvm_text *t) {
  int64_t low, high;
  dvm_text_add(t, "[");
  for (uint32_t i = 0; i < l->count && i < SPANS_SHOWN && !f->rc; i++) {
    span(f, l, i, &low, &high);
    if (e)
      widen(e, &low, &high);
    dvm_text_printf(t, low == high ? "%s%lld" : "%s%lld..%lld", i ? "," : "", (long long)low, (long long)high);
  }
  dvm_text_add(t, l->count > SPANS_SHOWN ? ",..]" : "]");
}

/* ---- parts of arrays ---- */

struct coord {
  uint64_t kind, index;
  int64_t coef, add;
};

static struct coord place(struct facts *f, uint64_t a, uint32_t r) {
  const struct dvm_facts_field *x = &f->head.fields[DVM_FACTS_ARRAY_PLACE];
  uint32_t bytes = bytes_of(f, DVM_FACTS_COORD_BYTES);
  uint64_t c = a + x->offset + (uint64_t)r * bytes;
  if ((uint64_t)(r + 1) * bytes > x->bytes) {
    sdm_facts_fail(f, -EPROTO, a);
    return (struct coord){EVERYWHERE, 0, 0, 0};
  }
  return (struct coord){sdm_facts_number(f, c, DVM_FACTS_COORD_KIND), sdm_facts_number(f, c, DVM_FACTS_COORD_INDEX),
                        sdm_facts_wide(f, c, DVM_FACTS_COORD_COEF, 0), sdm_facts_wide(f, c, DVM_FACTS_COORD_ADD, 0)};
}

static uint64_t root_of(struct facts *f, uint64_t a) { return sdm_facts_number(f, a, DVM_FACTS_ARRAY_ROOT); }

static bool is_cut(struct facts *f, uint64_t a, uint32_t dim) {
  uint32_t n = root_of(f, a) ? sdm_facts_ndims(f, a, DVM_FACTS_ARRAY_NROOT) : 0;
  for (uint32_t r = 0; r < n && !f->rc; r++) {
    struct coord c = place(f, a, r);
    if (sdm_facts_number_at(f, a, DVM_FACTS_ARRAY_DIVIDED, r, 1) && c.kind == AFFINE && c.index == dim)
      return true;
  }
  return false;
}

static struct edge edge_of(struct facts *f, uint64_t a, uint32_t dim) {
  struct edge e = {0, 0, sdm_facts_wide(f, a, DVM_FACTS_ARRAY_EXTENT, dim)};
  if (is_cut(f, a, dim)) {
    e.low = sdm_facts_wide(f, a, DVM_FACTS_ARRAY_LOW, dim);
    e.high = sdm_facts_wide(f, a, DVM_FACTS_ARRAY_HIGH, dim);
  }
  return e;
}

/* This rank's part, with its edges or without; "nothing". */
static json_t *own(struct facts *f, uint64_t a, uint32_t ndims, bool edges) {
  struct dvm_text t = DVM_TEXT_INIT;
  bool empty = false;
  for (uint32_t i = 0; i < ndims && !f->rc; i++) {
    struct list l = list_in(f, a, DVM_FACTS_ARRAY_OWN, i);
    struct edge e = edge_of(f, a, i);
    add_list(f, &l, edges ? &e : NULL, &t);
    empty |= !l.count;
  }
  if (empty) {
    dvm_text_fini(&t);
    t = (struct dvm_text)DVM_TEXT_INIT;
    dvm_text_add(&t, "nothing");
  }
  return sdm_facts_json_of(&t);
}

/* Processors along each dimension of the root, and this rank's place among them; their number, 0 if that cannot be. */
static uint32_t grid(struct facts *f, uint64_t root, uint32_t n, uint32_t *along) {
  uint64_t g = sdm_facts_number(f, root, DVM_FACTS_ARRAY_GRID), all = 1;
  const struct dvm_facts_field *x = &f->head.fields[DVM_FACTS_GRID_AXES];
  uint32_t bytes = bytes_of(f, DVM_FACTS_AXIS_BYTES);
  if (!g || !bytes || (uint64_t)n * bytes > x->bytes) {
    sdm_facts_fail(f, -EPROTO, root);
    return 0;
  }
  for (uint32_t r = 0; r < n && !f->rc; r++) {
    uint64_t procs = sdm_facts_number(f, g + x->offset + (uint64_t)r * bytes, DVM_FACTS_AXIS_PROCS);
    all *= procs <= RANKS_MAX ? procs : 0;
    along[r] = (uint32_t)procs;
    if (!all || all > RANKS_MAX)
      sdm_facts_fail(f, -EPROTO, g);
  }
  return f->rc ? 0 : (uint32_t)all;
}

static void places(uint32_t rank, uint32_t n, const uint32_t *along, uint32_t *at) {
  for (uint32_t r = n; r--;) {
    at[r] = rank % along[r];
    rank /= along[r];
  }
}

static json_t *numbers(const uint32_t *x, uint32_t n) {
  json_t *list = json_array();
  for (uint32_t r = 0; r < n; r++)
    json_array_append_new(list, json_integer(x[r]));
  return list;
}

void sdm_facts_put_own(struct facts *f, json_t *j, uint64_t a, uint32_t ndims) {
  uint32_t along[DVM_FACTS_NDIMS_MAX], at[DVM_FACTS_NDIMS_MAX], rank = (uint32_t)sdm_facts_number(f, f->head.now, DVM_FACTS_NOW_RANK);
  uint64_t root = root_of(f, a);
  uint32_t n = root ? sdm_facts_ndims(f, a, DVM_FACTS_ARRAY_NROOT) : 0;
  json_object_set_new(j, "rank", json_integer(rank));
  json_object_set_new(j, "own", own(f, a, ndims, false));
  if (!sdm_facts_number(f, a, DVM_FACTS_ARRAY_TEMPLATE))
    json_object_set_new(j, "held", own(f, a, ndims, true));
  if (n && grid(f, root, n, along)) {
    places(rank, n, along, at);
    json_object_set_new(j, "grid", numbers(along, n));
    json_object_set_new(j, "place", numbers(at, n));
  }
}

/* ---- iterations ---- */

void sdm_facts_put_part(struct facts *f, json_t *j, uint64_t frame, uint64_t d) {
  uint64_t rank = sdm_facts_number(f, d, DVM_FACTS_DIRECTIVE_RANK), turns = sdm_facts_number(f, frame, DVM_FACTS_FRAME_TURNS);
  json_t *list = json_array();
  for (uint32_t i = 0; i < rank && i < DVM_FACTS_NDIMS_MAX && !f->rc; i++) {
    struct dvm_text name = DVM_TEXT_INIT, part = DVM_TEXT_INIT;
    sdm_facts_add_text(f, sdm_facts_number_at(f, d, DVM_FACTS_DIRECTIVE_NAMES, i, 8), &name);
    if (sdm_facts_number_at(f, frame, DVM_FACTS_FRAME_CLAMPED, i, 1)) {
      struct list l = list_in(f, frame, DVM_FACTS_FRAME_PART, i);
      add_list(f, &l, NULL, &part);
    } else
      dvm_text_add(&part, "all");
    json_array_append_new(list, json_pack("{s:o, s:o}", "name", sdm_facts_json_of(&name), "part", sdm_facts_json_of(&part)));
  }
  json_object_set_new(j, "indices", list);
  if (turns > 1) {
    json_object_set_new(j, "turn", json_integer((json_int_t)sdm_facts_number(f, frame, DVM_FACTS_FRAME_TURN) + 1));
    json_object_set_new(j, "turns", json_integer((json_int_t)turns));
  }
}

/* ---- elements ---- */

/* The indices of the element at the address, if it is the array's. */
static bool find(struct facts *f, uint64_t a, uint64_t address, uint32_t ndims, int64_t *ix) {
  uint64_t from = sdm_facts_number(f, a, DVM_FACTS_ARRAY_ADDRESS), bytes = sdm_facts_number(f, a, DVM_FACTS_ARRAY_ELEMENT);
  uint64_t k = bytes && address >= from ? (address - from) / bytes : UINT64_MAX;
  for (uint32_t i = ndims; i-- && !f->rc;) {
    uint64_t extent = (uint64_t)sdm_facts_wide(f, a, DVM_FACTS_ARRAY_EXTENT, i);
    if (!extent)
      return false;
    ix[i] = (int64_t)(i ? k % extent : k);
    if (!i && k >= extent)
      return false;
    k /= extent;
  }
  return ndims && !f->rc;
}

/* Which processors along dimension 'r' of the root have it: its number there, or -1 for all of them, -2 for none. */
static int64_t along_axis(struct facts *f, uint64_t a, uint32_t r, uint64_t root, const int64_t *ix, uint32_t procs) {
  struct coord c = place(f, a, r);
  uint64_t axis = sdm_facts_number(f, root, DVM_FACTS_ARRAY_GRID) + f->head.fields[DVM_FACTS_GRID_AXES].offset +
                  (uint64_t)r * bytes_of(f, DVM_FACTS_AXIS_BYTES);
  if (c.kind == EVERYWHERE || c.index >= DVM_FACTS_NDIMS_MAX || !sdm_facts_number_at(f, a, DVM_FACTS_ARRAY_DIVIDED, r, 1))
    return -1;
  int64_t x = c.kind == CONSTANT ? c.add : (int64_t)((uint64_t)c.coef * (uint64_t)ix[c.index] + (uint64_t)c.add);
  uint64_t parts = sdm_facts_number(f, axis, DVM_FACTS_AXIS_PARTS);
  uint32_t bytes = bytes_of(f, DVM_FACTS_LIST_BYTES);
  for (uint32_t p = 0; p < procs && !f->rc; p++) {
    uint64_t at = parts + (uint64_t)p * bytes, n = sdm_facts_number(f, at, DVM_FACTS_LIST_COUNT);
    struct list l = {n > SPANS_MAX ? 0 : (uint32_t)n, sdm_facts_number(f, at, DVM_FACTS_LIST_SPANS)};
    if (has(f, &l, x))
      return p;
  }
  return -2;
}

/* "2", "0-3", "1,3" */
static void add_rank(struct dvm_text *t, uint32_t from, uint32_t to) {
  dvm_text_printf(t, from == to ? "%s%u" : "%s%u-%u", t->len ? "," : "", from, to);
}

static json_t *owners(struct facts *f, uint64_t a, const int64_t *ix) {
  uint32_t along[DVM_FACTS_NDIMS_MAX] = {1}, at[DVM_FACTS_NDIMS_MAX] = {0}, from = 0, found = 0;
  int64_t wanted[DVM_FACTS_NDIMS_MAX] = {-1};
  uint64_t root = root_of(f, a), all = sdm_facts_number(f, f->head.now, DVM_FACTS_NOW_RANKS);
  uint32_t n = root ? sdm_facts_ndims(f, a, DVM_FACTS_ARRAY_NROOT) : 0;
  struct dvm_text t = DVM_TEXT_INIT;
  if (n)
    all = grid(f, root, n, along);
  for (uint32_t r = 0; r < n && !f->rc; r++)
    wanted[r] = along_axis(f, a, r, root, ix, along[r]);
  for (uint32_t rank = 0; rank <= all && all <= RANKS_MAX && !f->rc; rank++) {
    bool fits = rank < all;
    places(rank, n, along, at);
    for (uint32_t r = 0; r < n; r++)
      fits &= wanted[r] == -1 || wanted[r] == (int64_t)at[r];
    if (fits && !found++)
      from = rank;
    if (!fits && found) {
      add_rank(&t, from, rank - 1);
      found = 0;
    }
  }
  return sdm_facts_json_of(&t);
}

static const char *const states[] = {
    "has a value",          "has no value yet",     "edge",           "fetched by remote_access",
    "has not been fetched", "edge, which is stale", "edge under way", "fetched for a construct that has ended"};

static void put_state(struct facts *f, json_t *j, uint64_t a, uint64_t address) {
  uint64_t poison = bytes_of(f, DVM_FACTS_ARRAY_POISON) ? sdm_facts_number(f, a, DVM_FACTS_ARRAY_POISON) : 0;
  uint64_t bytes = sdm_facts_number(f, a, DVM_FACTS_ARRAY_ELEMENT);
  if (!poison || !bytes)
    return;
  uint64_t at = sdm_facts_number(f, poison, DVM_FACTS_POISON_STATES) + (address - sdm_facts_number(f, a, DVM_FACTS_ARRAY_ADDRESS)) / bytes;
  uint8_t state = 0;
  int rc = f->rc ? f->rc : f->src->read(f->src->arg, at, &state, 1);
  if (rc)
    sdm_facts_fail(f, rc, at);
  else if (state < sizeof(states) / sizeof(*states))
    json_object_set_new(j, "state", json_string(states[state]));
}

static json_t *element(struct facts *f, uint64_t a, uint64_t address, uint32_t ndims, const int64_t *ix) {
  struct dvm_text name = DVM_TEXT_INIT;
  const char *here = "own";
  sdm_facts_add_text(f, sdm_facts_number(f, a, DVM_FACTS_ARRAY_NAME), &name);
  for (uint32_t i = 0; i < ndims; i++) {
    struct list l = list_in(f, a, DVM_FACTS_ARRAY_OWN, i);
    struct edge e = edge_of(f, a, i);
    dvm_text_printf(&name, "[%lld]", (long long)ix[i]);
    if (has(f, &l, ix[i]))
      continue;
    bool near = false;
    for (int64_t x = within(ix[i] - within(e.high, 0, 1024), 0, e.extent); x <= ix[i] + within(e.low, 0, 1024) && !near && !f->rc; x++)
      near = has(f, &l, x);
    here = near && *here != 'n' ? "edge" : "no";
  }
  json_t *j = json_pack("{s:o, s:o, s:I, s:s, s:I}", "element", sdm_facts_json_of(&name), "owners", owners(f, a, ix), "rank",
                        (json_int_t)sdm_facts_number(f, f->head.now, DVM_FACTS_NOW_RANK), "here", here, "bytes",
                        (json_int_t)sdm_facts_number(f, a, DVM_FACTS_ARRAY_ELEMENT));
  put_state(f, j, a, address);
  return j;
}

json_t *sdm_facts_element(struct facts *f, uint64_t address) {
  int64_t ix[DVM_FACTS_NDIMS_MAX] = {0};
  uint64_t a = sdm_facts_variable(f, f->head.arrays);
  for (unsigned n = 0; a && !f->rc && n < ARRAYS_MAX; n++, a = sdm_facts_number(f, a, DVM_FACTS_ARRAY_NEXT)) {
    uint32_t ndims = sdm_facts_ndims(f, a, DVM_FACTS_ARRAY_NDIMS);
    if (!sdm_facts_number(f, a, DVM_FACTS_ARRAY_TEMPLATE) && find(f, a, address, ndims, ix))
      return element(f, a, address, ndims, ix);
  }
  return NULL;
}
