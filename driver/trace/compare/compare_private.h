/* The inside of a comparison.  A is the reference, B the run. */
#ifndef DVMT_COMPARE_PRIVATE_H
#define DVMT_COMPARE_PRIVATE_H
#include "driver/trace/format/bytes.h"
#include "driver/trace/compare/compare.h"
#include "driver/trace/compare/levels.h"
#include "runtime/trace/digest.h"
#include "driver/trace/compare/name.h"
#include <string.h>

enum {
  ITEM_WORDS = 7,
  OPEN_MAX = 256,
  WINDOW_LISTS = 1 << 16,
  SEEN_MAX = 1 << 20,
  REDUCTIONS_MAX = 64,
  OPERANDS = 64,
  ACCEPTED_MAX = 1 << 16
};

/* A record that is kept. */
struct item {
  uint8_t kind, nwords;
  uint32_t site, object;   /* numbers of its own side */
  uint32_t key;            /* of the variable, or of the construct: the same on both sides */
  uint32_t chain;          /* of calls, of the run's */
  uint32_t record;         /* its number, the low half */
  int64_t offset;
  int64_t place;           /* the element, whatever its size is: the same on both sides */
  uint64_t words[ITEM_WORDS];
};
/* Most have one word: the others are not touched. */
static inline void copy_words(uint64_t *to, const uint64_t *from, unsigned n) {
  if (n)
    to[0] = from[0];
  for (unsigned i = 1; i < n; i++)
    to[i] = from[i];
}
static inline bool same_words(const uint64_t *a, const uint64_t *b, unsigned n) {
  for (unsigned i = 0; i < n; i++)
    if (a[i] != b[i])
      return false;
  return true;
}
static inline void copy_item(struct item *to, const struct item *from) {
  memcpy(to, from, offsetof(struct item, words));
  copy_words(to->words, from->words, from->nwords);
}
struct items {
  struct item *row; /* owned */
  size_t n, cap;
};
struct keys {
  uint32_t *key; /* owned; by number of site or object */
  size_t n;
};
struct counts {
  uint32_t *count; /* owned; by key */
  size_t n;
};
struct sums {
  uint64_t *sum; /* owned; by key: of the values written */
  size_t n;
};
struct open {              /* construct or loop that the run is in */
  const char *text;
  uint32_t key, nwords;
  uint32_t execution;      /* of this construct, from 1 */
  uint32_t reference_execution; /* that it is compared with */
  bool parallel, has_iteration;
  uint64_t words[ITEM_WORDS];
};
struct mask {
  uint32_t key;
  uint8_t state;
};
struct masks {
  struct mask *row;        /* owned; by site */
  size_t n;
};
struct waiting;            /* iteration of the reference that the run has not executed yet */
struct scale;
struct operand {           /* value that was read or written lately */
  uint32_t site;           /* of the run */
  bool write;
  double magnitude, away;  /* away: accepted difference */
};
/* What of an offset into an element is a member's: "z" of the site text, and what leads to it. */
struct member {
  uint32_t variable;       /* key of its declaration */
  uint8_t nterms;
  uint32_t term[8];        /* keys of the variables that are added in the statement */
  bool known;
  uint16_t path;           /* hash */
  uint8_t nstrides;
  int64_t offset, stride[4];
  int64_t bytes;           /* of the struct that the path begins at; 0: it is not told */
};
struct members {
  struct member *row;      /* owned; by site */
  size_t n;
};

/* Where both sides say the same (compare_alike.c). */
struct dvmt_decoded_row;
enum meaning {
  NOTHING,
  SAME,
  SAME_BUT_NAN /* equal words say all that .. */,
  MEANING = 3,
  PLAIN = 4 /* of a value: its one word is no pointer */
};
struct meanings {
  uint8_t *row;            /* owned; by site or object, what equal words say if both have the same of that number */
  size_t n;
};
struct alike {
  bool on;
  const struct dvmt_decoded_row *row, *end;   /* of A: the next, the end of the block */
  const uint64_t *words;
  const struct dvmt_decoded_row *first;       /* of the iteration that is under way, or NULL */
  const uint64_t *first_words;
  uint32_t chain;                             /* there */
  int depth;                                  /* constructs that are open in it */
  uint64_t calls, values, reductions;         /* of it */
  uint64_t taken;                             /* records since both have met */
  unsigned wait, pause;                       /* turns until both are tried to meet again */
  struct meanings sites, objects;
};

