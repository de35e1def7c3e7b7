/* Findings: counted by cause and place, written when first found, summed up at the end.
 * Builders fill a report with records (message, notes, helps); printers turn it into text. */
#ifndef DVMRT_DIAG_H
#define DVMRT_DIAG_H
#include "runtime/data/directive.h"
#include "runtime/report/ids.h"
#include "runtime/entry/options.h"

enum { DVMRT_TEXT_MAX = 512, DVMRT_NOTES_MAX = 6, DVMRT_HELPS_MAX = 3 };

struct dvmrt_text {
  char s[DVMRT_TEXT_MAX];
  size_t n;
};
/* Appends; cuts at the end of the buffer. */
void dvmrt_text_add(struct dvmrt_text *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

struct dvmrt_report {
  struct dvmrt_text message;
  int nnotes;
  struct {
    struct dvmrt_pos pos;  /* file NULL: no place */
    struct dvmrt_text text;
  } note[DVMRT_NOTES_MAX];
  int nhelps;
  struct dvmrt_text help[DVMRT_HELPS_MAX];
};

/* The clause that would make the finding right, over all its occurrences: "name(array[l:h]..)". */
struct dvmrt_clause {
  const char *name;        /* NULL: none */
  const char *array;
  int ndims;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  bool corner;
  bool never;              /* there is none: another help is given */
};

struct dvmrt_finding {
  struct dvmrt_finding *next_of_hash, *next;
  enum dvmrt_id id;
  const char *what;        /* array or variable */
  const struct dvmrt_directive *construct; /* or NULL */
  struct dvmrt_pos pos;    /* of the first occurrence */
  uint64_t count;
  uint64_t mark;           /* recall.c: the count when an execution began */
  struct dvmrt_clause clause;
  const char *message;     /* for debuggers; NULL until it has been shown */
};

/* All inside dvmrt_mem_enter. */
void dvmrt_diag_init(const struct dvmrt_options *o);
bool dvmrt_diag_wanted(enum dvmrt_id id);
/* Counts one occurrence.  count == 1: the caller builds a report and hands it to dvmrt_diag_emit.  NULL: switched off. */
struct dvmrt_finding *dvmrt_diag_count(enum dvmrt_id id, const char *what, const struct dvmrt_directive *construct,
                                       struct dvmrt_pos pos);
struct dvmrt_finding *dvmrt_diag_first(void); /* all, by 'next' */
/* Occurrences so far, and the finding of the last one. */
uint64_t dvmrt_diag_hits(void);
struct dvmrt_finding *dvmrt_diag_last(void);
/* Counts 'n' more of one that has been reported. */
void dvmrt_diag_more(struct dvmrt_finding *f, uint64_t n);
/* An empty report; there is one. */
struct dvmrt_report *dvmrt_diag_report(void);
/* Adds a note and returns its text; notes past the limit go to a text that nobody reads. */
struct dvmrt_text *dvmrt_diag_note(struct dvmrt_report *r, struct dvmrt_pos pos);
struct dvmrt_text *dvmrt_diag_help(struct dvmrt_report *r);
/* Writes the block.  True: halt_on_error asks for the end of the program. */
bool dvmrt_diag_emit(struct dvmrt_finding *f, const struct dvmrt_report *r);
/* "name(A[l:h]..)" */
void dvmrt_clause_text(const struct dvmrt_clause *c, struct dvmrt_text *t);
/* Widens the clause to hold [-low, high] in dimension d. */
void dvmrt_clause_widen(struct dvmrt_clause *c, int d, int64_t away);

/* Forgets all findings: a forked child starts at zero. */
void dvmrt_diag_reset(void);
/* Writes the closing summary, once.  The exit status to use: 'status', or the option's when there were errors. */
int dvmrt_diag_close(int status, unsigned loops, unsigned arrays);
/* The exit status alone; may be called outside dvmrt_mem_enter. */
int dvmrt_diag_status(int status);
#endif
