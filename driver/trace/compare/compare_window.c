/* Iterations of the reference that the run has not executed yet: packed, up to the size of the window; beyond that only where they are
 * in the reference, which is read again there when the run comes to them, a block at a time. */
#include "driver/trace/compare/compare_private.h"
#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { PLACES_BYTES = 64 << 20 };

struct waiting {
  struct waiting *next;
  uint64_t hash;           /* of the iteration */
  uint64_t record;         /* its number in the reference */
  uint32_t bytes;          /* 0: it is not here */
  uint32_t nitems;
  unsigned char data[];    /* the iteration and its items, packed */
};

/* ---- packing -------------------------------------------------------------------------------------------------------------------- */

static void put_item(struct dvmt_bytes *b, const struct item *it) {
  dvmt_bytes_number(b, it->kind | (uint64_t)it->nwords << 4);
  dvmt_bytes_number(b, it->site);
  dvmt_bytes_number(b, it->object);
  dvmt_bytes_number(b, it->key);
  dvmt_bytes_number(b, dvmt_zigzag(it->offset));
  dvmt_bytes_number(b, dvmt_zigzag(it->place));
  dvmt_bytes_add(b, it->words, it->nwords * 8u);
}

static void get_item(struct dvmt_cursor *from, struct item *it) {
  uint64_t head = dvmt_cursor_number(from);
  it->kind = head & 15;
  it->nwords = (uint8_t)(head >> 4);
  it->site = (uint32_t)dvmt_cursor_number(from);
  it->object = (uint32_t)dvmt_cursor_number(from);
  it->key = (uint32_t)dvmt_cursor_number(from);
  it->offset = dvmt_unzigzag(dvmt_cursor_number(from));
  it->place = dvmt_unzigzag(dvmt_cursor_number(from));
  memcpy(it->words, dvmt_cursor_bytes(from, it->nwords * 8u), it->nwords * 8u);
}

/* NULL without memory. */
static struct waiting *pack(struct dvmt_compare *c, const struct item *iteration, const struct items *items, uint64_t record) {
  struct dvmt_bytes *b = &c->packing;
  b->n = 0;
  put_item(b, iteration);
  for (size_t i = 0; i < items->n; i++)
    put_item(b, &items->row[i]);
  struct waiting *w = b->failed || b->n > UINT32_MAX ? NULL : malloc(sizeof(*w) + b->n);
  if (!w)
    return NULL;
  *w = (struct waiting){.hash = dvmt_cmp_hash(iteration), .record = record, .bytes = (uint32_t)b->n, .nitems = (uint32_t)items->n};
  memcpy(w->data, b->p, b->n);
  return w;
}

static void unpack(struct dvmt_compare *c, const struct waiting *w, struct item *iteration, struct items *items) {
  struct dvmt_cursor from = {w->data, w->data + w->bytes, false};
  struct item it;
  get_item(&from, iteration);
  items->n = 0;
  for (uint32_t i = 0; i < w->nitems; i++) {
    get_item(&from, &it);
    dvmt_cmp_add_item(c, items, &it);
  }
}

/* ---- the window ----------------------------------------------------------------------------------------------------------------- */

static struct waiting **list_of(struct dvmt_compare *c, uint64_t hash) { return &c->waiting[hash % WINDOW_LISTS]; }

static void drop(struct dvmt_compare *c, struct waiting **p) {
  struct waiting *w = *p;
  *p = w->next;
  c->window -= w->bytes;
  c->places -= sizeof(*w);
  c->nwaiting--;
  free(w);
}

void dvmt_cmp_clear_window(struct dvmt_compare *c) {
  for (size_t i = 0; i < WINDOW_LISTS && c->nwaiting; i++)
    while (c->waiting[i])
      drop(c, &c->waiting[i]);
}

/* Only the places stay. */
static void evict(struct dvmt_compare *c) {
  for (size_t i = 0; i < WINDOW_LISTS; i++)
    for (struct waiting **p = &c->waiting[i]; *p; p = &(*p)->next) {
      c->window -= (*p)->bytes;
      (*p)->bytes = 0;
      struct waiting *less = realloc(*p, sizeof(**p));
      *p = less ? less : *p;
    }
}

static void note_size(struct dvmt_compare *c) {
  if (c->window + c->places > c->totals.window_peak)
    c->totals.window_peak = c->window + c->places;
}

bool dvmt_cmp_window_keep(struct dvmt_compare *c, const struct item *iteration, const struct items *items) {
  size_t limit = c->options.window_bytes ? c->options.window_bytes : 64u << 20;
  struct waiting *w = c->places < (limit > PLACES_BYTES ? limit : PLACES_BYTES) ? pack(c, iteration, items, c->iteration_record) : NULL;
  if (!w)
    return false;
  w->next = *list_of(c, w->hash);
  *list_of(c, w->hash) = w;
  c->nwaiting++;
  c->window += w->bytes;
  c->places += sizeof(*w);
  note_size(c);
  if (c->window > limit && !c->a_levels) /* what another level leaves out is not to be read again */
    evict(c);
  return true;
}

