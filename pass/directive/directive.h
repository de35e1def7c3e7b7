/* The grammar of '#pragma dvm ...' (docs/language.md).  One parser for the clang side, the Fortran side and the fuzzer:
 * it takes tokens, knows nothing of C declarations, and answers with a tree whose leaves are ranges of those tokens, so
 * that a caller can hand expressions to its own compiler and point at the exact place of a mistake.
 *
 * Ownership: dvm_directive_parse allocates everything in the directive; dvm_directive_destroy frees it.  The tokens are
 * the caller's and must outlive the directive. */
#ifndef DVM_DIRECTIVE_H
#define DVM_DIRECTIVE_H
#include "base/limits.h"
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DVM_TOKENS_MAX 65536   /* a longer directive is refused */
#define DVM_NESTING_MAX 200    /* brackets nested deeper are refused */

enum dvm_token_kind { DVM_TOK_WORD, DVM_TOK_NUMBER, DVM_TOK_STRING, DVM_TOK_CHAR, DVM_TOK_PUNCT };

struct dvm_token {
  enum dvm_token_kind kind;
  const char *text; /* not terminated */
  size_t len;
  size_t loc;       /* the caller's: a position, given back with errors; the text lexer puts the byte offset here */
};

/* Tokens [first, first + count); count 0 = absent. */
struct dvm_range {
  unsigned first, count;
};

/* One axis of 'A[..]' in on, align, remote_access, tie, region lists. */
enum dvm_axis_kind {
  DVM_AXIS_EMPTY,  /* [] and [*] */
  DVM_AXIS_EXPR,   /* [e], no index name in it (constant during the nest as far as the parser can tell) */
  DVM_AXIS_AFFINE, /* [coef * name + add]; see struct dvm_axis */
  DVM_AXIS_OTHER,  /* an expression that uses an index name, but not in an affine way */
  DVM_AXIS_RANGE   /* [l:h], only in sub-array lists (region, actual, array_copy, localize); a bound may be absent */
};
struct dvm_axis {
  enum dvm_axis_kind kind;
  struct dvm_range expr;   /* the whole expression (RANGE: the low bound) */
  struct dvm_range high;   /* RANGE: the high bound */
  unsigned bracket;        /* token '[' */
  /* AFFINE: value = (negative_coef ? -1 : 1) * coef * index + sum of terms.  coef absent = 1. */
  unsigned index;          /* which index name of the directive, from 0 */
  unsigned index_token;
  bool negative_coef;
  struct dvm_range coef;
  bool negative_add;       /* 'add' is subtracted */
  struct dvm_range add;    /* absent = 0; like coef an expression of its own: 'N - 1' is to be put in brackets */
  /* AFFINE: true.  OTHER: affine all the same, but not in one coef and one add ('N+i-1', '2*(i+1)').  The index stands in
   * it once: the expression with 0 in its place is the sum's constant, and with 1, less that, the coefficient. */
  bool affine;
};

struct dvm_width {
  bool given;
  struct dvm_range low, high;
  unsigned bracket;
}; /* [w] gives low = high = w; [] is not given */

/* A variable named in the directive, perhaps with axes and widths. */
struct dvm_ref {
  unsigned name;           /* token of the name */
  struct dvm_range whole;  /* name and brackets */
  unsigned naxes;          /* brackets after the name */
  struct dvm_axis *axes;   /* [naxes], where the place takes axes, else NULL */
  struct dvm_width *widths;/* [naxes], where the place takes widths (shadow_renew, across, shadow_group), else NULL */
  bool corner;             /* shadow_renew(A[..] (corner)) */
  bool out;                /* across(out: A[..]) */
  struct dvm_range edge_name; /* A["name"]: the string tokens and the commas between them, indirect shadow edges */
};