struct dvmt_compare {
  struct dvmt_sink sink;   /* first */
  struct dvmt_reader *reference;
  struct dvmt_compare_options options;
  struct dvmt_compare_totals totals;
  struct dvm_error err;
  int rc;
  struct dvmt_levels *a_levels, *b_levels; /* owned; what the other side would have kept; NULL: all */
  bool masks;              /* something is left out */
  size_t a_defined;        /* sites and objects of A that are known here */
  bool matched;            /* constructs have been */
  uint32_t *partners;      /* owned; of A's sites: B's at the same place of the source, or UINT32_MAX */
  size_t npartners;
  char **names;            /* by key */
  size_t nnames, names_cap;
  uint32_t *name_slots;    /* owned; 1 + number of a name, by its hash; twice names_cap of them */
  struct {
    struct keys sites, objects;
    struct members members;
    struct masks masks;
  } a, b;
  struct dvmt_type *a_types;
  struct dvmt_site_def *b_sites;
  struct dvmt_type *b_types;
  struct dvmt_where *b_places;
  struct dvmt_object_def *b_objects;
  struct item ahead;       /* next record of A, if has_ahead */
  uint64_t ahead_record;   /* its number */
  bool has_ahead;
  struct open open[OPEN_MAX];
  int depth;
  uint64_t enters;
  uint32_t last_site;      /* of the run's last record */
  struct counts a_counts, b_counts;
  struct counts a_totals;  /* executions in all of A; counted when they are first needed */
  bool counted;
  uint32_t no_count;
  bool over;               /* a reference that was cut has ended: what follows is not compared */
  uint64_t over_at;        /* records of the run until then */
  bool relocate;           /* behind a damaged block of A */
  int a_skip, b_skip;      /* levels behind a damaged block until both can meet again, or that are left out */
  int a_status, b_status;  /* with which the programs ended; below zero: not known */
  bool ending;             /* the run is over: what the reference has beyond is no difference of its own */
  struct item beyond;      /* the first of that, if has_beyond */
  bool has_beyond;
  bool lost;               /* after a difference of structure outside parallel constructs: until both meet again */
  struct items a_items, b_items, b_tail;
  uint64_t iterations; /* of the construct whose results are compared; 0: nobody has counted them */
  /* Inside a parallel construct: */
  bool in_parallel, unpaired /* A has no such execution */, overflow, b_in_iteration, may_drop;
  uint32_t parallel_key;
  int parallel_depth;
  struct item b_iteration;
  bool halved;             /* its first part has been compared, on both sides */
  int halved_depth;        /* constructs that were open in it then */
  struct waiting *waiting[WINDOW_LISTS];
  size_t nwaiting, window, places; /* window, places: bytes of what is here, and of where all of it is */
  struct dvmt_bytes packing;
  struct dvmt_reader *paging; /* owned; reads again what has left the window */
  uint64_t iteration_record, summed;
  struct sums a_sums, b_sums; /* since the window is full */
  struct alike alike;
  uint64_t *seen;          /* hashes of the iterations that B has executed */
  size_t nseen;
  uint32_t reductions[REDUCTIONS_MAX]; /* keys of the variables of the present construct */
  unsigned nreductions;
  size_t same_objects, same_sites; /* of the same numbers on both sides mean the same */
  struct scale **scales;   /* owned; see compare_scale.c */
  size_t nscales;
  struct element *elements;    /* owned; NULL until it is asked for */
  struct dvmt_reader *scaling; /* owned; reads the reference again for them */
  struct operand operands[OPERANDS];
  size_t noperands;        /* so far */
  uint64_t *accepted;      /* owned; hashes of pairs that were written and taken for rounding */
  struct dvmt_leads *leads; /* owned; NULL until a pointer is met */
  struct dvmt_digits *digits; /* owned; by key */
  size_t ndigits;
  bool full;               /* values that are read are recorded */
  uint64_t directives;     /* that both have: of records that were compared, those that say nothing of what was computed */
  struct call_chain *chains; /* owned */
  uint32_t nchains, chains_cap, chain; /* chain: where the run is; 0: not known */
  const struct item *now;  /* of the run: what is compared */
  double worst_relative;
  char worst[1024];
  char alone[400];         /* variables whose sums the run alone has */
  struct keys partly, touched; /* variables: of arrays as compare_partly.c has it; written in this construct */
  char partly_names[300];
  uint64_t counted_sums;   /* of the iterations */
  char retyped[400];       /* "'d' (float, double in the reference)" and so on */
  uint32_t last_retyped;   /* site + 1 */
  struct dvmt_finding **findings;
  size_t nfindings;
};

