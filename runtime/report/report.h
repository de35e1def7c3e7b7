/* Report files (docs/report-formats.md). */
#ifndef DVMRT_REPORT_H
#define DVMRT_REPORT_H
#include "runtime/report/diag.h"

/* Creates the files.  0, or -E... with a text; files that were made stay. */
int dvmrt_report_open(const struct dvmrt_options *o, struct dvm_error *err);
/* Inside dvmrt_mem_enter.  Keeps the finding's texts and adds it to the files. */
void dvmrt_report_add(struct dvmrt_finding *f, const struct dvmrt_report *r);
/* Writes the files again with the last counts. */
void dvmrt_report_close(void);
/* In a forked child: its own files, when it finds something. */
void dvmrt_report_forked(void);
#endif
