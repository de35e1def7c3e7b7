/* A parallel program and the reference compared while both run ('dvm compare --live'): what each rank says over a socket, and what it is
 * told.  All in memory's own byte order, for the same machine.  Options of DVM_OPTIONS, set by the command:
 *   trace_live=PATH   ranks: the socket to connect to.  The reference, which records through the ring, publishes behind each construct
 *   trace_step=1      behind each construct both wait until the comparison lets them go on
 * A rank sends a hello, then chunks of raw records (abi.h), each behind its head. */
#ifndef DVMT_LIVE_H
#define DVMT_LIVE_H
#include <stdint.h>

#define DVMT_LIVE_REFERENCE "reference" /* in place of PATH, for the program of the reference */
#define DVMT_LIVE_MAGIC 0x3145564944ull /* "DIVE1" */
struct dvmt_live_hello {
  uint64_t magic;
  uint32_t rank, ranks;
};
enum dvmt_live_asks {
  DVMT_LIVE_NOTHING,
  DVMT_LIVE_RESULT, /* the last record is a result: the answer is a struct dvmt_results_row, 'place' 0 if the reference has none */
  DVMT_LIVE_STEP    /* a construct has ended: the answer is a word, as soon as the rank may go on */
};
struct dvmt_live_head {
  uint32_t bytes, asks;
};
#endif
