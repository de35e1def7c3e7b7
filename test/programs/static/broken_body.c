/* The body of a nest does not compile: clang's own errors, and nothing else. */
#define N 6

#pragma dvm array distribute[block][block]
int a[N][N];

void sweep(void) {
  int i = 0;
#pragma dvm parallel([i][j] on a[i][j])
  for (i = 1; i < N; i++)
    for (int j = 1; j < N; j++)
      a[i][j] += a[k][j];
      //           ^ compile-error use of undeclared identifier 'k'
}
