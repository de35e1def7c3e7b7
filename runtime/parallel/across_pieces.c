#include "runtime/parallel/across_pieces.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"
#include "runtime/parallel/profile.h"
#include <string.h>

enum { SENDING_FEW = 16 };

/* What one turn of a rank needs of another rank, all arrays together: one message.  Messages between two ranks are sent and received in the
 * order of the receiver's turns. */
struct passed {
  struct passed *next;
  int from, to;
  int64_t turn; /* of this rank: before which it comes, behind which it goes */
  int64_t of; /* the receiver's turn */
  int n;
  struct dvmp_set *sets; /* [narrays]; of arrays that nothing is needed of: empty */
};

struct dvmp_pieces {
  bool downwards; /* values of the index variable fall */
  int n, tag;
  const struct dvmp_pieced *of;
  struct passed *in, *out; /* in order of 'of' for each peer .. */
  struct passed **come, **go; /* .. and for each turn */
  int nsending;
  struct dvmp_traffic **sending; /* room for all */
};

int dvmp_pieces_dim(const struct dvmp_construct *c) {
  for (int r = 0; c->layout.root && r < c->layout.ndims; r++)
    for (int p = 0; c->layout.at[r].kind == DVMRT_COORD_AFFINE && p < dvmp_layout_grid(&c->layout)->axis[r].nprocs; p++)
      if (dvmp_layout_grid(&c->layout)->axis[r].part[p].n > 1)
        return r;
  return -1;
}

/* ---- pieces --------------------------------------------------------------------------------------------------------------------- */

/* What of the list is in low .. high; lists may be long. */
static struct dvmp_list within(struct dvmp_arena *m, struct dvmp_list l, int64_t low, int64_t high) {
  int first = dvmp_list_at(l, low), n = 0;
  while (first + n < l.n && l.at[first + n].low <= high)
    n++;
  return dvmp_list_meet(m, (struct dvmp_list){n, l.at + first}, dvmp_list_of(m, low, high));
}

/* The turn of the rank whose iterations are 'part' in which the element's place is executed; -1: in none. */
static int64_t turn_of(const struct dvmp_construct *c, const struct dvmp_pieces *p, struct dvmp_list part, const struct dvmp_pieced *v,
                       int64_t element) {
  int r = 0;
  while (c->layout.at[r].kind != DVMRT_COORD_AFFINE || c->layout.at[r].index)
    r++;
  int64_t i = (v->at.coef * element + v->at.add - c->layout.at[r].add) / c->layout.at[r].coef; /* coefficients are 1 or -1 */
  int k = dvmp_list_at(part, i);
  if (k == part.n || part.at[k].low > i)
    return -1;
  return p->downwards ? part.n - 1 - k : k;
}

/* ---- who needs what ------------------------------------------------------------------------------------------------------------- */

/* The message for turn 'of' of rank 'to', which is not before that at '*at'. */
static struct passed *message(struct dvmp_construct *c, struct dvmp_pieces *p, struct passed ***at, int from, int to, int64_t of) {
  while (**at && ((**at)->from != from || (**at)->to != to || (**at)->of < of))
    *at = &(**at)->next;
  if (**at && (**at)->of == of)
    return **at;
  struct passed *x = dvmp_arena_get(&c->memory, sizeof(*x));
  *x = (struct passed){.next = **at, .from = from, .to = to, .of = of, .turn = from == dvmp_job.rank ? -1 : of};
  x->sets = dvmp_arena_get(&c->memory, (size_t)p->n * sizeof(*x->sets));
  return **at = x;
}

struct pair {
  int from, to;
  struct dvmp_list gives, takes; /* along the dimension: what 'from' and 'to' have */
  struct dvmp_list parts[2]; /* iterations of 'from' and 'to' */
  struct dvmp_set both; /* in other dimensions: what both have */
};

/* What 'to' needs of 'from' for its piece 's' of the array. */
static void need_of(struct dvmp_construct *c, struct dvmp_pieces *p, int i, const struct pair *x, struct dvmp_span s, struct passed ***at) {
  const struct dvmp_pieced *v = &p->of[i];
  int64_t low = v->upwards ? s.low - v->width : s.high + 1, high = v->upwards ? s.low - 1 : s.high + v->width;
  struct dvmp_list wanted = within(&c->memory, x->gives, low, high);
  if (!wanted.n)
    return;
  int64_t of = turn_of(c, p, x->parts[1], v, v->upwards ? s.low : s.high);
  int64_t behind = turn_of(c, p, x->parts[0], v, v->upwards ? wanted.at[wanted.n - 1].high : wanted.at[0].low);
  if (of < 0 || behind < 0)
    return;
  struct passed *m = message(c, p, at, x->from, x->to, of);
  m->sets[i] = x->both;
  m->sets[i].dim[v->dim] = wanted;
  if (x->from == dvmp_job.rank && behind > m->turn)
    m->turn = behind;
}

