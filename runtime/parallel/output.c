#include "runtime/parallel/output.h"
#include "runtime/parallel/fail.h"
#include "runtime/parallel/job.h"
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

struct piece {
  struct piece *next;
  int64_t key;
  char *text;
  size_t n;
  FILE *f;                      /* while it is written */
};
static struct {
  bool on;
  int64_t next, now;
  struct piece *first, *last;
} kept;

void dvmp_output_begin(void) {
  kept.on = true;
  kept.next = 1;
  kept.now = 0;
}

int64_t dvmp_output_keys(int64_t n) {
  kept.next += n;
  return kept.next - n;
}

static void close_last(void) {
  if (kept.last && kept.last->f)
    fclose(kept.last->f);
  if (kept.last)
    kept.last->f = NULL;
}

void dvmp_output_key(int64_t key) {
  close_last();
  kept.now = key;
}

static struct piece *add(int64_t key) {
  struct piece *p = calloc(1, sizeof(*p));
  if (!p)
    dvmp_out_of_memory();
  p->key = key;
  *(kept.last ? &kept.last->next : &kept.first) = p;
  return kept.last = p;
}

FILE *dvmp_output_to(FILE *f) {
  if (!kept.on || f != stdout || dvmp_job.everywhere)
    return f;
  if (!kept.last || !kept.last->f) {
    struct piece *p = add(kept.now);
    p->f = open_memstream(&p->text, &p->n);
    if (!p->f)
      dvmp_out_of_memory();
  }
  return kept.last->f;
}

/* ---- behind the region ----------------------------------------------------------------------------------------------------------- */

static void clear(void) {
  while (kept.first) {
    struct piece *p = kept.first;
    kept.first = p->next;
    free(p->text);
    free(p);
  }
  kept.last = NULL;
}

/* Key, length and text of each piece. */
static char *gathered(size_t *n) {
  *n = 0;
  for (const struct piece *p = kept.first; p; p = p->next)
    *n += sizeof(p->key) + sizeof(p->n) + p->n;
  char *all = malloc(*n + 1), *at = all;
  if (!all)
    dvmp_out_of_memory();
  for (const struct piece *p = kept.first; p; p = p->next) {
    memcpy(at, &p->key, sizeof(p->key));
    memcpy(at + sizeof(p->key), &p->n, sizeof(p->n));
    if (p->n)
      memcpy(at + sizeof(p->key) + sizeof(p->n), p->text, p->n);
    at += sizeof(p->key) + sizeof(p->n) + p->n;
  }
  return all;
}

static void take(const char *all, size_t n) {
  for (const char *at = all; at < all + n;) {
    int64_t key;
    memcpy(&key, at, sizeof(key));
    struct piece *p = add(key);
    memcpy(&p->n, at + sizeof(key), sizeof(p->n));
    at += sizeof(key) + sizeof(p->n);
    p->text = malloc(p->n + 1);
    if (!p->text)
      dvmp_out_of_memory();
    memcpy(p->text, at, p->n);
    at += p->n;
  }
}

/* The lowest key first; of one key in the order of the ranks. */
static void print_all(void) {
  for (int64_t key = INT64_MIN;;) {
    int64_t least = INT64_MAX;
    for (const struct piece *p = kept.first; p; p = p->next)
      least = p->key > key && p->key < least ? p->key : least;
    if (least == INT64_MAX)
      return;
    for (const struct piece *p = kept.first; p; p = p->next)
      if (p->key == least)
        fwrite(p->text, 1, p->n, stdout);
    key = least;
  }
}

void dvmp_output_end(void) {
  size_t n, *sizes = calloc((size_t)dvmp_job.size, sizeof(*sizes));
  if (!sizes)
    dvmp_out_of_memory();
  close_last();
  kept.on = false;
  char *mine = gathered(&n);
  dvmp_job_gather(&n, sizeof(n), sizes);
  int tag = dvmp_job_tag();
  if (dvmp_job.rank && n) {
    dvmp_job_send(mine, n, 0, tag);
    dvmp_job_finish();
  }
  for (int q = 1; q < dvmp_job.size && !dvmp_job.rank; q++) {
    char *theirs = malloc(sizes[q] + 1);
    if (!theirs)
      dvmp_out_of_memory();
    dvmp_job_receive(theirs, sizes[q], q, tag);
    dvmp_job_finish();
    take(theirs, sizes[q]);
    free(theirs);
  }
  if (!dvmp_job.rank)
    print_all();
  clear();
  free(mine);
  free(sizes);
}

void dvmp_output_give_up(void) {
  close_last();
  kept.on = false;
  print_all();
  clear();
}
