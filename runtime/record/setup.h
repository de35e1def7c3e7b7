/* What DVM_OPTIONS asks of a recording program; read once, before main. */
#ifndef DVMT_SETUP_H
#define DVMT_SETUP_H
#include "runtime/trace/config.h"

struct dvmt_setup {
  const char *job;   /* how a rank of a job records by itself (inside.h), or NULL; for other processes the following */
  struct dvmt_config config;
  int ring_fd;   /* where to record to, or -1 */
  bool nest; /* where recording starts, the loops around it are told with their iterations */
  bool live, step; /* what a comparison beside takes at once; behind each construct it is waited for (live.h) */
  bool whole;        /* arrays are summed up when a construct has ended, not row by row while it is executed */
  struct {
    int pid;
    const char *codec, *file;
    bool verbose;
  } inside;        /* pid: of the process that is to record by itself, or 0 */
};
const struct dvmt_setup *dvmt_setup(void);
#endif
