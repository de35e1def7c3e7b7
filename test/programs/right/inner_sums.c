/* mapped outer loop, long inner sums; floats; several forms */
#include <stdio.h>
#include <math.h>
enum { N = 10, M = 10000 };
#pragma dvm array distribute[block][*]
float a[N][M];
#pragma dvm array align([i] with a[i][])
float y[N];
int main(void) {
  float all = 0, sq = 0, mean = 0; double prod = 1; float nrm[2] = {0, 0};
#pragma dvm parallel([i] on a[i][])
  for (int i = 0; i < N; i++) for (int j = 0; j < M; j++) a[i][j] = 1.0f / (float)(1 + (i * 31 + j * 7) % 97);
#pragma dvm parallel([i] on a[i][]) reduction(sum(all), sum(sq), sum(mean), product(prod), sum(nrm))
  for (int i = 0; i < N; i++) {
    y[i] = 0;
    for (int j = 0; j < M; j++) {
      all += a[i][j];
      sq = sq + a[i][j] * a[i][j];
      mean += a[i][j] / M - 1e-3f;
      prod *= 1 + a[i][j] * 1e-4;
      nrm[j & 1] += fabsf(a[i][j]);
      y[i] += a[i][j];
    }
  }
  printf("%d %d %d %d %d\n", all > 0, sq > 0, mean > -1e9f, prod > 1, nrm[0] > 0);
  return 0;
}