/* Goes to record 'record' of the reference. */
static bool go_to(struct dvmt_compare *c, uint64_t record) {
  struct dvmt_record r;
  if (!c->paging && !(c->paging = dvmt_reader_again(c->reference, &c->err)))
    c->rc = c->err.code;
  else
    c->rc = dvmt_reader_seek(c->paging, record, &c->err);
  while (!c->rc && dvmt_reader_position(c->paging) < record)
    if (dvmt_reader_next(c->paging, &r, &c->err) <= 0)
      c->rc = c->err.code ? c->err.code : -EBADMSG;
  return !c->rc;
}

/* Puts what waits in this list and has been read again in place of its mere place. */
static void put_back(struct dvmt_compare *c, const struct item *iteration, const struct items *items, uint64_t record) {
  for (struct waiting **p = list_of(c, dvmt_cmp_hash(iteration)); *p; p = &(*p)->next)
    if ((*p)->record == record && !(*p)->bytes) {
      struct waiting *w = pack(c, iteration, items, record);
      if (!w) {
        c->rc = -ENOMEM;
        return;
      }
      w->next = (*p)->next;
      free(*p);
      *p = w;
      c->window += w->bytes;
      note_size(c);
      return;
    }
}

/* Reads the iterations again that begin in the block of record 'record', from the first one that does. */
static void load_block(struct dvmt_compare *c, uint64_t record) {
  struct dvmt_record r;
  struct item it, iteration;
  struct items items = {NULL, 0, 0};
  uint64_t begun = 0, end = 0;
  bool in = false;
  int depth = 0;
  if (c->window > (c->options.window_bytes ? c->options.window_bytes : 64u << 20) / 2)
    evict(c);
  if (c->paging && dvmt_reader_seek(c->paging, record, &c->err))
    c->rc = c->err.code;
  if (!c->paging)
    go_to(c, record);
  while (!c->rc) {
    uint64_t at = dvmt_reader_position(c->paging);
    int more = dvmt_reader_next(c->paging, &r, &c->err);
    if (!end)
      end = dvmt_reader_block(c->paging)->first_record + dvmt_reader_block(c->paging)->nrecords;
    if (more <= 0 || r.kind == DVMT_LOST || r.site >= c->a.sites.n)
      break;
    if (r.kind == DVMT_UNRECORDED || dvmt_is_call(r.kind))
      continue;
    dvmt_cmp_to_item(c, true, &r, &it);
    bool own = !depth && it.key == c->parallel_key && (it.kind == DVMT_ITER || it.kind == DVMT_LEAVE);
    bool tail = !depth && (it.kind == DVMT_RESULT || it.kind == DVMT_DIGEST);
    if (in && (own || tail)) {
      put_back(c, &iteration, &items, begun);
      in = false;
    }
    if (own && it.kind == DVMT_ITER) {
      if (at >= end)
        break;
      in = true;
      iteration = it;
      begun = at;
      items.n = 0;
      continue;
    }
    if (in) {
      depth += it.kind == DVMT_ENTER;
      depth -= it.kind == DVMT_LEAVE;
      dvmt_cmp_add_item(c, &items, &it);
    } else if (at >= end) {
      break;
    }
  }
  if (in)
    put_back(c, &iteration, &items, begun);
  free(items.row);
}

bool dvmt_cmp_window_take(struct dvmt_compare *c, const struct item *iteration, struct items *items) {
  if (!c->nwaiting)
    return false;
  uint64_t hash = dvmt_cmp_hash(iteration);
  struct item found;
  for (struct waiting **p = list_of(c, hash); *p;) {
    if ((*p)->hash != hash) {
      p = &(*p)->next;
      continue;
    }
    if (!(*p)->bytes) {
      load_block(c, (*p)->record);
      for (p = list_of(c, hash); *p && (*p)->hash != hash;) /* it may have moved */
        p = &(*p)->next;
      if (!*p || !(*p)->bytes || c->rc)
        return false;
    }
    unpack(c, *p, &found, items);
    if (!dvmt_cmp_same_item(&found, iteration)) {
      p = &(*p)->next;
      continue;
    }
    drop(c, p);
    return true;
  }
  return false;
}

bool dvmt_cmp_window_any(struct dvmt_compare *c, struct item *iteration, struct items *items) {
  for (size_t i = 0; i < WINDOW_LISTS && c->nwaiting; i++)
    if (c->waiting[i]) {
      if (!c->waiting[i]->bytes)
        load_block(c, c->waiting[i]->record);
      if (!c->waiting[i]->bytes)
        return false;
      unpack(c, c->waiting[i], iteration, items);
      drop(c, &c->waiting[i]);
      return true;
    }
  return false;
}

bool dvmt_cmp_window_first(struct dvmt_compare *c, struct item *first) {
  const struct waiting *least = NULL;
  for (size_t i = 0; i < WINDOW_LISTS; i++)
    for (const struct waiting *w = c->waiting[i]; w; w = w->next)
      if (!least || w->record < least->record)
        least = w;
  if (!least)
    return false;
  uint64_t record = least->record, hash = least->hash;
  if (!least->bytes)
    load_block(c, record);
  for (const struct waiting *w = *list_of(c, hash); w; w = w->next)
    if (w->record == record && w->bytes) {
      struct dvmt_cursor from = {w->data, w->data + w->bytes, false};
      get_item(&from, first);
      return true;
    }
  return false;
}
