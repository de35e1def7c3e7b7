/* Standard input for the replicas of a rank where it is a pipe, a socket or a terminal, of which each would get a part: each has a pipe of its own, and gets all.
   What may still be needed is kept, since a clone goes on where the other stands. */
#ifndef MPIR_JOB_INPUT_H
#define MPIR_JOB_INPUT_H
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

struct mpir_input;
/* 'from': descriptor that it comes from.  '*input' is NULL where the replicas can read that themselves: a file, a device.  0, or -errno: no pipe.  'saved': snapshots are taken. */
int mpir_input_create(int from, bool saved, struct mpir_input **input);
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

/* Jobs that are saved.  What a snapshot has of it: bytes that were read, and how many had come and were not. */
enum { MPIR_INPUT_BYTES = 512 << 10 };
struct mpir_input_saved {
  uint64_t position;
  uint32_t bytes, over; /* over: nothing more comes */
};
/* All replicas stand; 'replica' leads, and will be saved.  'bytes' has room for MPIR_INPUT_BYTES. */
void mpir_input_stand(struct mpir_input *in, unsigned replica, struct mpir_input_saved *to, char *bytes);
void mpir_input_noted(struct mpir_input *in); /* that snapshot is whole: what is before it is not needed any more */
/* The file with all that came since the last snapshot, for who restarts from there; or -1. */
int mpir_input_kept(const struct mpir_input *in);
/* A saved job goes on: 'replica' gets what it had not read, then what has come since then, if 'kept' has that (-1: it is not known), and then what comes 'from'. */
int mpir_input_resume(int from, unsigned replica, int kept, const struct mpir_input_saved *s, const char *bytes, struct mpir_input **input);
#endif
