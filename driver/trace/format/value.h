/* Types and values: what the words of a record mean, and how two of them differ. */
#ifndef DVMT_VALUE_H
#define DVMT_VALUE_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dvmt_type {
  char kind;              /* line y of a site text; 'o': not known */
  uint8_t bytes;
  uint8_t part_bytes;     /* of a floating number or of the parts of a complex one: 4, 8, 16 (extended); else 0 */
};
struct dvmt_type dvmt_type_of(const char *text);
/* "double", "unsigned 4-byte integer", .. */
const char *dvmt_type_name(struct dvmt_type t, char *buf, size_t size);
/* As C would print it, with as many digits as tell it from its neighbours. */
void dvmt_value_text(struct dvmt_type t, const uint64_t *words, char *buf, size_t size);
/* 0 finite or no floating value, 'n' NaN, 'i' infinite (any part). */
char dvmt_value_special(struct dvmt_type t, const uint64_t *words);

struct dvmt_tolerance {
  double relative, ulps, absolute;
  bool exact;                /* bit for bit; of different types: as numbers */
};
struct dvmt_difference {
  double absolute, relative; /* of the parts the greater one; infinite where one value is NaN or infinite and the other is not */
  double ulps;
  bool beyond;               /* the tolerance */
};
/* Whether two values of one type are bit for bit the same, or numbers that compare equal. */
bool dvmt_value_same(struct dvmt_type t, const uint64_t *a, const uint64_t *b);
/* Whether values of the types can be compared as numbers. */
bool dvmt_type_comparable(struct dvmt_type a, struct dvmt_type b);
/* The one that holds fewer digits: it says how closely two values can agree. */
struct dvmt_type dvmt_type_narrower(struct dvmt_type a, struct dvmt_type b);
/* Values of different types are compared as numbers, in the wider one.  'slack': an absolute difference that is rounding. */
struct dvmt_difference dvmt_value_compare(struct dvmt_type ta, const uint64_t *a, struct dvmt_type tb, const uint64_t *b,
                                          const struct dvmt_tolerance *tolerance, double slack);
/* What rounding leaves where values of a magnitude cancel: a thousandth of the relative tolerance of it, at least 16 units in its last
 * place, and no more than the relative tolerance. */
double dvmt_value_rounding(struct dvmt_type t, const struct dvmt_tolerance *tolerance, double magnitude);
/* The (first part of the) value as a number; 0 where it is none. */
double dvmt_value_real(struct dvmt_type t, const uint64_t *words);
/* Greatest magnitude of the parts; 0 for NaN and infinite ones. */
double dvmt_value_magnitude(struct dvmt_type t, const uint64_t *words);
struct dvmt_tolerance dvmt_tolerance_default(struct dvmt_type t);
/* The greatest relative error of one operation; 0: of no floating type. */
double dvmt_type_rounding(struct dvmt_type t);
#endif
