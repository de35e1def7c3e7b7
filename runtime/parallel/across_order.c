#include "runtime/parallel/across_order.h"
#include "runtime/parallel/across_rows.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/way.h"

/* The turns of a rank. */
struct walk {
  int rank;
  struct dvmp_rows *rows; /* NULL: it executes nothing */
  struct dvmp_list pieces;
  int64_t turns, next; /* next: whose values have not come */
};

struct dvmp_order {
  int index, nmembers, npeers, tag;
  bool downwards; /* of the walked loop */
  const struct dvmp_member *members;
  struct dvmp_plan **plans; /* [nmembers]: elements beside parts, on all sides */
  struct walk own, *peers;
};

/* ---- may it be so -------------------------------------------------------------------------------------------------------------------- */

/* Elements of the array lie where the loop's values do. */
static bool follows(const struct dvmp_construct *c, const struct dvmp_member *v, int index) {
  bool any = false;
  for (int r = 0; r < c->layout.ndims; r++)
    any |= c->layout.at[r].kind == DVMRT_COORD_AFFINE && c->layout.at[r].index == index && v->a->layout.at[r].kind == DVMRT_COORD_AFFINE;
  return any || v->a->layout.root != c->layout.root || !dvmp_across_has_cut_edge(v);
}

bool dvmp_order_can(const struct dvmp_construct *c, const struct dvmp_across *x, int index) {
  for (int k = 0; k <= index; k++)
    if (!dvmp_across_has_place(c, k) && (k > c->last_asked || c->values[k].unknown))
      return false;
  for (int i = 0; i < x->n; i++)
    if (!follows(c, &x->members[i], index))
      return false;
  return true;
}

/* ---- who has which turns ------------------------------------------------------------------------------------------------------------- */

static struct walk walk_of(struct dvmp_construct *c, int rank, int index) {
  struct dvmp_list along[DVMRT_NDIMS_MAX], part[DVMRT_NDIMS_MAX];
  struct walk w = {.rank = rank};
  bool clamped[DVMRT_NDIMS_MAX];
  dvmp_parts_of_root(c, rank, along);
  if (!dvmp_parts_along(&c->memory, c, along, part, clamped))
    return w;
  for (int k = 0; k < index; k++)
    if (!clamped[k])
      part[k] = dvmp_across_values(c, k);
  w.rows = dvmp_rows_make(c, part, index);
  w.pieces = part[index];
  w.turns = dvmp_rows_count(w.rows) * w.pieces.n;
  return w;
}

static struct dvmp_span piece_of(const struct dvmp_order *o, const struct walk *w, int64_t turn) {
  int k = (int)(turn % w->pieces.n);
  return w->pieces.at[o->downwards ? w->pieces.n - 1 - k : k];
}

/* Its place in the order of all: values that rise. */
static void key_of(const struct dvmp_construct *c, const struct dvmp_order *o, const struct walk *w, int64_t turn, int64_t *key) {
  struct dvmp_span s = piece_of(o, w, turn);
  dvmp_rows_values(w->rows, turn / w->pieces.n, key);
  for (int k = 0; k < o->index; k++)
    key[k] = dvmp_way(c, k) < 0 ? -key[k] : key[k];
  key[o->index] = o->downwards ? -s.high : s.low;
}

static bool is_before(const struct dvmp_order *o, const int64_t *a, const int64_t *b) {
  for (int k = 0; k <= o->index; k++)
    if (a[k] != b[k])
      return a[k] < b[k];
  return false;
}

static bool comes_before(const struct dvmp_construct *c, const struct dvmp_order *o, const struct walk *a, int64_t turn,
                         const struct walk *b, int64_t other) {
  int64_t one[DVMRT_NDIMS_MAX], two[DVMRT_NDIMS_MAX];
  key_of(c, o, a, turn, one);
  key_of(c, o, b, other, two);
  return is_before(o, one, two);
}

static struct walk *peer_of(struct dvmp_construct *c, struct dvmp_order *o, int rank) {
  for (int i = 0; i < o->npeers; i++)
    if (o->peers[i].rank == rank)
      return &o->peers[i];
  o->peers[o->npeers] = walk_of(c, rank, o->index);
  return &o->peers[o->npeers++];
}

struct dvmp_order *dvmp_order_make(struct dvmp_construct *c, const struct dvmp_across *x, int index) {
  struct dvmp_order *o = dvmp_arena_get(&c->memory, sizeof(*o));
  *o = (struct dvmp_order){.index = index, .nmembers = x->n, .members = x->members, .tag = dvmp_job_tag()};
  o->downwards = dvmp_way(c, index) < 0;
  o->plans = dvmp_arena_get(&c->memory, (size_t)x->n * sizeof(struct dvmp_plan *));
  o->peers = dvmp_arena_get(&c->memory, (size_t)dvmp_job.size * sizeof(*o->peers));
  o->own = walk_of(c, dvmp_job.rank, index);
  for (int i = 0; i < x->n; i++) {
    o->plans[i] = dvmp_across_plan(&x->members[i], DVMP_OLD_SIDES);
    for (int l = 0; l < o->plans[i]->n; l++)
      peer_of(c, o, o->plans[i]->links[l].peer);
  }
  c->turns = c->idle ? 0 : o->own.turns;
  return o;
}

