/* The text of a directive in the user's file: where its clauses stand. */
#ifndef DVMRT_PRAGMA_H
#define DVMRT_PRAGMA_H
#include "runtime/data/site.h"

enum { DVMRT_PRAGMA_MAX = 8192 };

/* How directives are written; form.h knows those of Fortran. */
enum dvmrt_form { DVMRT_PRAGMAS, DVMRT_FIXED, DVMRT_FREE };

/* Offsets count bytes from the beginning of the file; 'to' is behind the last one. */
struct dvmrt_span {
  size_t from, to;
};

struct dvmrt_pragma {
  const char *file;            /* its name, as the compiler was given it */
  const char *map;             /* the file; owned until dvmrt_pragma_close */
  size_t size;
  uint32_t line;               /* the one that 'begin' is in */
  size_t begin, end;           /* from the beginning of its first line to the end of its last one, the line end left out */
  char text[DVMRT_PRAGMA_MAX]; /* of that: comments and continued lines' ends are blanks; of Fortran in small letters */
  enum dvmrt_form form;
};

/* NULL, or why the directive that the compiler saw at 'pos' cannot be changed there; then nothing is open. */
const char *dvmrt_pragma_open(struct dvmrt_pragma *p, struct dvmrt_pos pos);
/* The file alone: 'begin' and 'end' are of the line of 'pos', which is a statement's. */
const char *dvmrt_pragma_open_line(struct dvmrt_pragma *p, struct dvmrt_pos pos);
void dvmrt_pragma_close(struct dvmrt_pragma *p);
/* Behind its last character that is not blank. */
size_t dvmrt_pragma_tail(const struct dvmrt_pragma *p);
/* "\r\n" or "\n", as the line at 'begin' ends. */
const char *dvmrt_pragma_line_end(const struct dvmrt_pragma *p);
/* The word, outside of all parentheses. */
bool dvmrt_pragma_word(const struct dvmrt_pragma *p, const char *word, struct dvmrt_span *at);
/* The clause 'word(..)', and what of it is about 'name': "A[1:1]" of "shadow_renew(A[1:1], B)", "sum(s)" of "reduction(g: sum(s))".
 * 'name' NULL: the clause alone.  A clause of one macro is about whatever is asked for. */
struct dvmrt_named {
  struct dvmrt_span clause, item;
  bool alone;                  /* nothing else is in the clause */
};
bool dvmrt_pragma_named(const struct dvmrt_pragma *p, const char *word, const char *name, struct dvmrt_named *found);
/* The lines of the next directive below that says just this. */
bool dvmrt_pragma_later(const struct dvmrt_pragma *p, const char *directive, struct dvmrt_span *lines);
#endif
