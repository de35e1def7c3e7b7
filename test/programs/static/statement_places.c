/* Directives of statements where none can follow, and jumps into what a directive covers. */
#define N 8
#pragma dvm array distribute[block]
double A[N];
typedef double real;
int f(int k) {
  if (k)
    k = 1;
#pragma dvm get_actual(A)
//          ^ compile-error get_actual' cannot stand between a statement and its 'else'
  else
    k = 2;
  if (k)
    goto inside;
//  ^ compile-error 'goto' jumps into the parallel loop
#pragma dvm parallel([i] on A[i])
  for (int i = 0; i < N; i++) {
  inside:
    A[i] = 1;
  }
  {
    k++;
#pragma dvm parallel([i] on A[i])
  }
//^ compile-error parallel' must stand before a 'for' loop
#pragma dvm region
  int unused = k;
//^ compile-error region' must stand before a statement or block
#pragma dvm remote_access(A[0])
  real x = A[0];
//^ compile-error remote_access' must stand before a statement or block
  return unused;
}
