#include "driver/trace/format/ahead.h"
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

/* Blocks are asked for one after another, but for jumps: over blocks that need not be looked into, and back to what is read again. */
enum { SLOTS = 3 };

struct dvmt_ahead {
  struct dvmt_reader *reader;      /* the thread's */
  pthread_t thread;
  pthread_mutex_t lock;
  pthread_cond_t changed;
  /* Under the lock: */
  struct dvmt_decoded slot[SLOTS]; /* a ring: 'ready' from 'head' on; the one before 'head' is in use if 'taken' */
  unsigned head, ready;
  bool taken, ended, stop;
  uint64_t next;                   /* record that the block behind the ready ones begins with */
  uint64_t jump;                   /* goes on there, if 'jumps' has changed */
  unsigned jumps;
};

/* The next block; false: there is none that is whole, and the reader is to find out by itself why. */
static bool decode(struct dvmt_reader *r, struct dvmt_decoded *d) {
  struct dvm_error err = DVM_ERROR_INIT;
  size_t n;
  if (dvmt_reader_load(r, &err) || !dvmt_reader_left(r))
    return false;
  const unsigned char *start = dvmt_reader_start(r, &n);
  d->start.n = 0;
  dvmt_bytes_add(&d->start, start, n);
  d->first = dvmt_reader_block(r)->first_record;
  d->nsites = dvmt_reader_nsites(r);
  d->nobjects = dvmt_reader_nobjects(r);
  return !d->start.failed && !dvmt_reader_decode(r, &d->rows);
}

/* Waits for work.  NULL: no more is wanted. */
static struct dvmt_decoded *wait_for_slot(struct dvmt_ahead *a, unsigned *seen) {
  struct dvm_error err = DVM_ERROR_INIT;
  while (!a->stop) {
    if (*seen != a->jumps) {
      *seen = a->jumps;
      a->ended = dvmt_reader_seek(a->reader, a->jump, &err) != 0;
      pthread_cond_broadcast(&a->changed);
    }
    if (!a->ended && a->ready + 1 < SLOTS)
      return &a->slot[(a->head + a->ready) % SLOTS];
    pthread_cond_wait(&a->changed, &a->lock);
  }
  return NULL;
}

static void *work(void *arg) {
  struct dvmt_ahead *a = arg;
  unsigned seen = 0;
  pthread_mutex_lock(&a->lock);
  for (struct dvmt_decoded *d; (d = wait_for_slot(a, &seen));) {
    pthread_mutex_unlock(&a->lock);
    bool whole = decode(a->reader, d);
    pthread_mutex_lock(&a->lock);
    if (seen != a->jumps)
      continue; /* nobody wants it any more */
    a->ended = !whole || d->first != a->next;
    a->ready += !a->ended;
    a->next += a->ended ? 0 : d->rows.n;
    pthread_cond_broadcast(&a->changed);
  }
  pthread_mutex_unlock(&a->lock);
  return NULL;
}

struct dvmt_ahead *dvmt_ahead_create(const struct dvmt_reader *of) {
  struct dvm_error err = DVM_ERROR_INIT;
  struct dvmt_ahead *a = calloc(1, sizeof(*a));
  sigset_t all, before;
  if (!a)
    return NULL;
  a->ended = true; /* until the first jump */
  a->next = UINT64_MAX;
  a->reader = dvmt_reader_again(of, &err);
  pthread_mutex_init(&a->lock, NULL);
  pthread_cond_init(&a->changed, NULL);
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the command's own thread */
  int rc = a->reader ? pthread_create(&a->thread, NULL, work, a) : -1;
  pthread_sigmask(SIG_SETMASK, &before, NULL);
  if (!rc)
    return a;
  dvmt_reader_close(a->reader);
  free(a);
  return NULL;
}

const struct dvmt_decoded *dvmt_ahead_take(struct dvmt_ahead *a, uint64_t first, uint32_t n) {
  struct dvmt_decoded *d = NULL;
  pthread_mutex_lock(&a->lock);
  a->taken = false;
  pthread_cond_broadcast(&a->changed);
  while (!a->ready && !a->ended && a->next == first)
    pthread_cond_wait(&a->changed, &a->lock);
  if (a->ready && a->slot[a->head].first == first && a->slot[a->head].rows.n == n) {
    d = &a->slot[a->head];
    a->head = (a->head + 1) % SLOTS;
    a->ready--;
    a->taken = true;
  } else {
    a->ready = 0;
    a->next = a->jump = first + n;
    a->jumps++;
    a->ended = false;
  }
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
  return d;
}

void dvmt_ahead_destroy(struct dvmt_ahead *a) {
  if (!a)
    return;
  pthread_mutex_lock(&a->lock);
  a->stop = true;
  pthread_cond_broadcast(&a->changed);
  pthread_mutex_unlock(&a->lock);
  pthread_join(a->thread, NULL);
  for (unsigned i = 0; i < SLOTS; i++) {
    dvmt_decoded_rows_fini(&a->slot[i].rows);
    free(a->slot[i].start.p);
  }
  pthread_cond_destroy(&a->changed);
  pthread_mutex_destroy(&a->lock);
  dvmt_reader_close(a->reader);
  free(a);
}
