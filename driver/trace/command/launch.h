/* Runs a recording program and takes its records into a sink, until it has ended. */
#ifndef DVM_TRACE_LAUNCH_H
#define DVM_TRACE_LAUNCH_H
#include "base/error.h"
#include "driver/trace/format/stream.h"
#include <stdbool.h>
#include <sys/types.h>

struct dvmt_launch {
  char *const *command;       /* terminated by NULL */
  const char *level;          /* or NULL: the configuration's, or modify */
  const char *config;         /* path of a configuration, or NULL */
  bool quiet;                 /* its standard output goes nowhere */
  /* If a launcher starts it, or it is executed in parallel: its ranks write streams 'JOB.RANK'. */
  const char *job;            /* or NULL */
  const char *codec;          /* of them, or NULL: zstd */
  const char *meta;           /* their meta lines, or NULL */
  const char *results;        /* of the reference's reductions, or NULL (runtime/trace/results.h) */
  const char *elements;       /* "N@FILE:LINE": what a parallel program tells by elements (runtime/trace/elements.h), or NULL */
  bool other_options;         /* DVM_OPTIONS of the environment are for another program */
  const char *options;        /* more of DVM_OPTIONS, or NULL */
  const char *live;           /* socket of a comparison that runs beside (runtime/trace/live.h), or NULL */
  bool nest;                  /* where the configuration starts, the loops around are told with their iterations */
  bool step;                  /* it is waited for behind each construct */
  pid_t *started;             /* gets the number of the process, or NULL */
  const char *said;           /* file that gets what it prints on standard error, or NULL */
};
/* Becomes the program, which records by itself into 'output' (runtime/trace/inside.h): for one that runs under the checkpointer.
 * Returns only when it cannot be started. */
int dvmt_launch_inside(const struct dvmt_launch *launch, const char *output, const char *codec, bool verbose, struct dvm_error *err);
/* Signals of the terminal reach the program and are left to it; this process goes on to the end of the records.  The sink may
 * give up (it returns an error): then the program runs on unrecorded.  'status': as from waitpid.  'recorded': the program was
 * built to record.  Returns 0, -ENOENT and so on when it could not be started, or the sink's error. */
int dvmt_launch(const struct dvmt_launch *launch, struct dvmt_sink *sink, int *status, bool *recorded, struct dvm_error *err);
/* How a program with this status of waitpid was cut, or NULL: it ended by itself. */
const char *dvmt_launch_cut(int status, char *buf, size_t size);
/* Nothing has been recorded: -EPROTO, with what really happened to the program; 'how': what it is to be compiled with, "'dvmcc -fdvm=trace'", or NULL: it is. */
int dvmt_launch_nothing(char *const *command, int status, const char *how, struct dvm_error *err);
/* Of a job: a rank that is killed outright cannot write what it still has in memory; says so if one was, by the launcher's status. */
void dvmt_launch_note_killed(int status);
#endif
