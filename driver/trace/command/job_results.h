/* Results of reductions in a trace, as a file for a run that goes on with them (runtime/trace/results.h). */
#ifndef DVM_TRACE_JOB_RESULTS_H
#define DVM_TRACE_JOB_RESULTS_H
#include "driver/trace/command/options.h"
#include "driver/trace/format/reader.h"

/* Those of 'trace', within the tolerances of the options, to 'path', with the places that the constructs have in the program of 'command' now.
 * 0, or -E.. with a text. */
int dvmt_job_results(const char *path, struct dvmt_compare *c, const struct dvmt_reader *trace, const struct dvmt_cli *o,
                     char *const *command, struct dvm_error *err);
/* Sets the row's tolerance, as the comparison will judge its result, of the construct with that text, which so many iterations have made
 * (0: nobody knows). */
struct dvmt_results_row;
void dvmt_job_results_tolerance(struct dvmt_results_row *row, const char *text, const struct dvmt_compare_options *options,
                                uint64_t iterations);
#endif
