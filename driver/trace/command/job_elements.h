/* Constructs of a parallel run that are compared value by value: to the comparison the run is the reference's records, with the values that the
 * ranks are left with in place of those that the reference wrote last. */
#ifndef DVM_TRACE_JOB_ELEMENTS_H
#define DVM_TRACE_JOB_ELEMENTS_H
#include "driver/trace/command/html.h"
#include "driver/trace/command/job_levels.h"
#include "driver/trace/command/replay.h"
#include "driver/trace/job/project.h"

struct job_elements;
/* 'path': the reference, an ordinary trace; 'reduced': what project.h has made of it; 'c' is told; 'replay': of the report; 'html' or NULL.
 * NULL: 'err' says why. */
struct job_elements *job_elements_create(const struct dvmt_job_levels *levels, const char *path, const struct dvmt_reader *reduced,
                                         struct dvmt_compare *c, struct dvmt_replay *replay, struct dvmt_html *html, struct dvm_error *err);
/* As struct dvmt_join_options has it. */
int job_elements_step(struct job_elements *e, struct dvmt_shape *shape, int64_t construct, uint32_t number, struct dvmt_images *images,
                      struct dvm_error *err);
void job_elements_destroy(struct job_elements *e);
#endif
