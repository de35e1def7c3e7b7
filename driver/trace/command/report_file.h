/* Report files of comparisons: docs/report-formats.md. */
#ifndef DVM_TRACE_REPORT_FILE_H
#define DVM_TRACE_REPORT_FILE_H
#include "driver/trace/compare/compare.h"
#include <stdbool.h>

const char *dvmt_finding_name(enum dvmt_finding_id id);
const char *dvmt_finding_severity(const struct dvmt_finding *f);
/* What to do about it; false: nothing is known. */
bool dvmt_finding_help(const struct dvmt_finding *f, char *buf, size_t size);
/* Whether the ending of 'path' is one of a format. */
bool dvmt_report_is_known(const char *path);
/* Writes all findings of n comparisons, in the format of the name's ending; 'ranks': each is of one rank of a job, from 0.  0, or -E... with
 * a text. */
int dvmt_report_write(const char *path, const struct dvmt_compare *const *c, size_t n, bool ranks, struct dvm_error *err);
#endif
