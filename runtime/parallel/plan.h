/* Who sends which elements to whom: made from sets, executed, kept for the next time. */
#ifndef DVMP_PLAN_H
#define DVMP_PLAN_H
#include "runtime/parallel/array.h"

/* What this rank exchanges with one other. */
struct dvmp_link {
  int peer;
  int nsend, nreceive;
  struct dvmp_set *send, *receive;
};

struct dvmp_plan {
  struct dvmp_plan *next;
  uint64_t key;
  struct dvmp_arena memory;
  int n;
  struct dvmp_link *links;      /* by rank */
};

/* What a rank needs of an array: up to 'DVMP_NEEDS_MAX' sets. */
enum { DVMP_NEEDS_MAX = 80 };
typedef int dvmp_need_f(void *arg, struct dvmp_arena *m, const struct dvmp_array *a, int rank, struct dvmp_set *needs);
/* The elements of the set, in order, to or from a buffer. */
void dvmp_plan_pack(const struct dvmp_array *a, const struct dvmp_set *s, char *buffer, bool out);
struct dvmp_plan *dvmp_plan_make(const struct dvmp_array *a, dvmp_need_f *need, void *arg);
void dvmp_plan_destroy(struct dvmp_plan *p);
void dvmp_plan_drop(struct dvmp_array *a); /* all that it keeps */

/* Messages of several arrays go together: one to a rank. */
struct dvmp_traffic;
struct dvmp_traffic *dvmp_traffic_create(int tag); /* the same on both sides */
void dvmp_traffic_add(struct dvmp_traffic *t, const struct dvmp_array *a, const struct dvmp_plan *p);
/* One set to or from one rank (also this one: a copy). */
void dvmp_traffic_send(struct dvmp_traffic *t, const struct dvmp_array *a, int to, const struct dvmp_set *s);
void dvmp_traffic_receive(struct dvmp_traffic *t, const struct dvmp_array *a, int from, const struct dvmp_set *s);
/* What comes is for the construct that begins alone. */
void dvmp_traffic_remote(struct dvmp_traffic *t);
/* Nothing of it is to be read before it has come. */
void dvmp_traffic_pending(struct dvmp_traffic *t);
void dvmp_traffic_start(struct dvmp_traffic *t);
/* Waits, puts what has come where it belongs, and frees. */
void dvmp_traffic_end(struct dvmp_traffic *t);

/* The elements of 'a' that 'before' says lay on other ranks come to this one. */
void dvmp_plan_move(struct dvmp_array *a, const struct dvmp_set *before);
/* Bytes from the address to the end of the allocation that begins there. */
uint64_t dvmp_plan_heap_size(uintptr_t address);
/* Bytes from the address to the end of the program's allocation in which it lies; 0: in none. */
uint64_t dvmp_plan_heap_left(uintptr_t address);
#endif
