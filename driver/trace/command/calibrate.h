/* What differs from run to run by itself: a second run of the recorded program is compared with its trace, and the variables that differ, by
 * the place where they do, are kept in the trace; comparisons leave them out. */
#ifndef DVM_TRACE_CALIBRATE_H
#define DVM_TRACE_CALIBRATE_H
#include "driver/trace/command/launch.h"
#include "driver/trace/compare/select.h"
#include "driver/trace/format/format.h"
#include "driver/trace/format/reader.h"

/* Runs the program of 'launch' again and puts what differs into the trace 'path', whose header had the lines 'meta'.  0, or -E... */
int dvmt_calibrate(const struct dvmt_launch *launch, const char *path, const char *meta, enum dvmt_codec codec, struct dvm_error *err);
/* The same of a job that has been recorded as 'launch' says: streams 'launch->job'.RANK, open as 'job'. */
struct dvmt_job;
int dvmt_calibrate_job(const struct dvmt_launch *launch, struct dvmt_job *job, enum dvmt_codec codec, struct dvm_error *err);
/* What a trace says differs by itself, added to 'ignore'.  0, or -E... */
int dvmt_calibrated(const struct dvmt_reader *r, struct dvmt_select *ignore, struct dvm_error *err);
/* The same for a comparison of sums, where an array is one value: of a trace that has values, whatever it is that differs, everywhere. */
int dvmt_calibrated_sums(const struct dvmt_reader *r, struct dvmt_select *ignore, struct dvm_error *err);
#endif
