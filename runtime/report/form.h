/* Directives of Fortran as they stand in the text: sentinels, continued lines, and how long a line may be.  For a directive that pragma.h
 * has opened, or is opening. */
#ifndef DVMRT_FORM_H
#define DVMRT_FORM_H
#include "runtime/data/text.h"
#include "runtime/report/pragma.h"

/* Sets 'begin', 'line' and 'end' for the directive that 'begin' lies in. */
void dvmrt_form_span(struct dvmrt_pragma *p);
/* Makes 'text' of what lies between them: small letters; blanks for sentinels, marks of continuation and comments. */
void dvmrt_form_clean(struct dvmrt_pragma *p);
bool dvmrt_form_is_directive(const struct dvmrt_pragma *p);
/* 'text' is to stand in place of [from, to): broken into lines where it would not fit. */
void dvmrt_form_fold(const struct dvmrt_pragma *p, size_t from, size_t to, struct dvmrt_text *text);
/* "!DVM$ x" as a line, without its end, before what 'p' holds. */
void dvmrt_form_line(const struct dvmrt_pragma *p, const char *directive, struct dvmrt_text *line);
/* Sets 'begin' and 'line' to those of the statement that the line is part of. */
void dvmrt_form_statement(struct dvmrt_pragma *p);
/* Opens, among the directives of the file, the one nearest to 'pos' that gives the array its edge, and says where the widths in parentheses
 * are; or else one that names it in DISTRIBUTE or ALIGN: then 'edge' is empty.  False: there is none, and nothing is open. */
bool dvmrt_form_open_edge(struct dvmrt_pragma *p, struct dvmrt_pos pos, const char *array, struct dvmrt_span *edge);
#endif
