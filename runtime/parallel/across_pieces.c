#include "runtime/parallel/across_pieces.h"
#include "runtime/parallel/across_rows.h"
#include "runtime/parallel/job.h"
#include "runtime/parallel/parts.h"
#include "runtime/parallel/profile.h"
#include "runtime/parallel/way.h"

enum { SENDING_FEW = 16 };

/* What one turn of a rank needs of another rank, all arrays together: one message.  Messages between two ranks are sent and received in the
 * order of the receiver's turns. */
struct passed {
  struct passed *next;
  int from, to;
  int64_t turn; /* of this rank: before which it comes, behind which it goes */
  int64_t of; /* the receiver's turn */
  struct dvmp_set *sets; /* [narrays]; of arrays that nothing is needed of: empty */
};

/* Values that go one way.  In rows: those from before a piece are of its row, and go behind the sender's turn; those from behind it are of the row
 * before, and go when the sender has no turn left before the one that needs them: so both come to where they wait for nothing else. */
struct flow {
  bool back; /* from behind a piece */
  int tag;
  struct passed *in, *out; /* in order of 'of' for each peer .. */
  struct passed **come, **go; /* .. and for each turn */
};

struct dvmp_pieces {
  bool downwards; /* values of the index variable fall */
  int n, index;
  int64_t turns; /* pieces of this rank: turns of a row */
  const struct dvmp_pieced *of;
  struct flow flow[2];
  struct dvmp_rows *rows; /* or NULL */
  int nsending;
  struct dvmp_traffic *sending[SENDING_FEW];
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

/* The value of the index variable at the element. */
static int64_t value_at(const struct dvmp_construct *c, const struct dvmp_pieces *p, const struct dvmp_pieced *v, int64_t element) {
  int r = 0;
  while (c->layout.at[r].kind != DVMRT_COORD_AFFINE || c->layout.at[r].index != p->index)
    r++;
  return (v->at.coef * element + v->at.add - c->layout.at[r].add) / c->layout.at[r].coef; /* coefficients are 1 or -1 */
}

/* The turn of the rank whose iterations are 'part' in which the value is executed; -1: in none. */
static int64_t turn_of(const struct dvmp_pieces *p, struct dvmp_list part, int64_t value) {
  int k = dvmp_list_at(part, value);
  if (k == part.n || part.at[k].low > value)
    return -1;
  return p->downwards ? part.n - 1 - k : k;
}

/* How many turns of that rank come before the value, which it does not execute. */
static int64_t turns_before(const struct dvmp_pieces *p, struct dvmp_list part, int64_t value) {
  int k = dvmp_list_at(part, value);
  return p->downwards ? part.n - k : k;
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
static void need_of(struct dvmp_construct *c, struct dvmp_pieces *p, struct flow *f, int i, const struct pair *x, struct dvmp_span s,
                    struct passed ***at) {
  const struct dvmp_pieced *v = &p->of[i];
  bool below = v->upwards != f->back;
  int64_t width = f->back ? v->behind : v->width;
  int64_t low = below ? s.low - width : s.high + 1, high = below ? s.low - 1 : s.high + width;
  struct dvmp_list wanted = within(&c->memory, x->gives, low, high);
  if (!wanted.n)
    return;
  int64_t first = value_at(c, p, v, v->upwards ? s.low : s.high), of = turn_of(p, x->parts[1], first);
  int64_t last = value_at(c, p, v, below ? wanted.at[wanted.n - 1].high : wanted.at[0].low), behind = turn_of(p, x->parts[0], last);
  if (of < 0 || behind < 0)
    return;
  if (f->back)
    behind = turns_before(p, x->parts[0], first);
  struct passed *m = message(c, p, at, x->from, x->to, of);
  m->sets[i] = x->both;
  m->sets[i].dim[v->dim] = wanted;
  if (x->from == dvmp_job.rank && behind > m->turn)
    m->turn = behind;
}

static void need_all(struct dvmp_construct *c, struct dvmp_pieces *p, struct flow *f, int i, const struct pair *x) {
  struct passed **at = x->to == dvmp_job.rank ? &f->in : &f->out;
  for (int k = 0; k < x->takes.n; k++) /* in the order of turns, so that a message is found where the one before was */
    need_of(c, p, f, i, x, x->takes.at[p->of[i].upwards ? k : x->takes.n - 1 - k], &at);
}

static void between(struct dvmp_construct *c, struct dvmp_pieces *p, struct flow *f, int i, int from, int to) {
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
  if (dvmp_parts_of(&c->memory, c, from, p->index, &x.parts[0]) && dvmp_parts_of(&c->memory, c, to, p->index, &x.parts[1]))
    need_all(c, p, f, i, &x);
}

static struct passed **by_turn(struct dvmp_construct *c, const struct dvmp_pieces *p, struct passed *list) {
  size_t n = (size_t)p->turns + 1;
  struct passed **turns = dvmp_arena_get(&c->memory, n * sizeof(struct passed *));
  struct passed ***end = dvmp_arena_get(&c->memory, n * sizeof(struct passed **));
  for (size_t i = 0; i < n; i++)
    end[i] = &turns[i];
  for (struct passed *x = list, *next; x; x = next) {
    next = x->next;
    x->next = NULL;
    *end[x->turn] = x;
    end[x->turn] = &x->next;
  }
  return turns;
}

static void make_flow(struct dvmp_construct *c, struct dvmp_pieces *p, struct flow *f) {
  f->tag = dvmp_job_tag();
  for (int i = 0; i < p->n; i++)
    for (int q = 0; q < dvmp_job.size; q++) {
      if (q == dvmp_job.rank || dvmp_group_place(dvmp_job.group, q) < 0)
        continue;
      between(c, p, f, i, q, dvmp_job.rank);
      between(c, p, f, i, dvmp_job.rank, q);
    }
  f->come = by_turn(c, p, f->in);
  f->go = by_turn(c, p, f->out);
}

struct dvmp_pieces *dvmp_pieces_make(struct dvmp_construct *c, int n, const struct dvmp_pieced *of, int index, bool rows) {
  struct dvmp_pieces *p = dvmp_arena_get(&c->memory, sizeof(*p));
  *p = (struct dvmp_pieces){.n = n, .of = of, .index = index, .downwards = dvmp_way(c, index) < 0};
  p->turns = c->idle ? 0 : c->part[index].n;
  p->flow[1].back = true;
  make_flow(c, p, &p->flow[0]);
  if (!rows)
    return p;
  make_flow(c, p, &p->flow[1]);
  p->rows = dvmp_rows_make(c, c->part, index);
  c->turns = p->turns ? p->turns * dvmp_rows_count(p->rows) : 0;
  return p;
}

/* ---- turns ---------------------------------------------------------------------------------------------------------------------- */

/* What of the message is of the row; false: nothing. */
static bool add(struct dvmp_construct *c, struct dvmp_traffic **t, const struct dvmp_pieces *p, const struct flow *f,
                const struct passed *x, int64_t row, struct dvmp_arena *m) {
  bool out = x->from == dvmp_job.rank, any = false;
  for (int i = 0; i < p->n; i++) {
    struct dvmp_set *s = &x->sets[i];
    if (!s->ndims)
      continue;
    if (p->rows) {
      s = dvmp_arena_get(m, sizeof(*s));
      *s = dvmp_rows_meet(m, c, p->rows, row, p->of[i].a, &x->sets[i]);
    }
    if (dvmp_set_empty(s))
      continue;
    *t = *t ? *t : dvmp_traffic_create(f->tag);
    any = true;
    if (out)
      dvmp_traffic_send(*t, p->of[i].a, x->to, s);
    else
      dvmp_traffic_receive(*t, p->of[i].a, x->from, s);
  }
  return any;
}

static void receive(struct dvmp_construct *c, const struct dvmp_pieces *p, const struct flow *f, int64_t turn, int64_t row) {
  struct dvmp_traffic *t = NULL;
  struct dvmp_arena m = {NULL};
  for (const struct passed *x = row < 0 ? NULL : f->come[turn]; x; x = x->next)
    add(c, &t, p, f, x, row, &m);
  if (t) {
    dvmp_traffic_start(t);
    dvmp_traffic_end(t);
  }
  dvmp_arena_free(&m);
}

/* Who waits for what has gone comes before this rank's later pieces: it does not wait for these. */
static void finish_sending(struct dvmp_pieces *p) {
  while (p->nsending)
    dvmp_traffic_end(p->sending[--p->nsending]);
}

static void send(struct dvmp_construct *c, struct dvmp_pieces *p, const struct flow *f, int64_t turn, int64_t row) {
  struct dvmp_arena m = {NULL};
  for (const struct passed *x = row < 0 ? NULL : f->go[turn]; x; x = x->next) {
    struct dvmp_traffic *t = NULL;
    if (!add(c, &t, p, f, x, row, &m))
      continue;
    if (p->nsending == SENDING_FEW)
      finish_sending(p);
    dvmp_traffic_start(t);
    p->sending[p->nsending++] = t;
  }
  if (p->rows)
    finish_sending(p); /* the sets go */
  dvmp_arena_free(&m);
}

void dvmp_pieces_turn(struct dvmp_construct *c, struct dvmp_pieces *p, int64_t *clamps) {
  int64_t turn = p->turns ? c->turn % p->turns : 0, row = p->turns ? c->turn / p->turns : 0;
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  if (p->rows)
    send(c, p, &p->flow[1], turn, row - 1);
  receive(c, p, &p->flow[0], turn, row); /* first: its sender may wait for that before it sends the other */
  if (p->rows)
    receive(c, p, &p->flow[1], turn, row - 1);
  dvmp_profile_back(why);
  int k = (int)(p->downwards ? p->turns - 1 - turn : turn);
  if (k < 0 || k >= c->part[p->index].n)
    return;
  clamps[4 * p->index] = c->part[p->index].at[k].low;
  clamps[4 * p->index + 1] = c->part[p->index].at[k].high;
  if (p->rows)
    dvmp_rows_clamp(c, p->rows, row, clamps);
}

void dvmp_pieces_turned(struct dvmp_construct *c, struct dvmp_pieces *p) {
  int64_t turn = p->turns ? c->turn % p->turns : 0, row = p->turns ? c->turn / p->turns : 0;
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  send(c, p, &p->flow[0], turn, row);
  if (p->rows && turn == p->turns - 1)
    send(c, p, &p->flow[1], p->turns, row - 1);
  dvmp_profile_back(why);
}

void dvmp_pieces_end(struct dvmp_pieces *p) {
  int why = dvmp_profile_why(DVMP_WHY_ACROSS);
  finish_sending(p);
  dvmp_profile_back(why);
}