/* ---- compare_side.c: names and numbers that both sides share, records of A ------------------------------------------------- */

/* The key of a name.  A failure is noted in c->rc, here and below. */
uint32_t dvmt_cmp_intern(struct dvmt_compare *c, const char *name);
bool dvmt_cmp_add_key(struct keys *k, uint32_t key);
uint32_t dvmt_cmp_site_key(struct dvmt_compare *c, const char *text, bool of_reference);
/* 'of_reference': numbers are of that side. */
void dvmt_cmp_to_item(struct dvmt_compare *c, bool of_reference, const struct dvmt_record *r, struct item *it);
/* Where an element's members are, learnt from a new site. */
bool dvmt_cmp_add_member(struct members *m, const char *text);
/* The next record of A in c->ahead; false at its end. */
bool dvmt_cmp_peek(struct dvmt_compare *c);
static inline struct item *dvmt_cmp_take(struct dvmt_compare *c) {
  c->has_ahead = false;
  return &c->ahead;
}

/* A record other than a value that both have. */
static inline void dvmt_cmp_agree(struct dvmt_compare *c) {
  c->totals.compared++;
  c->totals.identical++;
}

static inline const char *dvmt_cmp_a_text(const struct dvmt_compare *c, const struct item *it) {
  return dvmt_reader_site(c->reference, it->site)->text;
}
static inline const char *dvmt_cmp_b_text(const struct dvmt_compare *c, const struct item *it) { return c->b_sites[it->site].text; }
static inline bool dvmt_cmp_a_parallel(const struct dvmt_compare *c, const struct item *it) {
  return dvmt_reader_site(c->reference, it->site)->kind == DVMT_SITE_CONSTRUCT;
}
static inline bool dvmt_cmp_b_parallel(const struct dvmt_compare *c, const struct item *it) {
  return c->b_sites[it->site].kind == DVMT_SITE_CONSTRUCT;
}
/* The variable's name; "" for a construct. */
static inline const char *dvmt_cmp_key_name(const struct dvmt_compare *c, uint32_t key) {
  return c->names[key][0] == '\1' ? "" : c->names[key];
}

/* ---- compare_places.c: a source that has been changed ------------------------------------------------------------------------ */

/* Gives the run's constructs the keys of the same ones of the reference, whose lines may be others; before the first record. */
void dvmt_cmp_match_places(struct dvmt_compare *c);
/* Site text for the place of A's record: in the run's source, if it has one there. */
const char *dvmt_cmp_place_text(const struct dvmt_compare *c, const struct item *a);

/* ---- compare_finding.c ------------------------------------------------------------------------------------------------------- */

/* Where the run is: of its innermost construct or loop. */
const char *dvmt_cmp_iteration_text(const struct dvmt_compare *c, char *buf, size_t size);
/* The finding of this kind, variable and place in the present construct, counted once more; new if count is 1: then it is to be
 * told.  NULL without memory, and if this kind is not wanted. */
struct dvmt_finding *dvmt_cmp_finding(struct dvmt_compare *c, enum dvmt_finding_id id, const char *variable, const char *text);
void dvmt_cmp_tell(struct dvmt_compare *c, struct dvmt_finding *f, const char *element, const char *message);
/* A difference of structure, told if it is new. */
void dvmt_cmp_structure(struct dvmt_compare *c, const char *variable, const char *element, const char *text, const char *message);
const char *dvmt_cmp_describe(struct dvmt_compare *c, const struct item *it, bool of_reference, char *buf, size_t size);
void dvmt_cmp_finding_free(struct dvmt_finding *f);

/* ---- compare_calls.c: which functions have called which -------------------------------------------------------------------------- */

void dvmt_cmp_follow_call(struct dvmt_compare *c, const struct dvmt_record *r);
/* "main > solve > relax", or NULL; the function of the place itself, whose site text may be NULL, is the last.  The caller's. */
char *dvmt_cmp_calls_text(const struct dvmt_compare *c, const char *text);
void dvmt_cmp_clear_calls(struct dvmt_compare *c);

/* ---- compare_mask.c: what is left out, what is called otherwise ------------------------------------------------------------------ */

