/* What a rank tells of an execution of a construct, element by element, at level modify and full (or DVM_OPTIONS=trace_elements=N@FILE:LINE, set
 * by 'dvm compare --bisect'); between the records of its begin and its end:
 *   a directive, K 'iterations', whose text T says which are this rank's: "own|none|all counted|again", then for each index variable ' NAME ',
 *       spans "LOW..HIGH" joined by commas; '*': all that there are
 *   a directive, K 'ran', for each iteration that it has executed: the values of its index variables; not there at level modify, nor where the
 *       program was compiled with '-fdvm=parallel' alone
 *   writes, K 'before' and K 'after': memory of this rank's elements of the array V, in pieces of DVMT_ELEMENTS_PIECE bytes or of one; V of
 *       line S is the size of an element
 * With trace_bounds=1 (set by 'dvm trace config'), at any level, a directive, K 'bounds': of each index variable the least and the greatest value. */
#ifndef DVMT_ELEMENTS_H
#define DVMT_ELEMENTS_H
enum { DVMT_ELEMENTS_WORDS = 4, DVMT_ELEMENTS_PIECE = 8 * DVMT_ELEMENTS_WORDS };
#define DVMT_ELEMENTS_ITERATIONS "iterations"
#define DVMT_ELEMENTS_RAN "ran"
#define DVMT_ELEMENTS_BOUNDS "bounds"
#define DVMT_ELEMENTS_BEFORE "before"
#define DVMT_ELEMENTS_AFTER "after"
#endif
