/* Comparison of a run with a reference, both as streams.  The reference is read as far as the run has come.
 *
 * Constructs are executed in the same order on both sides.  Inside one with iterations their order is free: what the reference
 * has and the run has not reached yet waits in a window of limited size.  Within an iteration, and between constructs, records
 * come in order; one that has no partner is a difference of structure, and the comparison goes on with the next that has one, or
 * with the next construct that both sides execute. */
#ifndef DVMT_COMPARE_H
#define DVMT_COMPARE_H
#include "base/error.h"
#include "runtime/trace/config.h"
#include "driver/trace/format/reader.h"
#include "driver/trace/compare/select.h"
#include "driver/trace/format/value.h"

enum dvmt_finding_id { DVMT_FOUND_VALUE, DVMT_FOUND_STRUCTURE, DVMT_FOUND_NAN, DVMT_NFINDING_IDS };

/* One difference, or many with the same cause: id, variable, construct and line agree. */
struct dvmt_finding {
  enum dvmt_finding_id id;
  uint64_t count;
  bool warning;              /* no difference: NaN on both sides, or a doubt that is accepted */
  bool doubt;                /* what kept the comparison from being whole */
  /* Of the first occurrence; texts are borrowed from the comparison and stay to its end. */
  const char *text;          /* of the site in the run, or NULL: then of the reference; 'site' owns it */
  const char *construct;     /* site text of the innermost construct or loop, or NULL */
  char *site;
  char *iteration, *element, *variable, *message; /* owned by the comparison; iteration: of all loops, outermost first */
  uint64_t execution;        /* of the innermost construct or loop, from 1; 0: not counted inside of iterations */
  char *calls;               /* owned; "main > solve > relax": functions of what is open, or NULL */
  char *reference_value, *value;                  /* owned; NULL where there is none */
  char *note;                /* owned; what whoever compares says to it, or NULL */
  struct dvmt_difference first, greatest;
  char *greatest_element, *greatest_iteration;    /* owned; of the greatest relative difference, or NULL */
  uint64_t record;           /* of the run */
};

/* One differing element, or (object NULL) a sum of an array that differs when a construct ends. */
struct dvmt_spot {
  const char *construct, *variable;
  const char *in_reference;  /* the same construct's site text there, where its line may be another; or NULL */
  const struct dvmt_object_def *object;
  const struct dvmt_object_def *array; /* of a sum: what was summed up, or NULL */
  bool shared;               /* a sum of a variable that all ranks should have alike: no array's */
  int64_t offset;
  uint64_t enters;           /* executions of all constructs so far */
  uint64_t execution;        /* number of this execution of its construct, from 1 */
  uint64_t reference_execution; /* and of the reference's that it is compared with */
  double relative, absolute, ulps;
  double value, reference;   /* of real numbers; else 0 */
};

/* Why a comparison says less than it seems to. */
enum dvmt_doubt {
  DVMT_DOUBT_NOTHING,        /* nothing was compared */
  DVMT_DOUBT_TORN,           /* a trace is torn */
  DVMT_DOUBT_DAMAGED,        /* records of a trace are lost */
  DVMT_DOUBT_END,            /* a side ends before its program did, or before the other */
  DVMT_DOUBT_UNRECORDED,     /* code that is not recorded wrote recorded data */
  DVMT_NDOUBTS
};
/* "nothing", "torn", .. */
const char *dvmt_doubt_name(enum dvmt_doubt doubt);

struct dvmt_compare_options {
  const struct dvmt_config *config; /* tolerances; may be NULL */
  double relative, ulps;     /* for all types; below zero: not given */
  bool exact;                /* bit for bit */
  bool digits;               /* count them, by variable */
  bool accept[DVMT_NDOUBTS]; /* this doubt is a warning, no error */
  struct dvmt_select *ignore; /* what is not compared, or NULL */
  const char *const (*renames)[2]; /* names of variables and files in the reference, and in the run */
  size_t nrenames;
  bool *renamed;             /* of each whether it fitted anything, or NULL; the caller's */
  /* How each side was recorded, if not alike: then what both have kept is compared.  Borrowed; NULL: alike. */
  const struct dvmt_config *reference_recorded, *run_recorded;
  const char *cut;           /* how the reference was cut, "is torn", or NULL: it ends where its program ended by itself */
  bool silent[DVMT_NFINDING_IDS]; /* findings of this kind are not made */
  bool by_sums;              /* of a parallel run: a sum that the run alone has is left out and counted */
  bool limited;              /* the reference was recorded in parts: executions of constructs that it does not hold are left out */
  bool partial;              /* iterations that the run does not execute are no difference */
  size_t window_bytes;       /* 0: 64 MiB */
  void (*found)(void *arg, const struct dvmt_finding *f);     /* when a finding is new */
  char *(*note)(void *arg, const struct dvmt_finding *f);     /* before that: its note, allocated, or NULL; or NULL */
  void (*spot)(void *arg, const struct dvmt_spot *s);         /* or NULL */
  void *arg, *spot_arg;
};