/* ---- what a turn has written ---------------------------------------------------------------------------------------------------------- */

static struct dvmp_set written(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_order *o, const struct walk *w,
                               int64_t turn, const struct dvmp_array *a, const struct dvmp_set *s) {
  struct dvmp_set of = dvmp_rows_meet(m, c, w->rows, turn / w->pieces.n, a, s);
  struct dvmp_span piece = piece_of(o, w, turn);
  for (int r = 0; r < c->layout.ndims && a->layout.root == c->layout.root; r++) {
    struct dvmrt_coord it = c->layout.at[r], at = a->layout.at[r];
    if (it.kind != DVMRT_COORD_AFFINE || it.index != o->index || at.kind != DVMRT_COORD_AFFINE || !at.coef)
      continue;
    struct dvmp_list places = dvmp_list_after(m, dvmp_list_of(m, piece.low, piece.high), it.coef, it.add);
    of.dim[at.index] = dvmp_list_meet(m, of.dim[at.index], dvmp_list_before(m, places, at.coef, at.add));
  }
  return of;
}

/* What of the turn's elements goes to the peer, or comes from it; NULL: nothing. */
static struct dvmp_traffic *message(struct dvmp_arena *m, const struct dvmp_construct *c, const struct dvmp_order *o, int peer,
                                    int64_t turn, const struct walk *writer) {
  struct dvmp_traffic *t = NULL;
  bool out = writer == &o->own;
  for (int i = 0; i < o->nmembers; i++)
    for (int l = 0; l < o->plans[i]->n; l++) {
      const struct dvmp_link *x = &o->plans[i]->links[l];
      for (int k = 0; x->peer == peer && k < (out ? x->nsend : x->nreceive); k++) {
        struct dvmp_set *s = dvmp_arena_get(m, sizeof(*s));
        *s = written(m, c, o, writer, turn, o->members[i].a, out ? &x->send[k] : &x->receive[k]);
        if (dvmp_set_empty(s))
          continue;
        t = t ? t : dvmp_traffic_create(o->tag);
        out ? dvmp_traffic_send(t, o->members[i].a, peer, s) : dvmp_traffic_receive(t, o->members[i].a, peer, s);
      }
    }
  if (t)
    dvmp_traffic_start(t);
  return t;
}

/* ---- turns ---------------------------------------------------------------------------------------------------------------------------- */

/* The peer whose next turn is the first of those that come before this rank's; NULL: none. */
static struct walk *next_before(const struct dvmp_construct *c, const struct dvmp_order *o) {
  struct walk *first = NULL;
  for (int i = 0; i < o->npeers; i++) {
    struct walk *w = &o->peers[i];
    if (w->next < w->turns && comes_before(c, o, w, w->next, &o->own, c->turn) &&
        (!first || comes_before(c, o, w, w->next, first, first->next)))
      first = w;
  }
  return first;
}

/* In the order of all turns, one by one: who sends waits until it has been received, and for nothing that comes later. */
static void receive(const struct dvmp_construct *c, const struct dvmp_order *o) {
  struct dvmp_arena m = {NULL};
  for (struct walk *w; (w = next_before(c, o)); w->next++) {
    struct dvmp_traffic *t = message(&m, c, o, w->rank, w->next, w);
    if (t)
      dvmp_traffic_end(t);
  }
  dvmp_arena_free(&m);
}

void dvmp_order_turn(struct dvmp_construct *c, struct dvmp_order *o, int64_t *clamps) {
  if (!o->own.turns)
    return;
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  receive(c, o);
  dvmp_profile_back(why);
  struct dvmp_span s = piece_of(o, &o->own, c->turn);
  clamps[4 * o->index] = s.low;
  clamps[4 * o->index + 1] = s.high;
  dvmp_rows_clamp(c, o->own.rows, c->turn / o->own.pieces.n, clamps);
}

/* To those that have a turn left. */
void dvmp_order_turned(struct dvmp_construct *c, struct dvmp_order *o) {
  struct dvmp_arena m = {NULL};
  int why = dvmp_profile_why(DVMP_WHY_ACROSS), n = 0;
  struct dvmp_traffic **going = dvmp_arena_get(&m, (size_t)o->npeers * sizeof(struct dvmp_traffic *));
  for (int i = 0; i < o->npeers; i++) {
    const struct walk *w = &o->peers[i];
    if (w->turns && comes_before(c, o, &o->own, c->turn, w, w->turns - 1) && (going[n] = message(&m, c, o, w->rank, c->turn, &o->own)))
      n++;
  }
  while (n)
    dvmp_traffic_end(going[--n]);
  dvmp_profile_back(why);
  dvmp_arena_free(&m);
}

void dvmp_order_end(struct dvmp_order *o) {
  for (int i = 0; i < o->nmembers; i++)
    dvmp_plan_destroy(o->plans[i]);
}
