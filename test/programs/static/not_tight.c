/* A statement between the loops of a nest. */
// TWIN
#define N 8
#pragma dvm array distribute[block][block]
double a[N][N];

void sweep(void) {
  double s;
#ifdef RIGHT
#pragma dvm parallel([i][j] on a[i][j]) private(s)
  for (int i = 0; i < N; i++)
    for (int j = 0; j < N; j++) {
      s = i;
      a[i][j] = s;
    }
#else
#pragma dvm parallel([i][j] on a[i][j]) private(s)
  for (int i = 0; i < N; i++) {
    s = i;
//  ^ compile-error .
    for (int j = 0; j < N; j++)
      a[i][j] = s;
  }
#endif
}
