/* Access sites: their texts, read once, and the sites of one construct. */
#ifndef DVMRT_SITE_H
#define DVMRT_SITE_H
#include "runtime/export.h"
#include <stdbool.h>
#include <stddef.h>

struct dvmrt_pos {
  const char *file;      /* NULL: not known */
  uint32_t line, column;
};

struct dvmrt_subscript {
  char kind;             /* 'c' constant add, 'a' coef * index + add, 'o' other */
  int index;
  int64_t coef, add;
  const char *text;      /* 'o': how a clause of the construct around it may say it, or NULL */
};

/* What a site gives again (repeat.h). */
enum dvmrt_repeat_kind {
  DVMRT_REPEAT_WORD,     /* by verdict: check.h's */
  DVMRT_REPEAT_PLACE = 8, /* of every access */
  DVMRT_REPEAT_AWAY,
  DVMRT_REPEAT_STALE, /* of those that are not in the own part or the edge; of those in an edge that does not hold them */
  DVMRT_REPEAT_ACROSS,
  DVMRT_REPEAT_SEQUENTIAL,
  DVMRT_REPEAT_BOUNDS,
  DVMRT_REPEAT_ESCAPE,
  DVMRT_REPEAT_PENDING,
  DVMRT_REPEAT_TURNS,    /* of the turns of a loop that are judged together; single accesses are judged */
  DVMRT_REPEAT_WAITS,    /* nothing of itself: an element in an assignment of the sequential part, or its target */
  DVMRT_REPEAT_KINDS
};
enum { DVMRT_REPEAT_EDGE = 8 };
enum dvmrt_repeat_edge { DVMRT_EDGE_ASK, DVMRT_EDGE_VALID, DVMRT_EDGE_STALE };
struct dvmrt_repeat {
  const void *thread;    /* whose accesses are counted; NULL: nobody's */
  struct dvmrt_access *next; /* of those with a thread */
  int class;             /* of the words */
  struct dvmrt_region *region; /* that they are in; NULL: ordinary data, or a variable of the function */
  struct dvmrt_array *array; /* AWAY, STALE, ACROSS, SEQUENTIAL, TURNS: that the accesses are to */
  struct dvmrt_array *written; /* PLACE: that the accesses write; or NULL */
  const struct dvmrt_frame *nest;
  uint32_t iteration;    /* whose part 'own' is, where 'has_own'; its word; 0: of none */
  bool apart, part;      /* each dimension stands alone there; the iteration owns something */
  bool has_own[DVMRT_NDIMS_MAX];
  int64_t own[DVMRT_NDIMS_MAX];
  /* AWAY, of a row of elements: those with other subscripts than near, .. near + width are certainly reported.  'row': this holds. */
  bool row;
  int64_t near;
  uint64_t width, unit;  /* unit: bytes of an element; the first one lies at 'first' */
  uintptr_t first;
  uint8_t edge[DVMRT_REPEAT_EDGE]; /* .. and of those, from near on: 'enum dvmrt_repeat_edge' */
  struct dvmrt_clause_array *across; /* ACROSS: judged by the words alone; or NULL */
  bool covered;          /* .. within the clause's widths */
  uintptr_t low, high;   /* PENDING: where the variable lies */
  struct dvmrt_finding *finding[DVMRT_REPEAT_KINDS]; /* NULL: the access is to be judged */
  uint64_t count[DVMRT_REPEAT_KINDS];
};

/* Data in a row of a struct. */
struct dvmrt_member {
  uint64_t offset, bytes, count, stride;
  const char *name;
  struct dvmrt_member *next;
};

/* Elements of which one access of the site has been judged right, or counted, and which lie as that one does while the index variables of the
 * nest are as they were (rules/offsets.h). */
struct dvmrt_near {
  uintptr_t low;
  uint64_t length; /* 0: none */
  uint32_t base; /* of the execution of the nest: __dvmrt_now.base */
  uint32_t flags, size; /* as the access has them */
  uint8_t shift, iv[2];
  int64_t is[2]; /* __dvmrt_now.iv[iv[n]] */
  uint32_t *words; /* of 'low' */
  const struct dvmrt_array *array; /* whose subscripts the site gives; or NULL */
  uint64_t *hits;
  struct dvmrt_site **writer;
};