/* How closely values of this type and variable are compared. */
struct dvmt_tolerance dvmt_compare_tolerance(const struct dvmt_compare_options *options, struct dvmt_type type, const char *variable);
/* The same of a result of a reduction, 'number' of the construct with that text, which so many iterations have made (0: nobody knows). */
struct dvmt_result_tolerance {
  struct dvmt_tolerance tolerance;
  double rounding; /* of the magnitude of what ranks have added up: an absolute difference that is none */
};
struct dvmt_result_tolerance dvmt_compare_result_tolerance(const struct dvmt_compare_options *options, struct dvmt_type type,
                                                           const char *variable, const char *text, uint64_t number, uint64_t iterations);

/* What is said where as many iterations as these are executed, which are not the same. */
void dvmt_compare_iterations_text(uint64_t reference, uint64_t run, char *buf, size_t size);

struct dvmt_compare;
/* 'reference' stays the caller's and must be at its beginning. */
struct dvmt_compare *dvmt_compare_create(struct dvmt_reader *reference, const struct dvmt_compare_options *options);
void dvmt_compare_destroy(struct dvmt_compare *c);
/* Takes the run. */
struct dvmt_sink *dvmt_compare_sink(struct dvmt_compare *c);
/* The run is over; 'cut': how it was cut, "was killed by signal 9", or NULL: it ended by itself.  'torn': it is a trace that is torn.
 * 0 or -E... */
int dvmt_compare_end(struct dvmt_compare *c, const char *cut, bool torn, struct dvm_error *err);
/* Before the end: the exit statuses of both programs; below zero: not known. */
void dvmt_compare_statuses(struct dvmt_compare *c, int reference, int run);
/* Records that a damaged block of the run held: the comparison goes on where both can meet again behind it, which 'context' tells
 * (dvmt_reader_context of the next block; NULL: not known). */
struct dvmt_context;
void dvmt_compare_lose(struct dvmt_compare *c, uint64_t records, const struct dvmt_context *context);

/* For two files: to be asked between two records of 'run', the reader that feeds the comparison.  True: both files have been
 * passed on to the next block that is not the same; the next record of 'run' is peeked at, its definitions are sent, and then the
 * comparison is resumed. */
bool dvmt_compare_skip(struct dvmt_compare *c, struct dvmt_reader *run);
void dvmt_compare_resume(struct dvmt_compare *c, struct dvmt_reader *run);
/* The same, after a record: takes those that follow it in its block and that the reference has too, as far as nothing but that is to be
 * said of them. */
void dvmt_compare_alike(struct dvmt_compare *c, struct dvmt_reader *run);

struct dvmt_compare_totals {
  uint64_t records;          /* of the run */
  uint64_t same;             /* of them, passed over as parts of the same blocks */
  uint64_t reference;        /* records of the reference that have been passed */
  uint64_t compared;         /* records that both have; each is identical, within the tolerance or differing */
  uint64_t identical, within, differing, masked;
  const char *retyped;       /* variables that have another type in the run, or NULL */
  uint64_t untyped;          /* of those within the tolerance: words of which nobody knows what they are */
  const char *worst;         /* of those within the tolerance, or NULL */
  uint64_t values, iterations, missing;
  uint64_t calls, reference_calls; /* of records: begins and ends of functions, of which any order will do */
  uint64_t left_out;         /* records of the run that the reference was not recorded to have */
  uint64_t reductions;       /* values of reduction variables inside their constructs, of the run: their results are compared */
  uint64_t sums;             /* digests and results that both have */
  uint64_t alone;            /* sums that are left out: the reference does not have them */
  const char *alone_names;   /* the first of their variables, or NULL */
  uint64_t shared;           /* of those, and of what is left out: of variables that no clause names */
  uint64_t partly;           /* sums that are left out: of arrays that constructs without all iterations have written */
  const char *partly_names;  /* the first of these, or NULL */
  uint64_t uncounted;        /* executions of constructs whose iterations one side alone has counted */
  uint64_t skipped;          /* records passed over to find a common construct */
  uint64_t lost;             /* records in damaged blocks of the reference */
  uint64_t run_lost;         /* and of the run */
  size_t window_peak;        /* bytes */
};
/* Significant decimal digits in which real values of a variable agree. */
struct dvmt_digits {
  const char *variable;
  uint64_t values, identical;
  double least, sum;
};
/* The next variable from number *at on, which is moved behind it; false: there is none. */
bool dvmt_compare_digits(const struct dvmt_compare *c, size_t *at, struct dvmt_digits *digits);
const struct dvmt_compare_totals *dvmt_compare_totals(const struct dvmt_compare *c);
/* Findings in the order of their first occurrence. */
size_t dvmt_compare_nfindings(const struct dvmt_compare *c);
const struct dvmt_finding *dvmt_compare_finding(const struct dvmt_compare *c, size_t n);
#endif
