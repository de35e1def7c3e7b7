/* The bounded buffer between a recording program and the collector, a process of its own: shared memory in chunks that the
 * program fills with raw records (abi.h) and the collector empties.  Being a process, the collector shares no allocator and
 * no locks with the program, and what the program had written when it was killed is still there.
 *
 * Life: the collector creates the ring and hands its descriptor to the program, which attaches once.  The program publishes a
 * full chunk and waits when none is empty; the collector gives back emptied chunks, filled with zeros.  The chunk that the
 * program was filling when it ended is read up to its first zero word. */
#ifndef DVMT_RING_H
#define DVMT_RING_H
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { DVMT_RING_CHUNK = 256 << 10, DVMT_RING_CHUNKS = 16, DVMT_RING_UNRECORDED = 256 };
#define DVMT_RING_MAGIC 0x52544d5644ull /* "DVMTR" */

struct dvmt_ring {
  uint64_t magic;
  _Atomic uint32_t head;        /* chunks published since the start */
  _Atomic uint32_t tail;        /* chunks given back */
  _Atomic uint32_t collector;   /* process id; 0: gone, nothing is taken any more */
  _Atomic uint32_t program;     /* process id of the one that attached */
  uint32_t used[DVMT_RING_CHUNKS]; /* bytes of a published chunk */
  /* Sites that were executed where nothing is recorded, each once; the low four bits say why (enum dvmt_why).  From any thread. */
  _Atomic uint32_t nunrecorded;
  _Atomic uint64_t unrecorded[DVMT_RING_UNRECORDED];
  char pad[4096 - 8 - 24 - 4 * DVMT_RING_CHUNKS - 8 * DVMT_RING_UNRECORDED];
  char chunk[DVMT_RING_CHUNKS][DVMT_RING_CHUNK];
};

/* Collector's side.  A descriptor that children inherit, or -errno. */
int dvmt_ring_create(struct dvmt_ring **ring);
/* Waits at most timeout_ms for a published chunk.  True: there is one. */
bool dvmt_ring_wait(struct dvmt_ring *ring, int timeout_ms);
/* The oldest published chunk, or NULL; give it back when done. */
const uint64_t *dvmt_ring_take(struct dvmt_ring *ring, size_t *words);
void dvmt_ring_give_back(struct dvmt_ring *ring);
/* The oldest chunk that is not given back, which is being filled when nothing is published: up to its first zero word, if the program has ended or writes the first word of
 * each record last, as a release. */
const uint64_t *dvmt_ring_rest(struct dvmt_ring *ring, size_t *words);
void dvmt_ring_close(struct dvmt_ring *ring);
/* Ends a dvmt_ring_wait of another thread. */
void dvmt_ring_wake(struct dvmt_ring *ring);

/* Program's side: async-signal-safe, no allocation.  NULL: no ring there. */
struct dvmt_ring *dvmt_ring_attach(int fd);
/* Publishes what there is, and with 'settle' waits until all that has been published is taken; as dvmt_ring_next. */
char *dvmt_ring_push(struct dvmt_ring *ring, size_t used, bool settle);
/* From any thread: notes a site that is executed where nothing is recorded. */
void dvmt_ring_note_unrecorded(struct dvmt_ring *ring, uint64_t site, unsigned why);
/* Publishes the chunk with 'used' bytes and waits for an empty one.  NULL: the collector is gone. */
char *dvmt_ring_next(struct dvmt_ring *ring, size_t used);
#endif
