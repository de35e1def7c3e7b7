/* The spelling of Fortran: what is said of data and directives in C's brackets, told as the user has written it. */
#ifndef DVMRT_SPELL_H
#define DVMRT_SPELL_H
#include "runtime/data/text.h"

/* In place: "A[0][3]" to "A(3,0)", "parallel([j][i] on A[i][])" to "parallel (j,i) on A(:,i)", "#pragma dvm x" to "!DVM$ x". */
void dvmrt_spell_fortran(struct dvmrt_text *t);
#endif