enum dvm_dist_kind {
  DVM_DIST_BLOCK,
  DVM_DIST_NONE /* [*] and [] */,
  DVM_DIST_WGT_BLOCK,
  DVM_DIST_GEN_BLOCK,
  DVM_DIST_MULT_BLOCK,
  DVM_DIST_INDIRECT,
  DVM_DIST_DERIVED
};
struct dvm_dist {
  enum dvm_dist_kind kind;
  unsigned bracket;
  struct dvm_range arg;   /* array (wgt, gen, indirect) or expression (mult); derived: the whole inside, unread */
  struct dvm_range arg2;  /* wgtblock(arr, n): n */
};

enum dvm_reduction_op {
  DVM_RED_SUM,
  DVM_RED_PRODUCT,
  DVM_RED_MAX,
  DVM_RED_MIN,
  DVM_RED_AND,
  DVM_RED_OR,
  DVM_RED_XOR,
  DVM_RED_MAXLOC,
  DVM_RED_MINLOC
};
struct dvm_reduction {
  enum dvm_reduction_op op;
  unsigned op_token;
  struct dvm_range var;    /* an lvalue expression, mostly one word */
  struct dvm_range loc;    /* maxloc, minloc: the location variable */
  struct dvm_range len;    /* ... and its number of elements; absent = 1 (or the array's length) */
};

enum dvm_clause_kind {
  DVM_CL_PRIVATE,
  DVM_CL_REDUCTION,
  DVM_CL_SHADOW_RENEW,
  DVM_CL_ACROSS,
  DVM_CL_REMOTE_ACCESS,
  DVM_CL_CUDA_BLOCK,
  DVM_CL_STAGE,
  DVM_CL_TIE,
  DVM_CL_SHADOW_START,
  DVM_CL_SHADOW_WAIT,
  DVM_CL_IN,
  DVM_CL_OUT,
  DVM_CL_LOCAL,
  DVM_CL_INOUT,
  DVM_CL_INLOCAL,
  DVM_CL_ASYNC,
  DVM_CL_TARGETS, /* region */
  DVM_CL_INCLUDE_TO, /* shadow_add */
  DVM_CL_CONSISTENT,
  DVM_CL_SHADOW_COMPUTE /* parallel */
};
struct dvm_clause {
  enum dvm_clause_kind kind;
  unsigned word;               /* token of the clause's name */
  unsigned nrefs;
  struct dvm_ref *refs; /* private, shadow_renew, across, remote_access, tie, region lists, include_to, consistent, shadow_compute */
  unsigned nreductions;
  struct dvm_reduction *reductions;
  unsigned group; /* token of the group name: reduction(g: ..), remote_access(g: ..), shadow_start(g); 0 = none (token 0 is never one) */
  unsigned nexprs;
  struct dvm_range *exprs; /* cuda_block (1..3), stage (1); targets: the words */
};

enum dvm_directive_kind {
  DVM_DIR_ARRAY,
  DVM_DIR_TEMPLATE,
  DVM_DIR_TASK,
  DVM_DIR_PROCESSORS,
  DVM_DIR_INHERIT,
  DVM_DIR_INSTANTIATIONS, /* before a declaration */
  DVM_DIR_PARALLEL, /* before a loop */
  DVM_DIR_REGION,
  DVM_DIR_REMOTE_ACCESS,
  DVM_DIR_HOST_SECTION,
  DVM_DIR_TASK_REGION,
  DVM_DIR_ON, /* before a block */
  DVM_DIR_REDISTRIBUTE,
  DVM_DIR_REALIGN,
  DVM_DIR_ACTUAL,
  DVM_DIR_GET_ACTUAL,
  DVM_DIR_INTERVAL,
  DVM_DIR_ENDINTERVAL,
  DVM_DIR_EXITINTERVAL,
  DVM_DIR_ARRAY_COPY,
  DVM_DIR_SHADOW_ADD,
  DVM_DIR_LOCALIZE,
  DVM_DIR_UNLOCALIZE,
  DVM_DIR_MAP,
  DVM_DIR_TRACE,
  DVM_DIR_SHADOW_GROUP, /* from here on the subject is a group */
  DVM_DIR_SHADOW_START,
  DVM_DIR_SHADOW_WAIT,
  DVM_DIR_REDUCTION_START,
  DVM_DIR_REDUCTION_WAIT,
  DVM_DIR_REMOTE_START,
  DVM_DIR_REMOTE_WAIT,
  DVM_DIR_REMOTE_RESET,
  DVM_DIR_COPY_WAIT
  /* stand alone */
};

