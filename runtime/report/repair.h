/* What a help says to do, as data: builders note it beside the words; report files make edits of the user's text of it. */
#ifndef DVMRT_REPAIR_H
#define DVMRT_REPAIR_H
#include "runtime/data/finding.h"
#include "runtime/data/text.h"

enum dvmrt_repair_kind {
  DVMRT_REPAIR_ADD,        /* 'text' behind all clauses of the directive */
  DVMRT_REPAIR_ADD_FOUND,  /* .. the smallest clause of the findings */
  DVMRT_REPAIR_ITEM,       /* 'text' in place of what the clause 'word' says of 'name' */
  DVMRT_REPAIR_ITEM_FOUND, /* .. what the smallest clause says */
  DVMRT_REPAIR_OPERATION,  /* 'text' in place of the operation that 'reduction' gives 'name' */
  DVMRT_REPAIR_MORE,       /* 'text' as one more item of the clause 'word' */
  DVMRT_REPAIR_DROP,       /* what the clause 'word' says of 'name' goes */
  DVMRT_REPAIR_CLAUSE,     /* 'text' in place of the clause 'word'; with 'name': of the one that names it */
  DVMRT_REPAIR_WORD,       /* 'text' in place of the word 'word'; an empty one takes it out */
  DVMRT_REPAIR_EDGE,       /* 'text' in place of the directive's 'shadow' */
  DVMRT_REPAIR_OUT,        /* the directive goes */
  DVMRT_REPAIR_BEHIND,     /* 'text' in a line behind the directive */
  DVMRT_REPAIR_BEFORE,     /* 'text' in a line before the directive; with 'word', a later directive of these words goes */
  DVMRT_REPAIR_STATEMENT,  /* 'text' in a line before the statement that is at 'at'; likewise */
  DVMRT_REPAIR_BEFORE_FOUND, /* '#pragma dvm' and the smallest clause of the findings, in a line before the directive .. */
  DVMRT_REPAIR_STATEMENT_FOUND, /* .. before the statement */
};

enum { DVMRT_REPAIRS_MAX = 12, DVMRT_EDITS_MAX = 16 };

struct dvmrt_repair {
  enum dvmrt_repair_kind kind;
  struct dvmrt_pos at;          /* of the directive, or statement */
  const char *word, *name;      /* live as long as the program's sites */
  struct dvmrt_text text;
};

/* One change of a file: what [at, to) holds goes, 'text' comes. */
struct dvmrt_edit {
  struct dvmrt_pos at, to;      /* lines and byte columns from 1 */
  size_t length;                /* bytes between the two */
  char text[DVMRT_TEXT_MAX];
};

struct dvmrt_edits {
  int n;
  struct dvmrt_edit edit[DVMRT_EDITS_MAX];
  const char *why_not;          /* set where n is 0: why the text cannot be changed */
};

/* The edits that do all of it, or none.  'clause': the smallest one, for the kinds that want it.  Inside dvmrt_mem_enter. */
void dvmrt_repair_edits(const struct dvmrt_repair *repairs, int n, const struct dvmrt_clause *clause, struct dvmrt_edits *edits);
#endif
