/* Reading site texts: lines, words and numbers.  Nothing is allocated. */
#ifndef DVMRT_SCAN_H
#define DVMRT_SCAN_H
#include "runtime/site_text.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dvmrt_scan {
  const char *at;    /* inside the present line */
  const char *end;   /* of the present line */
  const char *next;  /* what follows it */
};

void dvmrt_scan_init(struct dvmrt_scan *s, const char *text);
/* Goes to the next line; its key letter, or 0 at the end.  's' then stands after "<key> ". */
char dvmrt_scan_line(struct dvmrt_scan *s);
/* Next word of the line; length 0 at its end. */
size_t dvmrt_scan_word(struct dvmrt_scan *s, const char **word);
/* Is the next word 'word'?  Then it is passed. */
bool dvmrt_scan_is(struct dvmrt_scan *s, const char *word);
/* Next word as a number; 0 when it is none. */
int64_t dvmrt_scan_number(struct dvmrt_scan *s);
/* The rest of the line / next word as an owned string (inside dvmrt_mem_enter; lives as long as the process). */
char *dvmrt_scan_rest(struct dvmrt_scan *s);
char *dvmrt_scan_string(struct dvmrt_scan *s);
/* A number at 'p', which moves behind it. */
int64_t dvmrt_scan_digits(const char **p, const char *end);
#endif
