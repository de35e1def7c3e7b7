/* Differences as people and programs read them: blocks on standard error in the form of compilers, a closing summary, and report
 * files (docs/report-formats.md). */
#ifndef DVM_TRACE_REPORT_H
#define DVM_TRACE_REPORT_H
#include "driver/trace/compare/compare.h"
#include <stdio.h>

enum { DVMT_REPORTS_MAX = 8 };
struct dvmt_report {
  FILE *out;                    /* in memory until it is shown: a program's own lines are not to be torn by it; owned, as the text */
  char *text;
  size_t text_bytes;
  const char *reference, *run;  /* what is compared, for the summary */
  uint64_t max_errors;          /* blocks that are shown; 0: all */
  uint64_t shown;
  char *closing;                /* the last line; owned */
  const char *who;              /* of which the report is, as "rank 2: ", or NULL */
  uint64_t records;             /* of the reference, for the share that was compared */
  int nfiles;
  const char *file[DVMT_REPORTS_MAX];
};
/* 0, or -EINVAL with a text for a name that is neither .sarif nor .jsonl. */
int dvmt_report_add_file(struct dvmt_report *r, const char *path, struct dvm_error *err);
/* Before the run: whether the files can be written.  0, or -E... with a text. */
int dvmt_report_check_files(const struct dvmt_report *r, struct dvm_error *err);
/* For struct dvmt_compare_options. */
void dvmt_report_found(void *arg, const struct dvmt_finding *f);
/* 0, or -ENOMEM with a text. */
int dvmt_report_init(struct dvmt_report *r, struct dvm_error *err);
void dvmt_report_fini(struct dvmt_report *r);
/* Shows what there is on standard error. */
void dvmt_report_show(struct dvmt_report *r);
/* Closing summary and files.  Returns the number of errors (warnings are not counted), or -E... with a text. */
int64_t dvmt_report_close(struct dvmt_report *r, const struct dvmt_compare *c, struct dvm_error *err);
#endif
