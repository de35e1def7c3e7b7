/* A file that declares an array of another one without its directive prints what its own processor has. */
// TWIN
#include <stdio.h>
#define N 40
#ifdef RIGHT
#pragma dvm array distribute[block]
#endif
extern double a[N];
void fill(void);

int main(void) {
  fill();
  printf("%g\n", a[10]);
  //             ^ error dvm-sequential-access 'a[10]'
  // stderr help: give the declaration of 'a' in this file its directive
  return 0;
}