struct dvm_directive {
  enum dvm_directive_kind kind;
  unsigned word; /* token of the directive's name ('parallel') */
  unsigned last; /* last token */

  /* index names: align([i][j] with ..), realign(A[i][j] with ..), parallel([i][j] ..) */
  unsigned nnames;
  unsigned names[DVM_NDIMS_MAX]; /* tokens; (unsigned)-1 where the bracket is empty */
  struct dvm_range count; /* parallel(N): the number of loops (an integer constant expression); else absent */

  /* array, template, redistribute, realign, task */
  bool has_distribute, has_align, has_shadow, dynamic, new_value;
  unsigned ndists;
  struct dvm_dist *dists;
  unsigned nsizes; /* template[..].., task T[n]: sizes */
  struct dvm_range *sizes;
  unsigned nwidths; /* shadow[l:h].. */
  struct dvm_width *widths;
  unsigned subject; /* redistribute(A ..), realign(A..), task T, processors P, map(T[e] ..), shadow_group(g: ..), task_region(T),
                                      the group of shadow_start ..; token, 0 = none */
  bool has_target; /* align .. with T, parallel .. on T, on(T[e]) */
  struct dvm_ref target;
  bool has_onto; /* distribute .. onto P[l:h], redistribute(.. onto T[e]), map(.. onto P[l:h]) */
  struct dvm_ref onto;
  unsigned group; /* remote_access(g: ..) before a block, array_copy(g: ..); token, 0 = none */
  bool on; /* trace on; else trace off */

  unsigned nclauses;
  struct dvm_clause *clauses; /* in the order written */
  unsigned nrefs;
  struct dvm_ref *refs; /* inherit, actual, get_actual, shadow_group, remote_access, map (1: the task), unlocalize, shadow_add (1),
                                      localize (2: ref, target), array_copy (2: dst, src), instantiations (a
                                      parameter each, 'whole' is 'T = value', of all sets in turn) */
  unsigned nexprs;
  struct dvm_range *exprs; /* interval [e], exitinterval e,.. */
};

struct dvm_parse_error {
  size_t loc; /* of the token, or of the end of the directive */
  unsigned token; /* number of the token; ntokens at the end */
  char text[256]; /* "expected ')' after the list of 'private', found 'reduction'" */
  char suggestion[64]; /* a word that was probably meant, or "" */
};

/* Parses tokens[0..ntokens) (what follows '#pragma dvm').  'end_loc' is the position reported for errors at the end.
 * Returns 0 and a new directive, or -EINVAL with *error filled, or -ENOMEM.  Never crashes, whatever the tokens are. */
int dvm_directive_parse(const struct dvm_token *tokens, size_t ntokens, size_t end_loc, struct dvm_directive **out,
                        struct dvm_parse_error *error);
void dvm_directive_destroy(struct dvm_directive *d);

/* Cuts C text into tokens (identifiers, numbers, strings, characters, longest punctuators; comments and blanks skipped).
 * *tokens is allocated (free it); texts point into 'text'.  Returns 0, -EINVAL (error->loc at the bad byte), -ENOMEM. */
int dvm_directive_lex(const char *text, size_t len, struct dvm_token **tokens, size_t *ntokens, struct dvm_parse_error *error);

const char *dvm_directive_name(enum dvm_directive_kind kind); /* "parallel" */
const char *dvm_clause_name(enum dvm_clause_kind kind);
const char *dvm_reduction_name(enum dvm_reduction_op op);
const char *dvm_dist_name(enum dvm_dist_kind kind); /* "block", "*", "genblock" .. */

#ifdef __cplusplus
}
#endif
#endif
