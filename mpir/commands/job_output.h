/* What the replicas of a rank print on one of their streams, once.  Each replica has a pipe of its own; the bytes are the same in both, so that a count of those
   that have gone out says where one goes on for the other. */
#ifndef MPIR_JOB_OUTPUT_H
#define MPIR_JOB_OUTPUT_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct mpir_output;
/* 'to': descriptor that it goes to.  'checks': what both print is compared.  NULL, with errno: no pipe. */
int mpir_output_failed(const struct mpir_output *o); /* errno of a write whose bytes are lost, or 0 */
struct mpir_output *mpir_output_create(int to, bool checks);
void mpir_output_destroy(struct mpir_output *o);
/* The writing end of a replica, 0 or 1. */
int mpir_output_end(const struct mpir_output *o, unsigned replica);
/* What to wait for: at most 2. */
unsigned mpir_output_poll(const struct mpir_output *o, unsigned leader, struct pollfd *fds);
/* Moves what is there.  'all': waits until it is out.  False: the replicas have printed different bytes, from '*at' on. */
bool mpir_output_move(struct mpir_output *o, unsigned leader, bool all, uint64_t *at);
/* What has no end of a line yet goes out, too. */
void mpir_output_flush(struct mpir_output *o);
/* There is a shadow from the beginning. */
void mpir_output_compare(struct mpir_output *o);
/* 'replica' is a clone of the other, and begins where that one stands. */
void mpir_output_clone(struct mpir_output *o, unsigned replica);
/* The replica that leads has ended: takes all that it has left. */
void mpir_output_take_all(struct mpir_output *o, unsigned leader);
/* Waits until all that was taken is out. */
void mpir_output_finish(struct mpir_output *o);
/* There is no shadow any more. */
void mpir_output_drop(struct mpir_output *o);
uint64_t mpir_output_bytes(const struct mpir_output *o);
/* Bytes that this replica has given so far. */
uint64_t mpir_output_position(const struct mpir_output *o, unsigned replica);
/* A new life of the program: 'leader' will give the bytes from 'position' on, of which those before 'known' have been put out. */
void mpir_output_resume(struct mpir_output *o, unsigned leader, uint64_t position, uint64_t known);
#endif