bool dvmt_cmp_is_masked(struct dvmt_compare *c, struct masks *m, const struct item *it, const char *text);
/* A file's name (without folders) and a variable's of the reference, as the run has them. */
const char *dvmt_cmp_renamed_file(const struct dvmt_compare *c, const char *name, size_t n, size_t *length);
const char *dvmt_cmp_renamed(const struct dvmt_compare *c, const char *variable);

/* ---- compare_scale.c: what is rounding ------------------------------------------------------------------------------------------ */

/* Of the values that the reference gave the variable of 'a' at its place lately; 0: not known. */
double dvmt_cmp_site_magnitude(struct dvmt_compare *c, const struct item *a);
void dvmt_cmp_clear_scales(struct dvmt_compare *c);
void dvmt_cmp_note_operand(struct dvmt_compare *c, const struct item *b, double magnitude, double away);
/* Greatest magnitude of what the statement that writes 'b' has read, and the sum of their accepted differences; false: not known. */
bool dvmt_cmp_operands(const struct dvmt_compare *c, const struct item *b, double *magnitude, double *away);
/* A difference that was written and taken for rounding may be read again. */
void dvmt_cmp_accept(struct dvmt_compare *c, const struct item *a, const struct item *b);
bool dvmt_cmp_is_accepted(const struct dvmt_compare *c, const struct item *a, const struct item *b);

/* ---- compare_lead.c: where pointers lead ------------------------------------------------------------------------------------------ */

/* Words of lead.h; what is not known agrees. */
bool dvmt_cmp_leads_agree(struct dvmt_compare *c, uint64_t a, uint64_t b);
/* Stretches that are the same have been passed over; so many allocations are in them and before. */
void dvmt_cmp_leads_passed(struct dvmt_compare *c, uint64_t allocations);
void dvmt_cmp_lead_text(const struct dvmt_compare *c, uint64_t word, bool of_reference, char *buf, size_t size);

/* ---- compare_digits.c ------------------------------------------------------------------------------------------------------------ */

void dvmt_cmp_note_digits(struct dvmt_compare *c, uint32_t key, struct dvmt_type narrow, double relative);

/* ---- compare_end.c: what kept the comparison from being a whole one ---------------------------------------------------------------- */

/* Told whatever kinds are wanted; a warning if it is accepted. */
void dvmt_cmp_doubt(struct dvmt_compare *c, enum dvmt_doubt doubt, const char *text, const char *message);
void dvmt_cmp_unrecorded(struct dvmt_compare *c, const char *text, uint64_t why, bool of_reference);
/* A damaged block of the reference has been met; behind it. */
void dvmt_cmp_lose_reference(struct dvmt_compare *c);
void dvmt_cmp_relocate(struct dvmt_compare *c);
bool dvmt_cmp_skip_more(int *left, uint8_t kind);
static inline bool dvmt_cmp_skip_damaged(int *left, uint8_t kind) { return *left && dvmt_cmp_skip_more(left, kind); }

/* ---- compare_value.c: two records of the same kind and key ------------------------------------------------------------------- */

void dvmt_cmp_pair(struct dvmt_compare *c, const struct item *a, const struct item *b);
/* Whether a call of code that is not recorded has left the element as it was, but for the tolerance: what one side alone has then is
 * no difference. */
bool dvmt_cmp_is_no_change(struct dvmt_compare *c, const struct item *it, bool of_reference);

/* ---- compare_list.c: lists of records that should be the same, in order ------------------------------------------------------ */

void dvmt_cmp_add_item(struct dvmt_compare *c, struct items *l, const struct item *it);
/* The reduction variables of the construct with this text, in c->reductions. */
void dvmt_cmp_find_reductions(struct dvmt_compare *c, const char *text);
bool dvmt_cmp_is_optional(const struct dvmt_compare *c, const struct item *it);
/* The variable of that key is a reduction variable of the present construct. */
bool dvmt_cmp_is_reduction(const struct dvmt_compare *c, uint32_t key);
/* Follows the constructs and loops inside an iteration, for messages. */
void dvmt_cmp_follow(struct dvmt_compare *c, const struct item *b);
/* Both lists lose what is optional, if c->may_drop. */
void dvmt_cmp_lists(struct dvmt_compare *c, struct items *a, struct items *b);

static inline bool dvmt_cmp_same_item(const struct item *a, const struct item *b) {
  if (a->kind != b->kind || a->key != b->key || a->place != b->place)
    return false;
  return a->kind != DVMT_ITER || (a->nwords == b->nwords && same_words(a->words, b->words, a->nwords));
}