static void need_all(struct dvmp_construct *c, struct dvmp_pieces *p, int i, const struct pair *x) {
  struct passed **at = x->to == dvmp_job.rank ? &p->in : &p->out;
  for (int k = 0; k < x->takes.n; k++) /* in the order of turns, so that a message is found where the one before was */
    need_of(c, p, i, x, x->takes.at[p->of[i].upwards ? k : x->takes.n - 1 - k], &at);
}

static void between(struct dvmp_construct *c, struct dvmp_pieces *p, int i, int from, int to) {
  const struct dvmp_pieced *v = &p->of[i];
  struct pair x = {.from = from, .to = to};
  if (!dvmp_array_gives(&v->a->layout, from, to))
    return;
  struct dvmp_set gives = dvmp_array_own(&c->memory, v->a, from), takes = dvmp_array_own(&c->memory, v->a, to);
  x.both = gives;
  for (int d = 0; d < v->a->ndims; d++)
    if (d != v->dim) {
      x.both.dim[d] = dvmp_list_meet(&c->memory, gives.dim[d], takes.dim[d]);
      if (!x.both.dim[d].n)
        return;
    }
  x.gives = gives.dim[v->dim];
  x.takes = takes.dim[v->dim];
  if (dvmp_parts_of(&c->memory, c, from, 0, &x.parts[0]) && dvmp_parts_of(&c->memory, c, to, 0, &x.parts[1]))
    need_all(c, p, i, &x);
}

static struct passed **by_turn(struct dvmp_construct *c, struct passed *list) {
  struct passed **turns = dvmp_arena_get(&c->memory, (size_t)(c->turns + 1) * sizeof(struct passed *));
  struct passed ***end = dvmp_arena_get(&c->memory, (size_t)(c->turns + 1) * sizeof(struct passed **));
  for (int64_t i = 0; i < c->turns; i++)
    end[i] = &turns[i];
  for (struct passed *x = list, *next; x; x = next) {
    next = x->next;
    x->next = NULL;
    *end[x->turn] = x;
    end[x->turn] = &x->next;
  }
  return turns;
}

struct dvmp_pieces *dvmp_pieces_make(struct dvmp_construct *c, int n, const struct dvmp_pieced *of) {
  struct dvmp_pieces *p = dvmp_arena_get(&c->memory, sizeof(*p));
  size_t out = 0;
  *p = (struct dvmp_pieces){.n = n, .of = of, .tag = dvmp_job_tag(), .downwards = dvmrt_num_value(c->d->step[0], c->args) < 0};
  for (int i = 0; i < n; i++)
    for (int q = 0; q < dvmp_job.size; q++) {
      if (q == dvmp_job.rank || dvmp_group_place(dvmp_job.group, q) < 0)
        continue;
      between(c, p, i, q, dvmp_job.rank);
      between(c, p, i, dvmp_job.rank, q);
    }
  for (const struct passed *x = p->out; x; x = x->next)
    out++;
  p->sending = dvmp_arena_get(&c->memory, (out + 1) * sizeof(struct dvmp_traffic *));
  p->come = by_turn(c, p->in);
  p->go = by_turn(c, p->out);
  return p;
}

/* ---- turns ---------------------------------------------------------------------------------------------------------------------- */

static void add(struct dvmp_traffic *t, const struct dvmp_pieces *p, const struct passed *x, bool out) {
  for (int i = 0; i < p->n; i++) {
    if (!x->sets[i].ndims)
      continue;
    if (out)
      dvmp_traffic_send(t, p->of[i].a, x->to, &x->sets[i]);
    else
      dvmp_traffic_receive(t, p->of[i].a, x->from, &x->sets[i]);
  }
}

void dvmp_pieces_turn(struct dvmp_construct *c, struct dvmp_pieces *p, int64_t *clamps) {
  struct dvmp_traffic *t = NULL;
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  for (const struct passed *x = p->come[c->turn]; x; x = x->next) {
    t = t ? t : dvmp_traffic_create(p->tag);
    add(t, p, x, false);
  }
  if (t) {
    dvmp_traffic_start(t);
    dvmp_traffic_end(t);
  }
  dvmp_profile_back(why);
  int k = (int)(p->downwards ? c->turns - 1 - c->turn : c->turn);
  if (k >= 0 && k < c->part[0].n) {
    clamps[0] = c->part[0].at[k].low;
    clamps[1] = c->part[0].at[k].high;
  }
}

/* Who waits for what has gone comes before this rank's later pieces: it does not wait for these. */
static void finish_sending(struct dvmp_pieces *p) {
  while (p->nsending)
    dvmp_traffic_end(p->sending[--p->nsending]);
}

void dvmp_pieces_turned(struct dvmp_construct *c, struct dvmp_pieces *p) {
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  if (p->nsending >= SENDING_FEW)
    finish_sending(p);
  for (const struct passed *x = p->go[c->turn]; x; x = x->next) {
    struct dvmp_traffic *t = dvmp_traffic_create(p->tag);
    add(t, p, x, true);
    dvmp_traffic_start(t);
    p->sending[p->nsending++] = t;
  }
  dvmp_profile_back(why);
}

void dvmp_pieces_end(struct dvmp_pieces *p) {
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  finish_sending(p);
  dvmp_profile_back(why);
}
