/* Standard input for the replicas of a rank where it is a pipe, a socket or a terminal, of which each would get a part: each has a pipe of its own, and gets all.
   What may still be needed is kept, since a clone goes on where the other stands. */
#ifndef MPIR_JOB_INPUT_H
#define MPIR_JOB_INPUT_H
#include <poll.h>
#include <stdbool.h>

struct mpir_input;
/* 'from': descriptor that it comes from.  '*input' is NULL where the replicas can read that themselves: a file, a device.  0, or -errno: no pipe. */
int mpir_input_create(int from, struct mpir_input **input);
void mpir_input_destroy(struct mpir_input *in);
/* The reading end of a replica, 0 or 1; -1: it has none. */
int mpir_input_end(const struct mpir_input *in, unsigned replica);
/* What to wait for: at most 3. */
unsigned mpir_input_poll(struct mpir_input *in, struct pollfd *fds);
/* Moves what is there. */
void mpir_input_move(struct mpir_input *in);
/* 'replica' is about to be a clone of the other, which stands: it gets what that one has not read.  False: no pipe, with errno. */
bool mpir_input_clone(struct mpir_input *in, unsigned replica);
/* It has ended. */
void mpir_input_drop(struct mpir_input *in, unsigned replica);
/* There is something that nobody is going to read. */
bool mpir_input_waits(int from);
#endif
