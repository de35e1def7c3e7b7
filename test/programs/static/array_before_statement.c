/* A directive of a declaration before a statement: the message must speak of the directive. */
// TWIN
#define N 8

void sweep(int k) {
#ifndef RIGHT
#pragma dvm array distribute[block]
//          ^ compile-error 'array'|array' must
#endif
  k++;
}
