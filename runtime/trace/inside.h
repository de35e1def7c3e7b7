/* The recorder inside the recording program, for one that is saved by the checkpointer: its image then holds the buffer, the recorder with
 * its place in the file, and all that it has not yet written.  A library of its own, 'libdvmrecord', which libdvmtrace loads when
 * 'trace_ring' is "inside.PID.CODEC.VERBOSE" and PID is the process's number; 'trace_file' names the trace, DVM_RECORD_META in the
 * environment has its meta lines.
 *
 * Unlike the recorder in a process of its own it takes memory from the program's allocator, in threads of its own, and a program that is
 * killed by a signal leaves a trace that ends with its last whole block. */
#ifndef DVMT_INSIDE_H
#define DVMT_INSIDE_H
#include <stdbool.h>
#include <stdint.h>

struct dvmt_ring;
struct dvmt_results_site;

#define DVMT_INSIDE_LIBRARY "libdvmrecord.so"
#define DVMT_INSIDE "inside."
/* Starts the recorder.  NULL when it cannot be, with the reason told on standard error. */
#define DVMT_INSIDE_START "dvmt_inside_start"
struct dvmt_ring *dvmt_inside_start(const char *path, const char *codec, bool verbose);
/* One rank of a job: its stream is 'FILE.RANK', whatever 'dvm record' or 'dvm compare' has asked for in 'how', "CODEC.VERBOSE"; meta lines
 * tell the rank, the ranks of the job, and 'kind': "parallel", or "processes" of programs that call MPI themselves. */
struct dvmt_inside_rank {
  const char *file, *how, *kind;
  const char *level;    /* that it has, or NULL: as the meta lines say */
  int rank, size;       /* size 0: not known */
};
#define DVMT_INSIDE_START_RANK "dvmt_inside_start_rank"
struct dvmt_ring *dvmt_inside_start_rank(const struct dvmt_inside_rank *rank);
/* The place (results.h) under which the reference has the construct that stands at line and column of 'file' in the object file 'object', one of
 * the 'n' sites at 'sites'; 0: it is none of them. */
#define DVMT_INSIDE_PLACE "dvmt_inside_place"
uint64_t dvmt_inside_place(const char *object, const struct dvmt_results_site *sites, uint64_t n, const char *file, unsigned line,
                           unsigned column);
/* Takes what is in the buffer and ends the trace.  0, or -E... with the reason told on standard error. */
#define DVMT_INSIDE_FINISH "dvmt_inside_finish"
int dvmt_inside_finish(void);
#endif
