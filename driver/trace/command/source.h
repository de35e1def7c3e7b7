/* Lines of the program's source, where it can be read. */
#ifndef DVM_TRACE_SOURCE_H
#define DVM_TRACE_SOURCE_H
#include "driver/trace/compare/name.h"

/* Lines come from where the program was compiled, as far as one of the words of 'command' says it; else from here.  'folder': where the command was
 * given, or NULL: here. */
void dvmt_source_program(char *const *command, const char *folder);
/* The same of the command that a trace names. */
struct dvmt_reader;
void dvmt_source_trace(const struct dvmt_reader *r);
void dvmt_source_forget(void);

/* The line at 'w' without its end; the caller frees it.  NULL if the file cannot be read or is shorter. */
char *dvmt_source_line(const struct dvmt_where *w);
/* The column of 'w', which counts bytes, in characters of UTF-8; as it is where the line cannot be read.  From 1. */
unsigned dvmt_source_column(const struct dvmt_where *w);
#endif
