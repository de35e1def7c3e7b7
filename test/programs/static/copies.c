/* Sections of array_copy that have not the same shape, or other elements, and an interval that is left without having been entered. */
#define N 8
#pragma dvm array distribute[block][block]
double A[N][N];
#pragma dvm array distribute[block]
double B[N];
float S[N];
int f(int k) {
#pragma dvm array_copy(A[][] = B[])
//                             ^ compile-error a section of 1 dimension is copied to one of 2
#pragma dvm array_copy(A[] = B[])
//                     ^ compile-error 'A' has 2 dimensions, 'array_copy' gives 1
#pragma dvm array_copy(A[k][] = B[])
#pragma dvm array_copy(A = A)
#pragma dvm array_copy(A[0:2][k] = B[1:3])
#pragma dvm array_copy(S[] = B[])
//                           ^ compile-error elements of type 'double' are copied to elements of type 'float'
#pragma dvm exitinterval 3
//          ^ compile-error exitinterval' has no interval to leave
#pragma dvm interval 3
  if (k) {
#pragma dvm exitinterval 3
    return 1;
  }
#pragma dvm endinterval
  return 0;
}