/* ---- compare_window.c: iterations that wait for the run ------------------------------------------------------------------------ */

static inline uint64_t dvmt_cmp_hash_words(const uint64_t *words, uint32_t nwords) {
  uint64_t h = 1;
  for (uint32_t i = 0; i < nwords; i++)
    h = dvmt_mix(h ^ words[i]) + i;
  return h;
}
static inline uint64_t dvmt_cmp_hash(const struct item *iteration) { return dvmt_cmp_hash_words(iteration->words, iteration->nwords); }
void dvmt_cmp_clear_window(struct dvmt_compare *c);
/* Keeps an iteration that began at c->iteration_record; false: there are too many. */
bool dvmt_cmp_window_keep(struct dvmt_compare *c, const struct item *iteration, const struct items *items);
/* Takes it out, into 'items'; false: it does not wait. */
bool dvmt_cmp_window_take(struct dvmt_compare *c, const struct item *iteration, struct items *items);
/* Takes out any; the first of the reference's order stays. */
bool dvmt_cmp_window_any(struct dvmt_compare *c, struct item *iteration, struct items *items);
bool dvmt_cmp_window_first(struct dvmt_compare *c, struct item *first);

/* ---- compare_alike.c: where both sides say the same ---------------------------------------------------------------------------- */

/* Before a record of the run that nothing waits for. */
void dvmt_cmp_join(struct dvmt_compare *c, const struct dvmt_record *r);
/* If both have joined: takes a record of the run that A has too.  False: they have parted. */
bool dvmt_cmp_alike(struct dvmt_compare *c, const struct dvmt_record *r);
/* Both sides are to be where any others would be. */
void dvmt_cmp_part(struct dvmt_compare *c);
/* An iteration of which both have said the same is over; the next one begins. */
void dvmt_cmp_alike_end(struct dvmt_compare *c);
void dvmt_cmp_alike_begin(struct dvmt_compare *c);

/* ---- compare.c ------------------------------------------------------------------------------------------------------------------ */

void dvmt_cmp_record(struct dvmt_compare *c, const struct dvmt_record *r);

/* ---- compare_iteration.c: iterations in any order ---------------------------------------------------------------------------- */

void dvmt_cmp_clear_sums(struct dvmt_compare *c);
/* The run has finished an iteration: c->b_iteration, c->b_items. */
void dvmt_cmp_end_iteration(struct dvmt_compare *c);
/* The run has executed the iteration of the present construct with these indices.  True: not for the first time. */
bool dvmt_cmp_note_executed(struct dvmt_compare *c, const uint64_t *words, uint32_t nwords);
/* The reference's construct to its end; what was not executed is missing. */
void dvmt_cmp_finish_parallel(struct dvmt_compare *c);

/* ---- compare_order.c: the order of constructs -------------------------------------------------------------------------------- */

static inline bool dvmt_cmp_is_anchor(const struct item *it) {
  return it->kind == DVMT_ENTER || it->kind == DVMT_LEAVE || it->kind == DVMT_ITER;
}
/* The count of a construct, to be read and changed. */
uint32_t *dvmt_cmp_count(struct dvmt_compare *c, struct counts *counts, uint32_t key);
/* Compares the values between two anchors, the run's in c->b_items; 'whole': up to the reference's next anchor. */
void dvmt_cmp_stretch(struct dvmt_compare *c, bool whole);
/* The run's next record, outside and inside of parallel constructs. */
void dvmt_cmp_in_order(struct dvmt_compare *c, const struct item *b);
/* A loop without parallel iterations begins on both sides; the innermost construct or loop comes to an iteration. */
void dvmt_cmp_open_loop(struct dvmt_compare *c, uint32_t site, uint32_t key);
void dvmt_cmp_open_iteration(struct dvmt_compare *c, const uint64_t *words, uint32_t nwords);
void dvmt_cmp_in_parallel(struct dvmt_compare *c, const struct item *b);

/* ---- compare_partly.c ----------------------------------------------------------------------------------------------------------------- */

/* A record of the run, before it is compared. */
void dvmt_cmp_note_partly(struct dvmt_compare *c, const struct item *it);
/* The run's construct is at its end: 'a_items' and 'b_tail' lose sums that say nothing. */
void dvmt_cmp_leave_partly(struct dvmt_compare *c);
#endif
