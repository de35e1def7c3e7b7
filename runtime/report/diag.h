/* Findings: counted by cause and place, written when first found, summed up at the end.
 * Builders fill a report with records (message, notes, helps); printers turn it into text. */
#ifndef DVMRT_DIAG_H
#define DVMRT_DIAG_H
#include "runtime/data/finding.h"
#include "runtime/data/text.h"
#include "runtime/data/options.h"
#include "runtime/report/repair.h"

enum { DVMRT_NOTES_MAX = 6, DVMRT_HELPS_MAX = 3 };

struct dvmrt_report {
  struct dvmrt_text message;
  int nnotes;
  struct {
    struct dvmrt_pos pos;  /* file NULL: no place */
    struct dvmrt_text text;
  } note[DVMRT_NOTES_MAX];
  int nhelps;
  struct dvmrt_text help[DVMRT_HELPS_MAX];
  int nrepairs;
  struct dvmrt_repair repair[DVMRT_REPAIRS_MAX]; /* what the helps say; none: they leave it to the user */
};

/* All inside dvmrt_mem_enter. */
void dvmrt_diag_init(const struct dvmrt_options *o);
/* An empty report; there is one. */
struct dvmrt_report *dvmrt_diag_report(void);
/* Adds a note and returns its text; notes beyond the limit go to a text that is discarded. */
struct dvmrt_text *dvmrt_diag_note(struct dvmrt_report *r, struct dvmrt_pos pos);
struct dvmrt_text *dvmrt_diag_help(struct dvmrt_report *r);
/* Notes a part of what the help says; 'word' and 'name' may be NULL.  Returns its text, which is empty. */
struct dvmrt_text *dvmrt_diag_repair(struct dvmrt_report *r, enum dvmrt_repair_kind kind, struct dvmrt_pos at, const char *word,
                                     const char *name);
/* Told, inside dvmrt_mem_enter, of a diagnostic that has been shown for the first time; set when the library starts. */
extern void (*dvmrt_diag_listener)(void);
/* Writes the block.  True: halt_on_error asks for the end of the program. */
bool dvmrt_diag_emit(struct dvmrt_finding *f, struct dvmrt_report *r);
/* "name(A[l:h]..)" */
void dvmrt_clause_text(const struct dvmrt_clause *c, struct dvmrt_text *t);
/* What is in its parentheses. */
void dvmrt_clause_inside(const struct dvmrt_clause *c, struct dvmrt_text *t);
/* Forgets all findings: a forked child starts at zero. */
void dvmrt_diag_reset(void);
/* Writes the closing summary, once.  The exit status to use: 'status', or the option's when there were errors. */
int dvmrt_diag_close(int status, unsigned loops, unsigned arrays);
/* The exit status alone; may be called outside dvmrt_mem_enter. */
int dvmrt_diag_status(int status);
#endif
