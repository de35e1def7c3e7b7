/* Some of the ranks: those of a task's processors, or those that an array lies on.  NULL is all of them. */
#ifndef DVMP_GROUP_H
#define DVMP_GROUP_H
#include <stdbool.h>
#include <stddef.h>

struct dvmp_group {
  struct dvmp_group *next;
  int n, *rank;                 /* [n], ascending */
  int *at;                      /* [ranks of the job]: place among them, -1: none of them */
  void *talk;                   /* how they talk (job.c), or NULL */
};

/* The one with the ranks for which 'in' is true; the same one for the same ranks, never freed. */
struct dvmp_group *dvmp_group_of(const bool *in);
int dvmp_group_size(const struct dvmp_group *g);
/* The place of a rank of the job among them, or -1. */
int dvmp_group_place(const struct dvmp_group *g, int rank);
/* All of 'some' are in 'g'. */
bool dvmp_group_holds(const struct dvmp_group *g, const struct dvmp_group *some);
#endif
