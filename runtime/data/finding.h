/* Findings: what has been found wrong, counted by cause and place. */
#ifndef DVMRT_FINDING_H
#define DVMRT_FINDING_H
#include "runtime/data/directive.h"
#include "runtime/data/ids.h"

/* The clause that would make the finding right, over all its occurrences: "name(array[l:h]..)". */
struct dvmrt_clause {
  const char *name;        /* NULL: none */
  const char *array;
  int ndims;
  int64_t low[DVMRT_NDIMS_MAX], high[DVMRT_NDIMS_MAX];
  bool corner;
  bool section;            /* of elements [-low, high], not of widths; 'extent' of them is all of a dimension */
  int64_t extent[DVMRT_NDIMS_MAX];
  int64_t first[DVMRT_NDIMS_MAX]; /* .. what they are counted from: 0 in C */
  bool never;              /* there is none: another help is given */
};

struct dvmrt_finding {
  struct dvmrt_finding *next_of_hash, *next;
  enum dvmrt_id id;
  const char *what;        /* array or variable */
  const struct dvmrt_directive *construct; /* or NULL */
  struct dvmrt_pos pos;    /* of the first occurrence */
  uint64_t count;
  bool at_least;           /* there were more, which were not counted */
  uint64_t mark;           /* recall.c: the count when an execution began */
  struct dvmrt_clause clause;
  const char *message;     /* for debuggers; NULL until it has been shown */
};

/* All inside dvmrt_mem_enter.  'wanted': bit n for id n. */
void dvmrt_finding_init(uint64_t wanted);
bool dvmrt_finding_wanted(enum dvmrt_id id);
/* Counts one occurrence.  count == 1: the caller builds a report and hands it to dvmrt_diag_emit.  NULL: switched off. */
struct dvmrt_finding *dvmrt_finding_count(enum dvmrt_id id, const char *what, const struct dvmrt_directive *construct,
                                          struct dvmrt_pos pos);
struct dvmrt_finding *dvmrt_finding_first(void); /* all, by 'next' */
/* Occurrences so far, and the finding of the last one. */
uint64_t dvmrt_finding_hits(void);
struct dvmrt_finding *dvmrt_finding_last(void);
/* Counts 'n' more of one that has been reported. */
void dvmrt_finding_more(struct dvmrt_finding *f, uint64_t n);
/* The sum that its occurrences are part of. */
uint64_t *dvmrt_finding_total(const struct dvmrt_finding *f);
/* How many findings there are, and occurrences of them. */
struct dvmrt_finding_totals {
  uint64_t errors, warnings, error_hits, warning_hits;
  bool at_least;           /* of the occurrences */
};
struct dvmrt_finding_totals dvmrt_finding_totals(void);
/* The rest of the run is not judged, by the user's wish: counts are the least that there were. */
void dvmrt_finding_stop(void);
extern bool dvmrt_finding_stopped;
/* There are none: a forked child starts at zero. */
void dvmrt_finding_reset(void);
/* Widens the clause to hold [-low, high] in dimension d. */
void dvmrt_clause_widen(struct dvmrt_clause *c, int d, int64_t away);
#endif
