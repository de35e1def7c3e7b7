/* Standard output of a task region whose tasks are executed at the same time: it is kept, and printed behind the region in the order in which one rank
 * would have printed it. */
#ifndef DVMP_OUTPUT_H
#define DVMP_OUTPUT_H
#include <stdint.h>
#include <stdio.h>

/* All ranks come through these three. */
void dvmp_output_begin(void);
void dvmp_output_end(void);
/* That many places of the order, the first of which is returned. */
int64_t dvmp_output_keys(int64_t n);
/* What is printed from now on belongs there. */
void dvmp_output_key(int64_t key);
/* Where what goes to 'f' is to be written. */
FILE *dvmp_output_to(FILE *f);
/* The run ends: what this rank has kept is printed. */
void dvmp_output_give_up(void);
#endif