struct dvmrt_access {
  struct dvmrt_near near;
  struct dvmrt_site *site;
  struct dvmrt_pos pos;
  uint32_t flags; /* DVMRT_READ | DVMRT_WRITE */
  bool quiet;
  const char *text; /* never NULL */
  const char *name; /* NULL: none */
  struct dvmrt_pos declared;
  uint64_t bytes, element_bytes;
  long cid; /* 0: none */
  int use; /* U line of construct cid, -1: none */
  bool distributed; /* the file shows that the root is a distributed array */
  char root; /* G, or 0 */
  int index; /* I, or -1 */
  char range; /* N: e elements, w anything; 0: no range */
  struct dvmrt_members {
    uint64_t begin; /* where the range begins in the first struct */
    uint64_t times; /* what follows so many is none; 0: any number is */
    char form; /* '.' a struct, '[' an array, '>' a pointer */
    const char *text; /* .. as it is written */
    struct dvmrt_member *first; /* NULL: all of a struct is as good as a part */
  } *members; /* of a range of structs that are judged by their members; or NULL */
  bool whole; /* a struct, as a whole */
  bool floating; /* a floating-point or complex value */
  bool buffered; /* agrees with a section of a remote_access around it; dvmrt_check_buffered says if it uses the buffer */
  bool varies; /* its subscripts may have changed since the directive */
  char role; /* Z: i io, a all, l lhs, v via, r rhs; 0: none */
  long expression; /* the number of Z lhs, via and rhs */
  char standing; /* H: in a d declaration, r return, f the head of a loop, j the condition of a statement that a jump leaves; 0: none */
  int ndims; /* X lines */
  struct dvmrt_subscript axis[DVMRT_NDIMS_MAX];
  uint32_t settled_in; /* execution of a nest, its number + 1, in which its place is right throughout; check.c's */
  int nextents;
  int64_t extent[DVMRT_NDIMS_MAX]; /* -1: not known */
  bool fortran, fixed; /* told in the spelling of Fortran: dimensions the other way round, from their lower bounds */
  int64_t lower[DVMRT_NDIMS_MAX]; /* .. in the order of 'axis' */
  uint8_t lower_varies; /* bit d: the run alone knows lower[d]; it is 1 here, and in 'axis' */
  int ninner; /* x lines: their subscripts follow those of the X lines where the program gives any */
  struct dvmrt_inner {
    int dim; /* of its array, from 0 */
    const char *member; /* NULL: it is no member of a struct */
    int64_t longer; /* bytes of an element if allocated memory may hold more of them, else 0 */
  } inner[DVMRT_NDIMS_MAX];
  uint32_t carried_in; /* execution of a nest, its number + 1, in which the reference certainly carries a dependence; summary.c's */
  struct dvmrt_repeat repeat;
  struct dvmrt_offsets *offsets; /* offsets.c's; or NULL */
  struct dvmrt_access *next; /* next site of the same construct, in the order of the text */
};

/* Is it printed, by a name that directives know as a distributed array?  Then who prints it is sent it. */
static inline bool dvmrt_site_printed(const struct dvmrt_access *x) { return x->role == 'i' && x->distributed; }
/* Parts of one assignment of the sequential part. */
static inline bool dvmrt_site_same_expression(const struct dvmrt_access *a, const struct dvmrt_access *b) {
  return a->expression == b->expression && a->pos.file == b->pos.file;
}

/* All inside dvmrt_mem_enter. */
void dvmrt_site_module(struct dvmrt_site *first, struct dvmrt_site *last);
/* The object is unmapped: its sites are. */
void dvmrt_site_module_gone(const struct dvmrt_site *first, const struct dvmrt_site *last);
/* Accesses and directives of all objects. */
uint64_t dvmrt_site_count(void);
/* Whether any module has a directive. */
bool dvmrt_site_has_directives(void);
/* The site's text, read; cached in the site. */
struct dvmrt_access *dvmrt_site_access(struct dvmrt_site *site);
/* All access sites of the construct with that site: first of a list. */
struct dvmrt_access *dvmrt_site_of_construct(struct dvmrt_site *construct, const char *file, long cid);
/* All access sites of the object that 'site' belongs to, one after the other: the one behind 'x', or the first.  NULL: no more. */
const struct dvmrt_access *dvmrt_site_next(const struct dvmrt_site *site, const struct dvmrt_access *x);
/* One copy of each file name: they may be compared by address. */
const char *dvmrt_site_file(const char *s, size_t n);
/* A file of Fortran, as one of its sites has said. */
bool dvmrt_site_is_fortran(const char *file);
bool dvmrt_site_is_fixed(const char *file); /* .. in fixed form */
void dvmrt_site_set_fortran(const char *file, bool fixed);
#endif
