/* Inside of the directive parser: a cursor over the tokens, and the parts of the grammar.
 *
 * A parsing function takes what it recognises, writes it to its last argument and returns true.  On a mistake (or out
 * of memory) it returns false with p->rc and the error set; the cursor must not be used after that. */
#ifndef DVM_DIRECTIVE_PARSE_H
#define DVM_DIRECTIVE_PARSE_H
#include "pass/directive/arena.h"
#include "pass/directive/directive.h"

struct dvm_parser {
  const struct dvm_token *tokens;
  unsigned ntokens;
  unsigned pos; /* the next token to be taken */
  size_t end_loc;
  const char *where; /* the directive or clause being parsed, as errors name it */
  struct dvm_directive *d;
  struct dvm_arena *arena;
  struct dvm_parse_error *error;
  int rc;
};

/* cursor.c: tokens */
bool dvm_parse_at_end(const struct dvm_parser *p);
bool dvm_parse_at_word(const struct dvm_parser *p);
/* At the word 'word', exactly so written. */
bool dvm_parse_at_this_word(const struct dvm_parser *p, const char *word);
bool dvm_parse_at(const struct dvm_parser *p, const char *punct);
/* The same 'ahead' tokens further on. */
bool dvm_parse_at_ahead(const struct dvm_parser *p, unsigned ahead, const char *punct);
bool dvm_token_is(const struct dvm_token *token, const char *punct);
/* The bracket that the token is, digraphs as what they stand for; 0 = none. */
char dvm_token_bracket(const struct dvm_token *token);
bool dvm_token_opens(const struct dvm_token *token);
bool dvm_token_equal(const struct dvm_token *a, const struct dvm_token *b);
/* The token's text is 'word'; with 'any_case' also in capital letters (HOST, CORNER). */
bool dvm_token_is_word(const struct dvm_token *token, const char *word, bool any_case);

/* cursor.c: errors; all return false.  'expected' ends with what was found at the cursor. */
bool dvm_parse_fail(struct dvm_parser *p, unsigned token, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
bool dvm_parse_expected(struct dvm_parser *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
#define DVM_QUOTE_MAX 48 /* longest part of a token shown in an error */
struct dvm_quote {
  char text[DVM_QUOTE_MAX + 8];
};
/* 'text' in quotes, control bytes as '?', cut with '..' where it is long; returns quote->text. */
const char *dvm_token_quote(const struct dvm_token *token, struct dvm_quote *quote);
bool dvm_parse_no_memory(struct dvm_parser *p);
/* Notes the word of the NULL-terminated list that the token was probably meant to be. */
void dvm_parse_suggest(struct dvm_parser *p, unsigned token, const char *const *words);

/* cursor.c: pieces */
bool dvm_parse_take(struct dvm_parser *p, const char *punct, const char *what); /* "expected 'punct' what, found .." */
bool dvm_parse_take_word(struct dvm_parser *p, const char *word);
bool dvm_parse_take_name(struct dvm_parser *p, const char *what, unsigned *token);
/* Balanced tokens up to a ',', ':' (not of '?:'), ';' or closing bracket; may be empty. */
bool dvm_parse_expr_or_nothing(struct dvm_parser *p, struct dvm_range *range);
bool dvm_parse_expr(struct dvm_parser *p, const char *what, struct dvm_range *range);
/* Balanced tokens up to the closing bracket, whatever they are; not empty. */
bool dvm_parse_unread(struct dvm_parser *p, struct dvm_range *range);
/* Appends to an array of the directive. */
bool dvm_parse_push(struct dvm_parser *p, void *array, unsigned *count, const void *item, size_t size);
#define DVM_PARSE_PUSH(p, array, count, item) dvm_parse_push(p, &(array), &(count), &(item), sizeof(item))
/* item {, item} up to and with ')'. */
typedef bool dvm_parse_item_f(struct dvm_parser *p, void *to);
bool dvm_parse_items(struct dvm_parser *p, bool may_be_empty, dvm_parse_item_f *item, void *to);

/* affine.c: sets kind and fields of an axis whose 'expr' is known and not empty. */
void dvm_parse_affine(const struct dvm_parser *p, struct dvm_axis *axis);

/* ref.c */
enum dvm_ref_place {
  DVM_REF_NAME,     /* no brackets */
  DVM_REF_AXES,     /* [e] */
  DVM_REF_SECTION,  /* the same, at least one */
  DVM_REF_SUBARRAY, /* [e] or [l:h] */
  DVM_REF_WIDTHS,   /* [w] or [l:h] */
  DVM_REF_EDGES     /* the same with (corner), or ["name"] */
};
bool dvm_parse_ref(struct dvm_parser *p, enum dvm_ref_place place, struct dvm_ref *ref);
struct dvm_ref_list {
  enum dvm_ref_place place;
  unsigned *count;
  struct dvm_ref **refs;
};
bool dvm_parse_ref_item(struct dvm_parser *p, void *ref_list); /* for dvm_parse_items */
/* 'name', then axes of which there must be one. */
bool dvm_parse_target(struct dvm_parser *p, struct dvm_ref *ref);
bool dvm_parse_width(struct dvm_parser *p, struct dvm_width *width);
/* [i][j].. into d->names. */
bool dvm_parse_index_names(struct dvm_parser *p, bool may_be_empty);
bool dvm_parse_too_many_dimensions(struct dvm_parser *p);

/* layout.c: after the word or '(': [block][*].. ; [i][j] with T[..][..] ; the attributes of array and template. */
bool dvm_parse_distribution(struct dvm_parser *p);
bool dvm_parse_alignment(struct dvm_parser *p);
bool dvm_parse_attributes(struct dvm_parser *p);
/* At 'onto': name and axes into d->onto. */
bool dvm_parse_onto(struct dvm_parser *p);
/* [e][e].. into d->sizes. */
bool dvm_parse_sizes(struct dvm_parser *p);
/* The attribute's name as a clause would be looked up: "distribute" of the words of array, or NULL. */
const char *dvm_attribute_find(const struct dvm_token *word);

/* clause.c: the clauses of the directive's kind, up to the end. */
bool dvm_parse_clauses(struct dvm_parser *p);
/* A directive that has the clause named by the word, or NULL. */
const char *dvm_clause_owner(const struct dvm_token *word);
/* Has this kind of directive clauses? */
bool dvm_directive_has_clauses(enum dvm_directive_kind kind);
/* g ':', or nothing */
bool dvm_parse_group_before(struct dvm_parser *p, unsigned *group);
/* '(' g ')' */
bool dvm_parse_group(struct dvm_parser *p, unsigned *group);
#endif
