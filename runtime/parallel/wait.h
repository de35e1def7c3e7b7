/* Waiting for other ranks, so that ranks that have parted ways are named in place of waiting for ever.  Each rank remembers the last places that
 * it came through; their digests go with what all ranks take part in. */
#ifndef DVMP_WAIT_H
#define DVMP_WAIT_H
#include <mpi.h>
#include <stdbool.h>
#include <stdint.h>

struct dvmrt_pos;

/* 'control': a communicator that nothing else uses. */
void dvmp_wait_begin(MPI_Comm control);
/* From now on what is waited for is the end of the program. */
void dvmp_wait_ending(void);
void dvmp_wait_for(MPI_Request *r, int n);

/* All ranks come through here, or have parted; 'what' is the same on all of them. */
void dvmp_wait_mark(const struct dvmrt_pos *at, uint64_t what);
/* Of all places so far. */
uint64_t dvmp_wait_digest(void);
/* A task begins, of which only the ranks that are given it come through the places; 'what' is the same on these.  Behind it the digest of places is
 * the one from before. */
void dvmp_wait_push(uint64_t what);
void dvmp_wait_pop(void);
/* Another rank came through other places: waits until all have said where they are, and ends the job. */
void dvmp_wait_parted(void) __attribute__((noreturn));
#endif
