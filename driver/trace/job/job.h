/* The trace of a job: a stream of each rank, as files 'NAME.RANK' or merged into the one file NAME (docs/trace-format.md).  Both are read
 * alike. */
#ifndef DVMT_JOB_H
#define DVMT_JOB_H
#include "base/error.h"
#include "driver/trace/format/reader.h"

enum { DVMT_JOB_RANKS_MAX = 4096 };
#define DVMT_JOB_MAGIC "DVMTRJOB"

struct dvmt_job {
  size_t nranks;                /* 0: none is open */
  bool parallel;                /* of one program that directives divide; else of processes that call MPI themselves */
  struct dvmt_reader **rank;    /* owned, [nranks], each at its beginning */
};
/* 1: a job; 0: 'path' is no job, but perhaps a trace; -E.. with a text: streams that are missing, damaged at their heads, or of several
 * jobs. */
int dvmt_job_open(struct dvmt_job *job, const char *path, struct dvm_error *err);
/* The same of streams in files of their own, whatever PATH itself is. */
int dvmt_job_open_streams(struct dvmt_job *job, const char *path, struct dvm_error *err);
void dvmt_job_close(struct dvmt_job *job);
/* "NAME.2" of a merged job NAME: that rank's stream, or NULL and 'err' untouched: there is none such. */
struct dvmt_reader *dvmt_job_stream(const char *path, struct dvm_error *err);
/* Puts the streams 'NAME.RANK' into NAME, and removes them.  0, or -E.. with a text: then they are as they were. */
int dvmt_job_merge(const char *path, struct dvm_error *err);
/* Removes streams 'NAME.RANK' that are traces of an earlier job. */
void dvmt_job_sweep(const char *path);
#endif
