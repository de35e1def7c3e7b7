/* Parts of report files that more than one file writes; for report*.c alone. */
#ifndef DVMRT_REPORT_PARTS_H
#define DVMRT_REPORT_PARTS_H
#include "runtime/report/diag.h"
#include "runtime/report/json.h"

/* "uri" of an artifactLocation. */
void dvmrt_report_uri(struct dvmrt_json *j, const char *file);
/* The column in code points. */
uint64_t dvmrt_report_column(struct dvmrt_pos p);
/* "edit" of a line, or "noEdit"; neither if there are no repairs. */
void dvmrt_report_edit(struct dvmrt_json *j, const struct dvmrt_finding *f, const struct dvmrt_repair *repairs, int n);
/* "fixes" of a SARIF result; 'help' describes them. */
void dvmrt_report_fixes(struct dvmrt_json *j, const struct dvmrt_finding *f, const struct dvmrt_repair *repairs, int n, const char *help);
#endif
