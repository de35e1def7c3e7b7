/* Directive sites: their texts, read once.  A text becomes a list of items, one for each line that begins something (a ref, a
 * private variable, a use ..); the lines that belong to it (X, W, N, D) are kept in the item.  Numbers and addresses that are
 * known at run time only are slots of the argument vector. */
#ifndef DVMRT_DIRECTIVE_H
#define DVMRT_DIRECTIVE_H
#include "runtime/data/site.h"
#include "runtime/site_text.h"

struct dvmrt_num {
  int64_t v;
  int slot;            /* >= 0: args[slot] in place of v */
};

struct dvmrt_axis {
  char kind;           /* e c a o r (abi.h) */
  int index;
  struct dvmrt_num coef, add;  /* c: add; r: low, high */
  const char *text;    /* o: source text, or NULL */
};

enum { DVMRT_REF_ARRAY = 1, DVMRT_REF_POINTER = 2, DVMRT_REF_TEMPLATE = 4, DVMRT_REF_UNKNOWN = 8 };

struct dvmrt_ref {
  const char *name;
  uint32_t flags;
  char type;           /* f i u c o, 0: not given */
  uint32_t granule;    /* o: members of the element begin at multiples of so many bytes; 0: not given */
  struct dvmrt_num address, element_bytes;
  int ndims;
  struct dvmrt_num extent[DVMRT_NDIMS_MAX]; /* v = -1: not known */
};

/* GIVEN: divided by sizes, weights or a map that the program gives: a block may have any size. */
enum { DVMRT_DIST_BLOCK, DVMRT_DIST_GIVEN, DVMRT_DIST_WHOLE };

/* What a rule of distribution is given; verdicts depend on the number of 'm' alone, the rest is checked. */
struct dvmrt_rule {
  char kind;           /* g genblock, w wgtblock, m multblock, i indirect, d derived, 0: nothing to check */
  struct dvmrt_num values, count, number; /* address of the values and how many (0: not known); w, m: the number; d: of its values */
  char type;           /* of a value: i u f; d: f, the number is that of a function */
  int bytes;
};

struct dvmrt_item {
  struct dvmrt_item *next;
  char key;                      /* DVMRT_DIRECTIVE_* */
  struct dvmrt_ref ref;          /* A G O H C M B T: all of it; U V R s: name, address, type */
  int nlower;
  struct dvmrt_num lower[DVMRT_NDIMS_MAX]; /* A and across, of Fortran: the lower bounds */
  int naxes;
  struct dvmrt_axis axis[DVMRT_NDIMS_MAX];
  int nwidths;
  struct {
    bool given;
    struct dvmrt_num low, high;
  } width[DVMRT_NDIMS_MAX];
  bool corner, out, named;       /* named: an edge that shadow_add has made, not given by widths */
  const char *edge;              /* its name */
  int nnames;
  const char *names[DVMRT_NDIMS_MAX];
  int ndist;
  uint8_t dist[DVMRT_NDIMS_MAX];
  struct dvmrt_rule rule[DVMRT_NDIMS_MAX];
  char use;                      /* U: r w ? */
  const char *word;              /* R: operation; B: clause; L: start or wait; J, V: name of the group, of the word */
  int nextents;                  /* R: of an array of results */
  int64_t extents[DVMRT_NDIMS_MAX];
  struct dvmrt_num bytes;        /* V s: bytes; R: bytes in all */
  const char *parts;             /* s: of a struct, triples of numbers: offset, bytes, count; or NULL */
  const char *loc_name;          /* R: or NULL */
  struct dvmrt_num loc_address, loc_bytes;
};

struct dvmrt_inside;
struct dvmrt_directive {
  struct dvmrt_site *site;
  const char *kind;              /* "parallel", .. */
  bool counted;             /* its iterations, where it is executed in parallel and recorded */
  bool parallel;                 /* kind is "parallel" */
  bool fortran, fixed;
  long cid;
  uint64_t function;             /* which one it stands in: its line and file */
  struct dvmrt_pos pos, loop;    /* loop: the outermost 'for', or line 0 */
  int rank;                      /* of a nest */
  const char *names[DVMRT_NDIMS_MAX];
  struct dvmrt_num step[DVMRT_NDIMS_MAX]; /* v = 0 and no slot: not known */
  bool dynamic, init, new_value;
  bool visible;                  /* of a variable that other files may declare */
  bool calls;                    /* the nest calls functions whose accesses its text does not show */
  uint64_t accesses;             /* in the text of a nest */
  const char *no_summary;        /* why the pass has made none; NULL: it has */
  int nslots;
  struct dvmrt_item *items;
  uint64_t data_work;            /* summary.c's: words of tables that an entry may look at; 0: not entered yet */
  struct dvmrt_recall *recall;   /* recall.c's: what executions of a nest have given; or NULL */
  struct dvmrt_inside *inside;   /* construct.c's: it has been reported as inside of the nest that is being executed; or NULL */
};

/* Inside dvmrt_mem_enter; reads the text of the site and keeps it there. */
struct dvmrt_directive *dvmrt_directive_read(struct dvmrt_site *site);
static inline struct dvmrt_directive *dvmrt_directive_of(struct dvmrt_site *site) {
  return site->cache ? (struct dvmrt_directive *)site->cache : dvmrt_directive_read(site);
}
/* First item with that key at or after 'from'. */
struct dvmrt_item *dvmrt_directive_find(struct dvmrt_item *from, char key);

/* Bytes of the variable of a REDUCTION. */
uint64_t dvmrt_directive_reduction_bytes(const struct dvmrt_item *i, const int64_t *args);

static inline int64_t dvmrt_num_value(struct dvmrt_num n, const int64_t *args) { return n.slot >= 0 ? (args ? args[n.slot] : 0) : n.v; }
#endif
