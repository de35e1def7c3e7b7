/* What code that is not recorded writes into data that is: looked at before and after its calls (abi.h). */
#ifndef DVMT_FOREIGN_H
#define DVMT_FOREIGN_H
#include "runtime/trace/abi.h"

/* Functions that are recorded. */
void dvmt_foreign_functions(const void *const *first, const void *const *last);
/* A site of a global variable that escapes is looked at too; others are not meant. */
void dvmt_foreign_variable(struct dvmt_site *site);
/* Its functions and variables, and calls that it makes. */
struct dvmt_object;
void dvmt_foreign_gone(const struct dvmt_object *object);
#endif
